// Caption files → cues: WebVTT (https://www.w3.org/TR/webvtt1/), SubRip, YouTube's json3, and TTML
// (https://www.w3.org/TR/ttml2/) as sites use it. Files come from strangers: what cannot be read is skipped, and the
// number of cues is limited.

import { type Infer, parser, t } from '../lib/schema.ts'
import type { Cue } from './caption-cues.ts'

/** In the order of preference: json3 has exact times and no repetitions; the others lose nothing that we keep. */
export const CAPTION_FORMATS = ['json3', 'vtt', 'srt', 'ttml', 'dfxp'] as const
export type CaptionFormat = (typeof CAPTION_FORMATS)[number]

const CUES_MAX = 100_000

const PARSERS: Readonly<Record<CaptionFormat, (text: string) => Cue[]>> = {
  json3: parseJson3,
  vtt: parseTimed,
  srt: parseTimed,
  ttml: parseTtml,
  dfxp: parseTtml,
}

/** Cues in the order of the file; none when it is not of that format. */
export function parseCaptions(format: CaptionFormat, text: string): Cue[] {
  return PARSERS[format](text).slice(0, CUES_MAX)
}

const TIME = String.raw`(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3}))?`
const TIMING = new RegExp(String.raw`^\s*${TIME}\s*-->\s*${TIME}(?:\s|$)`)

/** WebVTT and SubRip: blocks between empty lines, each with a line of times; what stands before it is a name or a number. */
function parseTimed(text: string): Cue[] {
  const cues: Cue[] = []
  let open: { startMs: number; endMs: number; lines: string[] } | undefined
  for (const line of text.split(/\r\n|\r|\n/)) {
    const times = TIMING.exec(line)
    if (times) {
      open = { startMs: msOf(times.slice(1, 5)), endMs: msOf(times.slice(5, 9)), lines: [] }
      cues.push(open)
    } else if (line === '') open = undefined
    else open?.lines.push(line)
  }
  return cues
}

/** Hours (if any), minutes, seconds, fraction. */
function msOf([hours = '0', minutes = '0', seconds = '0', fraction = '0']: readonly (
  | string
  | undefined
)[]): number {
  const whole = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)
  return whole * 1_000 + Number(fraction.padEnd(3, '0'))
}

const Json3 = t.Object({ events: t.Array(t.Unknown()) })
const Event = t.Object({
  tStartMs: t.Optional(t.Number()),
  dDurationMs: t.Optional(t.Number()),
  segs: t.Optional(t.Array(t.Object({ utf8: t.Optional(t.String()) }))),
})
const json3 = parser(Json3)
const event = parser(Event)

function parseJson3(text: string): Cue[] {
  const file = json3.parse(jsonOf(text))
  if (!file.ok) return []
  return file.value.events.flatMap((entry) => {
    const parsed = event.parse(entry)
    return parsed.ok ? (cueOfEvent(parsed.value) ?? []) : []
  })
}

function cueOfEvent({ tStartMs = 0, dDurationMs = 0, segs = [] }: Infer<typeof Event>): Cue | undefined {
  const text = segs.map(({ utf8 = '' }) => utf8).join('')
  if (text.trim() === '' || dDurationMs <= 0) return undefined
  // Uploaded files leave their markup in it.
  return { startMs: tStartMs, endMs: tStartMs + dDurationMs, lines: text.split('\n') }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

const PARAGRAPH = /<(?:\w+:)?p\b([^>]*)>([\s\S]*?)<\/(?:\w+:)?p\s*>/g

/** Paragraphs with begin and end (or dur); styles, regions and nested times are left out. */
function parseTtml(text: string): Cue[] {
  const attribute = (tag: string, name: string): string | undefined =>
    new RegExp(String.raw`(?:^|\s)${name}\s*=\s*["']([^"']*)["']`).exec(tag)?.[1]
  const root = /<(?:\w+:)?tt\b([^>]*)>/.exec(text)?.[1] ?? ''
  const clock = {
    frameRate: Number(attribute(root, String.raw`\w+:frameRate`) ?? 30),
    tickRate: Number(attribute(root, String.raw`\w+:tickRate`) ?? 1),
  }
  return [...text.matchAll(PARAGRAPH)].flatMap(([, tag = '', body = '']) => {
    const startMs = ttmlMs(attribute(tag, 'begin'), clock)
    const durationMs = ttmlMs(attribute(tag, 'dur'), clock)
    const endMs = ttmlMs(attribute(tag, 'end'), clock) ?? sumOf(startMs, durationMs)
    if (startMs === undefined || endMs === undefined) return []
    return [{ startMs, endMs, lines: body.replaceAll(/\s+/g, ' ').split(/<(?:\w+:)?br\b[^>]*>/) }]
  })
}

const sumOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b

interface Clock {
  readonly frameRate: number
  readonly tickRate: number
}

/** `00:00:01.500`, `00:00:01:12` (frames), `1.5s`, `90f`, `15000000t`. */
function ttmlMs(text: string | undefined, { frameRate, tickRate }: Clock): number | undefined {
  if (text === undefined) return undefined
  const time = /^(\d+):(\d{1,2}):(\d{1,2}(?:\.\d+)?)(?::(\d+))?$/.exec(text)
  if (time) {
    const whole = (Number(time[1]) * 60 + Number(time[2])) * 60 + Number(time[3])
    return (whole + Number(time[4] ?? 0) / frameRate) * 1_000
  }
  const offset = /^(\d+(?:\.\d+)?)(h|ms|m|s|f|t)$/.exec(text)
  const units: Readonly<Record<string, number>> = {
    h: 3_600_000,
    m: 60_000,
    s: 1_000,
    ms: 1,
    f: 1_000 / frameRate,
    t: 1_000 / tickRate,
  }
  return offset ? Number(offset[1]) * (units[offset[2] ?? ''] ?? Number.NaN) : undefined
}
