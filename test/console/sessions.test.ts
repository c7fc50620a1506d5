// Signing in to the console and what a session may do, as a browser meets it over a real connection.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createAccount, disableAccount } from '../../src/accounts/accounts.ts'
import { createGuard } from '../../src/accounts/guard.ts'
import { createKey, revokeKey } from '../../src/accounts/keys.ts'
import type { Permissions } from '../../src/accounts/permissions.ts'
import { createSession, endSession, findSession } from '../../src/accounts/sessions.ts'
import { HOUR, MINUTE } from '../../src/lib/time.ts'
import { type ConsoleClient, type ConsoleServer, PASSWORD, startConsole } from '../support/console-client.ts'

let server: ConsoleServer
let names = 0

beforeAll(async () => {
  server = await startConsole()
})
afterAll(() => server.close())
// Failed sign-ins of one test are no matter of the next.
beforeEach(() => server.advance(11 * MINUTE))

function account(permissions: Permissions = 'all', expiresAt?: number) {
  const { id, name } = createAccount(server.app, `account-${names++}`, 'custom')
  const { text, key } = createKey(server.app, id, { name: '', permissions, expiresAt })
  return { id, name, text, keyId: key.id }
}

async function operator(): Promise<ConsoleClient> {
  const client = server.client()
  expect((await client.signIn()).status).toBe(200)
  return client
}

async function signedIn(text: string): Promise<ConsoleClient> {
  const client = server.client()
  expect((await client.signIn({ api_key: text })).status).toBe(200)
  return client
}

const NAMESPACES = '/v1/namespaces'

