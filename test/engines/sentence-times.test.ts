// Times of sentences inside a window whose engine gives none.

import { describe, expect, test } from 'bun:test'
import { splitSentences, timeSentences } from '../../src/engines/sentence-times.ts'

const span = (startMs: number, endMs: number) => ({ startMs, endMs })

describe('splitting sentences', () => {
  test('periods of abbreviations and decimals do not end a sentence', () => {
    expect(splitSentences('Mr. Smith paid 3.5 dollars to Dr. No. He left! Why? Nobody knows')).toEqual([
      'Mr. Smith paid 3.5 dollars to Dr. No.',
      'He left!',
      'Why?',
      'Nobody knows',
    ])
  })

  test('a text that ends with an abbreviation keeps it', () => {
    expect(splitSentences('He lives in St. ')).toEqual(['He lives in St.'])
  })
})

describe('sentence times', () => {
  test('one sentence takes the whole window, whatever its pauses', () => {
    expect(timeSentences('And so ask not.', [span(350, 2_240), span(3_300, 4_380)])).toEqual([
      { startMs: 350, endMs: 4_380, text: 'And so ask not.' },
    ])
  })

  test('a clause set off by a clear pause is a segment of its own, others are not', () => {
    const utterances = [span(0, 2_000), span(2_800, 4_800), span(5_100, 7_100)]
    const text = 'I came to the town, I saw all of the houses, I left it again.'
    expect(timeSentences(text, utterances)).toEqual([
      { startMs: 0, endMs: 2_000, text: 'I came to the town,' },
      { startMs: 2_800, endMs: 7_100, text: 'I saw all of the houses, I left it again.' },
    ])
  })

  test('sentences begin after the pauses that fit their share of the text', () => {
    const utterances = [span(600, 2_400), span(3_600, 5_000), span(5_300, 6_700), span(7_400, 10_300)]
    const text =
      'Hello and welcome to the news. The President of France came to Berlin. He said it is important to us.'
    expect(timeSentences(text, utterances).map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [600, 2_400],
      [3_600, 6_700],
      [7_400, 10_300],
    ])
  })

  test('a long pause near the place wins over a short one a little nearer', () => {
    const utterances = [span(0, 2_000), span(2_300, 2_500), span(3_500, 5_800)]
    const [, second] = timeSentences('Twenty characters x. Twenty characters y.', utterances)
    expect(second?.startMs).toBe(3_500)
  })

  test('without pauses the share of the text decides', () => {
    const segments = timeSentences('Aaaa bbbb. Cccc dddd. Eeee ffff.', [span(1_000, 4_000)])
    expect(segments.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([
      [1_000, 2_000],
      [2_000, 3_000],
      [3_000, 4_000],
    ])
  })

  test('segments ascend and do not overlap, however many sentences and pauses there are', () => {
    for (let sentences = 1; sentences <= 8; sentences++) {
      for (let pauses = 1; pauses <= 8; pauses++) {
        const text = Array.from({ length: sentences }, (_, i) => `Word${'x'.repeat(i * 3)} here.`).join(' ')
        const utterances = Array.from({ length: pauses }, (_, i) => span(i * 1_000, i * 1_000 + 400 + 50 * i))
        const segments = timeSentences(text, utterances)
        expect(segments.map((segment) => segment.text).join(' ')).toBe(text)
        let end = 0
        for (const segment of segments) {
          expect(segment.startMs).toBeGreaterThanOrEqual(end)
          expect(segment.endMs).toBeGreaterThan(segment.startMs)
          end = segment.endMs
        }
      }
    }
  })

  test('no text gives no segment', () => {
    expect(timeSentences('', [span(0, 1_000)])).toEqual([])
  })
})
