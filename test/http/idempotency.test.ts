// Idempotency-Key over real connections: done once, answered as often as asked, whatever happens in between.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createGuard } from '../../src/accounts/guard.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { readConfig } from '../../src/config.ts'
import { databasePath, type Db, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { answer, success } from '../../src/http/envelope.ts'
import { createHttp, type Listening, listen } from '../../src/http/http.ts'
import { createIdempotency, pruneIdempotency } from '../../src/http/idempotency.ts'
import { openApiDocument } from '../../src/http/openapi.ts'
import { type Route, route } from '../../src/http/route.ts'
import { sha256 } from '../../src/lib/id.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem, type ProblemCode } from '../../src/lib/problem.ts'
import { t } from '../../src/lib/schema.ts'
import { DAY } from '../../src/lib/time.ts'
import { temporaryFolder } from '../support/temp.ts'

let db: Db
let server: Listening
let routes: readonly Route[]
let key: string
let atMs = Date.UTC(2026, 0, 1)
const now = () => atMs

/** How often a handler did its work. */
let done = 0
/** What the next handler waits for, and what it then throws. */
let gate: Promise<void> | undefined
let fault: ProblemCode | undefined
let entered = Promise.withResolvers<void>()

async function work(signal?: AbortSignal): Promise<void> {
  entered.resolve()
  const left = Promise.withResolvers<void>()
  signal?.addEventListener('abort', () => left.resolve(), { once: true })
  if (gate) await Promise.race([gate, left.promise])
  signal?.throwIfAborted()
  if (fault) throw new Problem(fault, 'It failed.')
  done++
}

function makeRoutes(): readonly Route[] {
  const guard = createGuard({ db, now, config: readConfig({ EARSHOT_RATE_LIMITS: 'off' }) })
  const common = { tag: 'Test', summary: 'Test', responses: { 200: t.Object({}), 202: t.Object({}) } }
  const charging = { ...common, method: 'POST', auth: guard('transcribe'), charges: true } as const
  const body = t.Object({ url: t.String(), n: t.Optional(t.Integer()) })
  return [
    route({ ...charging, path: '/sync', body, slow: true }, async ({ body, signal }) => {
      await work(signal)
      return answer(200, success({ done, url: body.url, text: 'ü → 1.50' }))
    }),
    route({ ...charging, path: '/async', body }, async ({ commit }) => {
      await work()
      return commit(() =>
        answer(202, success({ id: createAccount({ db, now }, `made ${done}`, 'trial').id })),
      )
    }),
    route({ ...charging, path: '/file/{file_id}/retry' }, async ({ commit }) => {
      await work()
      return commit(() => answer(200, success({ done })))
    }),
    route({ ...charging, path: '/upload', takesStream: true }, async ({ request, commit }) => {
      const content = sha256(await request.text())
      return commit(() => answer(200, success({ done: ++done })), content)
    }),
    route({ ...common, method: 'POST', auth: guard('transcribe'), path: '/free', body }, async () => {
      await work()
      return answer(200, success({ done }))
    }),
  ]
}

beforeEach(() => {
  db = openDatabase(':memory:')
  migrate(db)
  done = 0
  gate = undefined
  fault = undefined
  entered = Promise.withResolvers()
  key = newKey('acme')
  routes = makeRoutes()
  const idempotency = createIdempotency({ db, now })
  const http = createHttp({ routes, log: silentLog(), publicUrl: () => 'https://earshot.test', idempotency })
  server = listen(http, { host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  await server.stop(0)
  db.close()
})

function newKey(account: string): string {
  const { id } = createAccount({ db, now }, account, 'trial')
  return createKey({ db, now }, id, { name: '', permissions: 'all', expiresAt: undefined }).text
}

interface Options {
  readonly body?: string
  readonly apiKey?: string
  readonly signal?: AbortSignal
}

async function post(path: string, idempotencyKey: string | undefined, options: Options = {}) {
  const response = await fetch(`http://127.0.0.1:${server.port}/v1${path}`, {
    method: 'POST',
    headers: {
      'x-api-key': options.apiKey ?? key,
      'content-type': 'application/json',
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    },
    body: options.body ?? '{"url": "u"}',
    ...(options.signal ? { signal: options.signal } : {}),
  })
  const { status, headers } = response
  const replayed = headers.get('idempotent-replayed')
  return { status, replayed, type: headers.get('content-type'), text: await response.text() }
}

describe('the same request with the same key', () => {
  for (const path of ['/sync', '/async', '/file/1/retry']) {
    test(`is done once and answered with the same bytes: ${path}`, async () => {
      const first = await post(path, 'k 1')
      const second = await post(path, 'k 1')
      expect(first.replayed).toBeNull()
      expect(second).toEqual({ ...first, replayed: 'true' })
      expect(done).toBe(1)
    })
  }

  test('may be written differently', async () => {
    await post('/sync', 'k', { body: '{"url":"u","n":1}' })
    const second = await post('/sync', 'k', { body: ' { "n" : 1, "unknown": [2], "url" : "u" } ' })
    expect(second.replayed).toBe('true')
  })

  test('waits for the first when both are under way', async () => {
    const open = Promise.withResolvers<void>()
    gate = open.promise
    const all = Array.from({ length: 20 }, () => post('/async', 'k'))
    await entered.promise
    open.resolve()
    const replies = await Promise.all(all)
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    expect(replies.filter(({ replayed }) => replayed === 'true')).toHaveLength(19)
    expect(done).toBe(1)
  })

  test('takes over when the first one leaves', async () => {
    gate = new Promise<void>(() => undefined)
    const leaving = new AbortController()
    const first = post('/sync', 'k', { signal: leaving.signal }).catch(() => 'left')
    await entered.promise
    gate = undefined
    const second = post('/sync', 'k')
    leaving.abort()
    expect(await first).toBe('left')
    expect(await second).toMatchObject({ status: 200, replayed: null })
    expect(done).toBe(1)
  })

  test('is done again after 24 hours', async () => {
    await post('/sync', 'k')
    atMs += DAY - 1
    expect((await post('/sync', 'k')).replayed).toBe('true')
    expect(pruneIdempotency({ db, now }, 100)).toBe(0)
    atMs += 1
    expect((await post('/sync', 'k')).replayed).toBeNull()
    expect(done).toBe(2)
    atMs += DAY
    expect(pruneIdempotency({ db, now }, 100)).toBe(1)
  })

  test('of uploads goes by what was received', async () => {
    expect((await post('/upload', 'k', { body: 'bytes' })).replayed).toBeNull()
    expect((await post('/upload', 'k', { body: 'bytes' })).replayed).toBe('true')
    expect((await post('/upload', 'k', { body: 'other bytes' })).status).toBe(400)
    expect((await post('/upload', undefined, { body: 'bytes' })).status).toBe(200)
    expect(done).toBe(2)
  })
})

describe('something else', () => {
  test('under the same key is refused', async () => {
    await post('/sync', 'k')
    const other = await post('/sync', 'k', { body: '{"url": "other"}' })
    expect(other.status).toBe(400)
    expect(JSON.parse(other.text)).toMatchObject({ error: 'invalid_parameter' })
    await post('/file/1/retry', 'k2')
    expect((await post('/file/2/retry', 'k2')).status).toBe(400)
    expect(done).toBe(2)
  })

  test('is another endpoint, another account, another key, or no key', async () => {
    await post('/sync', 'k')
    await post('/async', 'k')
    await post('/sync', 'k', { apiKey: newKey('other') })
    await post('/sync', 'K')
    await post('/sync', undefined)
    await post('/sync', undefined)
    expect(done).toBe(6)
  })

  test('is a request that charges nothing', async () => {
    await post('/free', 'k')
    expect((await post('/free', 'k')).replayed).toBeNull()
  })
})

describe('failures', () => {
  test('that another attempt may not meet are not kept', async () => {
    const codes: ProblemCode[] = [
      'transcription_failed',
      'upstream_failed',
      'system_overload',
      'too_many_active_jobs',
      'content_restricted',
      'limit_exceeded',
    ]
    for (const code of codes) {
      fault = code
      expect((await post('/sync', 'k')).status).toBeGreaterThanOrEqual(400)
      expect((await post('/sync', 'k')).replayed).toBeNull()
    }
    fault = undefined
    expect((await post('/sync', 'k')).status).toBe(200)
  })

  test('that are final are kept', async () => {
    fault = 'video_too_long'
    const first = await post('/sync', 'k')
    fault = undefined
    expect(await post('/sync', 'k')).toEqual({ ...first, replayed: 'true' })
    expect(first.status).toBe(400)
  })

  test('of the body do not use the key up', async () => {
    expect((await post('/sync', 'k', { body: '{"url": 1}' })).status).toBe(400)
    expect((await post('/sync', 'k', { body: '{"url": "u"}' })).status).toBe(200)
  })

  test('of the key itself are told', async () => {
    expect((await post('/sync', 'x'.repeat(255))).status).toBe(200)
    for (const bad of ['x'.repeat(256), '', 'ü']) expect((await post('/sync', bad)).status).toBe(400)
    expect(done).toBe(1)
  })
})

test('the reference names the header where it counts', () => {
  const { paths } = openApiDocument(routes, '1') as {
    paths: Record<string, { post: { parameters?: object[] } }>
  }
  expect(paths['/sync']?.post.parameters).toMatchObject([{ name: 'Idempotency-Key', in: 'header' }])
  expect(paths['/free']?.post.parameters).toBeUndefined()
})

describe('a process killed', () => {
  const script = join(import.meta.dir, '../support/charging-server.ts')

  async function start(folder: string) {
    const child = Bun.spawn([process.execPath, script, folder], { stdout: 'pipe', stderr: 'inherit' })
    const { value } = await child.stdout.getReader().read()
    return { child, ...(JSON.parse(new TextDecoder().decode(value)) as { port: number; key: string }) }
  }

  const send = (port: number, key: string, die: string) =>
    fetch(`http://127.0.0.1:${port}/v1/charge`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'idempotency-key': 'k', 'x-die': die },
    })

  for (const [where, replayed] of [
    ['inside', null],
    ['after', 'true'],
  ] as const) {
    test(`${where} the transaction leaves exactly one thing done`, async () => {
      using folder = temporaryFolder()
      const first = await start(folder.path)
      expect(await send(first.port, first.key, where).catch(() => 'cut')).toBe('cut')
      await first.child.exited
      const second = await start(folder.path)
      const reply = await send(second.port, first.key, '')
      expect(reply.status).toBe(202)
      expect(reply.headers.get('idempotent-replayed')).toBe(replayed)
      second.child.kill('SIGKILL')
      await second.child.exited
      const made = openDatabase(databasePath(folder.path))
      expect(made.query(`select count(*) as n from accounts where name <> 'default'`).get()).toEqual({ n: 1 })
      made.close()
    })
  }
})
