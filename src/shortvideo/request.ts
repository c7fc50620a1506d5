// What the scrapes take, and the echo of it that tasks keep and polls show: null where a filter is not set.

import { type Infer, t } from '../lib/schema.ts'
import { webhookUrl } from '../webhooks/submit.ts'
import { type FilterBody, FilterFields } from './filters.ts'

export const ProfileBody = t.Object({
  profile_url: t.String({
    description: 'Public profile of a short-video platform',
    examples: ['https://www.tiktok.com/@example'],
  }),
  max_posts: t.Optional(
    t.Integer({ description: 'At most this many matching videos; fetching stops there', minimum: 1 }),
  ),
  ...FilterFields,
  webhook_url: webhookUrl,
})
export type ProfileBody = Infer<typeof ProfileBody>

const whole = t.Union([t.Integer(), t.Null()])
const text = t.Union([t.String(), t.Null()])

export const ProfileFilters = t.Object({
  max_posts: whole,
  after_datetime: text,
  before_datetime: text,
  min_likes: whole,
  max_likes: whole,
})

/** The request as its task keeps it. */
export const ProfileEcho = t.Object({ profile_url: t.String(), ...ProfileFilters.properties })
export type ProfileEcho = Infer<typeof ProfileEcho>

export function profileEcho(body: ProfileBody): ProfileEcho {
  return { profile_url: body.profile_url.trim(), max_posts: body.max_posts ?? null, ...filterEcho(body) }
}

export function filterEcho(body: FilterBody): {
  after_datetime: string | null
  before_datetime: string | null
  min_likes: number | null
  max_likes: number | null
} {
  return {
    after_datetime: body.after_datetime ?? null,
    before_datetime: body.before_datetime ?? null,
    min_likes: body.min_likes ?? null,
    max_likes: body.max_likes ?? null,
  }
}
