// Subtitles by the rules of the trade, on examples and on random speech.

import { describe, expect, test } from 'bun:test'
import { columns, type SegmentWithWords } from '../../src/transcripts/subtitle-tokens.ts'
import {
  type Cue,
  CUE_S,
  LINE_COLUMNS_MAX,
  READING_SPEED,
  subtitlesOf,
} from '../../src/transcripts/subtitles.ts'

const LONG =
  'The blaze broke out just before three in the morning on the second of February, and it took sixty ' +
  'firefighters until the afternoon to put it out.'

const segment = (text: string, start: number, end: number): SegmentWithWords => ({ text, start, end })
const textsOf = (cues: readonly Cue[]): string[] => cues.map(({ lines }) => lines.join(' / '))

test('a long sentence is broken by sense into cues and lines', () => {
  expect(textsOf(subtitlesOf([segment(LONG, 0, 10)]))).toEqual([
    'The blaze broke out just before three / in the morning on the second of February,',
    'and it took sixty firefighters / until the afternoon to put it out.',
  ])
})

test('a cue that can’t last as long as its sentence leaves no crumb behind', () => {
  const said = 'And so my fellow Americans ask not what your country can do for you,'
  const cues = textsOf(subtitlesOf([segment(said, 0.352, 7.616)]))
  expect(cues).toHaveLength(2)
  expect(Math.min(...cues.map(columns))).toBeGreaterThan(20)
})

test('what fits on one line stays there, whatever white space it came with', () => {
  expect(subtitlesOf([segment('  Hello\n\tthere, \u0007you.\u2028', 1, 3)])).toEqual([
    { start: 1, end: 3, lines: ['Hello there, you.'] },
  ])
})

test('words’ own times decide where a cue begins', () => {
  const words = LONG.split(' ').map((text, index) => ({
    text,
    start: index < 15 ? index : 20 + index * 0.3,
    end: index < 15 ? index + 0.9 : 20.2 + index * 0.3,
  }))
  const slow = subtitlesOf([{ text: LONG, start: 0, end: 30, words }])
  for (const cue of slow) {
    const first = cue.lines.join(' ').split(' ')[0] ?? ''
    expect(words.some(({ text, start }) => text === first && start === cue.start)).toBe(true)
  }
  expect(slow.length).toBeGreaterThan(2)
})

test('word times of another text are not believed', () => {
  const words = [{ text: 'something', start: 100, end: 200 }]
  expect(subtitlesOf([{ text: 'Another text.', start: 1, end: 3, words }])[0]).toMatchObject({
    start: 1,
    end: 3,
  })
})

test('a short word stays long enough to be read where there is room, but not into the next', () => {
  const [alone] = subtitlesOf([segment('Yes.', 1, 1.2)])
  expect(alone?.end).toBeCloseTo(1 + CUE_S.min, 2)
  const [first, second] = subtitlesOf([
    segment('Yes, that is how it is.', 1, 2),
    segment(LONG.slice(0, 80), 2.1, 7),
  ])
  expect(first?.end).toBe(2.1)
  expect(second?.start).toBe(2.1)
  expect(subtitlesOf([segment('Yes.', 9.8, 10)], 10.1).at(-1)?.end).toBe(10.1)
})

test('neighbours that are too short to be read share a cue', () => {
  const cues = subtitlesOf([
    segment('Yes.', 1, 1.2),
    segment('No.', 1.3, 1.5),
    segment('Perhaps, who knows?', 1.6, 4),
  ])
  expect(textsOf(cues)).toEqual(['Yes. No. Perhaps, who knows?'])
})

test('East Asian letters take two columns, and punctuation never begins a line', () => {
  const text =
    '今日は天気がいいから、散歩に行きましょう。東京の「スカイツリー」は世界でもっとも高い電波塔として知られています。'
  const cues = subtitlesOf([segment(text, 0, 12)])
  expect(cues.flatMap(({ lines }) => lines).join('')).toBe(text)
  for (const line of cues.flatMap(({ lines }) => lines)) {
    expect(columns(line)).toBeLessThanOrEqual(LINE_COLUMNS_MAX)
    expect(line).not.toMatch(/^[、。」]|「$/)
  }
})

