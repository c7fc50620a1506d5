// How the built-in engine ranks answers: what stands around a sentence counts too. Without vectors, by words alone; the
// test of its goals has both.

import { describe, expect, test } from 'bun:test'
import { ANSWER_FEATURES, type Asked } from '../../../src/engines/extractive/answer-features.ts'
import { rankSegments } from '../../../src/engines/extractive/answer-ranking.ts'
import weights from '../../../src/engines/extractive/answer-weights.json' with { type: 'json' }
import { answerFrom, NO_ANSWER } from '../../../src/engines/extractive/answer.ts'
import { createDocument, readText, splitText } from '../../../src/engines/extractive/document.ts'
import { understand } from '../../../src/engines/extractive/question.ts'
import { rankSentences } from '../../../src/engines/extractive/relevance.ts'
import type { TextIndex } from '../../../src/engines/extractive/text-index.ts'
import { timed } from '../../support/analysis-score.ts'

const TRANSCRIPT = [
  'Welcome back to the harbour show. Today we are on the pier in Aalmouth.',
  'The old lighthouse lost its lamp in the storm of February.',
  'It fell because nobody had looked at the bolts for thirty years.',
  'And what does a new lamp cost?',
  'They charge eleven thousand euros for one, and it comes from Portugal.',
  'The keeper, Anna Lund, has lived here since she was a child.',
  'My advice to visitors: never walk on the rocks when the tide comes in.',
  'Thanks for listening, and see you next week.',
]

function ask(question: string, texts = TRANSCRIPT): { index: TextIndex; asked: Asked } {
  const { index, entities } = createDocument(readText(splitText({ segments: timed(texts) })), new Map())
  const understood = understand(question)
  const ranked = rankSentences(index, understood, undefined, entities)
  return { index, asked: { question: understood, vector: undefined, ranked } }
}

function bestSegments(question: string, texts?: string[]): number[] {
  const { index, asked } = ask(question, texts)
  return rankSegments(index, asked)
    .slice(0, 2)
    .map(({ segment }) => segment)
}

describe('answers', () => {
  test('have a weight for everything that speaks for them', () => {
    expect(Object.keys(weights)).toEqual([...ANSWER_FEATURES])
    expect(Object.values(weights).every(Number.isFinite)).toBe(true)
  })

  test.each([
    ['What does a new lamp cost?', 4],
    ['How much do they want for the lamp?', 4],
    ['Why did the lamp of the lighthouse fall?', 2],
    ['Who is the keeper?', 5],
    ['What should visitors avoid?', 6],
  ])('to "%s" are among the best two', (question, segment) => {
    expect(bestSegments(question)).toContain(segment)
  })

  test('are found where a transcript has no punctuation', () => {
    const plain = TRANSCRIPT.map((text) => text.toLowerCase().replaceAll(/[.,:?]/g, ''))
    expect(bestSegments('what does a new lamp cost', plain)).toContain(4)
  })

  test('are the sentence that says all that is asked, whatever comes after it', () => {
    const { index, asked } = ask('when does the ferry leave for the island', [
      'Good morning from the old harbour in Lunden.',
      'The first ferry leaves for the island at six in the morning.',
      'In winter the boats only sail twice a day because of the ice.',
      'The captain has done this work for thirty years.',
    ])
    expect(answerFrom(index, asked)).toMatchObject({
      bestSegmentIndex: 1,
      answer: 'The first ferry leaves for the island at six in the morning.',
    })
  })

  test('to what asks nothing are where it is said', () => {
    const { index, asked } = ask('keeper Anna Lund')
    expect(answerFrom(index, asked)).toMatchObject({ found: true, bestSegmentIndex: 5 })
  })

  test('come with other segments worth a look, the best first and none twice', () => {
    const { index, asked } = ask('What does a new lamp cost?')
    const { found, bestSegmentIndex, relevantSegmentIndexes } = answerFrom(index, asked)
    expect(found).toBe(true)
    expect(relevantSegmentIndexes[0]).toBe(bestSegmentIndex)
    expect(new Set(relevantSegmentIndexes).size).toBe(relevantSegmentIndexes.length)
    expect(relevantSegmentIndexes.length).toBeLessThanOrEqual(5)
  })

  test('are none where nothing is said of what is asked', () => {
    const { index, asked } = ask('How many penguins live in the Antarctic?')
    expect(answerFrom(index, asked)).toEqual(NO_ANSWER)
  })

  test('of a transcript without words are none', () => {
    const { index, asked } = ask('What does a new lamp cost?', [''])
    expect(answerFrom(index, asked)).toEqual(NO_ANSWER)
    expect(rankSegments(index, asked)).toEqual([])
  })
})
