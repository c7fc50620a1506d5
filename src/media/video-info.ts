// The API's `video_info`: from what yt-dlp says about a page, or from a media file itself. Unknown fields are null.

import type { MediaProbe } from '../engines/ffmpeg.ts'
import { type Infer, parser, t } from '../lib/schema.ts'
import { isoTime } from '../lib/time.ts'

/** Which of a post's items was taken, 1-based, and how many there are. */
export interface CarouselInfo {
  readonly total_items: number
  readonly video_count: number
  readonly image_count: number
  readonly selected_index: number
}

export interface VideoInfo {
  readonly title: string | null
  readonly description: string | null
  readonly thumbnail: string | null
  readonly url: string
  readonly channel: string | null
  readonly channel_url: string | null
  /** Seconds, at most 3 decimals. */
  readonly duration: number | null
  readonly views: number | null
  readonly likes: number | null
  /** ISO 8601 UTC. */
  readonly published_date: string | null
  readonly category: string | null
  readonly keywords: readonly string[] | null
  readonly selected_language: string | null
  readonly available_languages: readonly string[] | null
  readonly carousel_info?: CarouselInfo
}

const MAX_TEXT = 20_000
const MAX_LIST = 500

const anything = t.Optional(t.Unknown())

/** The part of yt-dlp's info JSON that we read. Extractors are many: every field is checked where it is used. */
const YtdlpInfo = t.Object({
  _type: anything,
  title: anything,
  description: anything,
  thumbnail: anything,
  thumbnails: anything,
  webpage_url: anything,
  original_url: anything,
  url: anything,
  channel: anything,
  uploader: anything,
  channel_url: anything,
  uploader_url: anything,
  duration: anything,
  view_count: anything,
  like_count: anything,
  timestamp: anything,
  upload_date: anything,
  categories: anything,
  tags: anything,
  language: anything,
  subtitles: anything,
  automatic_captions: anything,
  formats: anything,
  entries: anything,
  is_live: anything,
  live_status: anything,
})
export type YtdlpInfo = Infer<typeof YtdlpInfo>

const ytdlpInfo = parser(YtdlpInfo)

/** undefined for anything but an object. */
export function asYtdlpInfo(value: unknown): YtdlpInfo | undefined {
  const parsed = ytdlpInfo.parse(value)
  return parsed.ok && !Array.isArray(value) ? parsed.value : undefined
}

/** `url` is what was asked for; the page's own address is preferred where yt-dlp knows it. */
export function videoInfoOf(info: YtdlpInfo, url: string): VideoInfo {
  const page = text(info.webpage_url)
  return {
    title: text(info.title),
    description: text(info.description),
    thumbnail: text(info.thumbnail) ?? lastThumbnail(info.thumbnails),
    url: page !== null && /^https?:/.test(page) ? page : url,
    channel: text(info.channel) ?? text(info.uploader),
    channel_url: text(info.channel_url) ?? text(info.uploader_url),
    duration: seconds(info.duration),
    views: count(info.view_count),
    likes: count(info.like_count),
    published_date: published(info),
    category: texts(info.categories)?.[0] ?? null,
    keywords: texts(info.tags),
    selected_language: text(info.language),
    available_languages: languages(info),
  }
}

/** For a media file that is its own page. */
export function videoInfoOfFile(url: string, probe: MediaProbe | undefined): VideoInfo {
  return {
    title: probe?.title ?? fileName(url),
    description: null,
    thumbnail: null,
    url,
    channel: probe?.artist ?? null,
    channel_url: null,
    duration: seconds(probe?.durationS),
    views: null,
    likes: null,
    published_date: probe?.createdAt === undefined ? null : isoTime(probe.createdAt),
    category: null,
    keywords: null,
    selected_language: null,
    available_languages: null,
  }
}

/** Seconds with at most 3 decimals; null for anything but a positive number. */
export function seconds(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value > 0
    ? Math.round(value * 1_000) / 1_000
    : null
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, MAX_TEXT) : null
}

function texts(value: unknown): string[] | null {
  if (!Array.isArray(value)) return null
  return value
    .map(text)
    .filter((entry) => entry !== null)
    .slice(0, MAX_LIST)
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null
}

function published({ timestamp, upload_date: date }: YtdlpInfo): string | null {
  // Beyond the year 9999 ISO strings change their shape.
  if (typeof timestamp === 'number' && Math.abs(timestamp) < 253_402_300_800)
    return isoTime(timestamp * 1_000)
  const day = typeof date === 'string' ? /^(\d{4})(\d\d)(\d\d)$/.exec(date) : null
  const at = day ? Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) : Number.NaN
  return Number.isNaN(at) ? null : isoTime(at)
}

function lastThumbnail(value: unknown): string | null {
  // yt-dlp orders them from worst to best.
  const last: unknown = Array.isArray(value) ? value.at(-1) : undefined
  return typeof last === 'object' && last !== null && 'url' in last ? text(last.url) : null
}

/** Languages of written captions; where there are none, those of the automatic ones that are not translations. */
function languages({ subtitles, automatic_captions: automatic }: YtdlpInfo): string[] | null {
  const keys = (value: unknown): string[] =>
    typeof value === 'object' && value !== null ? Object.keys(value).filter((key) => key !== 'live_chat') : []
  const written = keys(subtitles)
  if (written.length > 0) return written.slice(0, MAX_LIST)
  const heard = keys(automatic).filter((key) => key.endsWith('-orig'))
  return heard.length > 0 ? heard.map((key) => key.slice(0, -'-orig'.length)) : null
}

function fileName(url: string): string | null {
  const last = new URL(url).pathname.split('/').at(-1) ?? ''
  try {
    return text(decodeURIComponent(last))
  } catch {
    return text(last)
  }
}
