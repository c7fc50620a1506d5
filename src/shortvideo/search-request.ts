// What a keyword search takes, and the echo of it that its task keeps.

import { type Infer, t } from '../lib/schema.ts'
import { webhookUrl } from '../webhooks/submit.ts'
import { DAY } from '../lib/time.ts'
import { type FilterBody, FilterFields } from './filters.ts'
import { filterEcho } from './request.ts'

const SortBy = t.Union([t.Literal('relevance'), t.Literal('most_liked'), t.Literal('newest')])

const PublishedWithin = t.Union([
  t.Literal('all'),
  t.Literal('past_24_hours'),
  t.Literal('this_week'),
  t.Literal('this_month'),
  t.Literal('last_3_months'),
  t.Literal('last_6_months'),
])
type PublishedWithin = Infer<typeof PublishedWithin>

const DAYS: Readonly<Record<PublishedWithin, number>> = {
  all: Infinity,
  past_24_hours: 1,
  this_week: 7,
  this_month: 30,
  last_3_months: 90,
  last_6_months: 180,
}

/** Epoch ms of the earliest moment that counts. */
export function publishedFrom(within: PublishedWithin, now: number): number {
  return now - DAYS[within] * DAY
}

const MAX_RESULTS_DEFAULT = 50
const QUERY_MAX = 200

export const SearchBody = t.Object({
  query: t.String({ description: 'What to search for', minLength: 2, maxLength: QUERY_MAX }),
  max_results: t.Optional(
    t.Integer({ description: `0: no limit. Default ${MAX_RESULTS_DEFAULT}`, minimum: 0 }),
  ),
  parallel_search_slices: t.Optional(
    t.Integer({ description: 'Pages fetched at a time. Default 1', minimum: 1, maximum: 4 }),
  ),
  sort_by: t.Optional(SortBy),
  published_within: t.Optional(PublishedWithin),
  ...FilterFields,
  min_views: t.Optional(t.Integer({ description: 'At least this many views', minimum: 0 })),
  max_views: t.Optional(t.Integer({ description: 'At most this many views', minimum: 0 })),
  webhook_url: webhookUrl,
})
export type SearchBody = Infer<typeof SearchBody>

const whole = t.Union([t.Integer(), t.Null()])
const text = t.Union([t.String(), t.Null()])

export const SearchFilters = t.Object({
  after_datetime: text,
  before_datetime: text,
  min_likes: whole,
  max_likes: whole,
  min_views: whole,
  max_views: whole,
})
type SearchFilters = Infer<typeof SearchFilters>

/** The request as its task keeps it. */
export const SearchEcho = t.Object({
  query: t.String(),
  max_results: t.Integer(),
  parallel_search_slices: t.Integer(),
  sort_by: t.Union([SortBy, t.Null()]),
  published_within: PublishedWithin,
  filters: SearchFilters,
})
export type SearchEcho = Infer<typeof SearchEcho>

export function searchEcho(body: SearchBody): SearchEcho {
  return {
    query: body.query.trim(),
    max_results: body.max_results ?? MAX_RESULTS_DEFAULT,
    parallel_search_slices: body.parallel_search_slices ?? 1,
    sort_by: body.sort_by ?? null,
    published_within: body.published_within ?? 'all',
    filters: { ...filterEcho(body), min_views: body.min_views ?? null, max_views: body.max_views ?? null },
  }
}

/** Back to what `filtersOf` takes. */
export function searchFilters({ filters }: SearchEcho): FilterBody {
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== null))
}
