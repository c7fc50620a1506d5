// How well search finds what was looked for, on the retrieval set in quality/. The figures in full:
// bun scripts/bench/retrieval.ts

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createTestApp, type TestApp } from '../support/app.ts'
import { createRetrieval, KINDS, type Retrieval } from '../support/retrieval.ts'
import passages from './quality/passages.json' with { type: 'json' }
import queries from './quality/queries.json' with { type: 'json' }

let testApp: TestApp
let retrieval: Retrieval

beforeAll(async () => {
  testApp = await createTestApp()
  retrieval = await createRetrieval(testApp.app, 0)
}, 60_000)

afterAll(async () => testApp.close())

test('the set is large enough to say something', () => {
  expect(passages.length).toBeGreaterThanOrEqual(60)
  expect(queries.filter(({ answer }) => answer !== null).length).toBeGreaterThanOrEqual(100)
  const ids = new Set(passages.map(({ id }) => id))
  for (const { answer } of queries) expect(answer === null || ids.has(answer)).toBe(true)
})

test.each(['all', 'tuning', 'rest'] as const)('fused search finds nearly everything (%s)', (half) => {
  const { recall1, recall5, reciprocal } = retrieval.measure('fused', half)
  expect(recall1).toBeGreaterThanOrEqual(0.8)
  expect(recall5).toBeGreaterThanOrEqual(0.93)
  expect(reciprocal).toBeGreaterThanOrEqual(0.87)
})

test('fused search is at least as good as words and as vectors on every kind of query but one', () => {
  const worse = KINDS.filter((kind) => {
    const fused = retrieval.measure('fused', 'all', kind)
    return (['words', 'vectors'] as const).some((way) => {
      const alone = retrieval.measure(way, 'all', kind)
      return alone.recall1 > fused.recall1 || alone.recall5 > fused.recall5
    })
  })
  expect(worse.length).toBeLessThanOrEqual(1)
})

test('a relevance of at least one half means that it is more likely right than not', () => {
  const first = [
    ...retrieval.fused.map(({ findings, answer }) => ({ hit: findings.hits[0], answer })),
    ...retrieval.unanswerable.map(({ hits }) => ({ hit: hits[0], answer: '' })),
  ]
  const shareRight = (from: number, to: number): number => {
    const within = first.filter(({ hit }) => hit && hit.relevance >= from && hit.relevance < to)
    return within.filter(({ hit, answer }) => hit?.fileId === answer).length / within.length
  }
  expect(shareRight(0.75, 1.01)).toBeGreaterThan(0.85)
  expect(shareRight(0.5, 0.75)).toBeGreaterThan(0.5)
  expect(shareRight(0, 0.25)).toBeLessThan(0.4)
})
