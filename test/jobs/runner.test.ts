// The job loop: every way an attempt can end, and what must not happen then.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { App } from '../../src/app.ts'
import { type AnyJob, defineJob, type Job, type JobContext, Snooze } from '../../src/jobs/job.ts'
import { cancelOwned, enqueue, pruneJobs } from '../../src/jobs/queue.ts'
import { createRunner, type RunnerOptions } from '../../src/jobs/runner.ts'
import { transaction } from '../../src/db/database.ts'
import { Problem } from '../../src/lib/problem.ts'
import { parser, t } from '../../src/lib/schema.ts'
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

let support: TestApp
let app: App

beforeEach(async () => {
  support = await createTestApp()
  app = support.app
  app.db.run('create table effects (name text primary key) strict')
})
afterEach(() => support.close())

const anyArgs = parser(t.Record(t.String(), t.Unknown()))
type Args = Record<string, unknown>

function job(overrides: Partial<Job<Args>> & Pick<Job<Args>, 'run'>): Job<Args> {
  return defineJob({ kind: 'test', lane: 'net', attempts: 3, timeoutMs: MINUTE, args: anyArgs, ...overrides })
}

function runner(jobs: readonly AnyJob[], extra: Partial<RunnerOptions> = {}) {
  return createRunner(app, { jobs, lanes: { net: 2, compute: 1, webhooks: 2 }, random: () => 0.5, ...extra })
}

function effect(name: string): void {
  app.db.query('insert into effects values ($name)').run({ name })
}

function effects(): string[] {
  return app.db
    .query<{ name: string }, []>('select name from effects order by name')
    .all()
    .map((row) => row.name)
}

interface State {
  state: string
  attempt: number
  error: string | null
  run_at: number
}

function stateOf(id: string | undefined): State | null {
  return app.db
    .query<State, [{ id: string }]>('select state, attempt, error, run_at from jobs where id = $id')
    .get({ id: id ?? '' })
}

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

test('the returned commit and the done mark are one transaction', async () => {
  const saves = job({
    run:
      async ({ args }) =>
      () =>
        effect(String(args['name'])),
  })
  const id = enqueue(app, saves, { name: 'a' })
  await runner([saves]).drain()
  expect(stateOf(id)?.state).toBe('done')
  expect(effects()).toEqual(['a'])
})

test('a commit that throws leaves no trace and the job is tried again', async () => {
  let commits = 0
  const flaky = job({
    run: async () => () => {
      effect('x')
      if (++commits === 1) throw new Error('disk full')
    },
  })
  const id = enqueue(app, flaky, {})
  const loop = runner([flaky])
  await loop.drain()
  expect(effects()).toEqual([])
  expect(stateOf(id)).toMatchObject({ state: 'queued', attempt: 1, error: 'disk full' })
  support.advance(2 * SECOND)
  await loop.drain()
  expect(effects()).toEqual(['x'])
  expect(stateOf(id)).toMatchObject({ state: 'done', attempt: 2 })
})

test('a runner that lost its lease cannot write', async () => {
  const gate = Promise.withResolvers<void>()
  let runs = 0
  const slow = job({
    async run() {
      const mine = ++runs
      if (mine === 1) await gate.promise
      return () => effect(`run ${mine}`)
    },
  })
  const id = enqueue(app, slow, {})
  const first = runner([slow], { leaseMs: HOUR })
  first.start()
  support.advance(2 * HOUR)
  const second = runner([slow])
  // The sweep gives the dead job another attempt after its back-off.
  await second.drain()
  support.advance(MINUTE)
  await second.drain()
  expect(effects()).toEqual(['run 2'])
  gate.resolve()
  await first.stop(HOUR)
  expect(effects()).toEqual(['run 2'])
  expect(stateOf(id)).toMatchObject({ state: 'done', attempt: 1 })
})

test('a step runs once over all attempts', async () => {
  let fetches = 0
  const steps = job({
    async run({ step, attempt }) {
      const n = await step('fetch', async () => ++fetches)
      if (attempt === 1) throw new Error('later')
      return () => effect(String(n))
    },
  })
  enqueue(app, steps, {})
  const loop = runner([steps])
  await loop.drain()
  support.advance(MINUTE)
  await loop.drain()
  expect(effects()).toEqual(['1'])
})

