// The public task: what a submit creates, a poll reads and a job finishes. Owns the table `tasks`.
// A task passes through stages; each stage is a job with the arguments { taskId, … } whose commit starts the next one.

import { findLimits } from '../accounts/limits.ts'
import type { App } from '../app.ts'
import { revert } from '../billing/ledger.ts'
import { transaction } from '../db/database.ts'
import type { MeterName } from '../lib/conversions.ts'
import { isId, newId } from '../lib/id.ts'
import {
  Problem,
  type ProblemCode,
  problemOfRecord,
  type ProblemRecord,
  problemRecord,
} from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { forgetEvents, logEnd } from './event-log.ts'
import { refuseOverload } from './overload.ts'
import { cancelOwned, enqueuePlan, listBusyOwners, type JobPlan, type QueueContext } from './queue.ts'

export type JobType =
  | 'transcribe'
  | 'audio_transcription'
  | 'analyze_video'
  | 'analyze_file'
  | 'extract_file'
  | 'extract_video'
  | 'post_statement'
  | 'shortvideo_profile'
  | 'shortvideo_search'
  | 'search_video'
  | 'channel_video'
export type TaskStatus = 'processing' | 'completed' | 'failed'

export interface Task {
  readonly id: string
  readonly accountId: string
  readonly jobType: JobType
  /** Made by a synchronous request, which waits for it; no poll shows it. */
  readonly isSync: boolean
  readonly status: TaskStatus
  readonly request: Readonly<Record<string, unknown>>
  readonly result: unknown
  readonly error: ProblemRecord | null
  readonly createdAt: number
  readonly startedAt: number | null
  readonly completedAt: number | null
  readonly expiresAt: number | null
}

interface TaskRow {
  readonly id: string
  readonly account_id: string
  readonly job_type: string
  readonly is_sync: number
  readonly status: string
  readonly request: string
  readonly stages: string
  readonly after_end: string
  readonly result: string | null
  readonly error: string | null
  readonly created_at: number
  readonly started_at: number | null
  readonly completed_at: number | null
  readonly expires_at: number | null
}

const COLUMNS = `id, account_id, job_type, is_sync, status, request, stages, after_end, result, error, created_at, started_at,
  completed_at, expires_at`

export interface NewTask {
  readonly accountId: string
  readonly jobType: JobType
  readonly isSync: boolean
  readonly request: Readonly<Record<string, unknown>>
  /** The jobs that do the work, in order. Each gets `{ taskId }` and what its predecessor passed on. */
  readonly stages: readonly JobPlan[]
  /** Jobs enqueued with `{ taskId }` in the transaction that ends the task, whatever its outcome. */
  readonly after?: readonly JobPlan[]
  /** Epoch ms; known from the start for tasks that last from their creation. Absent: some time after their end. */
  readonly expiresAt?: number
}

/**
 * Creates the task and its first job; joins the caller's transaction. Throws `too_many_active_jobs` when the account
 * already has its limit (else `config.maxActiveJobs`) of async tasks in work, and `system_overload`.
 */
export function createTask(app: App, task: NewTask): Task {
  if (!task.isSync && task.jobType !== 'channel_video') refuseTooMany(app, task.accountId)
  refuseOverload(app)
  const id = newId()
  const now = app.now()
  app.db
    .query(
      `insert into tasks (id, account_id, job_type, is_sync, request, stages, after_end, created_at, expires_at)
       values ($id, $accountId, $jobType, $isSync, $request, $stages, $after, $now, $expiresAt)`,
    )
    .run({
      id,
      accountId: task.accountId,
      jobType: task.jobType,
      isSync: task.isSync ? 1 : 0,
      request: JSON.stringify(task.request),
      stages: planText(task.stages),
      after: planText(task.after ?? []),
      now,
      expiresAt: task.expiresAt ?? null,
    })
  startNextStage(app, id, {})
  return getTask(app, id)
}

/** Only the plan of a job is stored: its code is found again by kind. */
function planText(jobs: readonly JobPlan[]): string {
  return JSON.stringify(jobs.map(({ kind, lane, attempts }) => ({ kind, lane, attempts })))
}

function refuseTooMany(app: App, accountId: string): void {
  const active = countActiveTasks(app, accountId)
  const limit = findLimits(app, accountId).activeJobs ?? app.config.maxActiveJobs
  if (active < limit) return
  throw new Problem(
    'too_many_active_jobs',
    `This account already has ${active} jobs in work, which is its limit. Wait until one has finished.`,
  )
}

/** Without those that index channels: nobody submitted them, and they must not keep out what somebody submits. */
export function countActiveTasks(app: Pick<App, 'db'>, accountId: string): number {
  const row = app.db
    .query<{ n: number }, [{ accountId: string }]>(
      `select count(*) as n from tasks where account_id = $accountId and status = 'processing' and is_sync = 0 and job_type <> 'channel_video'`,
    )
    .get({ accountId })
  return row?.n ?? 0
}

export interface NextStage {
  /** Kind of a stage that is not needed any more: the one behind it is next. */
  readonly past?: string
}

