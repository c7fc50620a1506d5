// Endpoints under the names that older clients know: the same endpoint in everything but path and field names.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import type { Permissions } from '../../src/accounts/permissions.ts'
import { createServer } from '../../src/server.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

interface Reply {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any
}

const PAIRS = [
  ['/tweet/statement', '/post/statement'],
  ['/tweet/statement/async', '/post/statement/async'],
  ['/tweet/statement/{task_id}', '/post/statement/{task_id}'],
  ['/tiktok/profile', '/shortvideo/profile'],
  ['/tiktok/profile/{task_id}', '/shortvideo/profile/{task_id}'],
  ['/tiktok/search', '/shortvideo/search'],
  ['/tiktok/search/{task_id}', '/shortvideo/search/{task_id}'],
  ['/youtube/search', '/search/video'],
] as const

let testApp: TestApp
let http: ReturnType<typeof createServer>
let accountId = ''

beforeAll(async () => {
  testApp = await createTestApp({ EARSHOT_RATE_LIMITS: 'POST /post/statement=3' })
  accountId = createAccount(testApp.app, 'client', 'trial').id
  http = createServer(testApp.app, () => 'http://earshot.test')
})
afterAll(() => testApp.close())

const newKey = (permissions: Permissions = 'all'): string =>
  createKey(testApp.app, accountId, { name: '', permissions, expiresAt: undefined }).text

async function call(
  key: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const response = await http.handle(
    new Request(`http://localhost/v1${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  )
  return { status: response.status, headers: response.headers, body: await response.json() }
}

describe('an alias', () => {
  test('is in the reference for every method of its target, deprecated, with its own field names', async () => {
    const { paths } = (await call(newKey(), 'GET', '/openapi.json')).body
    for (const [alias, target] of PAIRS) {
      expect({ alias, methods: Object.keys(paths[alias] ?? {}) }).toEqual({
        alias,
        methods: Object.keys(paths[target]),
      })
      for (const [method, operation] of Object.entries(paths[alias] as Record<string, Reply['body']>)) {
        expect(operation).toMatchObject({
          deprecated: true,
          summary: `Alias of ${method.toUpperCase()} ${target}`,
        })
        expect(paths[target][method]).not.toHaveProperty('deprecated')
      }
    }
    const schema = paths['/tweet/statement'].post.requestBody.content['application/json'].schema
    expect(schema.required).toEqual(['tweet_id'])
    expect(Object.keys(schema.properties)).toEqual(['tweet_id', 'include_usage'])
  })

  test('takes its own name of a field, and the target’s; the task is found under both', async () => {
    const key = newKey()
    for (const body of [{ tweet_id: '20' }, { post_id: '20' }]) {
      const { status, body: submitted } = await call(key, 'POST', '/tweet/statement/async', body)
      expect(status).toBe(202)
      for (const path of ['/tweet/statement', '/post/statement']) {
        const poll = await call(key, 'GET', `${path}/${submitted.data.task_id}`)
        expect(poll.body.data).toMatchObject({ job_type: 'post_statement', request: { post_id: '20' } })
      }
    }
    expect((await call(key, 'GET', '/tweet/statement/x')).body.error).toBe('task_not_found')
  })

  test('speaks of fields by the names that it was given', async () => {
    const key = newKey()
    for (const [body, error] of [
      [{}, 'missing_parameter'],
      [{ tweet_id: 20 }, 'invalid_parameter'],
      [{ tweet_id: 'abc' }, 'invalid_parameter'],
    ] as const) {
      const reply = await call(key, 'POST', '/tweet/statement/async', body)
      expect(reply).toMatchObject({ status: 400, body: { error } })
      expect(reply.body.message).toContain('"tweet_id"')
    }
    const profile = await call(key, 'POST', '/tiktok/profile', { profile_url: 'https://example.com/@x' })
    expect(profile.body.error).toBe('unsupported_platform')
    expect((await call(key, 'POST', '/tiktok/search', { query: 'x' })).body.error).toBe('invalid_parameter')
    expect((await call(key, 'POST', '/youtube/search', {})).body.message).toContain('"query"')
    expect((await call(key, 'PUT', '/tweet/statement', {})).status).toBe(405)
  })

  test('shares permission, rate limit and Idempotency-Key with its target', async () => {
    const other = newKey(['usage'])
    expect((await call(other, 'POST', '/tweet/statement', { tweet_id: 'x' })).body.error).toBe(
      'access_denied',
    )
    const key = newKey()
    const once = { 'idempotency-key': 'once' }
    const first = await call(key, 'POST', '/post/statement/async', { post_id: '20' }, once)
    const again = await call(key, 'POST', '/tweet/statement/async', { tweet_id: '20' }, once)
    expect(again.body).toEqual(first.body)
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    const statuses: number[] = []
    for (const path of ['/tweet/statement', '/post/statement', '/tweet/statement', '/tweet/statement'])
      statuses.push((await call(key, 'POST', path, { post_id: 'x', tweet_id: 'x' })).status)
    expect(statuses).toEqual([400, 400, 400, 429])
  })
})