describe('signing in', () => {
  test('nobody is signed in without a cookie', async () => {
    const { body } = await server.client().request('GET', '/console/api/session')
    expect(body).toMatchObject({
      status: 'success',
      data: { signed_in: false, setup_required: false, setup_allowed: false, role: null, account: null },
    })
  })

  test('the password makes an operator who sees the default account', async () => {
    const client = await operator()
    const { body } = await client.request('GET', '/console/api/session')
    expect(body.data).toMatchObject({
      signed_in: true,
      role: 'operator',
      account: { id: server.accountId, name: 'default' },
    })
    expect(body.data.permissions).toContain('files:write')
  })

  test('an API key makes a session of its account with its permissions', async () => {
    const { id, text } = account(['usage', 'search'])
    const { body } = await server.client().signIn({ api_key: text })
    expect(body.data).toMatchObject({ role: 'account', account: { id }, permissions: ['search', 'usage'] })
  })

  test('the cookie cannot be read by scripts or sent from other sites', async () => {
    const { headers } = await server.client().signIn()
    const [cookie = ''] = headers.getSetCookie()
    expect(cookie).toMatch(/^earshot_session=\w{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=43200$/)
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('a wrong password and a wrong key say so and set no cookie', async () => {
    for (const body of [
      { password: 'wrong wrong wrong' },
      { api_key: `ear_${'0'.repeat(40)}` },
      { api_key: 'x' },
    ]) {
      const reply = await server.client().request('POST', '/console/api/session', { body })
      expect([reply.status, reply.body.error]).toEqual([403, 'access_denied'])
      expect(reply.headers.getSetCookie()).toEqual([])
    }
  })

  test('neither, both and odd credentials are refused', async () => {
    const bodies = [
      {},
      { password: PASSWORD, api_key: 'x' },
      { password: 7 },
      { password: 'x'.repeat(5_000) },
      [],
    ]
    for (const body of bodies) {
      const reply = await server.client().request('POST', '/console/api/session', { body })
      expect(reply.status).toBe(400)
    }
  })

  test('after ten failures an address waits, even with the right password', async () => {
    const guesses = Array.from({ length: 10 }, () => server.client().signIn({ api_key: 'guess' }))
    for (const reply of await Promise.all(guesses)) expect(reply.status).toBe(403)
    const refused = await server.client().signIn()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600'])
    server.advance(10 * MINUTE)
    expect((await server.client().signIn()).status).toBe(200)
  })

  test('successes do not count as attempts', async () => {
    const { text } = account()
    for (let time = 0; time < 15; time++)
      expect((await server.client().signIn({ api_key: text })).status).toBe(200)
  })

  test('behind a proxy on this machine, guesses count by the address it names', async () => {
    const guess = (from: string) =>
      server.client().request('POST', '/console/api/session', {
        body: { api_key: 'guess' },
        headers: { 'x-forwarded-for': `1.2.3.4, ${from}` },
      })
    for (let time = 0; time < 10; time++) expect((await guess('198.51.100.7')).status).toBe(403)
    expect((await guess('198.51.100.7')).status).toBe(429)
    expect((await guess('198.51.100.8')).status).toBe(403)
  })

  test('a token that was planted before signing in is worth nothing afterwards', async () => {
    const planted = server.client(`earshot_session=${'A'.repeat(43)}`)
    await planted.signIn()
    expect(planted.cookie).not.toContain('AAAA')
    const first = planted.cookie
    await planted.signIn()
    expect(planted.cookie).not.toBe(first)
    expect((await server.client(first).request('GET', NAMESPACES)).status).toBe(401)
  })
})

describe('a session', () => {
  test('reaches the API of its account, without a key', async () => {
    const { text } = account()
    const client = await signedIn(text)
    const made = await client.request('POST', NAMESPACES, { body: { name: 'mine' } })
    expect(made.status).toBeLessThan(300)
    const seen = await client.request('GET', NAMESPACES)
    expect(JSON.stringify(seen.body)).toContain('mine')
  })

  test('of one account never sees another', async () => {
    const [first, second] = [await signedIn(account().text), await signedIn(account().text)]
    await first.request('POST', NAMESPACES, { body: { name: 'secret-plans' } })
    const seen = await second.request('GET', NAMESPACES)
    expect(seen.status).toBe(200)
    expect(JSON.stringify(seen.body)).not.toContain('secret-plans')
  })

  test('has the permissions of its key and no more', async () => {
    const client = await signedIn(account(['usage']).text)
    expect((await client.request('GET', '/v1/usage')).status).toBe(200)
    const refused = await client.request('GET', NAMESPACES)
    expect([refused.status, refused.body.error]).toEqual([403, 'access_denied'])
  })

  test('gives way to a key that comes with the request', async () => {
    const client = await operator()
    const { text, id } = account()
    const reply = await client.request('GET', '/v1/usage', { headers: { 'x-api-key': text } })
    expect(reply.status).toBe(200)
    const wrong = await client.request('GET', '/v1/usage', { headers: { 'x-api-key': 'wrong' } })
    expect(wrong.status).toBe(401)
    expect(id).not.toBe(server.accountId)
  })

  test('ends when its user signs out', async () => {
    const client = await operator()
    const kept = client.cookie
    const reply = await client.request('DELETE', '/console/api/session')
    expect(reply.body.data.signed_in).toBe(false)
    expect(reply.headers.getSetCookie()[0]).toContain('Max-Age=0')
    expect(client.cookie).toBeUndefined()
    expect((await server.client(kept).request('GET', NAMESPACES)).status).toBe(401)
  })

  test('ends after twelve hours without use, and lives on while it is used', async () => {
    const client = await operator()
    for (let time = 0; time < 3; time++) {
      server.advance(11 * HOUR)
      const reply = await client.request('GET', NAMESPACES)
      expect([reply.status, reply.headers.getSetCookie().length]).toEqual([200, 1])
    }
    server.advance(12 * HOUR)
    expect((await client.request('GET', NAMESPACES)).status).toBe(401)
  })

  test('ends after thirty days however much it is used', async () => {
    const client = await operator()
    const statuses: number[] = []
    for (let time = 0; time < 73; time++) {
      server.advance(10 * HOUR)
      statuses.push((await client.request('GET', NAMESPACES)).status)
    }
    expect(statuses.indexOf(401)).toBe(71)
  })

  test.each([
    ['revoked', ({ keyId }: { keyId: string }) => revokeKey(server.app, keyId)],
    ['of a disabled account', ({ name }: { name: string }) => disableAccount(server.app, name)],
    ['expired', () => server.advance(2 * HOUR)],
  ])('dies with its key: %s', async (_, end) => {
    const made = account('all', server.app.now() + HOUR)
    const client = await signedIn(made.text)
    expect((await client.request('GET', NAMESPACES)).status).toBe(200)
    end(made)
    expect((await client.request('GET', NAMESPACES)).status).toBe(401)
    expect((await client.request('GET', '/console/api/session')).body.data.signed_in).toBe(false)
  })

  test('of the operator can look at another account, but not at a disabled one', async () => {
    const client = await operator()
    const other = account()
    const choose = (name: string) =>
      client.request('POST', '/console/api/session/account', { body: { account: name } })
    expect((await choose(other.name)).body.data.account).toMatchObject({ id: other.id })
    expect((await client.request('GET', '/console/api/session')).body.data.account.id).toBe(other.id)
    disableAccount(server.app, other.name)
    expect((await client.request('GET', NAMESPACES)).status).toBe(403)
    expect((await choose(other.name)).status).toBe(403)
    expect((await choose('nobody')).status).toBe(404)
    expect((await choose('default')).status).toBe(200)
    expect((await client.request('GET', NAMESPACES)).status).toBe(200)
  })

  test('of an account cannot look at another account', async () => {
    const client = await signedIn(account().text)
    const body = { account: 'default' }
    const reply = await client.request('POST', '/console/api/session/account', { body })
    expect([reply.status, reply.body.error]).toEqual([403, 'access_denied'])
  })
})

describe('limits of a session', () => {
  test('are those of its key, and exceeding one shuts nobody out of the rest', async () => {
    const limited = await startConsole({ env: { EARSHOT_RATE_LIMITS: 'GET /namespaces=2' } })
    const options = { name: '', permissions: 'all', expiresAt: undefined } as const
    const { text } = createKey(limited.app, limited.accountId, options)
    const [first, second, other] = [limited.client(), limited.client(), limited.client()]
    await first.signIn({ api_key: text })
    await second.signIn({ api_key: text })
    await other.signIn()
    const statuses: number[] = []
    for (const client of [first, second, second, first, other]) {
      statuses.push((await client.request('GET', NAMESPACES)).status)
    }
    expect(statuses).toEqual([200, 200, 429, 429, 200])
    expect((await first.request('GET', '/v1/usage')).status).toBe(200)
    await limited.close()
  })

  test('of one key are a hundred at a time: the oldest goes', () => {
    const { id, keyId } = account()
    const tokens = Array.from({ length: 101 }, () => createSession(server.app, { accountId: id, keyId }))
    const isAlive = (token = ''): boolean => findSession(server.app, token) !== undefined
    expect([isAlive(tokens[0]), isAlive(tokens[1]), isAlive(tokens[100])]).toEqual([false, true, true])
    // What could be stolen from the database opens nothing.
    const dump = JSON.stringify(server.app.db.query('select * from sessions').all())
    expect(tokens.filter((token) => dump.includes(token))).toEqual([])
  })
})

test('an answer that lasts learns that its session has ended', () => {
  const { id, keyId } = account()
  const token = createSession(server.app, { accountId: id, keyId })
  const { isStillValid } = createGuard(server.app)('usage').admit({
    request: new Request('http://localhost/v1/usage', { headers: { cookie: `earshot_session=${token}` } }),
    requestId: 'test',
    address: '127.0.0.1',
    headers: new Headers(),
    endpoint: 'GET /usage',
    params: {},
    log: server.app.log,
    trail: {},
    idempotency: undefined,
  })
  expect(isStillValid()).toBe(true)
  endSession(server.app, token)
  expect(isStillValid()).toBe(false)
})
