// What profiles and searches have in common: how a scrape is accepted, and the job around the reading of its pages.

import type { App } from '../app.ts'
import { hold, settle } from '../billing/ledger.ts'
import type { Job, JobContext } from '../jobs/job.ts'
import type { JobPlan } from '../jobs/queue.ts'
import { defineTaskJob } from '../jobs/task-job.ts'
import { completeTask, type Task } from '../jobs/tasks.ts'
import { type Infer, type Parsed, parser, t } from '../lib/schema.ts'
import { HOUR, isoTime } from '../lib/time.ts'
import { type ChosenEndpoint, createTaskWithWebhook } from '../webhooks/choose.ts'
import { pageCharge, type ScrapeType } from './charges.ts'
import { expiryOf, scrapeExpiry, withinExpiry } from './expiry.ts'

export interface ScrapeRoutesOptions {
  /** Base of links; asked per answer. */
  readonly publicUrl: () => string
}

/** Last fields of the 202. */
export const SubmittedTail = {
  expires_at: t.String({ format: 'date-time' }),
  check_status_url: t.String({ description: 'Relative path to poll' }),
  webhook_url: t.Union([t.String(), t.Null()]),
  message: t.String(),
}

const Tail = t.Object(SubmittedTail)

export interface NewScrape {
  readonly jobType: ScrapeType
  readonly accountId: string
  /** The echo that the task keeps. */
  readonly request: Readonly<Record<string, unknown>>
  readonly job: JobPlan
  readonly webhook: ChosenEndpoint | undefined
  /** Where it is polled. */
  readonly statusPath: string
}

export interface AcceptedScrape {
  readonly taskId: string
  readonly tail: Infer<typeof Tail>
}

/** Creates the task and holds the price of its first page; joins the caller's transaction. */
export function createScrape(app: App, { statusPath, webhook, job, ...base }: NewScrape): AcceptedScrape {
  const task = createTaskWithWebhook(
    app,
    { ...base, isSync: false, stages: [job], expiresAt: scrapeExpiry(app) },
    webhook,
  )
  hold(app, { ...pageCharge(task), quantity: 1 })
  const path = `${statusPath}/${task.id}`
  const tail = {
    expires_at: isoTime(expiryOf(app, task)),
    check_status_url: path,
    webhook_url: webhook?.url ?? null,
    message: `Accepted. Poll ${path} every few seconds until task_status is completed or failed.`,
  }
  return { taskId: task.id, tail }
}

const args = parser(t.Object({ taskId: t.String() }))

export interface Read {
  /** Fetched: what is billed, at least one. */
  readonly pages: number
  /** Of the task's result; asked in the commit. */
  readonly stats: () => object
}

/**
 * `read` stores what it finds page by page. An attempt that ends early leaves nothing that counts: the next one begins
 * anew, and only what the last one fetched is billed.
 */
export function defineScrape(
  kind: ScrapeType,
  read: (app: App, task: Task, context: Pick<JobContext<unknown>, 'signal' | 'report'>) => Promise<Read>,
): Job<Parsed<typeof args>> {
  return defineTaskJob({
    kind,
    lane: 'lists',
    attempts: 3,
    timeoutMs: HOUR,
    args,
    async run({ signal, report }, app, task) {
      const { pages, stats } = await withinExpiry(app, task, signal, (ending) =>
        read(app, task, { signal: ending, report }),
      )
      return () => {
        settle(app, { ...pageCharge(task), quantity: Math.max(1, pages) })
        completeTask(app, task.id, { stats: stats() })
      }
    },
  })
}
