// All SQL on the table `jobs`. Every change of a running job names its lease: whoever lost it cannot write.

import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import type { AnyJob, Job, Lane } from './job.ts'

export type QueueContext = Pick<App, 'db' | 'now' | 'signals'>

export interface JobRow {
  readonly id: string
  readonly kind: string
  readonly args: string
  readonly steps: string
  readonly checkpoint: string | null
  /** Mutable: a checkpoint gives the attempts back. */
  attempt: number
  readonly attempts_max: number
  /** Processes that ended while they ran this job, since its last checkpoint. */
  readonly deaths: number
  readonly lease: string
}

export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

export interface EnqueueOptions {
  readonly runAt?: number
  /** While a job with this key is queued or running, enqueueing another does nothing. */
  readonly uniqueKey?: string
  /** What the job works for; `cancelOwned` goes by it. */
  readonly owner?: string
}

/** What the queue needs to know of a job's definition; a task keeps its later stages in this form. */
export type JobPlan = Pick<AnyJob, 'kind' | 'lane' | 'attempts'>

/** Joins the caller's transaction. Wakes the runner. Undefined when `uniqueKey` was taken. */
export function enqueue<Args>(
  context: QueueContext,
  job: Job<Args>,
  args: Args,
  options: EnqueueOptions = {},
): string | undefined {
  return enqueuePlan(context, job, args, options)
}

export function enqueuePlan(
  context: QueueContext,
  plan: JobPlan,
  args: unknown,
  options: EnqueueOptions = {},
): string | undefined {
  const id = newId()
  const now = context.now()
  const { changes } = context.db
    .query(
      `insert into jobs (id, kind, lane, owner, args, attempts_max, run_at, unique_key, created_at)
       values ($id, $kind, $lane, $owner, $args, $attempts, $runAt, $uniqueKey, $now)
       on conflict do nothing`,
    )
    .run({
      id,
      kind: plan.kind,
      lane: plan.lane,
      owner: options.owner ?? null,
      args: JSON.stringify(args),
      attempts: plan.attempts,
      runAt: options.runAt ?? now,
      uniqueKey: options.uniqueKey ?? null,
      now,
    })
  if (changes === 0) return undefined
  context.signals.jobs.emit({ type: 'enqueued' })
  return id
}

/** Takes up to `limit` due jobs, the longest due first. One statement, so two claimers never share one. */
export function claim(
  context: QueueContext,
  options: { lane: Lane; limit: number; lease: string; leaseMs: number },
): JobRow[] {
  const now = context.now()
  return context.db
    .query<JobRow, [Record<string, string | number>]>(
      `update jobs
       set state = 'running', attempt = attempt + 1, lease = $lease, lease_until = $until,
         started_at = coalesce(started_at, $now)
       where id in (
         select id from jobs where lane = $lane and state = 'queued' and run_at <= $now order by run_at, id limit $limit
       )
       returning id, kind, args, steps, checkpoint, attempt, attempts_max, deaths, lease`,
    )
    .all({
      lane: options.lane,
      limit: options.limit,
      lease: options.lease,
      until: now + options.leaseMs,
      now,
    })
}

/** Heartbeat. False when the lease is no longer ours: cancelled, or taken over. */
export function extendLease(context: QueueContext, row: JobRow, leaseMs: number): boolean {
  const { changes } = context.db
    .query(`update jobs set lease_until = $until where id = $id and lease = $lease and state = 'running'`)
    .run({ id: row.id, lease: row.lease, until: context.now() + leaseMs })
  return changes === 1
}

export function saveSteps(context: QueueContext, row: JobRow, steps: string): void {
  mustHold(
    context.db
      .query(`update jobs set steps = $steps where id = $id and lease = $lease and state = 'running'`)
      .run({ id: row.id, lease: row.lease, steps }).changes,
  )
}

/** See `JobContext.saveCheckpoint`. */
export function saveCheckpoint(context: QueueContext, row: JobRow, state: string, write?: () => void): void {
  transaction(context.db, () => {
    mustHold(
      context.db
        .query(
          `update jobs set checkpoint = $state, attempt = min(attempt, 1), deaths = 0
           where id = $id and lease = $lease and state = 'running'`,
        )
        .run({ id: row.id, lease: row.lease, state }).changes,
    )
    write?.()
  })
  row.attempt = Math.min(row.attempt, 1)
}

/** Losing a progress mark harms nobody, so a lost lease is no error here. */
export function saveProgress(context: QueueContext, row: JobRow, progress: number): void {
  const owned = context.db
    .query<{ owner: string | null }, [Record<string, string | number>]>(
      `update jobs set progress = $progress where id = $id and lease = $lease and state = 'running' returning owner`,
    )
    .get({ id: row.id, lease: row.lease, progress })
  const owner = owned?.owner
  if (owner !== undefined && owner !== null) context.signals.progressed.emit({ owner, progress })
}

/** Marks the job done and runs its commit, in one transaction. Throws LeaseLost. */
export function finish(context: QueueContext, row: JobRow, commit: (() => void) | undefined): void {
  transaction(context.db, () => {
    mustHold(
      context.db
        .query(
          `update jobs set state = 'done', finished_at = $now, lease = null, lease_until = null
           where id = $id and lease = $lease and state = 'running'`,
        )
        .run({ id: row.id, lease: row.lease, now: context.now() }).changes,
    )
    commit?.()
  })
}

