// The contract's video record and profile, from what yt-dlp prints about an entry of a profile. Extractors are many: every
// field is checked, and what is not known is null.

import { type Infer, parser, t } from '../lib/schema.ts'
import { isoTimeOrNull, SECOND } from '../lib/time.ts'
import type { Filterable } from './filters.ts'

const nullable = <S extends Parameters<typeof t.Union>[0][number]>(schema: S) => t.Union([schema, t.Null()])
const text = nullable(t.String())
const metric = nullable(t.Integer())

export const VideoRecord = t.Object({
  id: t.String(),
  track: text,
  artists: nullable(t.Array(t.String())),
  duration: nullable(t.Number({ description: 'Seconds' })),
  title: text,
  description: text,
  timestamp: nullable(t.Integer({ description: 'Unix seconds' })),
  published_at: nullable(t.String({ format: 'date-time' })),
  views: metric,
  likes: metric,
  reposts: metric,
  comments: metric,
  thumbnails: t.Array(t.Object({ id: text, url: t.String(), width: metric, height: metric })),
  url: text,
})
export type VideoRecord = Infer<typeof VideoRecord>

export const Profile = t.Object({
  uploader: text,
  uploader_id: text,
  uploader_url: text,
  channel: nullable(t.String({ description: 'Name as shown' })),
  channel_id: text,
  follower_count: metric,
})
export type Profile = Infer<typeof Profile>

type Entry = Readonly<Record<string, unknown>>

const MAX_TEXT = 20_000
const MAX_LIST = 50

/** undefined for entries without an id, which are no videos. */
export function videoRecord(entry: Entry): VideoRecord | undefined {
  const id = textOf(entry['id'])
  if (id === null) return undefined
  const timestamp = countOf(entry['timestamp'])
  return {
    id,
    track: textOf(entry['track']),
    artists: Array.isArray(entry['artists'])
      ? entry['artists'].flatMap((name) => textOf(name) ?? []).slice(0, MAX_LIST)
      : null,
    duration: numberOf(entry['duration']),
    title: textOf(entry['title']),
    description: textOf(entry['description']),
    timestamp,
    published_at: isoTimeOrNull(publishedAt(entry) ?? null),
    views: countOf(entry['view_count']),
    likes: countOf(entry['like_count']),
    reposts: countOf(entry['repost_count']),
    comments: countOf(entry['comment_count']),
    thumbnails: thumbnailsOf(entry['thumbnails']),
    url: textOf(entry['webpage_url']) ?? textOf(entry['url']),
  }
}

/** What filters look at. */
export function filterableOf(entry: Entry): Filterable {
  return {
    publishedAt: publishedAt(entry),
    likes: countOf(entry['like_count']) ?? undefined,
    views: countOf(entry['view_count']) ?? undefined,
  }
}

export function profileOf(entry: Entry): Profile {
  return {
    uploader: textOf(entry['uploader']),
    uploader_id: textOf(entry['uploader_id']),
    uploader_url: textOf(entry['uploader_url']),
    channel: textOf(entry['channel']),
    channel_id: textOf(entry['channel_id']),
    follower_count: countOf(entry['channel_follower_count']),
  }
}

/** Beyond the year 9999 ISO strings change their shape. */
const LAST_S = 253_402_300_799

/** The moment, else the day of the upload. */
function publishedAt(entry: Entry): number | undefined {
  const timestamp = countOf(entry['timestamp'])
  if (timestamp !== null && timestamp <= LAST_S) return timestamp * SECOND
  const day = /^(\d{4})(\d\d)(\d\d)$/.exec(textOf(entry['upload_date']) ?? '')
  return day ? Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])) : undefined
}

const Thumbnail = parser(
  t.Object({
    url: t.String(),
    id: t.Optional(t.Unknown()),
    width: t.Optional(t.Unknown()),
    height: t.Optional(t.Unknown()),
  }),
)

function thumbnailsOf(value: unknown): VideoRecord['thumbnails'] {
  if (!Array.isArray(value)) return []
  return value.slice(0, MAX_LIST).flatMap((entry) => {
    const { ok, ...parsed } = Thumbnail.parse(entry)
    if (!ok || !('value' in parsed)) return []
    const { url, id, width, height } = parsed.value
    return [{ id: textOf(id), url, width: countOf(width), height: countOf(height) }]
  })
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : null
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null
}

function countOf(value: unknown): number | null {
  const number = numberOf(value)
  return number === null ? null : Math.round(number)
}