test('a checkpoint survives the attempt and gives the attempts back', async () => {
  const resumed: unknown[] = []
  const long = job({
    attempts: 2,
    async run({ checkpoint, saveCheckpoint }) {
      const done = typeof checkpoint === 'number' ? checkpoint : 0
      resumed.push(checkpoint)
      if (done === 4) return () => effect('finished')
      saveCheckpoint(done + 1, () => effect(`part ${done}`))
      throw new Error('interrupted')
    },
  })
  const id = enqueue(app, long, {})
  const loop = runner([long])
  for (let i = 0; i < 6; i++) {
    await loop.drain()
    support.advance(HOUR)
  }
  expect(resumed).toEqual([undefined, 1, 2, 3, 4])
  expect(effects()).toEqual(['finished', 'part 0', 'part 1', 'part 2', 'part 3'])
  expect(stateOf(id)?.state).toBe('done')
})

test('snoozing is not counted as an attempt', async () => {
  let naps = 0
  const nap = job({
    async run() {
      if (naps++ < 5) throw new Snooze(10)
      return undefined
    },
  })
  const id = enqueue(app, nap, {})
  const loop = runner([nap])
  for (let i = 0; i < 7; i++) {
    await loop.drain()
    support.advance(10)
  }
  expect(stateOf(id)).toMatchObject({ state: 'done', attempt: 1 })
})

test('a final problem fails at once; failed() runs once, in the same transaction', async () => {
  const dies = job({
    async run() {
      throw new Problem('video_not_found', 'There is no such video')
    },
    failed: (_args, problem) => effect(problem.code),
  })
  const id = enqueue(app, dies, {})
  await runner([dies]).drain()
  expect(stateOf(id)).toMatchObject({ state: 'failed', attempt: 1 })
  expect(effects()).toEqual(['video_not_found'])
})

test('temporary problems and unknown errors are retried until the attempts are used up', async () => {
  const codes: string[] = []
  const fails = (kind: string, error: Error): AnyJob =>
    job({
      kind,
      async run() {
        throw error
      },
      failed: (_args, problem) => codes.push(problem.code),
    })
  const down = fails('down', new Problem('metadata_fetch_failed', 'The site is down', { temporary: true }))
  const broken = fails('broken', new Error('secret internals'))
  const ids = [enqueue(app, down, {}), enqueue(app, broken, {})]
  const loop = runner([down, broken])
  for (let i = 0; i < 3; i++) {
    expect(ids.map((id) => stateOf(id)?.state)).toEqual(['queued', 'queued'])
    await loop.drain()
    support.advance(HOUR)
  }
  expect(ids.map((id) => stateOf(id)?.state)).toEqual(['failed', 'failed'])
  expect(codes).toEqual(['metadata_fetch_failed', 'internal_server_error'])
})

test('waits between attempts grow', async () => {
  const waits: number[] = []
  const down = job({
    attempts: 4,
    async run() {
      throw new Error('down')
    },
  })
  const id = enqueue(app, down, {})
  const loop = runner([down])
  for (let i = 0; i < 3; i++) {
    await loop.drain()
    const wait = (stateOf(id)?.run_at ?? 0) - app.now()
    waits.push(wait)
    support.advance(wait)
  }
  expect(waits).toEqual([2 * SECOND, 10 * SECOND, MINUTE])
})

test('cancelling aborts the running job at once, and nothing of it is written', async () => {
  const started = Promise.withResolvers<void>()
  const waits = job({
    async run({ signal }) {
      started.resolve()
      await untilAborted(signal)
      return () => effect('never')
    },
  })
  const id = enqueue(app, waits, {}, { owner: 'task-1' })
  const loop = runner([waits], { leaseMs: HOUR })
  loop.start()
  await started.promise
  expect(cancelOwned(app, 'task-1')).toBe(1)
  await loop.stop(HOUR)
  expect(stateOf(id)?.state).toBe('cancelled')
  expect(effects()).toEqual([])
})

test('stopping gives the running job back, uncounted', async () => {
  const started = Promise.withResolvers<void>()
  const waits = job({
    async run({ signal }) {
      started.resolve()
      return untilAborted(signal)
    },
  })
  const id = enqueue(app, waits, {})
  const loop = runner([waits])
  loop.start()
  await started.promise
  await loop.stop(0)
  expect(stateOf(id)).toMatchObject({ state: 'queued', attempt: 0 })
})