/** Puts the job back for `runAt`. `uncounted`: this attempt is not held against it. Throws LeaseLost. */
export function giveBack(
  context: QueueContext,
  row: JobRow,
  options: { error: string; runAt: number; uncounted: boolean },
): void {
  mustHold(
    context.db
      .query(
        `update jobs
         set state = 'queued', run_at = $runAt, error = $error, lease = null, lease_until = null,
           attempt = max(0, attempt - $refund)
         where id = $id and lease = $lease and state = 'running'`,
      )
      .run({
        id: row.id,
        lease: row.lease,
        runAt: options.runAt,
        error: options.error,
        refund: options.uncounted ? 1 : 0,
      }).changes,
  )
}

/** Marks the job failed and runs `failed`, in one transaction. Throws LeaseLost. */
export function fail(context: QueueContext, row: JobRow, error: string, failed: () => void): void {
  transaction(context.db, () => {
    mustHold(
      context.db
        .query(
          `update jobs set state = 'failed', error = $error, finished_at = $now, lease = null, lease_until = null
           where id = $id and lease = $lease and state = 'running'`,
        )
        .run({ id: row.id, lease: row.lease, error, now: context.now() }).changes,
    )
    failed()
  })
}

/** Cancels what is queued or running for `owner`, and aborts it if it runs here. Joins the caller's transaction. */
export function cancelOwned(context: QueueContext, owner: string): number {
  const { changes } = context.db
    .query(
      `update jobs set state = 'cancelled', finished_at = $now, lease = null, lease_until = null
       where owner = $owner and state in ('queued', 'running')`,
    )
    .run({ owner, now: context.now() })
  if (changes > 0) context.signals.jobs.emit({ type: 'cancelled' })
  return changes
}

/**
 * Takes over the leases that have run out – all of them when `every` is set, which only a process that holds the data
 * folder's lock may do at its start – and returns the jobs, leased to the caller, for it to retry or fail.
 */
export function takeDeadLeases(
  context: QueueContext,
  options: { lease: string; leaseMs: number; every: boolean },
): JobRow[] {
  const now = context.now()
  return context.db
    .query<JobRow, [Record<string, string | number>]>(
      `update jobs set lease = $lease, lease_until = $until, deaths = deaths + 1
       where state = 'running' and (lease_until < $now or $every = 1)
       returning id, kind, args, steps, checkpoint, attempt, attempts_max, deaths, lease`,
    )
    .all({ lease: options.lease, until: now + options.leaseMs, now, every: options.every ? 1 : 0 })
}

/** Removes finished jobs older than `before` (epoch ms), at most `limit` of them. */
export function pruneJobs(context: QueueContext, before: number, limit: number): number {
  return context.db
    .query(
      `delete from jobs where id in (select id from jobs where finished_at < $before order by finished_at limit $limit)`,
    )
    .run({ before, limit }).changes
}

/** What jobs that are queued or running work for. */
export function listBusyOwners(context: Pick<App, 'db'>): string[] {
  return context.db
    .query<{ owner: string }, []>(
      `select distinct owner from jobs where owner is not null and state in ('queued', 'running')`,
    )
    .all()
    .map((row) => row.owner)
}

/** Whether at least `count` jobs are due and wait. Reads no more of the index than that. */
export function hasQueued(context: Pick<App, 'db' | 'now'>, count: number): boolean {
  const row = context.db
    .query<{ n: number }, [{ now: number; count: number }]>(
      `select count(*) as n from (
         select 1 from jobs where lane in ('net', 'lists', 'searches', 'compute', 'analysis', 'webhooks') and state = 'queued' and run_at <= $now
         limit $count
       )`,
    )
    .get({ now: context.now(), count })
  return (row?.n ?? 0) >= count
}

export interface QueueDepth {
  readonly lane: Lane
  readonly state: 'queued' | 'running'
  readonly count: number
}

export function queueDepths(context: Pick<App, 'db'>): QueueDepth[] {
  return context.db
    .query<QueueDepth, []>(
      // One by one: each state has an index of its own, and finished jobs are many.
      `select lane, 'queued' as state, count(*) as count from jobs where state = 'queued' group by lane
       union all
       select lane, 'running' as state, count(*) as count from jobs where state = 'running' group by lane`,
    )
    .all()
}

/** For each lane in which jobs are due and wait: since when the first one is. */
export function oldestDue(context: Pick<App, 'db' | 'now'>): { lane: Lane; runAt: number }[] {
  return context.db
    .query<{ lane: Lane; runAt: number }, [{ now: number }]>(
      `select lane, min(run_at) as runAt from jobs where state = 'queued' and run_at <= $now group by lane`,
    )
    .all({ now: context.now() })
}

/**
 * How far the work for `owner` has come, over all its jobs (those created since `since`, epoch ms, where it may have been
 * begun anew): 0..1, as they reported it.
 */
export function progressOf(context: Pick<App, 'db'>, owner: string, since = 0): number {
  const row = context.db
    .query<{ progress: number | null }, [{ owner: string; since: number }]>(
      `select max(progress) as progress from jobs where owner = $owner and created_at >= $since`,
    )
    .get({ owner, since })
  return row?.progress ?? 0
}

function mustHold(changes: number): void {
  if (changes !== 1) throw new LeaseLost('Another runner owns this job now, or it was cancelled')
}
