// Times of a window without its long pauses, there and back.

import { describe, expect, test } from 'bun:test'
import { packed, type PackedWindow, unpacked } from '../../src/engines/packed-window.ts'

const span = (startMs: number, endMs: number) => ({ startMs, endMs })
const word = (startMs: number, endMs: number, text: string) => ({ startMs, endMs, text, probability: 1 })

/** Speech at 1–3 s, 100–102 s and 200–201 s; half a second of each pause is kept at each end. */
const WINDOW: PackedWindow = {
  startMs: 800,
  endMs: 201_200,
  samples: new Int16Array((2_700 + 3_000 + 1_700) * 16),
  pieces: [span(800, 3_500), span(99_500, 102_500), span(199_500, 201_200)],
  utterances: [span(1_000, 3_000), span(100_000, 102_000), span(200_000, 201_000)],
}

describe('a window without its long pauses', () => {
  test('looks to an engine like one stretch of audio', () => {
    const { startMs, endMs, utterances, samples } = packed(WINDOW)
    expect([startMs, endMs]).toEqual([800, 8_200])
    expect((endMs - startMs) * 16).toBe(samples.length)
    expect(utterances).toEqual([span(1_000, 3_000), span(4_000, 6_000), span(7_000, 8_000)])
  })

  test('segments return to where they were said', () => {
    const segments = packed(WINDOW).utterances.map((utterance) => Object.assign({ text: 'x' }, utterance))
    expect(unpacked(segments, WINDOW).map(({ startMs, endMs }) => span(startMs, endMs))).toEqual([
      ...WINDOW.utterances,
    ])
  })

  test('a start in the pause before the gap moves after it, an end in the pause behind it before', () => {
    const [first, second] = unpacked(
      [
        { startMs: 900, endMs: 3_900, text: 'a' },
        { startMs: 3_300, endMs: 6_100, text: 'b' },
      ],
      WINDOW,
    )
    expect(first).toEqual({ startMs: 900, endMs: 3_500, text: 'a' })
    expect(second).toEqual({ startMs: 99_500, endMs: 102_100, text: 'b' })
  })

  test('a segment over a gap is cut where its words say', () => {
    const words = [
      word(1_000, 2_000, 'And'),
      word(2_000, 3_000, 'so,'),
      word(4_000, 5_000, 'my'),
      word(5_000, 6_000, 'friends'),
    ]
    expect(unpacked([{ startMs: 1_000, endMs: 6_000, text: 'And so, my friends', words }], WINDOW)).toEqual([
      { startMs: 1_000, endMs: 3_000, text: 'And so,', words: words.slice(0, 2) },
      {
        startMs: 100_000,
        endMs: 102_000,
        text: 'my friends',
        words: [word(100_000, 101_000, 'my'), word(101_000, 102_000, 'friends')],
      },
    ])
  })

  test('text without spaces is cut as well', () => {
    const words = [word(1_000, 2_000, '今日'), word(4_000, 5_000, 'は')]
    const texts = unpacked([{ startMs: 1_000, endMs: 6_000, text: '今日は。', words }], WINDOW).map(
      ({ text }) => text,
    )
    expect(texts).toEqual(['今日', 'は。'])
  })

  test('without word times it stays whole', () => {
    const segments = [{ startMs: 1_000, endMs: 8_000, text: 'all of it' }]
    expect(unpacked(segments, WINDOW)).toEqual([{ startMs: 1_000, endMs: 201_000, text: 'all of it' }])
  })

  test('what an engine invents in the middle of a pause is dropped', () => {
    expect(unpacked([{ startMs: 3_200, endMs: 3_900, text: 'Thank you.' }], WINDOW)).toEqual([])
  })

  test('a window with nothing left out is passed on as it is', () => {
    const window = { ...WINDOW, pieces: [span(800, 8_200)] }
    const segments = [{ startMs: 1_234.5, endMs: 2_000, text: 'x' }]
    expect(unpacked(segments, window)).toEqual(segments)
  })
})
