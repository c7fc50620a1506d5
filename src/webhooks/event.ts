// The event that tells a receiver how a task ended. Pure: the same task, id and time give the same text.

import type { JobType, Task } from '../jobs/tasks.ts'
import { isoTime } from '../lib/time.ts'

/** Version of the interface description that events follow. */
const API_VERSION = '1.0.0'

/** Results whose JSON is longer are left out of the event. */
export const RESULT_BYTES_MAX = 256 * 1_024

interface Kind {
  /** Without the task's id. */
  readonly statusPath: string
  /** What `data.result` carries instead of the task's result. */
  readonly notification?: (result: unknown) => unknown
}

/** Short-video events are notifications: their results are read page by page from the status path. */
const shortVideoNotification = (result: unknown): unknown => ({
  stats: typeof result === 'object' && result !== null && 'stats' in result ? result.stats : null,
  download_url_available: true,
})

/** The others are made by synchronous requests only, which answer themselves. */
const KINDS: Readonly<Partial<Record<JobType, Kind>>> = {
  transcribe: { statusPath: '/v1/transcribe' },
  extract_video: { statusPath: '/v1/extract/video' },
  post_statement: { statusPath: '/v1/post/statement' },
  shortvideo_profile: { statusPath: '/v1/shortvideo/profile', notification: shortVideoNotification },
  shortvideo_search: { statusPath: '/v1/shortvideo/search', notification: shortVideoNotification },
}

export interface WebhookEvent {
  readonly id: string
  /** Such as `transcribe.completed`. */
  readonly type: string
  /** The exact text to sign and send. */
  readonly body: string
}

/** `task` has ended. */
export function taskEvent(task: Task, id: string): WebhookEvent {
  const kind = KINDS[task.jobType]
  if (!kind) throw new Error(`tasks of the type ${task.jobType} have no webhooks`)
  return event(id, `${task.jobType}.${task.status}`, task.completedAt ?? task.createdAt, {
    task_id: task.id,
    task_status: task.status,
    job_type: task.jobType,
    check_status_url: `${kind.statusPath}/${task.id}`,
    ...(task.status === 'completed' ? resultPart(task.result, kind) : { error: task.error }),
  })
}

/** What `earshot webhooks test` sends: the shape of a real event, of a type that no task has. */
export function testEvent(id: string, taskId: string, atMs: number): WebhookEvent {
  return event(id, 'webhook.test', atMs, {
    task_id: taskId,
    task_status: 'completed',
    job_type: 'webhook_test',
    check_status_url: '/v1/health',
    result: { message: 'This is a test. No task belongs to it.' },
    result_truncated: false,
  })
}

function resultPart(result: unknown, { notification }: Kind): Record<string, unknown> {
  const shown = (notification ? notification(result) : result) ?? null
  const tooLarge = Buffer.byteLength(JSON.stringify(shown)) > RESULT_BYTES_MAX
  return tooLarge ? { result_truncated: true } : { result: shown, result_truncated: false }
}

function event(id: string, type: string, createdAt: number, data: Record<string, unknown>): WebhookEvent {
  return {
    id,
    type,
    body: JSON.stringify({ id, type, created_at: isoTime(createdAt), api_version: API_VERSION, data }),
  }
}
