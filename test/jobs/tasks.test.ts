// Tasks as callers see them.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { App } from '../../src/app.ts'
import { defineJob, type Job } from '../../src/jobs/job.ts'
import { createRunner } from '../../src/jobs/runner.ts'
import { defineSchedule, startSchedules } from '../../src/jobs/schedule.ts'
import {
  completeTask,
  createTask,
  discardSyncTasks,
  discardTask,
  failTask,
  getVisibleTask,
  listActiveTaskIds,
  pruneTasks,
  startNextStage,
  type Task,
  waitForTask,
} from '../../src/jobs/tasks.ts'
import { submittedRecord, taskRecord } from '../../src/jobs/task-record.ts'
import { newId } from '../../src/lib/id.ts'
import { Problem } from '../../src/lib/problem.ts'
import { type Parsed, parser, t } from '../../src/lib/schema.ts'
import { HOUR, MINUTE } from '../../src/lib/time.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

let support: TestApp
let app: App
let accountId: string
beforeEach(async () => {
  support = await createTestApp({ EARSHOT_MAX_ACTIVE_JOBS: '2' })
  app = support.app
  accountId = addAccount('a')
})
afterEach(() => support.close())

function addAccount(name: string): string {
  const id = newId()
  app.db
    .query(`insert into accounts (id, name, plan, created_at) values ($id, $name, 'custom', 0)`)
    .run({ id, name })
  return id
}

const stageArgs = parser(t.Object({ taskId: t.String(), from: t.Optional(t.String()) }))

function stage(
  kind: string,
  end: (taskId: string, from: string | undefined) => void,
): Job<Parsed<typeof stageArgs>> {
  return defineJob({
    kind,
    lane: 'net',
    attempts: 1,
    timeoutMs: MINUTE,
    args: stageArgs,
    run:
      async ({ args }) =>
      () =>
        end(args.taskId, args.from),
  })
}

const idle = stage('idle', () => undefined)

function submit(overrides: Partial<Parameters<typeof createTask>[1]> = {}): Task {
  return createTask(app, {
    accountId,
    jobType: 'transcribe',
    isSync: false,
    request: { video_url: 'https://example.com/a' },
    stages: [idle],
    ...overrides,
  })
}

const read = (taskId: string): Task => getVisibleTask(app, accountId, taskId, 'transcribe')

test('a task goes through its stages, each started by the one before', async () => {
  const first = stage('first', (taskId) => startNextStage(app, taskId, { from: 'first' }))
  const second = stage('second', (taskId, from) => completeTask(app, taskId, { from }))
  const task = submit({ stages: [first, second] })
  expect(taskRecord(app, task, '/v1/transcribe', null)).toMatchObject({
    task_status: 'processing',
    result: null,
    error: null,
    webhook: null,
    started_at: null,
    completed_at: null,
  })
  await createRunner(app, { jobs: [first, second], lanes: { net: 1, compute: 1, webhooks: 1 } }).drain()
  expect(taskRecord(app, read(task.id), '/v1/transcribe', null)).toMatchObject({
    task_id: task.id,
    task_status: 'completed',
    job_type: 'transcribe',
    request: { video_url: 'https://example.com/a' },
    result: { from: 'first' },
    error: null,
    expires_at: new Date(app.now() + HOUR).toISOString(),
    check_status_url: `/v1/transcribe/${task.id}`,
  })
})

test('what comes after a task is enqueued once, with its end, whatever the outcome', () => {
  const after = stage('after', () => undefined)
  const count = (): unknown => app.db.query(`select count(*) as n from jobs where kind = 'after'`).get()
  const good = submit({ after: [after] })
  const bad = submit({ after: [after] })
  expect(count()).toEqual({ n: 0 })
  completeTask(app, good.id, {})
  failTask(app, bad.id, new Problem('transcription_failed', 'no'))
  completeTask(app, bad.id, {})
  expect(count()).toEqual({ n: 2 })
})

