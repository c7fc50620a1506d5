// How good a transcript of a sample recording is: word error rate, and the share of sentences whose start is right.

import type { SpeechSegment } from '../../src/engines/speech-engine.ts'
import { type Sample, startsFound, wordErrors, wordsOf } from './samples.ts'

export const START_TOLERANCE_MS = 300

export interface Score {
  readonly name: string
  readonly words: number
  readonly errors: number
  readonly sentences: number
  /** Sentences with a segment that starts within 0.3 s of them. */
  readonly startsRight: number
}

const DIGITS = 'zero one two three four five six seven eight nine ten eleven twelve'.split(' ')

/** Small numbers count the same as digits and as words. */
export function scoredWords(text: string): string[] {
  return wordsOf(text).map((word) => DIGITS[Number(word)] ?? word)
}

export function scoreOf(sample: Sample, segments: readonly SpeechSegment[]): Score {
  const expected = scoredWords(sample.text)
  const heard = scoredWords(segments.map((segment) => segment.text).join(' '))
  return {
    name: sample.name,
    words: expected.length,
    errors: wordErrors(expected, heard),
    sentences: sample.sentences.length,
    startsRight: startsFound(sample.sentences, segments, START_TOLERANCE_MS),
  }
}

export function totalOf(scores: readonly Score[]): Score {
  const sum = (field: 'words' | 'errors' | 'sentences' | 'startsRight'): number =>
    scores.reduce((total, score) => total + score[field], 0)
  return {
    name: 'all',
    words: sum('words'),
    errors: sum('errors'),
    sentences: sum('sentences'),
    startsRight: sum('startsRight'),
  }
}

/** A Markdown table with a line for all at its end. */
export function scoreTable(scores: readonly Score[]): string {
  const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`
  const lines = [...scores, totalOf(scores)].map((score) => {
    const wer = percent(score.errors, score.words)
    const starts = percent(score.startsRight, score.sentences)
    return `| ${score.name} | ${wer} | ${starts} (${score.startsRight} of ${score.sentences}) |`
  })
  return ['| recording | word error rate | starts within 0.3 s |', '|---|---|---|', ...lines].join('\n')
}
