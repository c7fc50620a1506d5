// One search inside the worker: candidates by words and by vector, what speaks for each, and the best of them. Synchronous.

import type { Similarity } from '../engines/model-catalogue.ts'
import { type Evidence, fuse } from './fusion.ts'
import { anyOf, contentWords, wordsOf } from './query.ts'
import { type Variant, variantsOf } from './spelling.ts'
import type { Stems } from './stems.ts'
import type { FoundChunk, Lookups, Nearness, SearchScope } from './store.ts'

const BY_WORDS = 100
const BY_VECTOR = 100

export type Question = SearchScope & {
  readonly query: string
  /** Null: by words alone. */
  readonly near: (Nearness & { readonly similarity: Similarity }) | null
  readonly limit: number
}

export interface Hit extends FoundChunk {
  /** 0..1 */
  readonly relevance: number
}

export interface Findings {
  /** Best first. */
  readonly hits: readonly Hit[]
  /** Words that nobody said, and what was looked for instead. */
  readonly corrections: readonly { readonly word: string; readonly instead: readonly string[] }[]
}

/** A word of the query as the index knows it. */
interface Sought {
  readonly word: string
  readonly weight: number
  /** Itself; or, when nobody said it, what may have been meant; or nothing. */
  readonly variants: readonly Variant[]
}

export function search(index: Lookups, stems: Stems, question: Question): Findings {
  const sought = soughtIn(index, stems, contentWords(question.query))
  const match = anyOf(sought.flatMap(matched))
  const byWords = match === undefined ? [] : index.byWords(question, match, BY_WORDS)
  const byVector = question.near ? index.byVector(question, question.near, BY_VECTOR) : []
  const cosines = new Map(byVector.map(({ id, cosine }) => [id, cosine]))
  const uncompared = question.near ? byWords.filter((id) => !cosines.has(id)) : []
  if (question.near && uncompared.length > 0) {
    for (const [id, cosine] of index.cosines(uncompared, question.near)) cosines.set(id, cosine)
  }
  const chunks = new Map(
    index.chunks([...new Set([...byWords, ...cosines.keys()])]).map((chunk) => [chunk.id, chunk]),
  )
  const wordRanks = new Map(byWords.map((id, rank) => [id, rank]))
  const relevant = new Set(sought.flatMap(({ variants }) => variants.map(({ term }) => term)))
  /** Of the terms that are looked for, those that this scope holds. */
  const present = new Set<string>()
  const evidence = [...chunks.values()].map(({ id, text }): Evidence => {
    const own = new Set(stems.of(wordsOf(text)).filter((term) => relevant.has(term)))
    for (const term of own) present.add(term)
    return { id, cosine: cosines.get(id), coverage: coverageOf(sought, own), wordRank: wordRanks.get(id) }
  })
  const scored = fuse(evidence, question.near?.similarity)
  return {
    hits: scored.slice(0, question.limit).flatMap(({ id, relevance }) => {
      const chunk = chunks.get(id)
      return chunk ? [{ ...chunk, relevance }] : []
    }),
    // The vocabulary is everybody's: a word that only others say must not be told.
    corrections: sought.flatMap(({ word, variants }) => {
      const instead = variants.flatMap(({ term, weight }) => (weight < 1 && present.has(term) ? [term] : []))
      return instead.length === 0 ? [] : [{ word, instead }]
    }),
  }
}

function soughtIn(index: Lookups, stems: Stems, words: readonly string[]): Sought[] {
  const size = index.size()
  const terms = stems.of(words)
  const seen = new Set<string>()
  return words.flatMap((word, at): Sought[] => {
    const term = terms[at] ?? word
    if (seen.has(term)) return []
    seen.add(term)
    const known = index.term(term)
    if (known) return [{ word, weight: rarity(known.chunks, size), variants: [{ ...known, weight: 1 }] }]
    const initial = term.slice(0, 1)
    const variants = variantsOf(word, term, index.terms(initial, initial + '\u{10ffff}'))
    const chunks = variants.reduce((sum, variant) => sum + variant.chunks, 0)
    return [{ word, weight: rarity(chunks, size), variants }]
  })
}

/** The word itself where it is known: the index takes its stem, and the stem of a stem may be another. */
function matched({ word, variants }: Sought): string[] {
  return variants.map(({ term, weight }) => (weight === 1 ? word : term))
}

/** Inverse document frequency as BM25 has it. */
function rarity(chunks: number, size: number): number {
  return Math.log(1 + (Math.max(size, chunks) - chunks + 0.5) / (chunks + 0.5))
}

/** Share of the query's words that are there, weighted by how rare they are. */
export function coverageOf(sought: readonly Sought[], terms: ReadonlySet<string>): number {
  let all = 0
  let there = 0
  for (const { weight, variants } of sought) {
    all += weight
    there +=
      weight * Math.max(0, ...variants.map((variant) => (terms.has(variant.term) ? variant.weight : 0)))
  }
  return all === 0 ? 0 : there / all
}
