// The analysis of a post's claim: its texts are the post's own sentences, in quotation marks, between fixed words; its
// axes are judged on the post's text alone.

import { AXES, type Axis, CUES, DEFAULT_LABEL } from './axes.ts'
import type { Document } from './document.ts'
import { numbersOf } from './numbers.ts'
import { isQuestion } from './question.ts'
import { keySubjects } from './subjects.ts'
import { cosine } from './text-index.ts'
import type { Vectors } from './types.ts'
import { isStopWord, wordsOf } from './words.ts'

const TOPICS_MIN = 3
const TOPICS_MAX = 8
const ENTITIES_MAX = 8
const QUERY_WORDS_MAX = 12
/** Similarity in meaning counts for so much of a label's score; cues are the rest. */
const MEANING_WEIGHT = 0.5

export type AxisLabels = Readonly<Record<Axis, string>>

export interface Statement extends AxisLabels {
  readonly final_statement: string
  readonly statement_query: string
  readonly detailed_analysis: string
  /** 3 to 8. */
  readonly topics: readonly string[]
  /** 0 to 8. */
  readonly entities: readonly string[]
}

/** Every text, beside the post's sentences, that needs a vector. */
export function axisTexts(): string[] {
  return Object.values(AXES).flatMap((labels): string[] => Object.values(labels))
}

/** `vectors` has those of `axisTexts` and, for the best result, of `postText` as a whole. */
export function analyseStatement(document: Document, postText: string, vectors: Vectors): Statement {
  const labels = labelsOf(postText, document, vectors)
  const claim = claimOf(document)
  const subjects = keySubjects(document.index, document.phrases, document.ranks, TOPICS_MAX).map(
    ({ name }) => name,
  )
  const entities = [...document.entities.people, ...document.entities.places].map(({ name }) => name)
  const topics = padded(subjects, [
    ...entities.map((name) => name.toLowerCase()),
    ...longWords(postText),
    ...axisWords(labels),
  ])
  return {
    final_statement: claim,
    statement_query: searchQuery(claim, entities),
    detailed_analysis: describe(document, claim, topics, labels),
    topics,
    entities: [...new Set(entities)].slice(0, ENTITIES_MAX),
    ...labels,
  }
}

function labelsOf(text: string, { index, english }: Document, vectors: Vectors): AxisLabels {
  const whole = vectors.get(text)
  const label = (axis: Axis): string => {
    let best: string = DEFAULT_LABEL[axis]
    let bestScore = english ? 0.15 : Infinity
    for (const [name, meaning] of Object.entries(AXES[axis])) {
      const vector = vectors.get(meaning)
      const nearest = Math.max(
        0,
        cosine(whole, vector) ?? 0,
        ...index.sentences.map((one) => cosine(one.vector, vector) ?? 0),
      )
      const cues = CUES.filter((cue) => cue[0] === axis && cue[1] === name && cue[2].test(text))
      const score = MEANING_WEIGHT * nearest + cues.reduce((sum, cue) => sum + cue[3], 0)
      if (score > bestScore) [best, bestScore] = [name, score]
    }
    return best
  }
  return {
    claim_type: label('claim_type'),
    intent: label('intent'),
    tone: label('tone'),
    emotion: label('emotion'),
    authority: label('authority'),
  }
}

/** The sentence that asserts most: central, no question, with figures and names in it. */
function claimOf({ index, ranks, entities, english }: Document): string {
  const named = new Set([...entities.people, ...entities.places].flatMap(({ sentences }) => sentences))
  let best = ''
  let bestScore = -Infinity
  for (const { text, stems, index: at } of index.sentences) {
    const score =
      (ranks[at] ?? 0) +
      Math.min(stems.size, 12) / 12 +
      (numbersOf(text).length > 0 ? 0.3 : 0) +
      (named.has(at) ? 0.3 : 0) -
      (isQuestion(text) ? 0.7 : 0) -
      (/^(?:#|@|https?:)/.test(text) ? 1 : 0) +
      (english && /\b(?:is|are|was|were|will|has|have|should|must|can)\b/i.test(text) ? 0.2 : 0)
    if (score > bestScore) [best, bestScore] = [text, score]
  }
  return best.replaceAll(/https?:\/\/\S+/g, '').trim()
}

/** The claim's telling words in their order, names whole. */
function searchQuery(claim: string, entities: readonly string[]): string {
  const telling = wordsOf(claim).filter((word) => !isStopWord(word))
  const names = entities.flatMap((name) => wordsOf(name)).filter((word) => !telling.includes(word))
  return [...new Set([...telling, ...names])].slice(0, QUERY_WORDS_MAX).join(' ')
}

/** Four sentences: claim, context, evidence, stance. */
function describe(document: Document, claim: string, topics: readonly string[], labels: AxisLabels): string {
  const evidence = document.index.sentences.find(
    ({ text }) =>
      text !== claim &&
      (numbersOf(text).length > 0 || /\b(?:because|according to|study|shows?|data)\b/i.test(text)),
  )
  return [
    claim === '' ? 'The post makes no claim in words.' : `The post says: ${quoted(claim)}.`,
    `It speaks of ${topics.slice(0, TOPICS_MIN).join(', ')}.`,
    evidence ? `In support it adds: ${quoted(evidence.text)}.` : 'It gives no further evidence.',
    `Kind: ${words(labels.claim_type)}; tone: ${words(labels.tone)}; aim: ${words(labels.intent)}; authority: ${words(labels.authority)}.`,
  ].join(' ')
}

function quoted(text: string): string {
  return `“${text.replace(/[.\s]+$/, '')}”`
}

function words(label: string): string {
  return label.replaceAll('_', ' ')
}

/** A post of two words has no three topics of its own: then what it was found to be stands in. */
function padded(topics: readonly string[], more: readonly string[]): string[] {
  const all = [...new Set([...topics, ...more].filter((topic) => topic !== ''))]
  return all.slice(0, Math.min(TOPICS_MAX, Math.max(TOPICS_MIN, topics.length)))
}

function longWords(text: string): string[] {
  const plain = text.replaceAll(/https?:\/\/\S+/g, '')
  return [...new Set(wordsOf(plain).filter((word) => word.length > 3 && !isStopWord(word)))]
}

function axisWords(labels: AxisLabels): string[] {
  return [labels.claim_type, labels.tone, labels.emotion, labels.intent].map(words)
}
