// What holds for every request, over real connections: bodies, queries, methods, errors, leaving clients.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Elysia } from 'elysia'
import pino from 'pino'
import { answer, success } from '../../src/http/envelope.ts'
import { createHttp, listen } from '../../src/http/http.ts'
import { type Admission, route } from '../../src/http/route.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem, type ProblemCode } from '../../src/lib/problem.ts'
import { t } from '../../src/lib/schema.ts'

const Data = t.Object({ status: t.Literal('success'), data: t.Unknown() })
const common = { summary: 'Test', tag: 'Test', responses: { 200: Data } } as const

const Body = t.Object({
  video_url: t.String({ maxLength: 100 }),
  transcript_text: t.Optional(t.Boolean()),
  max_posts: t.Optional(t.Integer({ minimum: 1 })),
  focus: t.Optional(t.Union([t.Literal('relevance'), t.Literal('brevity')])),
  language: t.Optional(t.String({ pattern: '^[a-z]{2}$', examples: ['en'] })),
  ids: t.Optional(t.Array(t.String())),
})

const Query = t.Object({
  include_usage: t.Optional(t.Boolean()),
  limit: t.Optional(t.Integer({ minimum: 1, maximum: 500 })),
})

const keyed: Admission<string> = {
  permission: 'transcribe',
  admit({ request }) {
    const key = request.headers.get('x-api-key')
    if (key === null) throw new Problem('unauthorized', 'Send your API key in the X-API-Key header.')
    return key
  },
}

/** Settles when the handler of POST /v1/wait has seen its client leave. */
let clientLeft = Promise.withResolvers<string>()
let waiting = Promise.withResolvers<void>()

const routes = [
  route({ ...common, method: 'POST', path: '/echo', auth: keyed, body: Body }, ({ body, caller }) =>
    answer(200, success({ body, caller })),
  ),
  route({ ...common, method: 'GET', path: '/item/{item_id}', query: Query }, ({ params, query }) =>
    answer(200, success({ id: params.item_id, query })),
  ),
  route({ ...common, method: 'DELETE', path: '/item/{item_id}' }, () => answer(200, success(null))),
  route({ ...common, method: 'POST', path: '/bug' }, () => {
    throw new Error('secret detail at line 7')
  }),
  route({ ...common, method: 'POST', path: '/fail/{code}' }, ({ params }) => {
    throw new Problem(params.code as ProblemCode, 'It failed.', { retryAfterS: 3 })
  }),
  route({ ...common, method: 'POST', path: '/wait', body: Body, slow: true }, async ({ signal }) => {
    waiting.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    clientLeft.resolve('left')
    signal.throwIfAborted()
    return answer(200, success(null))
  }),
]

let http: Elysia
let base = ''

beforeAll(() => {
  http = createHttp({ routes, log: silentLog(), publicUrl: () => 'https://earshot.test' })
  const { port } = listen(http, { host: '127.0.0.1', port: 0 })
  base = `http://127.0.0.1:${port}`
})

afterAll(async () => {
  await http.stop(true)
})

type Sendable = string | Uint8Array<ArrayBuffer> | ReadableStream

const call = (method: string, path: string, init: RequestInit = {}) =>
  fetch(base + path, { method, ...init, headers: { 'x-api-key': 'k', ...(init.headers as object) } })

const postJson = (path: string, body: Sendable | undefined, headers: Record<string, string> = {}) =>
  call('POST', path, {
    ...(body === undefined ? {} : { body }),
    headers: { 'content-type': 'application/json', ...headers },
  })

const idFor = async (sent: string) =>
  (await call('GET', '/v1/item/1', { headers: { 'x-request-id': sent } })).headers.get('x-request-id')

async function envelope(response: Response) {
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, body }
}

