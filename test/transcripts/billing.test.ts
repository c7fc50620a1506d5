// What a transcription costs, through the real endpoints, jobs and engines: a two-second tone holds no speech, but has a
// length to pay for.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Elysia } from 'elysia'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { balance } from '../../src/billing/balance.ts'
import { charge } from '../../src/billing/ledger.ts'
import { discardSyncTasks } from '../../src/jobs/tasks.ts'
import { newId } from '../../src/lib/id.ts'
import { createServer } from '../../src/server.ts'
import { createWorker, type Worker } from '../../src/worker.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { makeTone } from '../support/make-media.ts'
import { type MediaSite, startMediaSite } from '../support/media-site.ts'

const TONE_S = 2
const TRIAL_MICROS = 5_000_000

let site: MediaSite
let support: TestApp
let http: Elysia
let worker: Worker
let key: string
let accountId: string

beforeAll(() => {
  site = startMediaSite()
  makeTone(site.file('long.mp3'), 90)
})
afterAll(() => site.stop())

beforeEach(() => open({}))
afterEach(() => support.close())

async function open(env: Readonly<Record<string, string>>): Promise<void> {
  support = await createTestApp({ EARSHOT_TRUSTED_HOSTS: site.host, EARSHOT_RATE_LIMITS: 'off', ...env })
  const { app } = support
  accountId = createAccount(app, 'client', 'trial').id
  key = createKey(app, accountId, { name: '', permissions: 'all', expiresAt: undefined }).text
  http = createServer(app, () => 'http://earshot.test')
  worker = createWorker(app)
}

interface Reply {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any
}

