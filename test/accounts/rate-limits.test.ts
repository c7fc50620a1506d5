// Rate limits as clients meet them, over real connections: exact under parallel requests, headers, bans, order of refusals.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createAddressGuard, createGuard } from '../../src/accounts/guard.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { setLimits } from '../../src/accounts/limits.ts'
import type { Permissions } from '../../src/accounts/permissions.ts'
import { readConfig } from '../../src/config.ts'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { answer, success } from '../../src/http/envelope.ts'
import { healthRoute } from '../../src/http/health.ts'
import { createHttp, type Listening, listen } from '../../src/http/http.ts'
import { route } from '../../src/http/route.ts'
import { silentLog } from '../../src/lib/log.ts'
import { t } from '../../src/lib/schema.ts'
import { MINUTE, SECOND } from '../../src/lib/time.ts'

let db: Db
let server: Listening
let accountId: string
let atMs = Date.UTC(2026, 0, 1)
const now = () => atMs

function start(env: Record<string, string> = {}): void {
  const config = readConfig(env)
  const guard = createGuard({ db, now, config })
  const common = { tag: 'Test', summary: 'Test', responses: { 200: t.Object({}) } }
  const ok = () => answer(200, success(null))
  const routes = [
    route({ ...common, method: 'POST', path: '/transcribe', auth: guard('transcribe') }, ok),
    route({ ...common, method: 'GET', path: '/usage', auth: guard('usage') }, ok),
    route({ ...common, method: 'GET', path: '/transcribe/{task_id}', auth: guard('transcribe') }, ok),
    healthRoute({ version: '1', checks: {}, routes: () => [], auth: createAddressGuard({ now, config }) }),
  ]
  const http = createHttp({ routes, log: silentLog(), publicUrl: () => '' })
  server = listen(http, { host: '127.0.0.1', port: 0 })
}

beforeEach(() => {
  db = openDatabase(':memory:')
  migrate(db)
  accountId = createAccount({ db, now }, 'acme', 'trial').id
})
afterEach(async () => {
  await server.stop(0)
  db.close()
})

function newKey(permissions: Permissions = 'all'): string {
  return createKey({ db, now }, accountId, { name: '', permissions, expiresAt: undefined }).text
}

async function call(method: string, path: string, key?: string): Promise<Response> {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1${path}`, {
    method,
    headers: key === undefined ? {} : { 'x-api-key': key },
  })
  await response.arrayBuffer()
  return response
}

const statuses = async (count: number, send: () => Promise<Response>) => {
  const responses = await Promise.all(Array.from({ length: count }, send))
  return Object.fromEntries(
    Map.groupBy(responses, ({ status }) => status)
      .entries()
      .map(([status, list]) => [status, list.length]),
  )
}

test('of 200 parallel requests exactly as many pass as the table says', async () => {
  start()
  const [key, other] = [newKey(), newKey()]
  expect(await statuses(200, () => call('POST', '/transcribe', key))).toEqual({ 200: 20, 429: 180 })
  expect(await statuses(200, () => call('POST', '/transcribe', other))).toEqual({ 200: 20, 429: 180 })
})

test('answers tell the policy and what is left; refusals also when to come back', async () => {
  start({ EARSHOT_RATE_LIMITS: 'POST /transcribe=2' })
  const key = newKey()
  const first = await call('POST', '/transcribe', key)
  expect(first.headers.get('ratelimit-policy')).toBe('"POST /transcribe";q=2;w=60')
  expect(first.headers.get('ratelimit')).toBe('"POST /transcribe";r=1;t=60')
  expect(first.headers.has('retry-after')).toBe(false)
  atMs += 10 * SECOND
  expect((await call('POST', '/transcribe', key)).headers.get('ratelimit')).toBe(
    '"POST /transcribe";r=0;t=50',
  )
  const refused = await call('POST', '/transcribe', key)
  expect(refused.status).toBe(429)
  expect(refused.headers.get('ratelimit')).toBe('"POST /transcribe";r=0;t=60')
  expect(refused.headers.get('ratelimit-policy')).toBe('"POST /transcribe";q=2;w=60')
  expect(refused.headers.get('retry-after')).toBe('60')
})

test('a ban covers every endpoint of the key except polls and health, and ends', async () => {
  start({ EARSHOT_RATE_LIMITS: 'POST /transcribe=1', EARSHOT_RATE_LIMIT_BAN_S: '5' })
  const [key, other] = [newKey(), newKey()]
  await call('POST', '/transcribe', key)
  expect((await call('POST', '/transcribe', key)).status).toBe(429)
  const banned = await call('GET', '/usage', key)
  expect(banned.status).toBe(429)
  expect(banned.headers.get('retry-after')).toBe('5')
  const poll = await call('GET', '/transcribe/1', key)
  expect(poll.status).toBe(200)
  expect(poll.headers.has('ratelimit')).toBe(false)
  expect((await call('GET', '/health', key)).status).toBe(200)
  expect((await call('GET', '/usage', other)).status).toBe(200)
  atMs += 4 * SECOND
  expect((await call('GET', '/usage', key)).status).toBe(429)
  atMs += SECOND
  expect((await call('GET', '/usage', key)).status).toBe(200)
  expect((await call('POST', '/transcribe', key)).status).toBe(429)
})

test('polls are unlimited', async () => {
  start()
  const key = newKey()
  expect(await statuses(500, () => call('GET', '/transcribe/1', key))).toEqual({ 200: 500 })
})

test('401 comes before 429, and 429 before 403', async () => {
  start({ EARSHOT_RATE_LIMITS: 'GET /usage=2' })
  const key = newKey(['transcribe'])
  expect((await call('GET', '/usage', key)).status).toBe(403)
  expect((await call('GET', '/usage', key)).status).toBe(403)
  expect((await call('GET', '/usage', key)).status).toBe(429)
  expect((await call('GET', '/usage', 'wrong')).status).toBe(401)
})

test('health is limited per address, without a ban', async () => {
  start()
  expect(await statuses(310, () => call('GET', '/health'))).toEqual({ 200: 300, 429: 10 })
  const refused = await call('GET', '/health')
  expect(refused.headers.get('ratelimit-policy')).toBe('"GET /health";q=300;w=60')
  atMs += MINUTE
  expect((await call('GET', '/health')).status).toBe(200)
})

test('limits of the account win at once, over the settings too', async () => {
  start({ EARSHOT_RATE_LIMITS: 'POST /transcribe=1', EARSHOT_RATE_LIMIT_BAN_S: '0' })
  const key = newKey()
  expect(await statuses(3, () => call('POST', '/transcribe', key))).toEqual({ 200: 1, 429: 2 })
  setLimits({ db }, accountId, { rates: { 'POST /transcribe': 10 } })
  // Of the former window only as many as the former rate are remembered: one.
  expect(await statuses(10, () => call('POST', '/transcribe', key))).toEqual({ 200: 9, 429: 1 })
  setLimits({ db }, accountId, { rates: 'off' })
  expect(await statuses(100, () => call('POST', '/transcribe', key))).toEqual({ 200: 100 })
})

test('off switches everything off', async () => {
  start({ EARSHOT_RATE_LIMITS: 'off' })
  const key = newKey()
  setLimits({ db }, accountId, { rates: { 'POST /transcribe': 1 } })
  expect(await statuses(100, () => call('POST', '/transcribe', key))).toEqual({ 200: 100 })
  expect((await call('POST', '/transcribe', key)).headers.has('ratelimit')).toBe(false)
})