describe('a valid request', () => {
  test('reaches the handler with its known fields only', async () => {
    const response = await postJson(
      '/v1/echo',
      '{"video_url":"https://a.test/v","other":1,"transcript_text":null}',
    )
    expect(await response.json()).toEqual({
      status: 'success',
      data: { body: { video_url: 'https://a.test/v' }, caller: 'k' },
    })
  })

  test('may have a charset, a JSON media type with suffix, and a byte order mark', async () => {
    for (const type of ['application/json; charset=UTF-8', 'application/problem+json', 'Application/JSON']) {
      const response = await postJson('/v1/echo', '\uFEFF{"video_url":"u"}', { 'content-type': type })
      expect(response.status).toBe(200)
    }
  })

  test('carries typed query values and decoded path parameters', async () => {
    const response = await call('GET', '/v1/item/a%2Fb?include_usage=TRUE&limit=500&x=y')
    expect(await response.json()).toEqual({
      status: 'success',
      data: { id: 'a/b', query: { include_usage: true, limit: 500 } },
    })
  })
})

describe('a bad body', () => {
  const deep = `{"video_url":"u","x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const rows: [name: string, body: Sendable | undefined, code: string, naming: string][] = [
    ['none', undefined, 'request_body_required', 'JSON object'],
    ['empty', '', 'request_body_required', 'JSON object'],
    ['blank', ' \n', 'request_body_required', 'JSON object'],
    ['unparsable', '{"video_url":', 'invalid_parameter', 'JSON'],
    ['a list', '[]', 'invalid_parameter', 'object'],
    ['a string', '"video_url"', 'invalid_parameter', 'object'],
    ['null', 'null', 'invalid_parameter', 'object'],
    ['without a required field', '{}', 'missing_parameter', 'video_url'],
    [
      'a required field only by prototype',
      '{"__proto__":{"video_url":"u"}}',
      'missing_parameter',
      'video_url',
    ],
    ['null in a required field', '{"video_url":null}', 'missing_parameter', 'video_url'],
    ['empty required field', '{"video_url":""}', 'missing_parameter', 'video_url'],
    ['blank required field', '{"video_url":" \\t"}', 'missing_parameter', 'video_url'],
    [
      'wrong type in a required field',
      '{"video_url":7}',
      'invalid_parameter',
      '"video_url" must be a string',
    ],
    [
      'huge number',
      '{"video_url":"u","max_posts":1e999}',
      'invalid_parameter',
      '"max_posts" must be a whole number',
    ],
    [
      'fraction',
      '{"video_url":"u","max_posts":1.5}',
      'invalid_parameter',
      '"max_posts" must be a whole number',
    ],
    ['out of range', '{"video_url":"u","max_posts":0}', 'invalid_parameter', 'of at least 1'],
    ['wrong type', '{"video_url":"u","transcript_text":"yes"}', 'invalid_parameter', 'must be true or false'],
    ['unknown choice', '{"video_url":"u","focus":"x"}', 'invalid_parameter', 'one of relevance, brevity'],
    ['wrong form', '{"video_url":"u","language":"../x"}', 'invalid_parameter', '^[a-z]{2}$, such as en'],
    ['wrong item', '{"video_url":"u","ids":["a",2]}', 'invalid_parameter', '"ids.1" must be a string'],
    ['too long', `{"video_url":"${'u'.repeat(101)}"}`, 'invalid_parameter', 'at most 100 characters'],
    ['deep', deep, 'invalid_parameter', 'nested'],
    ['duplicate names', '{"video_url":"a","video_url":"b"}', 'invalid_parameter', 'twice'],
    ['escaped duplicate names', '{"video_url":"a","video\\u005furl":"b"}', 'invalid_parameter', 'twice'],
    ['nested duplicate names', '{"video_url":"a","x":[{"y":1,"y":2}]}', 'invalid_parameter', 'twice'],
    [
      'invalid UTF-8',
      new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
      'invalid_parameter',
      'UTF-8',
    ],
    ['2 MiB', `{"video_url":"${'u'.repeat(2_097_152)}"}`, 'input_too_large', '1 MiB'],
  ]

  test.each(rows)('(%s) is refused with the right code and message', async (_name, sent, code, naming) => {
    const { status, body } = await envelope(await postJson('/v1/echo', sent))
    expect(status).toBe(400)
    expect(body).toMatchObject({ status: 'error', error: code })
    expect(body['message']).toContain(naming)
    expect(body['docs_url']).toBe(`https://earshot.test/docs/errors#${code}`)
  })

  test('of another content type is refused with what to send', async () => {
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'application/json; charset=latin1',
    ]) {
      const { status, body } = await envelope(await postJson('/v1/echo', '{}', { 'content-type': type }))
      expect(status).toBe(400)
      expect(body).toMatchObject({ error: 'invalid_parameter' })
      expect(body['message']).toContain('application/json')
    }
  })

  test('of endless length is refused after 1 MiB', async () => {
    let sentBytes = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sentBytes += 65_536
        controller.enqueue(new Uint8Array(65_536).fill(0x20))
        if (sentBytes > 512 * 1_048_576) controller.close()
      },
    })
    const { body } = await envelope(await postJson('/v1/echo', endless))
    expect(body).toMatchObject({ error: 'input_too_large' })
    expect(sentBytes).toBeLessThan(64 * 1_048_576)
  })

  test('announced as huge is refused before it is sent', async () => {
    const answered = Promise.withResolvers<string>()
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(base).port),
      socket: { data: (_socket, data) => answered.resolve(data.toString()), error: () => answered.reject() },
    })
    const head = 'POST /v1/echo HTTP/1.1\r\nHost: a\r\nX-API-Key: k\r\nContent-Type: application/json'
    socket.write(`${head}\r\nContent-Length: 999999999999\r\n\r\n{`)
    expect(await answered.promise).toContain('"error":"input_too_large"')
    socket.end()
  })

  test('that breaks off reaches no handler and leaves the server up', async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>()
    const head =
      'POST /v1/echo HTTP/1.1\r\nHost: a\r\nX-API-Key: k\r\nContent-Type: application/json\r\nContent-Length: 500'
    const socket = await Bun.connect({
      hostname: '127.0.0.1',
      port: Number(new URL(base).port),
      socket: { data: () => undefined, close: () => close() },
    })
    socket.write(`${head}\r\n\r\n{"video_url":`)
    socket.end()
    await closed
    expect((await call('GET', '/v1/item/1')).status).toBe(200)
  })

  test('is not echoed', async () => {
    const text = await (await postJson('/v1/echo', '{"video_url":{"sensitive":"hunter2"}}')).text()
    expect(text).not.toContain('hunter2')
  })

  test('comes after a missing key', async () => {
    const response = await fetch(`${base}/v1/echo`, { method: 'POST', body: 'x' })
    const { status, body } = await envelope(response)
    expect(status).toBe(401)
    expect(body).not.toHaveProperty('error')
    expect(body).toHaveProperty('message')
  })

  test('on a route that takes none is refused when large', async () => {
    const response = await call('DELETE', '/v1/item/1', { body: 'x'.repeat(2_097_152) })
    expect((await envelope(response)).body).toMatchObject({ error: 'input_too_large' })
  })
})

