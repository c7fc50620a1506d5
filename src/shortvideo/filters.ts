// Which videos a scrape keeps, and when it may stop looking: the filters of the contract.

import { Problem } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { DAY } from '../lib/time.ts'

const datetime = (description: string) =>
  t.Optional(t.String({ description, examples: ['2026-01-31', '2026-01-31T12:00:00Z'] }))
const count = (description: string) => t.Optional(t.Integer({ description, minimum: 0 }))

/** Fields of the request body that profile and search share. */
export const FilterFields = {
  after_datetime: datetime('Published on or after: YYYY-MM-DD or ISO 8601 with time zone'),
  before_datetime: datetime('Published on or before: YYYY-MM-DD (the whole day) or ISO 8601 with time zone'),
  min_likes: count('At least this many likes'),
  max_likes: count('At most this many likes'),
}

export interface FilterBody {
  readonly after_datetime?: string
  readonly before_datetime?: string
  readonly min_likes?: number
  readonly max_likes?: number
  readonly min_views?: number
  readonly max_views?: number
}

export interface Filters {
  /** Epoch ms, inclusive. */
  readonly fromAt: number | undefined
  readonly toAt: number | undefined
  readonly likes: Range
  readonly views: Range
}

interface Range {
  readonly min: number | undefined
  readonly max: number | undefined
}

/** Throws Problem `invalid_parameter` for dates that are none, and for ranges that hold nothing. */
export function filtersOf(body: FilterBody): Filters {
  const fromAt = instantOf('after_datetime', body.after_datetime, 'start')
  const toAt = instantOf('before_datetime', body.before_datetime, 'end')
  const likes = { min: body.min_likes, max: body.max_likes }
  const views = { min: body.min_views, max: body.max_views }
  refuseEmpty('after_datetime', fromAt, 'before_datetime', toAt)
  refuseEmpty('min_likes', likes.min, 'max_likes', likes.max)
  refuseEmpty('min_views', views.min, 'max_views', views.max)
  return { fromAt, toAt, likes, views }
}

export interface Filterable {
  /** Epoch ms. */
  readonly publishedAt: number | undefined
  readonly likes: number | undefined
  readonly views: number | undefined
}

/** What a filter asks for and the site does not tell is not matched. */
export function matches({ fromAt, toAt, likes, views }: Filters, item: Filterable): boolean {
  return (
    within({ min: fromAt, max: toAt }, item.publishedAt) &&
    within(likes, item.likes) &&
    within(views, item.views)
  )
}

function within({ min, max }: Range, value: number | undefined): boolean {
  if (min === undefined && max === undefined) return true
  return value !== undefined && value >= (min ?? -Infinity) && value <= (max ?? Infinity)
}

function refuseEmpty(
  minName: string,
  min: number | undefined,
  maxName: string,
  max: number | undefined,
): void {
  if (min === undefined || max === undefined || min <= max) return
  throw new Problem('invalid_parameter', `"${minName}" lies beyond "${maxName}", so nothing could match.`)
}

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const DATETIME = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)$/i

/** A day means its first or last millisecond, UTC. */
function instantOf(name: string, value: string | undefined, edge: 'start' | 'end'): number | undefined {
  if (value === undefined) return undefined
  const text = value.trim()
  const date = DATE.exec(text)
  const parts = date ?? DATETIME.exec(text)
  const at = date ? Date.parse(`${text}T00:00:00Z`) : Date.parse(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'))
  if (!parts || Number.isNaN(at) || !isDay(Number(parts[1]), Number(parts[2]), Number(parts[3]))) {
    throw new Problem(
      'invalid_parameter',
      `"${name}" must be a date such as 2026-01-31, or a time with its zone such as 2026-01-31T12:00:00Z.`,
    )
  }
  return date && edge === 'end' ? at + DAY - 1 : at
}

/** The 30th of February would otherwise be a day of March. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}
