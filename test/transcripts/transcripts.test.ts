// Transcripts grow while their job runs and are a cache afterwards.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { App } from '../../src/app.ts'
import {
  appendSegments,
  cacheKeyText,
  completeTranscript,
  createTranscript,
  deleteTranscript,
  findCached,
  listSegments,
  pruneIncomplete,
  transcriptBody,
} from '../../src/transcripts/transcripts.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

let support: TestApp
let app: App
beforeEach(async () => {
  support = await createTestApp()
  app = support.app
})
afterEach(() => support.close())

const key = cacheKeyText({
  canonicalUrl: 'https://example.com/a',
  item: 1,
  speechModel: 'moonshine',
  language: '',
})
const begin = (): string =>
  createTranscript(app, { cacheKey: key, videoInfo: { title: 'A' }, speechModel: 'moonshine' })
const outcome = { language: 'en', durationS: 9, videoInfo: { title: 'A' } }

test('segments come back in the order in which the windows brought them, in seconds', () => {
  const id = begin()
  appendSegments(app, id, [{ text: 'one', startMs: 0, endMs: 1_234.4 }])
  appendSegments(app, id, [
    {
      text: 'two',
      startMs: 2_000,
      endMs: 2_500,
      words: [{ text: 'two', startMs: 2_000, endMs: 2_500, probability: 0.9 }],
    },
    { text: 'three', startMs: 3_000, endMs: 3_001 },
  ])
  expect(listSegments(app, id)).toEqual([
    { text: 'one', start: 0, end: 1.234 },
    { text: 'two', start: 2, end: 2.5 },
    { text: 'three', start: 3, end: 3.001 },
  ])
  expect(transcriptBody(listSegments(app, id), true)).toBe('one two three')
})

test('only a complete transcript is found in the cache, and the newest wins', () => {
  const first = begin()
  expect(findCached(app, key)).toBeUndefined()
  completeTranscript(app, first, outcome)
  expect(findCached(app, key)?.id).toBe(first)
  const second = begin()
  expect(findCached(app, key)?.id).toBe(first)
  completeTranscript(app, second, { ...outcome, language: 'de' })
  expect(findCached(app, key)).toMatchObject({ id: second, language: 'de', durationS: 9 })
})

test('deleting a transcript takes its segments along', () => {
  const id = begin()
  appendSegments(app, id, [{ text: 'one', startMs: 0, endMs: 1 }])
  deleteTranscript(app, id)
  expect(listSegments(app, id)).toEqual([])
})

test('what was never completed is pruned by age, the cache is not', () => {
  completeTranscript(app, begin(), outcome)
  begin()
  expect(pruneIncomplete(app, app.now())).toBe(0)
  support.advance(1)
  expect(pruneIncomplete(app, app.now())).toBe(1)
  expect(findCached(app, key)).toBeDefined()
})
