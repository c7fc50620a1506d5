// The limits of the whole product, in a real server process: rates, overload, repeated submits across kill -9, metrics.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { databasePath, openDatabase } from '../../src/db/database.ts'
import { type Reply, startServer, type TestServer } from '../support/server.ts'

const SUBMIT = '/v1/transcribe/async'

/** A site that takes requests and never answers: tasks stay in work. */
const site = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: () => new Promise<Response>(() => undefined),
})
const body = { video_url: `http://127.0.0.1:${site.port}/a.mp3` }
const env = { EARSHOT_TRUSTED_HOSTS: '127.0.0.1' }
afterAll(() => site.stop(true))

function tally(replies: readonly Reply[]): Record<string, number> {
  const groups = Map.groupBy(replies, ({ status }) => status)
  return Object.fromEntries([...groups].map(([status, list]) => [status, list.length]))
}

describe('a server with its default limits', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startServer({
      env: {
        ...env,
        EARSHOT_RATE_LIMITS: 'POST /typo=1',
        EARSHOT_METRICS: 'local',
        EARSHOT_MAX_ACTIVE_JOBS: '10',
      },
    })
  })
  afterAll(() => server.close())

  const parallel = (count: number, send: () => Promise<Reply>) =>
    Promise.all(Array.from({ length: count }, send))

  test('lets exactly as many of 200 parallel requests through as the rate says', async () => {
    const key = await server.createKey()
    const sync = await parallel(200, () => server.request('POST', '/v1/transcribe', { key, body: {} }))
    expect(tally(sync)).toEqual({ 400: 20, 429: 180 })
    const refused = sync.find(({ status }) => status === 429)
    expect(refused?.body).toMatchObject({ status: 'error', error: 'rate_limit_exceeded' })
    expect(refused?.headers.get('retry-after')).toBe('60')
    expect(refused?.headers.get('ratelimit-policy')).toBe('"POST /transcribe";q=20;w=60')
    // The ban covers the other endpoints of this key, except polls.
    expect((await server.request('GET', '/v1/usage', { key })).status).toBe(429)
    const poll = await server.request('GET', '/v1/transcribe/0190b5d2-0000-7000-8000-000000000001', { key })
    expect(poll.status).toBe(404)
    expect((await server.request('GET', '/v1/usage', { key: await server.createKey() })).status).toBe(200)
  })

  test('accepts exactly as many active jobs as the limit says, in 60 parallel submits', async () => {
    const key = await server.createKey()
    const replies = await parallel(60, () => server.request('POST', SUBMIT, { key, body }))
    const accepted = replies.filter(({ status }) => status === 202)
    expect(new Set(accepted.map((reply) => String(reply.body.data.task_id))).size).toBe(10)
    expect(tally(replies)).toEqual({ 202: 10, 429: 50 })
    expect(replies.find(({ status }) => status === 429)?.body.error).toBe('too_many_active_jobs')
  })

  test('serves its metrics to this machine', async () => {
    const reply = await server.request('GET', '/metrics')
    expect(reply.status).toBe(200)
    expect(reply.body).toContain('earshot_http_requests_total{endpoint="POST /transcribe",status="429"} 180')
    expect(reply.body).toContain('process_resident_memory_bytes')
    expect(reply.body).toContain('earshot_jobs{lane=')
  })

  test('has the ids of tasks in its log, and no key', async () => {
    const key = await server.createKey()
    const id = '0190b5d2-0000-7000-8000-000000000002'
    await server.request('GET', `/v1/transcribe/${id}`, { key, headers: { 'x-request-id': 'find-me' } })
    const log = readFileSync(join(server.dataDir, 'server.log'), 'utf8')
    const line = log.split('\n').find((text) => text.includes('find-me')) ?? ''
    expect(JSON.parse(line)).toMatchObject({
      endpoint: 'GET /transcribe/{task_id}',
      task: id,
      httpStatus: 404,
    })
    expect(log).toContain('"endpoint":"POST /typo","msg":"EARSHOT_RATE_LIMITS names an endpoint')
    expect(log).not.toContain('ear_')
    expect(log).not.toContain(key.slice(4))
  })
})

test('overload is a 503 before anything is created; reading goes on', async () => {
  const server = await startServer({ env: { ...env, EARSHOT_MAX_QUEUED_JOBS: '0' } })
  try {
    const key = await server.createKey()
    for (const path of [SUBMIT, '/v1/transcribe']) {
      const reply = await server.request('POST', path, { key, body })
      expect(reply.status).toBe(503)
      expect(reply.body).toMatchObject({ status: 'error', error: 'system_overload', retry_after_seconds: 60 })
      expect(reply.headers.get('retry-after')).toBe('60')
    }
    expect((await server.request('GET', '/v1/usage', { key })).status).toBe(200)
    expect((await server.request('POST', SUBMIT, { key, body: {} })).status).toBe(400)
    const db = openDatabase(databasePath(server.dataDir))
    expect(db.query('select count(*) as n from tasks').get()).toEqual({ n: 0 })
    db.close()
  } finally {
    await server.close()
  }
})

test('a submit repeated with its key across kill -9 is one task', async () => {
  const first = await startServer({ env })
  const key = await first.createKey()
  const headers = { 'idempotency-key': 'once' }
  const sent = Array.from({ length: 8 }, async () => {
    const reply = await first.request('POST', SUBMIT, { key, body, headers })
    return String(reply.body.data.task_id)
  })
  await Promise.any(sent)
  await first.kill('SIGKILL')
  const before = (await Promise.allSettled(sent)).flatMap((one) =>
    one.status === 'fulfilled' ? [one.value] : [],
  )
  const second = await first.restart()
  try {
    const again = await second.request('POST', SUBMIT, { key, body, headers })
    expect(again.status).toBe(202)
    expect(new Set([...before, String(again.body.data.task_id)]).size).toBe(1)
    const other = await second.request('POST', SUBMIT, {
      key,
      body: { ...body, transcript_text: true },
      headers,
    })
    expect(other.body).toMatchObject({ error: 'invalid_parameter' })
    const db = openDatabase(databasePath(second.dataDir))
    expect(db.query('select count(*) as n from tasks').get()).toEqual({ n: 1 })
    db.close()
  } finally {
    await second.close()
  }
})
