// Two opinions about a chunk – how close its meaning is, how many of the query's words it holds – become one score and a
// relevance between 0 and 1. Pure functions; every number here was measured with scripts/bench/retrieval.ts.

import type { Similarity } from '../engines/model-catalogue.ts'

export interface Evidence {
  readonly id: number
  /** With the query's vector; undefined where there is no vector. */
  readonly cosine: number | undefined
  /** Share of the query's words that the chunk holds, rare words counting more. 0..1. */
  readonly coverage: number
  /** Place among the matches by words (bm25), from 0; undefined where it was none. */
  readonly wordRank: number | undefined
}

export interface Scored {
  readonly id: number
  readonly relevance: number
}

/** Flat between 0.2 and 1. */
const COVERAGE_WEIGHT = 0.5
/** From reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const RANK_CONSTANT = 60
/** Below this coverage, a match by words is chance. */
const TRUSTED_COVERAGE = 0.6

/** Best first. `similarity` is the model's; undefined: by words alone. */
export function fuse(evidence: readonly Evidence[], similarity: Similarity | undefined): Scored[] {
  if (!similarity) return byWords(evidence)
  return similarity.fusion === 'sum' ? bySum(evidence) : gated(evidence, similarity)
}

function bySum(evidence: readonly Evidence[]): Scored[] {
  return evidence
    .map((item) => ({ item, score: (item.cosine ?? 0) + COVERAGE_WEIGHT * item.coverage ** 2 }))
    .toSorted((a, b) => b.score - a.score || (a.item.wordRank ?? 1e9) - (b.item.wordRank ?? 1e9))
    .map(({ item, score }) => ({
      id: item.id,
      // Without a vector only its words speak for it.
      relevance: item.cosine === undefined ? relevanceOfWords(item.coverage) : relevanceOfSum(score),
    }))
}

function gated(evidence: readonly Evidence[], { unrelated, same }: Similarity): Scored[] {
  const byCosine = evidence.toSorted((a, b) => (b.cosine ?? -1) - (a.cosine ?? -1))
  const byCoverage = evidence
    .filter(({ coverage }) => coverage >= TRUSTED_COVERAGE)
    .toSorted((a, b) => b.coverage - a.coverage || (a.wordRank ?? 1e9) - (b.wordRank ?? 1e9))
  const scores = new Map<number, number>()
  for (const list of [byCosine.filter(({ cosine }) => cosine !== undefined), byCoverage]) {
    for (const [rank, { id }] of list.entries()) {
      scores.set(id, (scores.get(id) ?? 0) + 1 / (RANK_CONSTANT + rank))
    }
  }
  const ranked = evidence.toSorted((a, b) => (scores.get(b.id) ?? 0) - (scores.get(a.id) ?? 0))
  return descending(
    ranked.map((item) => {
      const meant = item.cosine === undefined ? 0 : clamp((item.cosine - unrelated) / (same - unrelated))
      return { id: item.id, relevance: Math.max(meant, relevanceOfWords(item.coverage)) }
    }),
  )
}

function byWords(evidence: readonly Evidence[]): Scored[] {
  return evidence
    .toSorted((a, b) => b.coverage - a.coverage || (a.wordRank ?? 1e9) - (b.wordRank ?? 1e9))
    .map(({ id, coverage }) => ({ id, relevance: relevanceOfWords(coverage) }))
}

/**
 * The share of first hits with such a score that are what was looked for, fitted on the retrieval set with and without
 * other passages around, queries for what is not there included: 0.5 means that one in two is right.
 */
function relevanceOfSum(score: number): number {
  return 1 / (1 + Math.exp(-RELEVANCE_SLOPE * (score - RELEVANCE_MIDDLE)))
}
const RELEVANCE_SLOPE = 10
const RELEVANCE_MIDDLE = 0.5

function relevanceOfWords(coverage: number): number {
  return 0.9 * coverage ** 2
}

/** What stands further down is never more relevant than what stands above it. */
export function descending(scored: readonly Scored[]): Scored[] {
  let least = 1
  return scored.map(({ id, relevance }) => {
    least = Math.min(least, relevance)
    return { id, relevance: least }
  })
}

function clamp(value: number): number {
  return Math.max(0, Math.min(1, value))
}