async function call(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const request = new Request(`http://localhost/v1${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const response = await http.handle(request)
  return { status: response.status, body: await response.json() }
}

async function submit(path: string, headers: Record<string, string> = {}): Promise<string> {
  const { status, body } = await call('POST', '/transcribe/async', { video_url: site.url(path) }, headers)
  expect({ status, body }).toMatchObject({ status: 202 })
  return body.data.task_id as string
}

async function poll(taskId: string): Promise<Reply['body']> {
  return (await call('GET', `/transcribe/${taskId}?include_usage=true`)).body
}

const spentMicros = (): number => {
  const { monthlyRemainingMicros, purchasedMicros } = balance(support.app, accountId)
  return TRIAL_MICROS - monthlyRemainingMicros - purchasedMicros
}

/** One page of a site that is no video platform, and two seconds of an hour that is a third of a credit. */
const TONE_MICROS = 100 + Math.ceil((TONE_S / 3_600 / 3) * 1e6)

test('a transcription costs one request and its length, shown beside the result when asked for', async () => {
  const id = await submit('/tone.mp3')
  expect(await poll(id)).not.toHaveProperty('usage')
  await worker.drain()
  const { data, usage } = await poll(id)
  expect(data.task_status).toBe('completed')
  expect(usage.charges).toEqual([
    { service_type: 'standard_request', quantity: 1, credits: 0.0001, waived: false, credits_saved: 0 },
    {
      service_type: 'transcription_hour',
      quantity: expect.closeTo(TONE_S / 3_600, 4),
      credits: expect.closeTo(TONE_S / 3_600 / 3, 4),
      waived: false,
      credits_saved: 0,
    },
  ])
  expect(usage.total_credits).toBeCloseTo(TONE_MICROS / 1e6, 5)
  expect(spentMicros()).toBe(Math.round(usage.total_credits * 1e6))
  expect((await call('GET', `/transcribe/${id}`)).body).not.toHaveProperty('usage')
})

test('a known transcript costs nothing and says what was saved', async () => {
  await submit('/tone.mp3')
  await worker.drain()
  const before = spentMicros()
  const requests = site.requests.length
  const id = await submit('/tone.mp3?utm_source=mail#top')
  await worker.drain()
  const { data, usage } = await poll(id)
  expect(data.task_status).toBe('completed')
  expect(usage.charges).toMatchObject([
    {
      service_type: 'transcription_hour',
      credits: 0,
      waived: true,
      credits_saved: expect.closeTo(0.000185, 5),
    },
  ])
  expect(usage).toMatchObject({ total_credits: 0, waived: { credits_saved: usage.charges[0].credits_saved } })
  expect(spentMicros()).toBe(before)
  expect(site.requests.length).toBe(requests)
})

test('a failed task costs nothing', async () => {
  const id = await submit('/missing.mp3')
  await worker.drain()
  expect((await poll(id)).data).toMatchObject({ task_status: 'failed', error: { error: 'video_not_found' } })
  expect(spentMicros()).toBe(0)
})

test('the request for the metadata stays charged when the media is too long for the synchronous form', async () => {
  await support.close()
  await open({ EARSHOT_SYNC_MAX_MEDIA_S: '1' })
  const answered = call('POST', '/transcribe', { video_url: site.url('/tone.mp3') })
  worker.start()
  expect(await answered).toMatchObject({ status: 400, body: { error: 'video_too_long' } })
  await worker.stop(1_000)
  expect(spentMicros()).toBe(100)
})

test('the synchronous answer carries its usage', async () => {
  worker.start()
  const { status, body } = await call('POST', '/transcribe', {
    video_url: site.url('/tone.mp3'),
    include_usage: true,
  })
  await worker.stop(1_000)
  expect({ status, transcript: body.data.transcript }).toEqual({ status: 200, transcript: [] })
  expect(body.usage.charges.map((charge: { service_type: string }) => charge.service_type)).toEqual([
    'standard_request',
    'transcription_hour',
  ])
})

test('without credit for a minute nothing is created; too little for the whole length fails before the work', async () => {
  const { app } = support
  const leave = (micros: number): void => {
    const spend = balance(app, accountId).monthlyRemainingMicros - micros
    charge(app, {
      accountId,
      reference: newId(),
      meter: 'standard_request',
      quantity: Math.floor(spend / 100),
    })
  }
  leave(6_000)
  const long = await submit('/long.mp3')
  await worker.drain()
  expect((await poll(long)).data).toMatchObject({
    task_status: 'failed',
    error: { error: 'limit_exceeded', http_status: 402 },
  })
  expect(balance(app, accountId).monthlyRemainingMicros).toBeGreaterThanOrEqual(6_000)
  leave(5_000)
  const refused = await call('POST', '/transcribe/async', { video_url: site.url('/tone.mp3') })
  expect(refused).toMatchObject({
    status: 402,
    body: { error: 'limit_exceeded', error_code: 'limit_exceeded' },
  })
  expect(app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 1 })
})

test('the same Idempotency-Key makes one task and one charge, and answers alike', async () => {
  const headers = { 'idempotency-key': 'once' }
  const [first, second] = [await submit('/tone.mp3', headers), await submit('/tone.mp3', headers)]
  expect(second).toBe(first)
  await worker.drain()
  expect(spentMicros()).toBeLessThan(2 * TONE_MICROS)
  expect(support.app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 1 })
})

test('a client that leaves pays nothing; an answered request stays paid when the server is restarted', async () => {
  const left = submitSync('/tone.wav')
  await left.cancel()
  await worker.drain()
  expect(spentMicros()).toBe(0)
  worker.start()
  expect((await call('POST', '/transcribe', { video_url: site.url('/tone.mp3') })).status).toBe(200)
  await worker.stop(1_000)
  const paid = spentMicros()
  expect(paid).toBeGreaterThan(0)
  discardSyncTasks(support.app)
  expect(spentMicros()).toBe(paid)
})

function submitSync(path: string): { cancel(): Promise<void> } {
  const leave = new AbortController()
  const request = new Request('http://localhost/v1/transcribe', {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ video_url: site.url(path) }),
    signal: leave.signal,
  })
  const answered = http.handle(request)
  return {
    async cancel() {
      await Bun.sleep(0)
      leave.abort()
      await answered
    },
  }
}
