// Finding words in a transcript, and cutting texts where they were found. Pure; case and accents do not matter.

import type { Segment } from '../api-types.ts'

/** ASCII: most of many transcripts, and folded in one go. */
const PLAIN = /^[ -~\s]*$/

/** Folds one text so that every character keeps its place: positions in the folded text are positions in the text. */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase()
  let folded = ''
  for (const character of text) {
    const plain = character.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase()
    folded += plain.length === character.length ? plain : character
  }
  return folded
}

/** Indexes of the segments that contain the text; none for a blank one. */
export function segmentsWith(segments: readonly Pick<Segment, 'text'>[], wanted: string): readonly number[] {
  const folded = fold(wanted.trim())
  if (folded === '') return []
  const found: number[] = []
  for (const [index, { text }] of segments.entries()) if (fold(text).includes(folded)) found.push(index)
  return found
}

export interface Piece {
  readonly text: string
  readonly isFound: boolean
}

/** The text in pieces: what was found of anything wanted, and what lies between. */
export function piecesOf(text: string, wanted: readonly string[]): readonly Piece[] {
  const sought = wanted.map((one) => fold(one.trim())).filter((one) => one !== '')
  const folded = fold(text)
  const pieces: Piece[] = []
  let from = 0
  for (;;) {
    const [first] = sought
      .map((one) => ({ at: folded.indexOf(one, from), length: one.length }))
      .filter(({ at }) => at >= 0)
      .toSorted((a, b) => a.at - b.at || b.length - a.length)
    if (!first) break
    if (first.at > from) pieces.push({ text: text.slice(from, first.at), isFound: false })
    from = first.at + first.length
    pieces.push({ text: text.slice(first.at, from), isFound: true })
  }
  if (from < text.length) pieces.push({ text: text.slice(from), isFound: false })
  return pieces
}

/** Words shorter than this are in every sentence. */
const WORD_MIN = 4

/** The words of a question that are worth marking. */
export function wordsOf(question: string): readonly string[] {
  return (question.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => word.length >= WORD_MIN)
}

/** Index of the segment that is spoken at a moment, or was spoken last; -1 before the first. */
export function segmentAt(segments: readonly Pick<Segment, 'start'>[], seconds: number): number {
  let low = 0
  let high = segments.length
  while (low < high) {
    const middle = (low + high) >> 1
    // Media elements round to less than a millisecond when they seek.
    if ((segments[middle]?.start ?? 0) <= seconds + 0.001) low = middle + 1
    else high = middle
  }
  return low - 1
}