test('an attempt that takes too long is aborted and retried', async () => {
  const slow = job({ timeoutMs: 1, run: ({ signal }) => untilAborted(signal) })
  const id = enqueue(app, slow, {})
  await runner([slow]).drain()
  expect(stateOf(id)).toMatchObject({ state: 'queued', attempt: 1 })
})

test('a job outlives seven processes without an attempt being counted, and fails with the eighth', async () => {
  const never = job({
    attempts: 2,
    run: () => new Promise(() => undefined),
    failed: (_args, problem) => effect(problem.code),
  })
  const id = enqueue(app, never, {})
  // A runner that is dropped without stopping stands for a process that was killed; each one either takes the dead
  // lease (and waits for the back-off) or runs the job again.
  for (let i = 0; i < 2 * 8; i++) {
    expect(stateOf(id)).toMatchObject({ state: i % 2 === 0 ? 'queued' : 'running', attempt: i % 2 })
    runner([never], { pollMs: HOUR }).start()
    support.advance(10 * MINUTE)
  }
  expect(stateOf(id)).toMatchObject({ state: 'failed' })
  expect(effects()).toEqual(['internal_server_error'])
})

test('enqueueing wakes the runner without a poll', async () => {
  const ran = Promise.withResolvers<void>()
  const quick = job({
    async run() {
      ran.resolve()
      return undefined
    },
  })
  const loop = runner([quick], { pollMs: HOUR })
  loop.start()
  enqueue(app, quick, {})
  await ran.promise
  await loop.stop(HOUR)
})

test('a lane runs no more jobs at once than it is wide', async () => {
  let now = 0
  let most = 0
  const busy = job({
    lane: 'compute',
    async run() {
      most = Math.max(most, ++now)
      await Bun.sleep(0)
      now--
      return undefined
    },
  })
  for (let i = 0; i < 5; i++) enqueue(app, busy, {})
  await runner([busy]).drain()
  expect(most).toBe(1)
})

test('a unique key holds while its job is pending, and enqueueing joins the caller’s transaction', () => {
  const nothing = job({ run: async () => undefined })
  expect(enqueue(app, nothing, {}, { uniqueKey: 'k' })).toBeString()
  expect(enqueue(app, nothing, {}, { uniqueKey: 'k' })).toBeUndefined()
  expect(() =>
    transaction(app.db, () => {
      enqueue(app, nothing, {})
      throw new Error('rolled back')
    }),
  ).toThrow('rolled back')
  expect(app.db.query('select count(*) as n from jobs').get()).toEqual({ n: 1 })
})

test('a job of an unknown kind or with wrong arguments fails instead of running', async () => {
  const strict: Job<{ taskId: string }> = defineJob({
    kind: 'strict',
    lane: 'net',
    attempts: 3,
    timeoutMs: MINUTE,
    args: parser(t.Object({ taskId: t.String() })),
    run: async () => () => effect('never'),
  })
  const unknown = enqueue(app, job({ kind: 'unknown', run: async () => undefined }), {})
  const wrong = enqueue(app, job({ kind: 'strict', run: async () => undefined }), { taskId: 7 })
  await runner([strict]).drain()
  expect([unknown, wrong].map((id) => stateOf(id)?.state)).toEqual(['failed', 'failed'])
  expect(effects()).toEqual([])
})

test('finished jobs are pruned by age, unfinished ones never', async () => {
  const quick = job({ run: async (_context: JobContext<Args>) => undefined })
  const old = enqueue(app, quick, {})
  await runner([quick]).drain()
  support.advance(HOUR)
  const waiting = enqueue(app, quick, {}, { runAt: app.now() + HOUR })
  expect(pruneJobs(app, app.now(), 100)).toBe(1)
  expect(stateOf(old)).toBeNull()
  expect(stateOf(waiting)?.state).toBe('queued')
})

function plan(sql: string): string {
  const rows = app.db.query<{ detail: string }, []>(`explain query plan ${sql}`).all()
  return rows.map((row) => row.detail).join('; ')
}

test('claiming and sweeping use their indexes', () => {
  expect(
    plan(
      `select id from jobs where lane = 'net' and state = 'queued' and run_at <= 1 order by run_at, id limit 1`,
    ),
  ).toContain('jobs_claim')
  expect(plan(`select max(progress) from jobs where owner = 'a'`)).toContain('jobs_owner')
})
