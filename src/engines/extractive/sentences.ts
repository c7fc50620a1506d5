// Transcript → sentences that know their segments. A sentence may span segments and a segment may hold several; text
// without punctuation falls apart at its segments instead.

import { splitSentences } from '../sentence-times.ts'
import type { TimedText } from './types.ts'

/** Longer ones have no punctuation worth its name. */
const WORDS_MAX = 45

export interface Sentence {
  readonly text: string
  readonly firstSegment: number
  readonly lastSegment: number
}

interface Piece {
  readonly text: string
  readonly start: number
}

/** In order; every text is found in the segments' texts joined by one space. */
export function sentencesOf(segments: readonly Pick<TimedText, 'text'>[]): Sentence[] {
  const pieces: Piece[] = []
  let joined = ''
  for (const { text } of segments) {
    const start = joined === '' ? 0 : joined.length + 1
    pieces.push({ text: text.trim().replaceAll(/\s+/g, ' '), start })
    joined = joined === '' ? (pieces.at(-1)?.text ?? '') : `${joined} ${pieces.at(-1)?.text ?? ''}`
  }
  const sentences: Sentence[] = []
  let cursor = 0
  let segment = 0
  const startOf = (index: number): number => pieces[index]?.start ?? Infinity
  const advance = (offset: number): number => {
    while (startOf(segment + 1) <= offset) segment++
    return segment
  }
  for (const text of splitSentences(joined)) {
    const start = joined.indexOf(text, cursor)
    cursor = start + text.length
    const firstSegment = advance(start)
    const lastSegment = advance(cursor - 1)
    if (text.split(' ').length <= WORDS_MAX) sentences.push({ text, firstSegment, lastSegment })
    else sentences.push(...cutAtSegments(joined, { start, end: cursor, firstSegment, lastSegment }, startOf))
  }
  return sentences
}

interface Stretch {
  readonly start: number
  readonly end: number
  readonly firstSegment: number
  readonly lastSegment: number
}

function cutAtSegments(joined: string, stretch: Stretch, startOf: (segment: number) => number): Sentence[] {
  const sentences: Sentence[] = []
  for (let segment = stretch.firstSegment; segment <= stretch.lastSegment; segment++) {
    const from = Math.max(stretch.start, startOf(segment))
    const to = Math.min(stretch.end, startOf(segment + 1))
    sentences.push(
      ...cutAtWords(joined.slice(from, to).trim()).map((text) => ({
        text,
        firstSegment: segment,
        lastSegment: segment,
      })),
    )
  }
  return sentences
}

function cutAtWords(text: string): string[] {
  const words = text.split(' ').filter((word) => word !== '')
  const parts = Math.ceil(words.length / WORDS_MAX)
  const length = Math.ceil(words.length / Math.max(1, parts))
  return Array.from({ length: parts }, (_, part) => words.slice(part * length, (part + 1) * length).join(' '))
}
