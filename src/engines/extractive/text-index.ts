// Sentences made comparable: stems with the weight of how rare they are, and vectors where there are any. Everything
// that ranks sentences stands on this.

import type { Sentence } from './sentences.ts'
import type { Vectors } from './types.ts'
import { contentStems } from './words.ts'

export interface IndexedSentence extends Sentence {
  readonly index: number
  /** Stem → how often. */
  readonly stems: ReadonlyMap<string, number>
  readonly vector: Float32Array | undefined
}

export interface TextIndex {
  readonly sentences: readonly IndexedSentence[]
  /** log(1 + sentences / sentences with the stem); the highest possible for a stem that does not occur. */
  idf(stem: string): number
  /** 0..1: cosine of the vectors, or of the weighted stems where there are no vectors. */
  similarity(a: IndexedSentence, b: IndexedSentence): number
  readonly hasVectors: boolean
}

export function createTextIndex(sentences: readonly Sentence[], vectors: Vectors): TextIndex {
  const indexed = sentences.map(
    (sentence, index): IndexedSentence => ({
      ...sentence,
      index,
      stems: countsOf(contentStems(sentence.text)),
      vector: vectors.get(sentence.text),
    }),
  )
  const frequency = new Map<string, number>()
  for (const { stems } of indexed) {
    for (const stem of stems.keys()) frequency.set(stem, (frequency.get(stem) ?? 0) + 1)
  }
  const idf = (stem: string): number => Math.log(1 + indexed.length / (frequency.get(stem) ?? 0.5))
  const norms = indexed.map(({ stems }) =>
    Math.hypot(...[...stems].map(([stem, count]) => count * idf(stem))),
  )

  function lexical(a: IndexedSentence, b: IndexedSentence): number {
    const norm = (norms[a.index] ?? 0) * (norms[b.index] ?? 0)
    if (norm === 0) return 0
    let product = 0
    for (const [stem, count] of a.stems) product += count * (b.stems.get(stem) ?? 0) * idf(stem) ** 2
    return product / norm
  }

  return {
    sentences: indexed,
    idf,
    hasVectors: vectors.size > 0,
    similarity(a, b) {
      const close = cosine(a.vector, b.vector)
      return close === undefined ? lexical(a, b) : Math.max(0, close)
    },
  }
}

/** Of unit vectors; undefined when one is missing. */
export function cosine(a: Float32Array | undefined, b: Float32Array | undefined): number | undefined {
  if (!a || !b || a.length !== b.length) return undefined
  let product = 0
  for (let index = 0; index < a.length; index++) product += (a[index] ?? 0) * (b[index] ?? 0)
  return product
}

export function countsOf(items: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>()
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1)
  return counts
}
