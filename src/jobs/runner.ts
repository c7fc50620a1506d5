// Claims due jobs, runs them lane by lane, and turns each outcome into exactly one change of the job's row.

import type { App } from '../app.ts'
import { newId } from '../lib/id.ts'
import type { JobOutcome } from '../lib/metrics.ts'
import { asError, Problem } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import { runJob } from './attempt.ts'
import { type AnyJob, type Lane, Snooze } from './job.ts'
import {
  claim,
  extendLease,
  fail,
  finish,
  giveBack,
  type JobRow,
  LeaseLost,
  takeDeadLeases,
} from './queue.ts'

export interface RunnerOptions {
  readonly jobs: readonly AnyJob[]
  /** Lanes that are not named are not served. */
  readonly lanes: Readonly<Partial<Record<Lane, number>>>
  readonly leaseMs?: number
  /** How often to look for due jobs when nothing wakes the runner. */
  readonly pollMs?: number
  /** 0..1, for jitter; tests make it constant. */
  readonly random?: () => number
}

export interface Runner {
  /** Takes up the jobs a dead process left (the caller holds the data folder's lock) and begins to work. */
  start(): void
  /** Runs everything that is due, and what that enqueues, until nothing is left. For tests and one-shot commands. */
  drain(): Promise<void>
  /** Claims nothing more, aborts what still runs after `graceMs` and gives it back uncounted. */
  stop(graceMs: number): Promise<void>
}

/** Waits between attempts; the last repeats. Jitter of ±20 % keeps failures from coming back in step. */
const BACKOFF_MS = [2 * SECOND, 10 * SECOND, MINUTE, 5 * MINUTE] as const
const DEFAULT_LEASE_MS = 30 * SECOND
const DEFAULT_POLL_MS = SECOND

/** Power cuts and restarts are not the job's fault, so it may outlive more of them than attempts of its own. */
const DEATHS_MAX = 8
/** Times the deaths: what kills processes should not kill the next one at once. */
const AFTER_DEATH_MS = 2 * SECOND

class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded'
}

class ShuttingDown extends Error {
  override readonly name = 'ShuttingDown'
}

interface Running {
  readonly row: JobRow
  readonly lane: Lane
  readonly abort: AbortController
  readonly done: Promise<void>
}

