// Transcript files as players and editors read them.

import { expect, test } from 'bun:test'
import { formatTranscript } from '../../src/transcripts/formats.ts'

const transcript = {
  videoInfo: { title: 'A talk' },
  segments: [
    { text: 'Hello\nthere.', start: 0, end: 1.5 },
    { text: 'a < b --> c & d', start: 3_661.25, end: 3_662.999 },
  ],
}

test('srt numbers its cues, uses a comma and keeps each text on one line', () => {
  expect(formatTranscript('srt', transcript)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nHello there.\n\n2\n01:01:01,250 --> 01:01:02,999\na < b --> c & d\n',
  )
})

test('vtt escapes what it would read as markup', () => {
  expect(formatTranscript('vtt', transcript)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nHello there.\n\n' +
      '01:01:01.250 --> 01:01:02.999\na &lt; b --&gt; c &amp; d\n',
  )
})

test('text is one segment a line, json is the API’s shape', () => {
  expect(formatTranscript('text', { ...transcript, segments: transcript.segments.slice(1) })).toBe(
    'a < b --> c & d\n',
  )
  expect(JSON.parse(formatTranscript('json', transcript))).toEqual({
    video_info: transcript.videoInfo,
    transcript: transcript.segments,
  })
})

test('an empty transcript is an empty file, or a header alone', () => {
  const empty = { videoInfo: {}, segments: [] }
  expect(formatTranscript('srt', empty)).toBe('')
  expect(formatTranscript('vtt', empty)).toBe('WEBVTT\n\n')
})
