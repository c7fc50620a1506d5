// Event streams as a client meets them: order, resumption, ends, limits, and who may follow what.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import type { Elysia } from 'elysia'
import { createAccount, disableAccount } from '../../src/accounts/accounts.ts'
import { createGuard } from '../../src/accounts/guard.ts'
import { createKey, revokeKey } from '../../src/accounts/keys.ts'
import type { Permissions } from '../../src/accounts/permissions.ts'
import { transaction } from '../../src/db/database.ts'
import { eventRoutes } from '../../src/events/routes.ts'
import { createHttp } from '../../src/http/http.ts'
import { logRestart, logSegments } from '../../src/jobs/event-log.ts'
import {
  completeTask,
  createTask,
  discardTask,
  failTask,
  type JobType,
  pruneTasks,
  type Task,
} from '../../src/jobs/tasks.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem } from '../../src/lib/problem.ts'
import { HOUR } from '../../src/lib/time.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { followEvents, type SseClient } from '../support/sse.ts'

let run: TestApp
let http: Elysia
let account: string
let key: string
let keyId: string

beforeEach(async () => {
  run = await createTestApp({ EARSHOT_RATE_LIMITS: 'off', EARSHOT_MAX_EVENT_STREAMS: '3' })
  const { app } = run
  http = createHttp({
    routes: eventRoutes(app, createGuard(app), { heartbeatMs: 30 }),
    log: silentLog(),
    publicUrl: () => '',
  })
  account = createAccount(app, 'acme', 'custom').id
  ;({ key, keyId } = newKey(account, 'all'))
})
afterEach(() => run.close())

function newKey(accountId: string, permissions: Permissions): { key: string; keyId: string } {
  const made = createKey(run.app, accountId, { name: '', permissions, expiresAt: undefined })
  return { key: made.text, keyId: made.key.id }
}

function follow(path: string, lastId?: string, as = key): Promise<SseClient> {
  return followEvents(
    (headers) =>
      http.handle(new Request(`http://localhost/v1${path}`, { headers: { 'x-api-key': as, ...headers } })),
    lastId,
  )
}

const ofTask = (id: string, lastId?: string): Promise<SseClient> => follow(`/tasks/${id}/events`, lastId)

function newTask(jobType: JobType = 'transcribe', accountId = account): Task {
  const stages = [{ kind: 'nothing', lane: 'net', attempts: 1 } as const]
  return createTask(run.app, { accountId, jobType, isSync: false, request: {}, stages })
}

/** A window of `count` segments. */
function say(task: Task, first: number, count: number): void {
  const segments = Array.from({ length: count }, (_, index) => ({
    text: `segment ${first + index}`,
    start: first + index,
    end: first + index + 1,
  }))
  transaction(run.app.db, () => logSegments(run.app, task, { item: 1, first, segments }))
}

const end = (task: Task): void => completeTask(run.app, task.id, {})

