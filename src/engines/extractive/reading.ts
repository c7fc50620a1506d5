// A transcript read for extraction: every word with its place in the whole, so that how near a value stands to the words of
// a description can be told across sentences. Made once for all fields of a schema.

import type { Document } from './document.ts'
import type { FieldQuery } from './field-query.ts'
import { isQuestion } from './question.ts'
import { relatedTo } from './related.ts'
import { cosine, type IndexedSentence } from './text-index.ts'
import { stemOf } from './words.ts'

const WORD = /[\p{L}\p{N}]{1,60}(?:['’.,-][\p{L}\p{N}]{1,60}){0,6}/gu

export interface ReadWord {
  readonly lower: string
  readonly stem: string
  /** Position in the list of sentences, and offsets in the sentence. */
  readonly sentence: number
  readonly start: number
  readonly end: number
}

export interface Reading {
  readonly document: Document
  readonly words: readonly ReadWord[]
  /** Index of each sentence's first word, and one more for the end. */
  readonly firstWords: readonly number[]
  /** Which sentences ask. */
  readonly asks: readonly boolean[]
  /** Where a stem is said, ascending. */
  readonly positions: ReadonlyMap<string, readonly number[]>
}

/** A stretch of words: `[from, to)` of the reading's words, all of one sentence. */
export interface Stretch {
  readonly sentence: number
  readonly from: number
  readonly to: number
}

export function readingOf(document: Document): Reading {
  const words: ReadWord[] = []
  const firstWords: number[] = []
  const positions = new Map<string, number[]>()
  for (const [sentence, { text }] of document.index.sentences.entries()) {
    firstWords.push(words.length)
    for (const match of text.matchAll(WORD)) {
      const lower = match[0].toLowerCase().replaceAll('’', "'")
      const stem = stemOf(lower)
      const said = positions.get(stem)
      if (said) said.push(words.length)
      else positions.set(stem, [words.length])
      words.push({ lower, stem, sentence, start: match.index, end: match.index + match[0].length })
    }
  }
  firstWords.push(words.length)
  const asks = document.index.sentences.map(({ text }) => isQuestion(text))
  return { document, words, firstWords, asks, positions }
}

/** The words that a piece of a sentence covers. */
export function stretchOf(reading: Reading, sentence: number, start: number, end: number): Stretch {
  let from = reading.firstWords[sentence] ?? 0
  const limit = reading.firstWords[sentence + 1] ?? from
  while (from < limit && (reading.words[from]?.end ?? 0) <= start) from++
  let to = from
  while (to < limit && (reading.words[to]?.start ?? Infinity) < end) to++
  return { sentence, from, to }
}

export interface Term {
  readonly stem: string
  readonly weight: number
  /** Where the stem is said, and where one is that stands for it; ascending. */
  readonly exact: readonly number[]
  readonly related: readonly number[]
}

/** The telling words of a description with their weights, which sum up to 1, and where each is said. */
export function termsOf({ document, positions }: Reading, { stems }: FieldQuery): Term[] {
  const idf = stems.map((stem) => document.index.idf(stem))
  const sum = idf.reduce((total, one) => total + one, 0)
  return stems.map((stem, at) => ({
    stem,
    weight: (idf[at] ?? 0) / sum,
    exact: positions.get(stem) ?? [],
    related: [...relatedTo(stem)].flatMap((other) => positions.get(other) ?? []).toSorted((a, b) => a - b),
  }))
}

/** Fitted on half of the tuning set and checked on the other: `half` and `gap` in words. */
const CLOSENESS = { half: 7, gap: 4, related: 0.8, asked: 3 }

/** Words farther away do not count. */
const REACH_WORDS = 60

/**
 * 0..1: how many of the terms stand near the stretch, and how near. What the stretch itself says counts only where `own`
 * is asked for: "Harku Museum" says that it is a museum.
 */
export function closenessOf(
  reading: Reading,
  terms: readonly Term[],
  stretch: Stretch,
  own: 'own' | 'around' = 'around',
): number {
  let sum = 0
  for (const { exact, related, weight } of terms) {
    const near = Math.max(
      nearness(reading, exact, stretch, own),
      CLOSENESS.related * nearness(reading, related, stretch, own),
    )
    sum += weight * near
  }
  return sum
}

/** 1 beside the stretch, a half some words away, less beyond the end of a sentence. */
function nearness(
  { words, asks }: Reading,
  positions: readonly number[],
  { from, to, sentence }: Stretch,
  own: 'own' | 'around',
): number {
  let nearest = Infinity
  for (let index = firstFrom(positions, from - REACH_WORDS); index < positions.length; index++) {
    const at = positions[index] ?? 0
    if (at >= to + REACH_WORDS) break
    if (at >= from && at < to) {
      if (own === 'own') return 1
      continue
    }
    const there = words[at]?.sentence ?? sentence
    const apart = at < from ? from - at - 1 : at - to
    // What the sentence before asks, this one answers.
    const answered = there === sentence - 1 && asks[there] === true
    const distance = answered ? CLOSENESS.asked : apart + Math.abs(there - sentence) * CLOSENESS.gap
    nearest = Math.min(nearest, distance)
  }
  return 1 / (1 + nearest / CLOSENESS.half)
}

/** Index of the first position that is not before `least`; the positions ascend. */
function firstFrom(positions: readonly number[], least: number): number {
  let low = 0
  let high = positions.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((positions[middle] ?? 0) < least) low = middle + 1
    else high = middle
  }
  return low
}

/** 0..1: closeness of a sentence in meaning, its neighbours counting less; by words alone where there are no vectors. */
export function meaningOf({ document, asks }: Reading, query: FieldQuery, sentence: number): number {
  const at = (index: number): number => {
    const there = document.index.sentences[index]
    return cosine(there?.vector, query.vector) ?? (there ? sharedWords(there, query) / 2 : 0)
  }
  return Math.max(
    0,
    at(sentence),
    (asks[sentence - 1] === true ? 0.95 : 0.8) * at(sentence - 1),
    0.6 * at(sentence + 1),
  )
}

function sharedWords(sentence: IndexedSentence, { stems }: FieldQuery): number {
  return stems.filter((stem) => sentence.stems.has(stem)).length / Math.max(1, stems.length)
}
