// Metrics as a scraper sees them, and the log as an operator does: everything counted, nothing secret, no ids in labels.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import pino from 'pino'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createGuard } from '../../src/accounts/guard.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { answer, success } from '../../src/http/envelope.ts'
import { createHttp, type Listening, listen } from '../../src/http/http.ts'
import { createIdempotency } from '../../src/http/idempotency.ts'
import { type MetricsAccess, metricsRoutes } from '../../src/http/metrics.ts'
import { route } from '../../src/http/route.ts'
import { defineJob } from '../../src/jobs/job.ts'
import { registerQueueMetrics } from '../../src/jobs/metrics.ts'
import { enqueue } from '../../src/jobs/queue.ts'
import { createRunner } from '../../src/jobs/runner.ts'
import { newId } from '../../src/lib/id.ts'
import { createMetrics } from '../../src/lib/metrics.ts'
import { Problem } from '../../src/lib/problem.ts'
import { parser, t } from '../../src/lib/schema.ts'
import { MINUTE } from '../../src/lib/time.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

let made: TestApp
let server: Listening
let key: string
let keyId: string
let accountId: string
let lines: string[]

beforeEach(async () => {
  made = await createTestApp()
  const { app } = made
  accountId = createAccount(app, 'acme', 'trial').id
  const created = createKey(app, accountId, { name: '', permissions: ['transcribe'], expiresAt: undefined })
  key = created.text
  keyId = created.key.id
  lines = []
})
afterEach(async () => {
  await server.stop(0)
  await made.close()
})

function start(access: MetricsAccess): void {
  const { app } = made
  const log = pino({ level: 'debug' }, { write: (line: string) => lines.push(line) })
  const guard = createGuard(app)
  const common = { tag: 'Test', summary: 'Test', responses: { 200: t.Object({}) } }
  const body = t.Object({ url: t.String(), password: t.Optional(t.String()) })
  const routes = [
    route(
      { ...common, method: 'POST', path: '/transcribe', auth: guard('transcribe'), body, charges: true },
      (call) => {
        if (call.body.url === 'bug') throw new Error('unexpected')
        if (call.body.url === 'down') throw new Problem('upstream_failed', 'Down.')
        call.trail.taskId = '0190b5d2-0000-7000-8000-000000000001'
        return call.commit(() => answer(200, success(null)))
      },
    ),
    route({ ...common, method: 'GET', path: '/transcribe/{task_id}', auth: guard('transcribe') }, () =>
      answer(200, success(null)),
    ),
    route({ ...common, method: 'GET', path: '/usage', auth: guard('usage') }, () =>
      answer(200, success(null)),
    ),
    ...metricsRoutes(app.metrics, access),
  ]
  const http = createHttp({
    routes,
    log,
    metrics: app.metrics,
    publicUrl: () => '',
    idempotency: createIdempotency(app),
  })
  server = listen(http, { host: '127.0.0.1', port: 0 })
}

async function call(
  method: string,
  path: string,
  init: RequestInit = {},
): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method, ...init })
  return { status: response.status, text: await response.text() }
}

const post = (body: object, headers: Record<string, string> = {}) =>
  call('POST', '/v1/transcribe', {
    body: JSON.stringify(body),
    headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
  })

test('requests are counted by endpoint and status, unknown addresses as one', async () => {
  start('public')
  await post({ url: 'u' })
  await post({ url: 'u' })
  await post({ url: 'down' })
  await post({})
  await call('GET', `/v1/transcribe/${newId()}`, { headers: { 'x-api-key': key } })
  await call('GET', `/v1/${newId()}`)
  await call('PUT', '/v1/transcribe')
  const { text } = await call('GET', '/metrics')
  expect(text).toContain('earshot_http_requests_total{endpoint="POST /transcribe",status="200"} 2')
  expect(text).toContain('earshot_http_requests_total{endpoint="POST /transcribe",status="502"} 1')
  expect(text).toContain('earshot_http_requests_total{endpoint="POST /transcribe",status="400"} 1')
  expect(text).toContain('earshot_http_requests_total{endpoint="GET /transcribe/{task_id}",status="200"} 1')
  expect(text).toContain('earshot_http_requests_total{endpoint="none",status="404"} 1')
  expect(text).toContain('earshot_http_requests_total{endpoint="none",status="405"} 1')
  expect(text).toContain('earshot_http_request_duration_seconds_count{endpoint="POST /transcribe"} 4')
  expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
})

