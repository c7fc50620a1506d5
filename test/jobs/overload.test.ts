// Overload: new work is refused while the queue or the disk is full, and nothing of it is left behind.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { problemAnswer } from '../../src/http/envelope.ts'
import { defineJob } from '../../src/jobs/job.ts'
import { refuseOverload } from '../../src/jobs/overload.ts'
import { enqueue, queueDepths } from '../../src/jobs/queue.ts'
import { createTask } from '../../src/jobs/tasks.ts'
import { Problem } from '../../src/lib/problem.ts'
import { parser, t } from '../../src/lib/schema.ts'
import { MINUTE } from '../../src/lib/time.ts'
import { transaction } from '../../src/db/database.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

const work = defineJob({
  kind: 'work',
  lane: 'compute',
  attempts: 1,
  timeoutMs: MINUTE,
  args: parser(t.Object({})),
  run: async () => undefined,
})

let made: TestApp | undefined
let accountId = ''
async function start(env: Record<string, string>): Promise<TestApp> {
  made = await createTestApp(env)
  accountId = createAccount(made.app, 'acme', 'custom').id
  return made
}
beforeEach(() => {
  made = undefined
})
afterEach(() => made?.close())

const submit = ({ app }: TestApp) =>
  transaction(app.db, () =>
    createTask(app, { accountId, jobType: 'transcribe', isSync: false, request: {}, stages: [work] }),
  )

function problemOf(run: () => unknown): Problem {
  try {
    run()
  } catch (error) {
    if (error instanceof Problem) return error
    throw error
  }
  throw new Error('nothing was refused')
}

test('a full queue refuses tasks and creates nothing', async () => {
  const test = await start({ EARSHOT_MAX_QUEUED_JOBS: '3' })
  for (let i = 0; i < 3; i++) submit(test)
  const problem = problemOf(() => submit(test))
  expect(problem.code).toBe('system_overload')
  expect(problemAnswer(problem, '')).toMatchObject({
    httpStatus: 503,
    body: { error: 'system_overload', retry_after_seconds: 60 },
    headers: { 'retry-after': '60' },
  })
  expect(queueDepths(test.app)).toEqual([{ lane: 'compute', state: 'queued', count: 3 }])
})

test('jobs of the future, such as schedules and deliveries to repeat, are no overload', async () => {
  const test = await start({ EARSHOT_MAX_QUEUED_JOBS: '2' })
  for (let i = 0; i < 5; i++) enqueue(test.app, work, {}, { runAt: test.app.now() + MINUTE })
  expect(() => refuseOverload(test.app)).not.toThrow()
  test.advance(MINUTE)
  expect(problemOf(() => refuseOverload(test.app)).code).toBe('system_overload')
})

test('0 refuses all new work: a way to run a server empty', async () => {
  const test = await start({ EARSHOT_MAX_QUEUED_JOBS: '0' })
  expect(problemOf(() => submit(test)).code).toBe('system_overload')
})

test('a disk that is nearly full refuses tasks', async () => {
  const test = await start({ EARSHOT_MIN_FREE_BYTES: String(2 ** 50) })
  expect(problemOf(() => submit(test)).message).toContain('disk space')
  expect(queueDepths(test.app)).toEqual([])
})

test('asking costs little, also with a long queue', async () => {
  const test = await start({ EARSHOT_MAX_QUEUED_JOBS: '10000' })
  transaction(test.app.db, () => {
    for (let i = 0; i < 9_999; i++) enqueue(test.app, work, {})
  })
  const plan = test.app.db
    .query(
      `explain query plan select 1 from jobs
       where lane in ('net', 'lists', 'compute', 'analysis', 'webhooks') and state = 'queued' and run_at <= 1`,
    )
    .all()
  expect(JSON.stringify(plan)).toContain('COVERING INDEX jobs_claim')
  refuseOverload(test.app)
})
