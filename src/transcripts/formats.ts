// Transcripts as files: plain text, SubRip (.srt), WebVTT (https://www.w3.org/TR/webvtt1/), tab-separated values, JSON.

import { plainText, type SegmentWithWords } from './subtitle-tokens.ts'
import { type Cue, subtitlesOf } from './subtitles.ts'

export const FORMATS = ['json', 'text', 'srt', 'vtt', 'tsv'] as const
export type TranscriptFormat = (typeof FORMATS)[number]
/** Those that are not the API's own envelope. */
export type FileFormat = Exclude<TranscriptFormat, 'json'>

export const MEDIA_TYPES: Readonly<Record<FileFormat, string>> = {
  text: 'text/plain',
  srt: 'application/x-subrip',
  vtt: 'text/vtt',
  tsv: 'text/tab-separated-values',
}

export interface FormattedTranscript {
  readonly videoInfo: Readonly<Record<string, unknown>>
  readonly segments: readonly SegmentWithWords[]
}

type Formatter = (transcript: FormattedTranscript) => string

const FORMATTERS: Readonly<Record<TranscriptFormat, Formatter>> = {
  text: ({ segments }) => segments.map((segment) => `${segment.text}\n`).join(''),
  srt: (transcript) => cuesOf(transcript).map(srtCue).join('\n'),
  vtt: (transcript) => `WEBVTT\n\n${cuesOf(transcript).map(vttCue).join('\n')}`,
  tsv: ({ segments }) => `start\tend\ttext\n${segments.map(tsvRow).join('')}`,
  json: ({ segments, videoInfo }) => {
    const transcript = segments.map(({ text, start, end }) => ({ text, start, end }))
    return `${JSON.stringify({ video_info: videoInfo, transcript }, null, 2)}\n`
  },
}

/** The whole file's text, ending with a line feed. */
export function formatTranscript(format: TranscriptFormat, transcript: FormattedTranscript): string {
  return FORMATTERS[format](transcript)
}

function cuesOf({ segments, videoInfo }: FormattedTranscript): Cue[] {
  const duration = Number(videoInfo['duration'])
  return subtitlesOf(segments, duration > 0 ? duration : Infinity)
}

function srtCue({ start, end, lines }: Cue, index: number): string {
  return `${index + 1}\n${clock(start, ',')} --> ${clock(end, ',')}\n${lines.map(srtText).join('\n')}\n`
}

function vttCue({ start, end, lines }: Cue): string {
  return `${clock(start, '.')} --> ${clock(end, '.')}\n${lines.map(vttText).join('\n')}\n`
}

/**
 * SubRip has no escapes, but players take `<b>` and `{\an8}` for markup and `-->` for a cue's times: a space of no width
 * keeps them from it.
 */
function srtText(line: string): string {
  return line.replaceAll(/<(?=[a-z/!?])|\{(?=\\)|--(?=>)/gi, '$&\u200B')
}

/** WebVTT reads `&` and `<` as markup, and `-->` ends a cue's text. */
function vttText(line: string): string {
  return line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Whole milliseconds, as other tools of the trade write them. */
function tsvRow({ start, end, text }: SegmentWithWords): string {
  return `${Math.round(start * 1_000)}\t${Math.round(end * 1_000)}\t${plainText(text)}\n`
}

/** Seconds → `01:02:03,456`. Hours grow past two digits when they must. */
function clock(seconds: number, mark: ',' | '.'): string {
  const ms = Math.round(seconds * 1_000)
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0')
  const fraction = String(ms % 1_000).padStart(3, '0')
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}${mark}${fraction}`
}
