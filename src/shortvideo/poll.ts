// What the polls of profile and search have in common: one page of results, how to get the others, and how the task ended.

import type { App } from '../app.ts'
import { type UsageBlock, usageBlock } from '../billing/usage-block.ts'
import { decodeCursor, encodeCursor } from '../http/cursor.ts'
import { WebhookStatus } from '../jobs/task-record.ts'
import type { Task } from '../jobs/tasks.ts'
import { type Infer, t } from '../lib/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import { webhookStatus } from '../webhooks/deliveries.ts'
import { downloadLink } from './download.ts'
import { expiryOf } from './expiry.ts'
import { countItems, listItems } from './results.ts'

const LIMIT_DEFAULT = 50
const LIMIT_MAX = 500

export const PollQuery = t.Object({
  cursor: t.Optional(t.String({ description: 'next_cursor or prev_cursor of an earlier answer' })),
  limit: t.Optional(t.Integer({ description: 'Default 50', minimum: 1, maximum: LIMIT_MAX })),
  include_usage: t.Optional(t.Boolean({ description: 'Attach the usage block once completed' })),
})

const text = t.Union([t.String(), t.Null()])
const instant = t.Union([t.String({ format: 'date-time' }), t.Null()])

export const Pagination = t.Object({
  limit: t.Integer(),
  offset: t.Integer(),
  total_items: t.Integer(),
  has_next: t.Boolean(),
  has_prev: t.Boolean(),
  next_cursor: text,
  prev_cursor: text,
})

/** Fields at the beginning of both polls. */
export const PollHead = {
  task_id: t.String({ format: 'uuid' }),
  task_status: t.Union([t.Literal('processing'), t.Literal('completed'), t.Literal('failed')]),
}

export function pollHead({ id, status }: Task): { task_id: string; task_status: Task['status'] } {
  return { task_id: id, task_status: status }
}

/** What stands beside `data` when it was asked for. */
export function pollUsage(
  app: App,
  { id, status }: Task,
  query: { readonly include_usage?: boolean },
): { usage?: UsageBlock } {
  return query.include_usage === true && status === 'completed' ? { usage: usageBlock(app, id) } : {}
}

/** Fields at the end of both polls. */
export const PollTail = {
  pagination: Pagination,
  download_url: t.Union([t.String({ description: 'All results as one file, for an hour' }), t.Null()]),
  error_message: t.Union([t.String({ description: 'Use error.message', deprecated: true }), t.Null()]),
  error: t.Union([t.Object({ error: text, message: t.String(), http_status: t.Integer() }), t.Null()]),
  webhook: t.Union([WebhookStatus, t.Null()]),
  created_at: t.String({ format: 'date-time' }),
  started_at: instant,
  completed_at: instant,
  expires_at: t.String({ format: 'date-time' }),
}

const Tail = t.Object(PollTail)
type Tail = Infer<typeof Tail>

export interface ResultPage {
  /** Empty until the task has completed. */
  readonly items: readonly unknown[]
  readonly pagination: Infer<typeof Pagination>
}

/** Throws Problem `invalid_cursor`. */
export function resultPage(
  app: Pick<App, 'db' | 'now'>,
  task: Task,
  query: { readonly cursor?: string; readonly limit?: number },
): ResultPage {
  const list = `${task.accountId}/${task.id}`
  const offset = query.cursor === undefined ? 0 : decodeCursor(app, list, query.cursor)
  const limit = query.limit ?? LIMIT_DEFAULT
  const total = task.status === 'completed' ? countItems(app, task.id) : 0
  const items = total === 0 ? [] : listItems(app, task.id, { offset, limit })
  const next = offset + items.length
  const cursorAt = (position: number): string => encodeCursor(app, list, position)
  return {
    items: items.map((item) => JSON.parse(item) as unknown),
    pagination: {
      limit,
      offset,
      total_items: total,
      has_next: next < total,
      has_prev: offset > 0,
      next_cursor: next < total ? cursorAt(next) : null,
      prev_cursor: offset > 0 ? cursorAt(Math.max(0, offset - limit)) : null,
    },
  }
}

/** `base`: the server's public URL. */
export function pollTail(app: App, task: Task, base: string): Omit<Tail, 'pagination'> {
  return {
    download_url: task.status === 'completed' ? downloadLink(app, task.id, base) : null,
    error_message: task.error?.message ?? null,
    error: task.error,
    webhook: webhookStatus(app, task.id),
    created_at: isoTime(task.createdAt),
    started_at: isoTimeOrNull(task.startedAt),
    completed_at: isoTimeOrNull(task.completedAt),
    expires_at: isoTime(expiryOf(app, task)),
  }
}
