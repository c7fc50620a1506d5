// Which of a video's caption tracks to take. Written ones before those that a machine heard; translations that a machine
// made are never taken.

import type { YtdlpInfo } from '../media/video-info.ts'
import { CAPTION_FORMATS, type CaptionFormat } from './caption-formats.ts'

export type CaptionKind = 'manual' | 'automatic'

export interface CaptionTrack {
  readonly kind: CaptionKind
  /** As the site names it: `en`, `pt-BR`, `eng-US`. */
  readonly language: string
  readonly format: CaptionFormat
  /** What yt-dlp downloads it by: a `url`, or the `data` itself. */
  readonly source: Readonly<Record<string, unknown>>
}

interface Named {
  readonly kind: CaptionKind
  readonly language: string
  readonly sources: readonly unknown[]
}

const ORIGINAL = /-orig$/

/** Every track that is not a translation. */
function tracksOf({ subtitles, automatic_captions: automatic }: YtdlpInfo): Named[] {
  const heard = entriesOf(automatic)
  // Where originals are marked, all others are translations of them.
  const marked = heard.filter(([key]) => ORIGINAL.test(key))
  const original = marked.length > 0 ? marked : heard
  return [
    ...entriesOf(subtitles).map(([language, sources]) => ({ kind: 'manual', language, sources }) as const),
    ...original.map(([key, sources]) => {
      return { kind: 'automatic', language: key.replace(ORIGINAL, ''), sources } as const
    }),
  ]
}

function entriesOf(value: unknown): [string, readonly unknown[]][] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, sources]): [string, readonly unknown[]][] =>
    key === 'live_chat' || key === 'rechat' || !Array.isArray(sources) ? [] : [[key, sources as unknown[]]],
  )
}

/** Languages of all tracks, each once, written ones first. */
export function captionLanguages(info: YtdlpInfo): string[] {
  return [...new Set(tracksOf(info).map(({ language }) => language))]
}

/**
 * `language` (two letters): a track of that language or none. Without it: the language that is spoken, as far as the site
 * tells, else English, else the first. undefined when there is no track in a format that can be read.
 */
export function chooseTrack(info: YtdlpInfo, language: string | undefined): CaptionTrack | undefined {
  const tracks = tracksOf(info).flatMap((track) => readable(track) ?? [])
  const inLanguage = (wanted: string): CaptionTrack | undefined =>
    tracks.find((track) => primaryLanguage(track.language) === wanted)
  if (language !== undefined) return inLanguage(language)
  const spoken = spokenLanguage(info) ?? tracks.find(({ kind }) => kind === 'automatic')?.language
  return (
    (spoken === undefined ? undefined : inLanguage(primaryLanguage(spoken))) ?? inLanguage('en') ?? tracks[0]
  )
}

const spokenLanguage = ({ language }: YtdlpInfo): string | undefined =>
  typeof language === 'string' && language !== '' && language !== 'und' ? language : undefined

function readable({ kind, language, sources }: Named): CaptionTrack | undefined {
  const known = sources.filter((source) => typeof source === 'object' && source !== null)
  for (const format of CAPTION_FORMATS) {
    const source = known.find((entry) => 'ext' in entry && entry.ext === format)
    if (source) return { kind, language, format, source: { ...source } }
  }
  return undefined
}

/** Older three-letter codes, which the standard library does not know (ISO 639-2/B). */
const BIBLIOGRAPHIC: Readonly<Record<string, string>> = {
  chi: 'zh',
  cze: 'cs',
  dut: 'nl',
  fre: 'fr',
  ger: 'de',
  gre: 'el',
  per: 'fa',
  rum: 'ro',
}

/** `pt-BR` → `pt`, `eng-US` → `en`: ISO 639-1 where there is such a code, else the tag's first part. */
export function primaryLanguage(tag: string): string {
  const first = tag.toLowerCase().split(/[-_]/)[0] ?? ''
  try {
    return BIBLIOGRAPHIC[first] ?? Intl.getCanonicalLocales(first)[0] ?? first
  } catch {
    return first
  }
}