test('a task is followed from its first segment to its end, which ends the stream', async () => {
  const task = newTask()
  say(task, 0, 2)
  const client = await ofTask(task.id)
  expect(client.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(await client.next()).toEqual({
    id: undefined,
    type: 'progress',
    data: { task_id: task.id, job_type: 'transcribe', progress: 0 },
  })
  expect((await client.next())?.data).toEqual({
    task_id: task.id,
    job_type: 'transcribe',
    item: 1,
    index: 0,
    text: 'segment 0',
    start: 0,
    end: 1,
  })
  expect((await client.next())?.data.index).toBe(1)
  run.app.signals.progressed.emit({ owner: task.id, progress: 0.25 })
  expect(await client.next()).toMatchObject({ type: 'progress', data: { progress: 0.25 } })
  say(task, 2, 1)
  expect((await client.next())?.data.text).toBe('segment 2')
  end(task)
  expect(await client.next()).toMatchObject({
    type: 'completed',
    data: { task_status: 'completed', error: null, check_status_url: `/v1/transcribe/${task.id}` },
  })
  expect(await client.next()).toBeUndefined()
})

test('wherever the connection breaks, the next goes on without a lost or doubled segment', async () => {
  const task = newTask()
  say(task, 0, 3)
  say(task, 3, 4)
  say(task, 7, 1)
  end(task)
  const whole = (await (await ofTask(task.id)).rest()).map(({ id, data }) => [
    id,
    data.index ?? data.task_status,
  ])
  expect(whole.map(([, index]) => index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 'completed'])
  for (const [position, [id]] of whole.slice(0, -1).entries()) {
    const resumed = (await (await ofTask(task.id, String(id))).rest()).map(
      ({ data }) => data.index ?? data.task_status,
    )
    expect(resumed).toEqual(whole.slice(position + 1).map(([, index]) => index))
  }
})

test('a client that has seen the end is told to stay away', async () => {
  const task = newTask()
  end(task)
  const client = await ofTask(task.id)
  await client.rest()
  expect((await ofTask(task.id, client.lastId)).status).toBe(204)
})

test('a task whose log is gone still says how it ended', async () => {
  const task = newTask()
  transaction(run.app.db, () => failTask(run.app, task.id, new Problem('video_unavailable', 'It is gone.')))
  run.app.db.run('delete from events')
  const client = await ofTask(task.id)
  expect(await client.rest()).toMatchObject([
    { type: 'failed', data: { error: { error: 'video_unavailable', http_status: 404 } } },
  ])
  expect((await ofTask(task.id, client.lastId)).status).toBe(204)
})

test('segments come while the window is fresh; a rolled back window never comes', async () => {
  const task = newTask()
  const client = await ofTask(task.id)
  await client.next()
  expect(() =>
    transaction(run.app.db, () => {
      logSegments(run.app, task, { item: 1, first: 0, segments: [{ text: 'lost', start: 0, end: 1 }] })
      throw new Error('no')
    }),
  ).toThrow('no')
  say(task, 0, 1)
  expect((await client.next())?.data.text).toBe('segment 0')
})

test('a restart tells to forget what came before', async () => {
  const task = newTask()
  say(task, 0, 1)
  logRestart(run.app, task, 1)
  say(task, 0, 1)
  end(task)
  const events = await (await ofTask(task.id)).rest()
  expect(events.map(({ type }) => type)).toEqual(['segment', 'restarted', 'segment', 'completed'])
  expect(events[1]?.data).toMatchObject({ item: 1 })
})

test('all of an account: every task it may poll, from now on or behind the last id', async () => {
  const before = newTask()
  say(before, 0, 1)
  const client = await follow('/events')
  const [one, two] = [newTask(), newTask('shortvideo_profile')]
  say(one, 0, 1)
  end(two)
  const first = await client.next()
  expect(first?.data).toMatchObject({ task_id: one.id, text: 'segment 0' })
  expect(await client.next()).toMatchObject({ type: 'completed', data: { task_id: two.id } })
  await client.leave()
  end(one)
  const resumed = await follow('/events', first?.id)
  expect((await resumed.next())?.data.task_id).toBe(two.id)
  expect((await resumed.next())?.data).toMatchObject({ task_id: one.id, task_status: 'completed' })
  const all = await follow('/events?last_event_id=0.0')
  expect((await all.next())?.data.task_id).toBe(before.id)
})

test('a key hears only of what it may poll', async () => {
  const only = newKey(account, ['shortvideo']).key
  const client = await follow('/events', undefined, only)
  const [speech, profile] = [newTask(), newTask('shortvideo_profile')]
  say(speech, 0, 1)
  end(speech)
  run.app.signals.progressed.emit({ owner: speech.id, progress: 0.5 })
  end(profile)
  expect((await client.next())?.data.task_id).toBe(profile.id)
  expect((await follow(`/tasks/${speech.id}/events`, undefined, only)).status).toBe(403)
  expect((await follow('/events', undefined, newKey(account, ['usage']).key)).status).toBe(403)
})

test('other accounts, unknown, expired and synchronous tasks all read the same', async () => {
  const other = newKey(createAccount(run.app, 'other', 'custom').id, 'all').key
  const task = newTask()
  say(task, 0, 1)
  expect((await follow(`/tasks/${task.id}/events`, undefined, other)).status).toBe(404)
  const stream = await follow('/events?last_event_id=0.0', undefined, other)
  say(task, 1, 1)
  end(task)
  await expect(stream.next(100)).rejects.toThrow('in time')
  const sync = createTask(run.app, {
    accountId: account,
    jobType: 'transcribe',
    isSync: true,
    request: {},
    stages: [{ kind: 'nothing', lane: 'net', attempts: 1 }],
  })
  for (const id of [newId(), 'nonsense', '%00', sync.id]) expect((await ofTask(id)).status).toBe(404)
  run.advance(2 * HOUR)
  expect((await ofTask(task.id)).status).toBe(404)
  pruneTasks(run.app, 10)
  expect((await ofTask(task.id)).status).toBe(404)
})

test('a malformed Last-Event-ID is invalid_cursor, one of another database begins anew', async () => {
  const task = newTask()
  say(task, 0, 1)
  for (const id of ['x', '1', '-1.0', '1.0.0', '9'.repeat(30)])
    expect((await ofTask(task.id, id)).status).toBe(400)
  end(task)
  expect(await (await ofTask(task.id, '999999.3')).rest()).toHaveLength(2)
})

test('streams of an account are limited, and leaving makes room', async () => {
  const clients = [await follow('/events'), await follow('/events'), await ofTask(newTask().id)]
  const refused = await follow('/events')
  expect(refused.status).toBe(429)
  await clients[0]?.leave()
  expect((await follow('/events')).status).toBe(200)
})

test('HEAD opens no stream', async () => {
  for (let time = 0; time < 5; time++) {
    const request = new Request('http://localhost/v1/events', {
      method: 'HEAD',
      headers: { 'x-api-key': key },
    })
    const response = await http.handle(request)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('')
  }
  expect((await follow('/events')).status).toBe(200)
})

test('a quiet stream shows a sign of life, and ends when the key or the account does', async () => {
  const client = await follow('/events')
  await expect(client.next(200)).rejects.toThrow('in time')
  expect(client.comments.length).toBeGreaterThan(1)
  revokeKey(run.app, keyId)
  const other = await follow('/events', undefined, newKey(account, 'all').key)
  expect(await client.next()).toBeUndefined()
  disableAccount(run.app, account)
  expect(await other.next()).toBeUndefined()
})

test('a stop of the server ends all streams, and the client goes on at the next', async () => {
  const task = newTask()
  say(task, 0, 1)
  const client = await ofTask(task.id)
  await client.nextOf('segment')
  run.app.signals.stopping.emit({})
  expect(await client.next()).toBeUndefined()
  say(task, 1, 1)
  expect((await (await ofTask(task.id, client.lastId)).nextOf('segment')).data.index).toBe(1)
})

test('a client that takes nothing costs no reads beyond the first', async () => {
  const task = newTask()
  const client = await ofTask(task.id)
  for (let window = 0; window < 200; window++) say(task, window, 1)
  end(task)
  const events = await client.rest()
  expect(events.filter(({ type }) => type === 'segment').map(({ data }) => data.index)).toEqual(
    Array.from({ length: 200 }, (_, index) => index),
  )
  expect(events.at(-1)?.type).toBe('completed')
})

test('what a client who left began leaves no events', () => {
  const task = newTask()
  say(task, 0, 1)
  discardTask(run.app, task.id)
  expect(run.app.db.query('select count(*) as n from events').get()).toEqual({ n: 0 })
})
