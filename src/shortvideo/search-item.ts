// The contract's search result, from the JSON that TikTok's own search page fetches. Its shape is the site's: every field
// is checked, and what is not known is null.

import { type Infer, parser, t } from '../lib/schema.ts'
import { isoTimeOrNull, SECOND } from '../lib/time.ts'
import type { Filterable } from './filters.ts'

const text = t.Union([t.String(), t.Null()])
const metric = t.Union([t.Integer(), t.Null()])

export const SearchItem = t.Object({
  id: t.String(),
  item_type: t.Literal('video'),
  description: text,
  timestamp: t.Union([t.Integer({ description: 'Unix seconds' }), t.Null()]),
  published_at: t.Union([t.String({ format: 'date-time' }), t.Null()]),
  author: t.Object({ id: text, unique_id: text, nickname: text, sec_uid: text }),
  stats: t.Object({ views: metric, likes: metric, comments: metric, shares: metric, collects: metric }),
  music: t.Object({ id: text, title: text, author_name: text, duration: metric }),
  duration: t.Union([t.Number({ description: 'Seconds' }), t.Null()]),
  hashtags: t.Array(t.String()),
  url: text,
})
export type SearchItem = Infer<typeof SearchItem>

export interface SearchPage {
  /** As the site gave them. */
  readonly items: readonly unknown[]
  readonly hasMore: boolean
  readonly cursor: number | undefined
  /** 0: all is well. */
  readonly statusCode: number
}

const Answer = parser(
  t.Object({
    status_code: t.Optional(t.Unknown()),
    item_list: t.Optional(t.Array(t.Unknown())),
    /** The general search mixes videos with people and the like. */
    data: t.Optional(t.Array(t.Unknown())),
    has_more: t.Optional(t.Unknown()),
    cursor: t.Optional(t.Unknown()),
  }),
)

/** undefined for what is no answer of the search. */
export function searchPageOf(value: unknown): SearchPage | undefined {
  const parsed = Answer.parse(value)
  if (!parsed.ok) return undefined
  const { item_list: list, data = [], has_more: more, cursor, status_code: status } = parsed.value
  return {
    items: list ?? data.flatMap((entry) => fieldOf(entry, 'item') ?? []),
    hasMore: more === 1 || more === true,
    cursor: countOf(cursor) ?? undefined,
    statusCode: countOf(status) ?? 0,
  }
}

const MAX_TEXT = 20_000
const HASHTAGS_MAX = 100
/** Beyond the year 9999 ISO strings change their shape. */
const LAST_S = 253_402_300_799

/** undefined for what has no id. */
export function searchItemOf(value: unknown): SearchItem | undefined {
  const get = (...path: string[]): unknown =>
    path.reduce<unknown>((inner, name) => fieldOf(inner, name), value)
  const id = textOf(get('id'))
  if (id === null) return undefined
  const seconds = countOf(get('createTime'))
  const timestamp = seconds !== null && seconds <= LAST_S ? seconds : null
  const author = textOf(get('author', 'uniqueId'))
  return {
    id,
    item_type: 'video',
    description: textOf(get('desc')),
    timestamp,
    published_at: isoTimeOrNull(timestamp === null ? null : timestamp * SECOND),
    author: {
      id: textOf(get('author', 'id')),
      unique_id: author,
      nickname: textOf(get('author', 'nickname')),
      sec_uid: textOf(get('author', 'secUid')),
    },
    stats: {
      views: countOf(get('stats', 'playCount')),
      likes: countOf(get('stats', 'diggCount')),
      comments: countOf(get('stats', 'commentCount')),
      shares: countOf(get('stats', 'shareCount')),
      collects: countOf(get('stats', 'collectCount')),
    },
    music: {
      id: textOf(get('music', 'id')),
      title: textOf(get('music', 'title')),
      author_name: textOf(get('music', 'authorName')),
      duration: countOf(get('music', 'duration')),
    },
    duration: countOf(get('video', 'duration')),
    hashtags: hashtagsOf(get('textExtra'), get('desc')),
    url: author === null ? null : `https://www.tiktok.com/@${encodeURIComponent(author)}/video/${id}`,
  }
}

export function filterableItem({ timestamp, stats }: SearchItem): Filterable {
  return {
    publishedAt: timestamp === null ? undefined : timestamp * SECOND,
    likes: stats.likes ?? undefined,
    views: stats.views ?? undefined,
  }
}

/** As the site marks them, else as the description writes them. */
function hashtagsOf(marks: unknown, description: unknown): string[] {
  const marked = Array.isArray(marks)
    ? marks.flatMap((mark) => textOf(fieldOf(mark, 'hashtagName')) ?? [])
    : []
  const written = [...(textOf(description) ?? '').matchAll(/#([\p{L}\p{N}_]+)/gu)].map(([, tag = '']) => tag)
  return [...new Set(marked.length > 0 ? marked : written)].slice(0, HASHTAGS_MAX)
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

function textOf(value: unknown): string | null {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value.slice(0, MAX_TEXT) : null
}

/** Some counts come as text. */
function countOf(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number >= 0 ? Math.round(number) : null
}