describe('a bad query', () => {
  test.each([
    ['limit=0', 'limit'],
    ['limit=501', 'limit'],
    ['limit=1e2', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['include_usage=maybe', 'include_usage'],
  ])('(%s) names the parameter', async (query, name) => {
    const { status, body } = await envelope(await call('GET', `/v1/item/1?${query}`))
    expect(status).toBe(400)
    expect(body).toMatchObject({ error: 'invalid_parameter' })
    expect(body['message']).toContain(`"${name}"`)
  })
})

describe('every answer', () => {
  test('carries security headers and a request id', async () => {
    for (const path of ['/v1/item/1', '/nowhere', '/v1/echo']) {
      const { headers } = await call('GET', path)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })

  test('keeps a safe request id and replaces others', async () => {
    expect(await idFor('abc-1.2:3_Z')).toBe('abc-1.2:3_Z')
    expect(await idFor('a b')).not.toBe('a b')
    expect(await idFor('x'.repeat(65))).not.toBe('x'.repeat(65))
  })
})

describe('addresses and methods', () => {
  test('an unknown address is a 404 envelope', async () => {
    const { status, body } = await envelope(await call('POST', '/v1/nowhere', { body: '{}' }))
    expect(status).toBe(404)
    expect(body).toMatchObject({ status: 'error', error: 'not_found' })
  })

  test('are found whatever the Host header says', async () => {
    const response = await http.handle(new Request('http://x/v1/item/1'))
    expect(response.status).toBe(200)
  })

  test('broken percent-encoding in a path is a 404 envelope', async () => {
    expect((await envelope(await call('GET', '/v1/item/%zz'))).status).toBe(404)
  })

  test('a wrong method is a 405 envelope that lists the right ones', async () => {
    const response = await call('PUT', '/v1/item/1')
    expect(response.headers.get('allow')).toBe('GET, HEAD, DELETE, OPTIONS')
    const { status, body } = await envelope(response)
    expect(status).toBe(405)
    expect(body).toMatchObject({ status: 'error', error: 'method_not_allowed' })
  })

  test('HEAD answers like GET without a body, OPTIONS lists the methods', async () => {
    const head = await call('HEAD', '/v1/item/1')
    expect(head.status).toBe(200)
    expect(head.headers.get('x-request-id')).not.toBeNull()
    expect(await head.text()).toBe('')
    const options = await call('OPTIONS', '/v1/item/1')
    expect(options.status).toBe(204)
    expect(options.headers.get('allow')).toContain('DELETE')
  })
})

describe('a failure', () => {
  test('that nobody expected is a 500 without detail', async () => {
    const response = await call('POST', '/v1/bug')
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({ status: 'error', error: 'internal_server_error' })
    expect(text).not.toContain('secret')
  })

  test('that nobody expected is in the log with its request id', async () => {
    const lines: string[] = []
    const log = pino({ level: 'error' }, { write: (line: string) => lines.push(line) })
    const logged = createHttp({ routes, log, publicUrl: () => '' })
    await logged.handle(
      new Request('http://localhost/v1/bug', { method: 'POST', headers: { 'x-request-id': 'find-me' } }),
    )
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('"requestId":"find-me"')
    expect(lines[0]).toContain('secret detail at line 7')
  })

  test('402 repeats its code', async () => {
    const { status, body } = await envelope(await call('POST', '/v1/fail/limit_exceeded'))
    expect(status).toBe(402)
    expect(body).toMatchObject({ error: 'limit_exceeded', error_code: 'limit_exceeded' })
  })

  test('502 has no code', async () => {
    const { status, body } = await envelope(await call('POST', '/v1/fail/upstream_failed'))
    expect(status).toBe(502)
    expect(body).toEqual({ status: 'error', message: 'It failed.' })
  })

  test('503 and 429 say when to come back', async () => {
    const overload = await call('POST', '/v1/fail/system_overload')
    expect(overload.headers.get('retry-after')).toBe('3')
    expect(await overload.json()).toMatchObject({ error: 'system_overload', retry_after_seconds: 3 })
    const limited = await call('POST', '/v1/fail/rate_limit_exceeded')
    expect(limited.status).toBe(429)
    expect(limited.headers.get('retry-after')).toBe('3')
  })
})

test('a handler sees its client leave', async () => {
  clientLeft = Promise.withResolvers()
  waiting = Promise.withResolvers()
  const leaving = new AbortController()
  const gone = fetch(`${base}/v1/wait`, {
    method: 'POST',
    body: '{"video_url":"u"}',
    headers: { 'content-type': 'application/json' },
    signal: leaving.signal,
  })
  await waiting.promise
  leaving.abort()
  await expect(gone).rejects.toThrow()
  expect(await clientLeft.promise).toBe('left')
})

test('a second server cannot take the same port', () => {
  const second = createHttp({ routes, log: silentLog(), publicUrl: () => '' })
  const port = Number(new URL(base).port)
  expect(() => listen(second, { host: '127.0.0.1', port })).toThrow('--host and --port')
})
