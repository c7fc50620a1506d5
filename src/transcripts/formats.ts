// Transcripts as files: plain text, SubRip (.srt) and WebVTT (https://www.w3.org/TR/webvtt1/), and JSON.

import type { Segment } from './transcripts.ts'

export const FORMATS = ['text', 'srt', 'vtt', 'json'] as const
export type TranscriptFormat = (typeof FORMATS)[number]

export interface FormattedTranscript {
  readonly videoInfo: Readonly<Record<string, unknown>>
  readonly segments: readonly Segment[]
}

type Formatter = (transcript: FormattedTranscript) => string

const FORMATTERS: Readonly<Record<TranscriptFormat, Formatter>> = {
  text: ({ segments }) => segments.map((segment) => `${segment.text}\n`).join(''),
  srt: ({ segments }) => segments.map((segment, index) => srtCue(segment, index)).join('\n'),
  vtt: ({ segments }) => `WEBVTT\n\n${segments.map((segment) => vttCue(segment)).join('\n')}`,
  json: ({ segments, videoInfo }) =>
    `${JSON.stringify({ video_info: videoInfo, transcript: segments }, null, 2)}\n`,
}

/** The whole file's text, ending with a line feed. */
export function formatTranscript(format: TranscriptFormat, transcript: FormattedTranscript): string {
  return FORMATTERS[format](transcript)
}

function srtCue(segment: Segment, index: number): string {
  return `${index + 1}\n${clock(segment.start, ',')} --> ${clock(segment.end, ',')}\n${oneLine(segment.text)}\n`
}

/** WebVTT reads `&` and `<` as markup, and `-->` ends a cue's text. */
function vttCue(segment: Segment): string {
  const text = oneLine(segment.text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return `${clock(segment.start, '.')} --> ${clock(segment.end, '.')}\n${text}\n`
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}

/** Seconds → `01:02:03,456`. Hours grow past two digits when they must. */
function clock(seconds: number, mark: ',' | '.'): string {
  const ms = Math.round(seconds * 1_000)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const fraction = String(ms % 1_000).padStart(3, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${mark}${fraction}`
}
