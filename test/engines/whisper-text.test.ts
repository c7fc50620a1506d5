// From tokens with times to sentences with times, on hand-made answers of the worker.

import { describe, expect, test } from 'bun:test'
import { segmentsOf, type WhisperPiece } from '../../src/engines/whisper-text.ts'

const window = { startMs: 60_000, endMs: 70_000 }

/** Pieces of 100 ms each, `from` the given time on. */
function pieces(texts: readonly string[], from: number): WhisperPiece[] {
  return texts.map((text, index) => [text, from + index * 100, from + (index + 1) * 100, 0.9])
}

function segment(texts: readonly string[], start: number, end: number) {
  return { start, end, text: texts.join(''), pieces: pieces(texts, start + 50) }
}

describe('the text of a window', () => {
  test('joins tokens to words with absolute times and leaves punctuation with its word', () => {
    const [only] = segmentsOf([segment([' Hel', 'lo', ',', ' world', '.'], 100, 2_000)], 'en', window)
    expect(only?.text).toBe('Hello, world.')
    expect({ startMs: only?.startMs, endMs: only?.endMs }).toEqual({ startMs: 60_100, endMs: 62_000 })
    expect(only?.words).toEqual([
      { text: 'Hello,', startMs: 60_150, endMs: 60_350, probability: 0.9 },
      { text: 'world.', startMs: 60_450, endMs: 60_550, probability: 0.9 },
    ])
  })

  test('is cut where sentences end, at the time of the word', () => {
    const result = segmentsOf(
      [segment([' It', ' rains', '.', ' Take', ' 3', '.', '5', ' coats', '.'], 0, 3_000)],
      'en',
      window,
    )
    expect(result.map(({ text }) => text)).toEqual(['It rains.', 'Take 3.5 coats.'])
    expect(result.map(({ startMs }) => startMs)).toEqual([60_000, 60_350])
    expect(result.at(-1)?.endMs).toBe(63_000)
  })

  test('has words in languages written without spaces', () => {
    const result = segmentsOf(
      [segment(['今日', 'は', '雨', 'です', '。', '明日', 'は', '晴れ', '。'], 0, 2_000)],
      'ja',
      window,
    )
    expect(result.map(({ text }) => text)).toEqual(['今日は雨です。', '明日は晴れ。'])
    expect(result[0]?.words?.map(({ text }) => text)).toEqual(['今日', 'は', '雨', 'です。'])
  })

  test('leaves out what is no speech, and loops', () => {
    const loop = segment(Array.from({ length: 12 }, () => [' thank', ' you', '.']).flat(), 1_000, 9_000)
    const noise = [
      segment([' [', 'MUSIC', ']'], 0, 1_000),
      segment([' (applause)'], 0, 1_000),
      segment([' ♪ la la ♪'], 0, 1_000),
      segment([' ...'], 0, 500),
    ]
    expect(segmentsOf([...noise, loop], 'en', window).map(({ text }) => text)).toEqual(['thank you.'])
  })

  test('stays whole, in order and inside the window whatever times the model gives', () => {
    const result = segmentsOf(
      [segment([' one', ' two', '.'], 5_000, 29_000), segment([' three', '.'], 4_000, 29_980)],
      'en',
      window,
    )
    expect(result.map(({ text }) => text)).toEqual(['one two. three.'])
    expect(result.map(({ startMs, endMs }) => [startMs, endMs])).toEqual([[65_000, 70_000]])
  })
})
