// How two opinions about a chunk become one.

import { describe, expect, test } from 'bun:test'
import { descending, fuse } from '../../src/search/fusion.ts'

const SUM = { fusion: 'sum', unrelated: 0.2, same: 0.8 } as const
const GATED = { fusion: 'gated', unrelated: 0.7, same: 0.9 } as const

const ids = (scored: readonly { readonly id: number }[]): number[] => scored.map(({ id }) => id)

describe('fusion', () => {
  test('lets rare words win over a vague likeness, and meaning over a few common words', () => {
    const scored = fuse(
      [
        { id: 1, cosine: 0.45, coverage: 0, wordRank: undefined },
        { id: 2, cosine: 0.3, coverage: 1, wordRank: 0 },
        { id: 3, cosine: 0.2, coverage: 0.3, wordRank: 1 },
      ],
      SUM,
    )
    expect(ids(scored)).toEqual([2, 1, 3])
    for (const { relevance } of scored) {
      expect(relevance).toBeGreaterThan(0)
      expect(relevance).toBeLessThan(1)
    }
  })

  test('without a model goes by words alone, then by bm25', () => {
    const scored = fuse(
      [
        { id: 1, cosine: undefined, coverage: 0.5, wordRank: 2 },
        { id: 2, cosine: undefined, coverage: 0.5, wordRank: 1 },
        { id: 3, cosine: undefined, coverage: 1, wordRank: 5 },
      ],
      undefined,
    )
    expect(ids(scored)).toEqual([3, 2, 1])
    expect(scored[0]?.relevance).toBeCloseTo(0.9)
  })

  test('for cosines of another scale uses their order, and words only where they cover the query', () => {
    const scored = fuse(
      [
        { id: 1, cosine: 0.85, coverage: 0, wordRank: undefined },
        { id: 2, cosine: 0.84, coverage: 0.9, wordRank: 1 },
        { id: 3, cosine: 0.72, coverage: 0.3, wordRank: 0 },
      ],
      GATED,
    )
    expect(ids(scored)).toEqual([2, 1, 3])
    const relevances = scored.map(({ relevance }) => relevance)
    expect(relevances).toEqual(relevances.toSorted((a, b) => b - a))
  })

  test('what stands further down is never more relevant', () => {
    const scored = descending([
      { id: 1, relevance: 0.4 },
      { id: 2, relevance: 0.9 },
      { id: 3, relevance: 0.1 },
    ])
    expect(scored.map(({ relevance }) => relevance)).toEqual([0.4, 0.4, 0.1])
  })

  test('of nothing is nothing', () => {
    expect(fuse([], SUM)).toEqual([])
    expect(fuse([], GATED)).toEqual([])
  })
})