test('the answer to a submit has every field of the contract', () => {
  const record = submittedRecord(app, submit(), '/v1/transcribe', null)
  expect(Object.keys(record).toSorted()).toEqual([
    'check_status_url',
    'expires_at',
    'job_type',
    'message',
    'task_id',
    'task_status',
    'webhook_url',
  ])
})

test('a failed task keeps code, message and status; a final state never changes', () => {
  const { id } = submit()
  failTask(app, id, new Problem('upstream_failed', 'The post could not be had'))
  expect(read(id)).toMatchObject({
    status: 'failed',
    result: null,
    error: { error: null, message: 'The post could not be had', http_status: 502 },
  })
  completeTask(app, id, {})
  expect(read(id).status).toBe('failed')
})

test('unknown, malformed, another account’s, another kind’s and synchronous ids read alike', () => {
  const { id } = submit()
  const sync = submit({ isSync: true })
  const other = addAccount('b')
  const refused = [
    () => getVisibleTask(app, other, id, 'transcribe'),
    () => getVisibleTask(app, accountId, id, 'extract_video'),
    () => read(newId()),
    () => read("x' or 1=1"),
    () => read(sync.id),
  ]
  for (const attempt of refused) expect(attempt).toThrow(/There is no task/)
  expect(read(id).id).toBe(id)
})

test('a finished task can be read for the retention time and is then pruned', () => {
  const { id } = submit({ stages: [] })
  completeTask(app, id, {})
  support.advance(HOUR - 1)
  expect(read(id).status).toBe('completed')
  expect(pruneTasks(app, 100)).toBe(0)
  support.advance(1)
  expect(() => read(id)).toThrow(/There is no task/)
  expect(pruneTasks(app, 100)).toBe(1)
})

test('an expired task stays, unseen, while a job that follows its end still needs it', async () => {
  const after = stage('after', () => undefined)
  const { id } = submit({ stages: [], after: [after] })
  completeTask(app, id, { n: 1 })
  support.advance(HOUR)
  expect(pruneTasks(app, 100)).toBe(0)
  expect(() => read(id)).toThrow(/There is no task/)
  await createRunner(app, { jobs: [after], lanes: { net: 1, compute: 1, webhooks: 1 } }).drain()
  expect(pruneTasks(app, 100)).toBe(1)
})

test('the limit on jobs in work counts async tasks of the account, and frees up', () => {
  const { id } = submit()
  submit()
  expect(() => submit()).toThrow(/already has 2 jobs/)
  submit({ accountId: addAccount('b') })
  submit({ isSync: true })
  completeTask(app, id, {})
  submit()
})

test('waiting ends with the task, with the signal, and at once for a finished one', async () => {
  const task = submit({ isSync: true })
  const waiting = waitForTask(app, task.id, AbortSignal.timeout(10_000))
  completeTask(app, task.id, { n: 1 })
  expect((await waiting).result).toEqual({ n: 1 })
  expect((await waitForTask(app, task.id, AbortSignal.timeout(10_000))).result).toEqual({ n: 1 })
  const left = new AbortController()
  const cut = waitForTask(app, submit({ isSync: true }).id, left.signal)
  left.abort(new Error('the client left'))
  expect(cut).rejects.toThrow('the client left')
})

test('discarding a task cancels its work; at start no synchronous task is left', () => {
  discardTask(app, submit().id)
  submit({ isSync: true })
  discardSyncTasks(app)
  expect(listActiveTaskIds(app)).toEqual([])
  expect(app.db.query(`select state, count(*) as n from jobs group by state`).all()).toEqual([
    { state: 'cancelled', n: 2 },
  ])
})

test('a schedule has exactly one pending run, whatever became of the last', async () => {
  let runs = 0
  const schedule = defineSchedule({
    kind: 'sweep',
    everyMs: HOUR,
    async run() {
      if (++runs === 1) throw new Error('no')
    },
  })
  startSchedules(app, [schedule])
  startSchedules(app, [schedule])
  const runner = createRunner(app, { jobs: [schedule.job], lanes: { net: 1, compute: 1, webhooks: 1 } })
  for (let i = 1; i <= 3; i++) {
    await runner.drain()
    expect(runs).toBe(i)
    support.advance(HOUR)
  }
})