/**
 * Enqueues the task's next stage with `{ taskId, ...args }`; called in a stage's commit. False when there is none: the
 * caller is the last stage and completes the task.
 */
export function startNextStage(
  app: QueueContext,
  taskId: string,
  args: Readonly<Record<string, unknown>>,
  { past }: NextStage = {},
): boolean {
  const stages = listStages(app, taskId)
  const [next, ...rest] = stages.slice(stages.findIndex(({ kind }) => kind === past) + 1)
  if (!next) return false
  app.db
    .query(`update tasks set stages = $stages where id = $taskId`)
    .run({ stages: JSON.stringify(rest), taskId })
  enqueuePlan(app, next, { ...args, taskId }, { owner: taskId })
  return true
}

function listStages(app: Pick<App, 'db'>, taskId: string): readonly JobPlan[] {
  return JSON.parse(findRow(app, taskId)?.stages ?? '[]') as JobPlan[]
}

/** How many stages follow the one at work. */
export function countLaterStages(app: Pick<App, 'db'>, taskId: string): number {
  return listStages(app, taskId).length
}

/** Marks the moment a worker took the task up; the first one counts. */
export function markStarted(app: App, taskId: string): void {
  app.db
    .query(
      `update tasks set started_at = coalesce(started_at, $now) where id = $taskId and status = 'processing'`,
    )
    .run({ taskId, now: app.now() })
}

/** In the last stage's commit. */
export function completeTask(app: App, taskId: string, result: unknown): void {
  end(app, taskId, { status: 'completed', result: JSON.stringify(result), error: null })
}

/** What stays charged although the task failed. */
const KEPT_CHARGES: Partial<Readonly<Record<ProblemCode, readonly MeterName[]>>> = {
  video_too_long: ['standard_request', 'residential_request'],
}

/** In the `failed` of any stage. Takes back what was charged for the task. */
export function failTask(app: App, taskId: string, problem: Problem): void {
  if (findTask(app, taskId)?.status !== 'processing') return
  revert(app, taskId, { keep: KEPT_CHARGES[problem.code] ?? [] })
  end(app, taskId, { status: 'failed', result: null, error: JSON.stringify(problemRecord(problem)) })
}

interface Outcome {
  readonly status: TaskStatus
  readonly result: string | null
  readonly error: string | null
}

function end(app: App, taskId: string, outcome: Outcome): void {
  const now = app.now()
  const row = app.db
    .query<EndedRow, [Record<string, string | number | null>]>(
      `update tasks set status = $status, result = $result, error = $error, completed_at = $now,
         expires_at = coalesce(expires_at, $expiresAt), started_at = coalesce(started_at, $now)
       where id = $taskId and status = 'processing'
       returning account_id, job_type, is_sync, after_end, expires_at`,
    )
    .get({ ...outcome, taskId, now, expiresAt: now + app.config.taskRetentionS * SECOND })
  for (const plan of JSON.parse(row?.after_end ?? '[]') as JobPlan[]) {
    enqueuePlan(app, plan, { taskId }, { owner: taskId })
  }
  if (row?.is_sync === 0) logOutcome(app, taskId, outcome, row)
  app.signals.taskFinished.emit({ taskId })
}

type EndedRow = Pick<TaskRow, 'account_id' | 'job_type' | 'is_sync' | 'after_end'> & {
  readonly expires_at: number
}

function logOutcome(app: App, taskId: string, { status, error }: Outcome, row: EndedRow): void {
  const subject = { id: taskId, accountId: row.account_id, jobType: row.job_type }
  logEnd(app, subject, {
    type: status === 'failed' ? 'failed' : 'completed',
    error: error === null ? undefined : JSON.parse(error),
    expiresAt: row.expires_at,
  })
}

/** Stops the task's work and forgets it: for a synchronous request whose client left. Done work stays charged. */
export function discardTask(app: App, taskId: string): void {
  transaction(app.db, () => {
    cancelOwned(app, taskId)
    if (findTask(app, taskId)?.status === 'processing') revert(app, taskId)
    forgetEvents(app, taskId)
    app.db.query(`delete from tasks where id = $taskId`).run({ taskId })
  })
  app.signals.taskFinished.emit({ taskId })
}

/** For its owner, who wants it no more: it fails, costs nothing, and whoever waits for it is told. False when it had ended. */
export function stopTask(app: App, taskId: string): boolean {
  const message = 'The task was stopped in the console. Nothing was charged.'
  const error = JSON.stringify({ error: null, message, http_status: 409 } satisfies ProblemRecord)
  return transaction(app.db, () => {
    if (findTask(app, taskId)?.status !== 'processing') return false
    cancelOwned(app, taskId)
    revert(app, taskId)
    end(app, taskId, { status: 'failed', result: null, error })
    return true
  })
}

/** At start: nobody waits any more for what a synchronous request of the former process began. */
export function discardSyncTasks(app: App): void {
  const rows = app.db.query<{ id: string }, []>(`select id from tasks where is_sync = 1`).all()
  for (const { id } of rows) discardTask(app, id)
}

