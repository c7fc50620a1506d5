// The captions that a platform has itself: found in a video's description, downloaded, cleaned, and kept like any other
// transcript. For POST /transcript, and for tasks that need a transcript and take captions before listening.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../app.ts'
import type { Ytdlp } from '../engines/ytdlp.ts'
import { canonicalUrl, withoutItemIndex } from '../media/canonical-url.ts'
import { asYtdlpInfo } from '../media/video-info.ts'
import { segmentsOfCues } from './caption-cues.ts'
import { parseCaptions } from './caption-formats.ts'
import { type CaptionKind, chooseTrack, primaryLanguage } from './caption-tracks.ts'
import {
  appendSegments,
  cacheKeyText,
  completeTranscript,
  createTranscript,
  findCached,
  type Segment,
  type Transcript,
} from './transcripts.ts'

/** In `speech_model`: nobody listened. */
export const CAPTIONS_MODEL = 'captions'

export interface Captions {
  readonly kind: CaptionKind
  /** ISO 639-1 where there is such a code. */
  readonly language: string
  readonly segments: readonly Segment[]
  /** The video's own, and what the captions are: `caption_kind`, `caption_language` as the site names it. */
  readonly videoInfo: Readonly<Record<string, unknown>>
}

export interface CaptionSource {
  /** As `yt-dlp -J` printed the video: the item's file that `resolveSource` left, or what `ytdlp.metadata` gave. */
  readonly info: unknown
  readonly videoInfo: Readonly<Record<string, unknown>>
  /** ISO 639-1. Absent: the spoken language's, else English ones, else any. */
  readonly language: string | undefined
  /** Existing folder for the download; nothing is left in it. */
  readonly folder: string
  readonly signal: AbortSignal
}

/**
 * Captions if the platform has them. undefined: it has none (in that language), or the file holds no text. Throws
 * Problems when there are some that could not be had.
 */
export async function findCaptions(
  ytdlp: Pick<Ytdlp, 'captions'>,
  { info, videoInfo, language, folder, signal }: CaptionSource,
): Promise<Captions | undefined> {
  const track = chooseTrack(asYtdlpInfo(info) ?? {}, language?.toLowerCase())
  if (!track || typeof info !== 'object' || info === null) return undefined
  const work = join(folder, 'captions')
  const infoPath = join(work, 'track.info.json')
  // A name of our own, because languages come from strangers and become part of a file's name.
  const only = { formats: [], automatic_captions: {}, subtitles: { track: [track.source] } }
  await Bun.write(infoPath, JSON.stringify({ ...info, requested_subtitles: null, ...only }))
  try {
    const path = await ytdlp.captions(infoPath, { folder: work, signal })
    const cues = parseCaptions(track.format, await Bun.file(path).text())
    const segments = segmentsOfCues(cues, { automatic: track.kind === 'automatic' })
    if (segments.length === 0) return undefined
    const about = { selected_language: primaryLanguage(track.language), speech_model: null }
    const shown = { ...about, caption_kind: track.kind, caption_language: track.language }
    return {
      kind: track.kind,
      language: about.selected_language,
      segments,
      videoInfo: { ...videoInfo, ...shown },
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** `item`: 1-based index within a carousel; 0 when the URL names none. `language` '': whichever. */
export function captionsKey(videoUrl: string, item: number, language: string): string {
  const page = canonicalUrl(withoutItemIndex(videoUrl))
  return cacheKeyText({ canonicalUrl: page, item, speechModel: CAPTIONS_MODEL, language })
}

export function findCachedCaptions(app: Pick<App, 'db'>, key: string): Transcript | undefined {
  return findCached(app, key)
}

/** Stores them as a finished transcript; returns its id. Joins the caller's transaction. */
export function saveCaptions(app: Pick<App, 'db' | 'now'>, key: string, captions: Captions): string {
  const { segments, videoInfo, language } = captions
  const id = createTranscript(app, { cacheKey: key, videoInfo, speechModel: CAPTIONS_MODEL })
  const inMs = segments.map(({ text, start, end }) => ({ text, startMs: start * 1_000, endMs: end * 1_000 }))
  appendSegments(app, id, inMs)
  const durationS = Number(videoInfo['duration'] ?? segments.at(-1)?.end ?? 0)
  completeTranscript(app, id, { language, durationS, videoInfo })
  return id
}
