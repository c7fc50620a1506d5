// The console's pure parts: finding words in transcripts, and numbers as people read them.

import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { fold, piecesOf, segmentAt, segmentsWith, wordsOf } from '../../src/console/ui/file/find.ts'
import { ago, bytes, clock, plural } from '../../src/console/ui/format.ts'

describe('finding', () => {
  const segments = [{ text: 'Das Café in Zürich' }, { text: 'Nothing' }, { text: 'the CAFE again' }]

  test('is blind to case and accents', () => {
    expect(segmentsWith(segments, ' cafe ')).toEqual([0, 2])
    expect(segmentsWith(segments, 'ZURICH')).toEqual([0])
    expect(segmentsWith(segments, '  ')).toEqual([])
  })

  test('keeps every character in its place, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(fold(text)).toHaveLength(text.length)
      }),
    )
  })

  test('cuts texts into pieces that together are the text', () => {
    expect(piecesOf('A café, a Cafe', ['cafe'])).toEqual([
      { text: 'A ', isFound: false },
      { text: 'café', isFound: true },
      { text: ', a ', isFound: false },
      { text: 'Cafe', isFound: true },
    ])
    fc.assert(
      fc.property(fc.string(), fc.array(fc.string()), (text, wanted) => {
        const pieces = piecesOf(text, wanted)
        expect(pieces.map((piece) => piece.text).join('')).toBe(text)
      }),
    )
  })

  test('marks the words of a question that say something', () => {
    expect(wordsOf('When do the boats leave for Åland?')).toEqual(['When', 'boats', 'leave', 'Åland'])
  })

  test('knows which segment is spoken', () => {
    const times = [{ start: 1 }, { start: 4.5 }, { start: 9 }]
    expect([0, 1, 4.4996, 6, 100].map((seconds) => segmentAt(times, seconds))).toEqual([-1, 0, 1, 1, 2])
    expect(segmentAt([], 3)).toBe(-1)
  })
})

describe('numbers', () => {
  test('are times', () => {
    expect([0, 59.9, 61, 3_600, 36_061].map(clock)).toEqual(['0:00', '0:59', '1:01', '1:00:00', '10:01:01'])
  })

  test('are sizes', () => {
    expect([0, 1_023, 1_024, 1_536_000, 5 * 1024 ** 3].map(bytes)).toEqual([
      '0 bytes',
      '1023 bytes',
      '1.0 KB',
      '1.5 MB',
      '5.0 GB',
    ])
  })

  test('are counts', () => {
    expect([plural(1, 'file'), plural(2, 'file'), plural(0, 'reply', 'replies')]).toEqual([
      '1 file',
      '2 files',
      '0 replies',
    ])
  })

  test('are ages', () => {
    const now = Date.UTC(2026, 0, 31, 12)
    const before = (seconds: number): string => ago(new Date(now - seconds * 1_000).toISOString(), now)
    expect([before(5), before(120), before(7_200), before(86_400 * 2)]).toEqual([
      '5 seconds ago',
      '2 minutes ago',
      '2 hours ago',
      '2 days ago',
    ])
    expect(before(86_400 * 30)).toContain('2026')
  })
})