test('a word longer than a line is cut, and nothing of it is lost', () => {
  const url = `https://example.com/${'👩‍👩‍👧a'.repeat(60)}`
  const lines = subtitlesOf([segment(url, 0, 20)]).flatMap((cue) => cue.lines)
  expect(lines.join('')).toBe(url)
  expect(Math.max(...lines.map(columns))).toBeLessThanOrEqual(LINE_COLUMNS_MAX)
  expect(lines.join('\n')).not.toMatch(/^\u200D/m)
})

test('times that make no sense still give cues in order, one after the other', () => {
  const cues = subtitlesOf([
    segment('One two three.', 5, 4),
    segment('Four five six.', 2, 2),
    segment('', 9, 10),
  ])
  expect(cues.map(({ lines }) => lines.join(' ')).join(' ')).toBe('One two three. Four five six.')
  expect(faultsOf(cues)).toEqual([])
})

/** Of order and shape. */
function faultsOf(cues: readonly Cue[]): string[] {
  let before = 0
  return cues.flatMap((cue, index) => {
    const faults = [
      ...(cue.start < before ? [`cue ${index} begins before the last has ended`] : []),
      ...(cue.end < cue.start ? [`cue ${index} ends before it begins`] : []),
      ...(cue.lines.length < 1 || cue.lines.length > 2 ? [`cue ${index} has ${cue.lines.length} lines`] : []),
      ...cue.lines.filter((line) => columns(line) > LINE_COLUMNS_MAX).map((line) => `too wide: ${line}`),
      ...cue.lines.filter((line) => line !== line.trim() || line === '').map((line) => `untidy: "${line}"`),
    ]
    before = cue.end
    return faults
  })
}

describe('random speech', () => {
  const VOCABULARY = [
    ...LONG.split(' '),
    'yes.',
    'no?',
    'extraordinarily',
    'of',
    '漢字',
    'かな、',
    'ประเทศไทย',
    '👍🏽',
    'a'.repeat(60),
  ]

  /** mulberry32: the same speech on every run. */
  function randomOf(seed: number): () => number {
    let state = seed
    return () => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
    }
  }

  function speech(random: () => number, secondsPerWord: number): SegmentWithWords[] {
    let at = 0
    return Array.from({ length: 20 }, () => {
      const start = at + random() * 2
      const spoken = Array.from(
        { length: 1 + Math.floor(random() * 40) },
        () => VOCABULARY[Math.floor(random() * VOCABULARY.length)] ?? '',
      )
      at = start + spoken.length * secondsPerWord
      return segment(spoken.join(' '), start, at)
    })
  }

  test('no word is lost or moved, no line too wide, no cue overlaps', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = randomOf(seed)
      const segments = speech(random, 0.1 + random())
      const cues = subtitlesOf(segments)
      expect(faultsOf(cues)).toEqual([])
      const said = segments
        .map(({ text }) => text)
        .join('')
        .replaceAll(' ', '')
      expect(
        cues
          .flatMap(({ lines }) => lines)
          .join('')
          .replaceAll(' ', ''),
      ).toBe(said)
    }
  })

  test('speech at an ordinary pace is read at an ordinary pace', () => {
    for (let seed = 1; seed <= 30; seed++) {
      const random = randomOf(seed)
      const plain = speech(random, 0.55).map(({ text, start, end }) => {
        const words = text.split(' ').filter((word) => /^[\w.,?]{1,14}$/.test(word))
        return segment(words.length === 0 ? 'well' : words.join(' '), start, end)
      })
      for (const { start, end, lines } of subtitlesOf(plain)) {
        expect(lines.join(' ').length / (end - start)).toBeLessThanOrEqual(READING_SPEED.max + 0.1)
        expect(end - start).toBeGreaterThanOrEqual(CUE_S.min - 0.01)
        expect(end - start).toBeLessThanOrEqual(CUE_S.max + 0.01)
      }
    }
  })
})
