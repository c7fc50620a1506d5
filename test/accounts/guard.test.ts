// The guard as a client meets it: 401, the limit on failures, 403.

import { beforeEach, expect, test } from 'bun:test'
import type { Elysia } from 'elysia'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createAttempts } from '../../src/accounts/attempts.ts'
import { createGuard } from '../../src/accounts/guard.ts'
import { createKey } from '../../src/accounts/keys.ts'
import type { Permissions } from '../../src/accounts/permissions.ts'
import { readConfig } from '../../src/config.ts'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { answer, success } from '../../src/http/envelope.ts'
import { createHttp } from '../../src/http/http.ts'
import { route } from '../../src/http/route.ts'
import { silentLog } from '../../src/lib/log.ts'
import { t } from '../../src/lib/schema.ts'
import { MINUTE } from '../../src/lib/time.ts'

let db: Db
let http: Elysia
let atMs = Date.UTC(2026, 0, 1)
const now = () => atMs

beforeEach(() => {
  db = openDatabase(':memory:')
  migrate(db)
  const guard = createGuard({ db, now, config: readConfig({}) })
  const name = route(
    {
      method: 'GET',
      path: '/name',
      summary: 'Name',
      tag: 'Test',
      auth: guard('transcribe'),
      responses: { 200: t.Object({ status: t.Literal('success'), data: t.String() }) },
    },
    ({ caller }) => answer(200, success(caller.account.name)),
  )
  http = createHttp({ routes: [name], log: silentLog(), publicUrl: () => '' })
})

function keyWith(permissions: Permissions): string {
  const account = createAccount({ db, now }, 'acme', 'trial')
  return createKey({ db, now }, account.id, { name: '', permissions, expiresAt: undefined }).text
}

const call = (key?: string) =>
  http.handle(
    new Request('http://localhost/v1/name', key === undefined ? {} : { headers: { 'x-api-key': key } }),
  )

test('a valid key reaches its account', async () => {
  const response = await call(keyWith(['transcribe']))
  expect(await response.json()).toEqual({ status: 'success', data: 'acme' })
})

test('a key also comes as a bearer token; X-API-Key wins', async () => {
  const text = keyWith(['transcribe'])
  const status = async (headers: Record<string, string>) =>
    (await http.handle(new Request('http://localhost/v1/name', { headers }))).status
  expect(await status({ authorization: `Bearer ${text}` })).toBe(200)
  expect(await status({ authorization: `bearer  ${text} ` })).toBe(200)
  expect(await status({ authorization: 'Bearer wrong' })).toBe(401)
  expect(await status({ authorization: `Basic ${text}` })).toBe(401)
  expect(await status({ authorization: text })).toBe(401)
  expect(await status({ authorization: `Bearer ${text}`, 'x-api-key': 'wrong' })).toBe(401)
})

test('a missing or invalid key is a 401 without machine code', async () => {
  keyWith('all')
  for (const key of [undefined, '', 'nonsense', `ear_${'0'.repeat(40)}`]) {
    const response = await call(key)
    expect(response.status).toBe(401)
    const body = (await response.json()) as object
    expect(body).toMatchObject({ status: 'error' })
    expect(body).not.toHaveProperty('error')
  }
})

test('a key without the permission is a 403', async () => {
  const response = await call(keyWith(['usage', 'search']))
  expect(response.status).toBe(403)
  expect(await response.json()).toMatchObject({ status: 'error', error: 'access_denied' })
})

test('many failures from one address are refused for a while; valid keys still pass', async () => {
  const key = keyWith('all')
  for (let attempt = 0; attempt < 120; attempt++) expect((await call('wrong')).status).toBe(401)
  const refused = await call('wrong')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('60')
  expect((await call(key)).status).toBe(200)
  atMs += MINUTE
  expect((await call('wrong')).status).toBe(401)
})

test('remembered addresses are bounded', () => {
  const attempts = createAttempts({ max: 1, windowMs: MINUTE, addressesMax: 2 })
  attempts.fail('a', 0)
  attempts.fail('b', 0)
  expect(attempts.fail('a', 1)).toBe(MINUTE - 1)
  attempts.fail('c', 2)
  expect(attempts.fail('a', 3)).toBeDefined()
  expect(attempts.fail('b', 4)).toBeUndefined()
})
