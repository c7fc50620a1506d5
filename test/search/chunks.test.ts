// Cutting transcripts into stretches that overlap and fit the model.

import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { CHUNK_WORDS_MAX, chunksOf, stretchesOf } from '../../src/search/chunks.ts'

const words = (count: number, word = 'word'): string => Array.from({ length: count }, () => word).join(' ')
const wordCount = (text: string): number => text.split(/\s+/).filter(Boolean).length

describe('chunks', () => {
  test('take whole segments, and overlap by the last of them', () => {
    const segments = Array.from({ length: 6 }, (_, index) => ({
      startMs: index * 10_000,
      endMs: index * 10_000 + 9_000,
      text: words(20, `s${index}`),
      tokens: 20,
    }))
    const chunks = chunksOf(segments, 128)
    expect(chunks.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [0, 39_000],
      [30_000, 59_000],
    ])
    expect(chunks[1]?.text).toStartWith('s3 ')
  })

  test('keep to the tokens of the model, but for one segment that alone has more', () => {
    const segment = (tokens: number, index: number) => ({
      startMs: index * 1_000,
      endMs: index * 1_000 + 900,
      text: words(5),
      tokens,
    })
    const chunks = chunksOf([segment(60, 0), segment(60, 1), segment(60, 2), segment(300, 3)], 128)
    expect(chunks.map(({ startMs }) => startMs)).toEqual([0, 1_000, 3_000])
  })

  test('of nothing are none', () => {
    expect(stretchesOf([{ startMs: 0, endMs: 10, text: '  ' }])).toEqual([])
    expect(chunksOf([], 128)).toEqual([])
  })

  test('hold every word in order, and never more than 90', () => {
    const segmentsOf = fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 40 })
    fc.assert(
      fc.property(segmentsOf, (lengths) => {
        let next = 0
        const segments = lengths.map((length, index) => {
          const text = Array.from({ length }, () => `w${next++}`).join(' ')
          return { startMs: index * 5_000, endMs: index * 5_000 + 4_000, text }
        })
        const stretches = stretchesOf(segments).map((stretch) => ({
          startMs: stretch.startMs,
          endMs: stretch.endMs,
          text: stretch.text,
          tokens: wordCount(stretch.text),
        }))
        const chunks = chunksOf(stretches, 1_000)
        const seen = new Set(chunks.flatMap(({ text }) => text.split(' ')))
        expect(seen.size).toBe(next)
        for (const { text, startMs, endMs } of chunks) {
          expect(wordCount(text)).toBeLessThanOrEqual(CHUNK_WORDS_MAX)
          expect(endMs).toBeGreaterThanOrEqual(startMs)
        }
        const starts = chunks.map(({ startMs }) => startMs)
        expect(starts).toEqual(starts.toSorted((a, b) => a - b))
      }),
      { numRuns: 100 },
    )
  })

  test('of a long segment get times by their share of its words', () => {
    const pieces = stretchesOf([{ startMs: 0, endMs: 100_000, text: words(100) }])
    expect(pieces.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [0, 50_000],
      [50_000, 100_000],
    ])
  })
})
