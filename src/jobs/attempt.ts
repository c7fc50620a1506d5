// One attempt at a job: its parsed arguments, and the context through which it saves what must outlive it.

import type { App } from '../app.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import type { AnyJob, Commit, JobContext } from './job.ts'
import { type JobRow, saveCheckpoint, saveProgress, saveSteps } from './queue.ts'

/** Runs one attempt. Throws a Problem when the stored arguments do not fit the job. */
export function runJob(app: App, job: AnyJob, row: JobRow, signal: AbortSignal): Promise<Commit | undefined> {
  const parsed = job.args.parse(JSON.parse(row.args))
  if (!parsed.ok) {
    const { path, message } = parsed.fault
    throw new Problem(
      'internal_server_error',
      `The arguments of job ${row.kind} are wrong: ${path} ${message}`,
    )
  }
  return job.run(jobContext(app, row, parsed.value, signal), app)
}

function jobContext(app: App, row: JobRow, args: unknown, signal: AbortSignal): JobContext<unknown> {
  const steps = JSON.parse(row.steps) as Record<string, unknown>
  let reportedAt = 0
  return {
    id: row.id,
    args,
    attempt: row.attempt,
    signal,
    checkpoint: row.checkpoint === null ? undefined : (JSON.parse(row.checkpoint) as unknown),
    async step<T>(name: string, work: () => Promise<T>): Promise<T> {
      if (Object.hasOwn(steps, name)) return steps[name] as T
      const result = await work()
      steps[name] = result ?? null
      saveSteps(app, row, JSON.stringify(steps))
      return result
    },
    saveCheckpoint(state, write) {
      saveCheckpoint(app, row, JSON.stringify(state), write)
    },
    report(progress) {
      if (app.now() - reportedAt < SECOND) return
      reportedAt = app.now()
      saveProgress(app, row, Math.min(1, Math.max(0, progress)))
    },
  }
}
