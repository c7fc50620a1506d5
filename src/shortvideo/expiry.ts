// Scrapes last from their creation: work beyond that nobody could read, so it ends there.

import type { App } from '../app.ts'
import type { Task } from '../jobs/tasks.ts'
import { asError, Problem } from '../lib/problem.ts'
import { HOUR, SECOND } from '../lib/time.ts'

/** Epoch ms at which a scrape that is accepted now will be forgotten. */
export function scrapeExpiry(app: Pick<App, 'now' | 'config'>): number {
  return app.now() + app.config.taskRetentionS * SECOND
}

export function expiryOf(app: Pick<App, 'now' | 'config'>, task: Task): number {
  return task.expiresAt ?? scrapeExpiry(app)
}

/** Runs `work` with a signal that also aborts when the task expires; then throws Problem `metadata_fetch_failed`. */
export async function withinExpiry<T>(
  app: Pick<App, 'now' | 'config'>,
  task: Task,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const leftMs = expiryOf(app, task) - app.now()
  if (leftMs <= 0) throw tooLate(undefined)
  const late = AbortSignal.timeout(Math.min(leftMs, HOUR))
  try {
    return await work(AbortSignal.any([signal, late]))
  } catch (error) {
    signal.throwIfAborted()
    throw late.aborted ? tooLate(asError(error)) : error
  }
}

function tooLate(cause: Error | undefined): Problem {
  const message = 'The pages could not be read before the task expired; ask for fewer results'
  return new Problem('metadata_fetch_failed', message, { cause })
}