/** Waits until the task is final. Rejects with the signal's reason when it aborts. */
export async function waitForTask(app: App, taskId: string, signal: AbortSignal): Promise<Task> {
  const finished = Promise.withResolvers<void>()
  const unlisten = app.signals.taskFinished.listen((event) => {
    if (event.taskId === taskId) finished.resolve()
  })
  const giveUp = (): void => finished.reject(signal.reason as Error)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    signal.throwIfAborted()
    if (getTask(app, taskId).status === 'processing') await finished.promise
    return getTask(app, taskId)
  } finally {
    unlisten()
    signal.removeEventListener('abort', giveUp)
  }
}

/**
 * For a synchronous endpoint: the completed task. Throws what the task failed with; when the client leaves, nobody wants
 * the rest of the work, so the task is discarded.
 */
export async function completedTask(app: App, taskId: string, signal: AbortSignal): Promise<Task> {
  let ended: Task
  try {
    ended = await waitForTask(app, taskId, signal)
  } catch (error) {
    discardTask(app, taskId)
    throw error
  }
  if (ended.error) throw problemOfRecord(ended.error)
  return ended
}

/** Undefined when it was discarded meanwhile: the job has nothing left to do. */
export function findTask(app: Pick<App, 'db'>, taskId: string): Task | undefined {
  const row = findRow(app, taskId)
  return row ? taskOf(row) : undefined
}

/** Any task by id; throws `task_not_found`. */
export function getTask(app: Pick<App, 'db'>, taskId: string): Task {
  const row = findRow(app, taskId)
  if (!row) throw notFound(taskId)
  return taskOf(row)
}

/** As a poll sees it: unknown, expired, another account's and other kinds of task all read the same. */
export function getVisibleTask(app: App, accountId: string, taskId: string, jobType: JobType): Task {
  const row = isId(taskId) ? findRow(app, taskId) : null
  const visible = row && row.account_id === accountId && row.job_type === jobType && row.is_sync === 0
  if (!visible || (row.expires_at !== null && row.expires_at <= app.now())) throw notFound(taskId)
  return taskOf(row)
}

function notFound(taskId: string): Problem {
  const shown = taskId.slice(0, 64).replaceAll(/[^\w-]/g, '?')
  return new Problem(
    'task_not_found',
    `There is no task ${shown} of this kind. Finished tasks are kept for a limited time.`,
  )
}

function findRow(app: Pick<App, 'db'>, taskId: string): TaskRow | null {
  return app.db
    .query<TaskRow, [{ taskId: string }]>(`select ${COLUMNS} from tasks where id = $taskId`)
    .get({ taskId })
}

function taskOf(row: TaskRow): Task {
  return {
    id: row.id,
    accountId: row.account_id,
    jobType: row.job_type as JobType,
    isSync: row.is_sync === 1,
    status: row.status as TaskStatus,
    request: JSON.parse(row.request) as Record<string, unknown>,
    result: row.result === null ? null : (JSON.parse(row.result) as unknown),
    error: row.error === null ? null : (JSON.parse(row.error) as ProblemRecord),
    createdAt: row.created_at,
    startedAt: row.started_at,
    completedAt: row.completed_at,
    expiresAt: row.expires_at,
  }
}

/** A task without its result, which may be large. */
export type TaskSummary = Omit<Task, 'result'>

/** Of the account, newest first, as its polls would show them. `before`: the last id of the page before. */
export function listTasks(
  app: Pick<App, 'db' | 'now'>,
  accountId: string,
  page: {
    readonly jobTypes: readonly string[]
    readonly limit: number
    readonly before?: string | undefined
  },
): readonly TaskSummary[] {
  return app.db
    .query<TaskRow, [Record<string, string | number | null>]>(
      `select ${COLUMNS.replace(' result,', ' null as result,')} from tasks
       where account_id = $accountId and is_sync = 0 and job_type in (select value from json_each($jobTypes))
         and (expires_at is null or expires_at > $now) and ($before is null or id < $before)
       order by id desc limit $limit`,
    )
    .all({
      accountId,
      jobTypes: JSON.stringify(page.jobTypes),
      now: app.now(),
      before: page.before ?? null,
      limit: page.limit,
    })
    .map(taskOf)
}

/** Ids of the tasks in work; what the spool holds for others can go. */
export function listActiveTaskIds(app: Pick<App, 'db'>): string[] {
  return app.db
    .query<{ id: string }, []>(`select id from tasks where status = 'processing'`)
    .all()
    .map((row) => row.id)
}

/** Removes expired tasks, at most `limit`. One that jobs still work for stays, unseen, until they have what they need. */
export function pruneTasks(app: App, limit: number): number {
  return app.db
    .query(
      `delete from tasks where id in (
         select id from tasks where expires_at <= $now and id not in (select value from json_each($busy))
         order by expires_at limit $limit
       )`,
    )
    .run({ now: app.now(), limit, busy: JSON.stringify(listBusyOwners(app)) }).changes
}