export function createRunner(app: App, options: RunnerOptions): Runner {
  const leaseMs = options.leaseMs ?? DEFAULT_LEASE_MS
  const pollMs = options.pollMs ?? DEFAULT_POLL_MS
  const random = options.random ?? Math.random
  const kinds = new Map(options.jobs.map((job) => [job.kind, job]))
  const running = new Map<string, Running>()
  let timer: Timer | undefined
  let stopping = false

  /** Starts what fits into the lanes. Returns how many jobs it started. */
  function tick(): number {
    if (stopping) return 0
    let started = 0
    sweep(false)
    for (const lane of Object.keys(options.lanes) as Lane[]) {
      const busy = [...running.values()].filter((entry) => entry.lane === lane).length
      const limit = (options.lanes[lane] ?? 0) - busy
      if (limit <= 0) continue
      for (const row of claim(app, { lane, limit, lease: newId(), leaseMs })) {
        const abort = new AbortController()
        const done = execute(row, abort).finally(() => {
          running.delete(row.id)
          wake()
        })
        running.set(row.id, { row, lane, abort, done })
        started++
      }
    }
    return started
  }

  /** Jobs whose process died are run again; one that dies every time fails, for it may be what kills the process. */
  function sweep(every: boolean): void {
    for (const row of takeDeadLeases(app, { lease: newId(), leaseMs, every })) {
      if (running.has(row.id)) running.get(row.id)?.abort.abort(new LeaseLost('The lease ran out'))
      app.log.warn({ job: row.id, kind: row.kind, deaths: row.deaths }, 'took up a job whose process ended')
      settle(row, kinds.get(row.kind), new ProcessEnded('The process that ran this job ended'))
    }
  }

  async function execute(row: JobRow, abort: AbortController): Promise<void> {
    const job = kinds.get(row.kind)
    const heartbeat = setInterval(() => beat(row, abort), leaseMs / 3)
    const startedAt = performance.now()
    let outcome: JobOutcome = 'done'
    try {
      if (!job)
        throw new Problem('internal_server_error', `This Earshot does not know the job kind ${row.kind}`)
      const signal = AbortSignal.any([abort.signal, AbortSignal.timeout(job.timeoutMs)])
      const commit = await runJob(app, job, row, signal)
      finish(app, row, commit)
    } catch (error) {
      // The reason of the abort decides, not the error: job code may have wrapped it.
      outcome = settle(row, job, abort.signal.aborted ? abort.signal.reason : error)
    } finally {
      clearInterval(heartbeat)
      app.metrics.jobEnded(job?.kind ?? 'unknown', outcome, (performance.now() - startedAt) / SECOND)
    }
  }

  function beat(row: JobRow, abort: AbortController): void {
    try {
      if (!extendLease(app, row, leaseMs)) abort.abort(new LeaseLost('The job was cancelled or taken over'))
    } catch (error) {
      app.log.error({ err: asError(error), job: row.id }, 'could not extend a lease')
    }
  }

  /** Writes what became of an attempt that did not commit. A failing write leaves the lease to run out. */
  function settle(row: JobRow, job: AnyJob | undefined, error: unknown): JobOutcome {
    try {
      if (error instanceof LeaseLost) return 'lost'
      if (error instanceof Snooze || error instanceof ShuttingDown) {
        const delayMs = error instanceof Snooze ? error.delayMs : 0
        giveBack(app, row, { error: error.message, runAt: app.now() + delayMs, uncounted: true })
        return 'back'
      }
      if (error instanceof ProcessEnded && row.deaths < DEATHS_MAX) {
        giveBack(app, row, {
          error: error.message,
          runAt: app.now() + row.deaths * AFTER_DEATH_MS,
          uncounted: true,
        })
        return 'back'
      }
      return retryOrFail(row, job, asError(error))
    } catch (cause) {
      if (!(cause instanceof LeaseLost)) {
        app.log.error({ err: asError(cause), job: row.id }, 'could not write the outcome of a job')
      }
      return 'lost'
    }
  }

  function retryOrFail(row: JobRow, job: AnyJob | undefined, error: Error): JobOutcome {
    const final = error instanceof Problem && !error.temporary
    const { taskId } = JSON.parse(row.args) as { readonly taskId?: unknown }
    const log = { err: error, job: row.id, kind: row.kind, attempt: row.attempt, task: taskId }
    if (final || error instanceof ProcessEnded || row.attempt >= row.attempts_max) {
      app.log.warn(log, 'job failed')
      const problem = error instanceof Problem ? error : unexpected(error)
      fail(app, row, error.message, () => job?.failed?.(JSON.parse(row.args), problem, app))
      return 'failed'
    }
    app.log.info(log, 'job will be tried again')
    giveBack(app, row, {
      error: error.message,
      runAt: app.now() + backoffMs(row.attempt, random()),
      uncounted: false,
    })
    return 'retried'
  }

  let woken = false
  let started = false
  function wake(): void {
    if (woken || stopping || !started) return
    woken = true
    queueMicrotask(() => {
      woken = false
      safeTick()
    })
  }

  function safeTick(): void {
    try {
      tick()
    } catch (error) {
      // A full disk or a locked database must not end the loop: the next tick tries again.
      app.log.error({ err: asError(error) }, 'the job loop could not take jobs')
    }
  }

  const unlisten = app.signals.jobs.listen((event) => {
    if (event.type === 'enqueued') wake()
    else for (const entry of running.values()) beat(entry.row, entry.abort)
  })

  async function settled(): Promise<void> {
    await Promise.all([...running.values()].map((entry) => entry.done))
  }

  return {
    start() {
      sweep(true)
      started = true
      const loop = (): void => {
        safeTick()
        timer = setTimeout(loop, pollMs)
      }
      loop()
    },
    async drain() {
      while (tick() > 0 || running.size > 0) await settled()
    },
    async stop(graceMs) {
      stopping = true
      clearTimeout(timer)
      await Promise.race([settled(), Bun.sleep(graceMs)])
      for (const entry of running.values()) entry.abort.abort(new ShuttingDown('The server was stopped'))
      await settled()
      unlisten()
    },
  }
}

/** After the `attempt`th attempt; `random` is 0..1. */
function backoffMs(attempt: number, random: number): number {
  const base = BACKOFF_MS[Math.min(attempt, BACKOFF_MS.length) - 1] ?? BACKOFF_MS[0]
  return Math.round(base * (0.8 + 0.4 * random))
}

function unexpected(error: Error): Problem {
  const message = 'Earshot failed unexpectedly while working on this. The log of the server says more.'
  return new Problem('internal_server_error', message, { cause: error })
}