test('jobs are counted by lane, state, kind and outcome', async () => {
  start('public')
  const { app } = made
  const job = defineJob({
    kind: 'sing',
    lane: 'net',
    attempts: 2,
    timeoutMs: MINUTE,
    args: parser(t.Object({ mood: t.String() })),
    async run({ args }) {
      if (args.mood === 'sad') throw new Problem('transcription_failed', 'No.')
      if (args.mood === 'shy') throw new Error('not yet')
      return undefined
    },
  })
  for (const mood of ['glad', 'glad', 'sad', 'shy']) enqueue(app, job, { mood })
  registerQueueMetrics(app)
  made.advance(90_000)
  const before = (await call('GET', '/metrics')).text
  expect(before).toContain('earshot_jobs{lane="net",state="queued"} 4')
  expect(before).toContain('earshot_queue_age_seconds{lane="net"} 90')
  const runner = createRunner(app, { jobs: [job], lanes: { net: 2, compute: 1, webhooks: 1 } })
  await runner.drain()
  await runner.stop(0)
  const { text } = await call('GET', '/metrics')
  expect(text).toContain('earshot_job_attempt_duration_seconds_count{kind="sing",outcome="done"} 2')
  expect(text).toContain('earshot_job_attempt_duration_seconds_count{kind="sing",outcome="failed"} 1')
  expect(text).toContain('earshot_job_attempt_duration_seconds_count{kind="sing",outcome="retried"} 1')
  expect(text).toContain('earshot_jobs{lane="net",state="queued"} 1')
  expect(text).not.toContain('earshot_queue_age_seconds{lane="net"}')
})

test('metrics are off the public path unless enabled', async () => {
  start('off')
  expect((await call('GET', '/metrics')).status).toBe(404)
})

test('local: for this machine, but not for what a proxy on it passes on', async () => {
  start('local')
  expect((await call('GET', '/metrics')).status).toBe(200)
  for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
    expect((await call('GET', '/metrics', { headers: { [name]: '203.0.113.9' } })).status).toBe(404)
  }
})

test('numbers of the process are those that this runtime has', async () => {
  start('off')
  const text = await createMetrics({ ofProcess: true }).text()
  for (const name of [
    'process_cpu_seconds_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ]) {
    expect(text).toContain(`\n${name} `)
  }
  expect(text).not.toContain('nodejs_active_handles')
  expect(text).not.toContain('process_heap_bytes')
})

test('each request leaves one line with its ids, and no line holds a key or secret', async () => {
  start('off')
  const secret = 'whsec_0123456789abcdef'
  const id = newId()
  await post({ url: 'u', password: secret }, { 'x-request-id': 'mine', 'idempotency-key': 'k' })
  await post({ url: 'down', password: secret })
  await post({ url: 'bug', password: secret }, { authorization: `Bearer ${secret}`, cookie: `s=${secret}` })
  await post({ url: 1, password: secret })
  await post({ url: 'u' }, { 'x-api-key': `${key.slice(0, -1)}!` })
  await call('GET', `/v1/transcribe/${id}?key=${key}`, { headers: { 'x-api-key': key } })
  await call('GET', `/v1/transcribe/${key}`, { headers: { 'x-api-key': key } })
  await call('GET', '/v1/usage', { headers: { 'x-api-key': key } })
  await call('GET', `/v1/${key}`)
  const all = lines.join('')
  for (const text of [key, key.slice(4, -1), secret]) expect(all).not.toContain(text)
  const requests = lines
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ msg }) => msg === 'request')
  expect(requests.map(({ httpStatus }) => httpStatus)).toEqual([200, 502, 500, 400, 401, 200, 200, 403, 404])
  expect(requests[0]).toMatchObject({
    requestId: 'mine',
    endpoint: 'POST /transcribe',
    account: accountId,
    keyId,
    task: '0190b5d2-0000-7000-8000-000000000001',
    tookMs: expect.any(Number),
    address: '127.0.0.1',
  })
  expect(requests[5]).toMatchObject({ endpoint: 'GET /transcribe/{task_id}', task: id })
  expect(requests[7]).toMatchObject({ account: accountId, keyId })
  expect(requests[4]).not.toHaveProperty('account')
})
