// A task in answers: the 202 of a submit and the poll's record, and their schemas.

import type { App } from '../app.ts'
import { UsageBlock } from '../billing/usage-block.ts'
import { type Infer, type Schema, t } from '../lib/schema.ts'
import { isoTime, isoTimeOrNull, SECOND } from '../lib/time.ts'
import { progressOf } from './queue.ts'
import type { Task } from './tasks.ts'

const nullable = (schema: Schema): Schema => t.Union([schema, t.Null()])
const instant = t.String({ format: 'date-time' })

export const SubmittedTask = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    task_id: t.String({ format: 'uuid' }),
    task_status: t.Literal('processing'),
    job_type: t.String({ examples: ['transcribe'] }),
    expires_at: instant,
    check_status_url: t.String({ description: 'Relative path to poll' }),
    webhook_url: t.Union([t.String({ description: 'Called when the task has ended' }), t.Null()]),
    message: t.String(),
  }),
})

type SubmittedRecord = Infer<typeof SubmittedTask>['data']

const TaskError = t.Object({
  error: nullable(t.String({ description: 'Machine code; null where the contract has none' })),
  message: t.String(),
  http_status: t.Integer(),
})

export const WebhookStatus = t.Object({
  status: t.Union([t.Literal('pending'), t.Literal('delivered'), t.Literal('failed')]),
  attempts: t.Integer(),
  response_status: nullable(t.Integer()),
  last_error: nullable(t.String()),
  delivered_at: nullable(instant),
})

export interface Beside {
  /** Further fields of `data`. */
  readonly data?: Readonly<Record<string, Schema>>
  /** Further fields beside it. */
  readonly top?: Readonly<Record<string, Schema>>
}

/** The body of a poll whose task has `result` when completed and the echo `request`. */
export function polledTask(result: Schema, request: Schema, { data = {}, top = {} }: Beside = {}): Schema {
  return t.Object({
    status: t.Literal('success'),
    data: t.Object({
      task_id: t.String({ format: 'uuid' }),
      task_status: t.Union([t.Literal('processing'), t.Literal('completed'), t.Literal('failed')]),
      job_type: t.String({ examples: ['transcribe'] }),
      request,
      progress: t.Number({ description: '0 to 1', minimum: 0, maximum: 1 }),
      created_at: instant,
      started_at: nullable(instant),
      completed_at: nullable(instant),
      expires_at: instant,
      check_status_url: t.String(),
      webhook: nullable(WebhookStatus),
      result: nullable(result),
      error: nullable(TaskError),
      ...data,
    }),
    usage: t.Optional(UsageBlock),
    ...top,
  })
}

/** While a task is in work it can't go before this: an hour (by default) from now. */
function expiryOf(app: Pick<App, 'config' | 'now'>, task: Task): number {
  return task.expiresAt ?? app.now() + app.config.taskRetentionS * SECOND
}

/** The body of a submit's 202, in `data`. `webhookUrl`: where its end will be told; null for nowhere. */
export function submittedRecord(
  app: Pick<App, 'config' | 'now'>,
  task: Task,
  statusPath: string,
  webhookUrl: string | null,
): SubmittedRecord {
  return {
    task_id: task.id,
    task_status: 'processing',
    job_type: task.jobType,
    expires_at: isoTime(expiryOf(app, task)),
    check_status_url: `${statusPath}/${task.id}`,
    webhook_url: webhookUrl,
    message: `Accepted. Poll ${statusPath}/${task.id} every few seconds until task_status is completed or failed.`,
  }
}

/** The poll's `data`. `webhook`: how far the delivery has come; null when the task has none. */
export function taskRecord(
  app: Pick<App, 'config' | 'db' | 'now'>,
  task: Task,
  statusPath: string,
  webhook: object | null,
): Record<string, unknown> {
  return {
    task_id: task.id,
    task_status: task.status,
    job_type: task.jobType,
    request: task.request,
    progress: task.status === 'processing' ? progressOf(app, task.id) : 1,
    created_at: isoTime(task.createdAt),
    started_at: isoTimeOrNull(task.startedAt),
    completed_at: isoTimeOrNull(task.completedAt),
    expires_at: isoTime(expiryOf(app, task)),
    check_status_url: `${statusPath}/${task.id}`,
    webhook,
    result: task.result,
    error: task.error,
  }
}
