// Requests that other sites, pages and machines make in the name of somebody who is signed in, or before anybody is.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ConsoleClient, type ConsoleServer, PASSWORD, startConsole } from '../support/console-client.ts'

type Headers = Readonly<Record<string, string | null>>

let server: ConsoleServer
let client: ConsoleClient

beforeAll(async () => {
  server = await startConsole()
  client = server.client()
  await client.signIn()
})
afterAll(() => server.close())

/** What a page of somewhere else can make a browser send. */
const FORGED: readonly (readonly [string, Headers])[] = [
  ['no header of ours', { 'x-earshot-console': null }],
  ['another value of it', { 'x-earshot-console': 'true' }],
  ['another site', { 'sec-fetch-site': 'cross-site' }],
  ['another port of this machine', { 'sec-fetch-site': 'same-site' }],
  ['a bookmark', { 'sec-fetch-site': 'none' }],
  ['a foreign origin', { origin: 'https://evil.example' }],
  ['an opaque origin', { origin: 'null' }],
  ['an origin that begins like ours', { origin: 'http://127.0.0.1.evil.example' }],
  ['an origin on another port', { origin: 'http://127.0.0.1:1' }],
  ['no origin at all but garbage', { origin: 'garbage' }],
  ['a form', { 'x-earshot-console': null, 'content-type': 'application/x-www-form-urlencoded' }],
  ['a form with files', { 'x-earshot-console': null, 'content-type': 'multipart/form-data; boundary=x' }],
  ['JSON as plain text', { 'x-earshot-console': null, 'content-type': 'text/plain' }],
  ['an old browser', { 'x-earshot-console': null, 'sec-fetch-site': null, origin: null }],
]

describe.each(FORGED)('a request with a cookie from %s', (_, headers) => {
  test('changes nothing in the API', async () => {
    const reply = await client.request('POST', '/v1/namespaces', { body: { name: 'forged' }, headers })
    expect([reply.status, reply.body.error]).toEqual([403, 'access_denied'])
    const { body } = await client.request('GET', '/v1/namespaces')
    expect(JSON.stringify(body)).not.toContain('forged')
  })

  test('changes nothing in the console, and neither signs in nor out', async () => {
    const cases = [
      ['POST', '/console/api/session/account', { account: 'default' }],
      ['POST', '/console/api/session', { password: PASSWORD }],
      ['POST', '/console/api/setup', { password: PASSWORD }],
      ['DELETE', '/console/api/session', undefined],
    ] as const
    for (const [method, path, body] of cases) {
      const reply = await client.request(method, path, { headers, ...(body ? { body } : {}) })
      expect([reply.status, reply.headers.getSetCookie()]).toEqual([403, []])
    }
    expect((await client.request('GET', '/console/api/session')).body.data.signed_in).toBe(true)
  })
})

test('our own page may write, with and without the headers that only newer browsers send', async () => {
  for (const [index, headers] of [
    { origin: server.url },
    { 'sec-fetch-site': null },
    { 'sec-fetch-site': null, origin: null },
  ].entries()) {
    const reply = await client.request('POST', '/v1/namespaces', { body: { name: `own-${index}` }, headers })
    expect(reply.status).toBeLessThan(300)
  }
})

test('reading needs no header: media elements and event streams cannot send one', async () => {
  const headers = { 'x-earshot-console': null }
  expect((await client.request('GET', '/v1/namespaces', { headers })).status).toBe(200)
})

test('with an API key nothing of this is asked', async () => {
  const { createKey } = await import('../../src/accounts/keys.ts')
  const options = { name: '', permissions: 'all', expiresAt: undefined } as const
  const { text } = createKey(server.app, server.accountId, options)
  const reply = await server.client().request('POST', '/v1/namespaces', {
    body: { name: 'by-program' },
    headers: {
      'x-api-key': text,
      'x-earshot-console': null,
      origin: 'https://app.example',
      host: 'odd.example',
    },
  })
  expect(reply.status).toBeLessThan(300)
})

describe('a foreign name that was pointed at this machine', () => {
  const HOSTS = [
    'evil.example',
    'evil.example:8787',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    'x@127.0.0.1',
  ]

  test.each(HOSTS)('%s reaches neither the session nor the sign-in', async (host) => {
    const headers = { host }
    for (const [method, path] of [
      ['GET', '/v1/namespaces'],
      ['GET', '/console/api/session'],
      ['POST', '/console/api/session'],
      ['POST', '/console/api/setup'],
    ] as const) {
      const body = method === 'POST' ? { body: { password: PASSWORD } } : {}
      const reply = await client.request(method, path, { headers, ...body })
      // A Host that is none at all is refused before anybody looks at it.
      expect([400, 403, 404]).toContain(reply.status)
    }
  })

  test.each([
    'localhost',
    'LOCALHOST:8787',
    'earshot.localhost',
    '127.0.0.1',
    '[::1]:8787',
    '192.0.2.7:8787',
  ])('%s is no foreign name', async (host) => {
    expect((await client.request('GET', '/v1/namespaces', { headers: { host } })).status).toBe(200)
  })
})

describe('with a public URL', () => {
  let open: ConsoleServer
  beforeAll(async () => {
    open = await startConsole({ env: { EARSHOT_PUBLIC_URL: 'https://earshot.example/' } })
  })
  afterAll(() => open.close())

  test('its name is known, its origin ours behind a proxy that changes Host, and the cookie Secure', async () => {
    const direct = { host: 'earshot.example', origin: 'https://earshot.example' }
    const rewritten = { origin: 'https://earshot.example', 'x-forwarded-for': '198.51.100.9' }
    for (const headers of [direct, rewritten]) {
      const body = { password: PASSWORD }
      const reply = await open.client().request('POST', '/console/api/session', { body, headers })
      expect(reply.status).toBe(200)
      expect(reply.headers.getSetCookie()[0]).toEndWith('; Secure')
    }
    const headers = { origin: 'https://other.example' }
    const reply = await open.client().request('POST', '/console/api/session', { body: {}, headers })
    expect(reply.status).toBe(403)
  })
})
