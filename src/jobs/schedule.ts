// Work that comes round again: each run enqueues the next in its own commit, so exactly one is always pending.

import type { App } from '../app.ts'
import { parser, t } from '../lib/schema.ts'
import { MINUTE } from '../lib/time.ts'
import { defineJob, type Job } from './job.ts'
import { enqueue } from './queue.ts'

export interface Schedule {
  readonly job: Job<Record<string, never>>
  readonly everyMs: number
}

/** `run` is tried again at its next turn when it fails. */
export function defineSchedule(options: {
  readonly kind: string
  readonly everyMs: number
  run(app: App, signal: AbortSignal): Promise<void>
}): Schedule {
  const job = defineJob<Record<string, never>>({
    kind: options.kind,
    lane: 'net',
    attempts: 1,
    timeoutMs: 10 * MINUTE,
    args: parser(t.Record(t.String(), t.Never())),
    async run({ signal }, app) {
      await options.run(app, signal)
      return () => next(app)
    },
    failed: (_args, _problem, app) => next(app),
  })
  const next = (app: App): void => {
    enqueue(app, job, {}, { runAt: app.now() + options.everyMs, uniqueKey: keyOf(job) })
  }
  return { job, everyMs: options.everyMs }
}

function keyOf(job: Pick<Job<unknown>, 'kind'>): string {
  return `schedule:${job.kind}`
}

/** At start: makes sure that each schedule has its one pending run. */
export function startSchedules(app: App, schedules: readonly Schedule[]): void {
  for (const { job } of schedules) enqueue(app, job, {}, { uniqueKey: keyOf(job) })
}
