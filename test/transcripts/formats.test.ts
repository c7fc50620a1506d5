// Transcript files as players, editors and spreadsheets read them.

import { expect, test } from 'bun:test'
import { FORMATS, formatTranscript } from '../../src/transcripts/formats.ts'

const transcript = {
  videoInfo: { title: 'A talk' },
  segments: [
    { text: 'Hello\nthere.', start: 0, end: 1.5 },
    { text: 'a < b --> c & d', start: 3_661.25, end: 3_662.999 },
  ],
}

test('srt numbers its cues and uses a comma; what players would take for times stays text', () => {
  expect(formatTranscript('srt', transcript)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n2\n01:01:01,250 --> 01:01:02,999\na < b --\u200B> c & d\n',
  )
})

test('srt: what players take for markup is shown as it was said', () => {
  const segments = [{ text: '<b>bold</b> {\\an8}up <3 {x}', start: 0, end: 4 }]
  const shown = formatTranscript('srt', { videoInfo: {}, segments })
  expect(shown).toContain('<\u200Bb>bold<\u200B/b> {\u200B\\an8}up <3 {x}')
})

test('vtt escapes what it would read as markup', () => {
  expect(formatTranscript('vtt', transcript)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello there.\n\n' +
      '01:01:01.250 --> 01:01:02.999\na &lt; b --&gt; c &amp; d\n',
  )
})

test('a line of text is never a cue’s times, a header or a blank line, whatever was said', () => {
  const text = '00:00:01.000 --> 00:00:02.000\n\nWEBVTT\n\nNOTE x\n\nSTYLE\n::cue{}'
  const vtt = formatTranscript('vtt', { videoInfo: {}, segments: [{ text, start: 1, end: 9 }] })
  expect(vtt.match(/-->/g)).toHaveLength(1 + (vtt.match(/\n\n/g) ?? []).length - 1)
  expect(
    vtt
      .split('\n\n')
      .slice(1)
      .every((block) => /^\d\d:\d\d:\d\d\.\d{3} --> /.test(block)),
  ).toBe(true)
})

test('tsv: whole milliseconds, and one row whatever the text holds', () => {
  const segments = [{ text: 'Tab\there\nand there', start: 1.2344, end: 2 }]
  expect(formatTranscript('tsv', { videoInfo: {}, segments })).toBe(
    'start\tend\ttext\n1234\t2000\tTab here and there\n',
  )
})

test('text is one segment a line, json is the API’s shape without word times', () => {
  const [, second] = transcript.segments
  expect(formatTranscript('text', { ...transcript, segments: second ? [second] : [] })).toBe(
    'a < b --> c & d\n',
  )
  const words = [{ text: 'Hello', start: 0, end: 1 }]
  const timed = { ...transcript, segments: transcript.segments.map((segment) => ({ ...segment, words })) }
  expect(JSON.parse(formatTranscript('json', timed))).toEqual({
    video_info: transcript.videoInfo,
    transcript: transcript.segments,
  })
})

test('an empty transcript is an empty file, or a header alone', () => {
  const empty = { videoInfo: {}, segments: [] }
  expect(FORMATS.map((format) => formatTranscript(format, empty))).toEqual([
    `${JSON.stringify({ video_info: {}, transcript: [] }, null, 2)}\n`,
    '',
    '',
    'WEBVTT\n\n',
    'start\tend\ttext\n',
  ])
})
