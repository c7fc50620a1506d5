// The document, the pages and health are made from routes; these are the routes of a small server.

import { beforeAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { Elysia } from 'elysia'
import { answer, success } from '../../src/http/envelope.ts'
import { healthRoute } from '../../src/http/health.ts'
import { createHttp } from '../../src/http/http.ts'
import { referenceRoutes } from '../../src/http/reference.ts'
import { type Route, route } from '../../src/http/route.ts'
import { silentLog } from '../../src/lib/log.ts'
import { PROBLEMS } from '../../src/lib/problem.ts'
import { t } from '../../src/lib/schema.ts'

const Video = t.Object(
  { video_url: t.String({ description: 'URL of the video' }) },
  { examples: [{ video_url: 'https://a.test/v' }] },
)
const Data = t.Object({ status: t.Literal('success'), data: t.Object({ task_id: t.String() }) })

const routes: Route[] = [
  route(
    {
      method: 'POST',
      path: '/transcribe/async',
      tag: 'Transcription',
      summary: 'Transcribe',
      auth: { permission: 'transcribe', admit: () => 'someone' },
      body: Video,
      responses: { 202: Data },
      errors: ['limit_exceeded', 'too_many_active_jobs'],
    },
    () => answer(202, success({ task_id: '1' })),
  ),
  route(
    {
      method: 'GET',
      path: '/transcribe/{task_id}',
      tag: 'Transcription',
      summary: 'Poll',
      auth: { permission: 'transcribe', admit: () => 'someone' },
      query: t.Object({ include_usage: t.Optional(t.Boolean({ description: 'Attach usage' })) }),
      responses: { 200: Data },
      errors: ['task_not_found'],
    },
    ({ params }) => answer(200, success({ task_id: params.task_id })),
  ),
]
const all = () => routes
const checks = {
  database: () => ({ status: 'ok' as const, message: 'fine' }),
  llm: () => ({ status: 'missing' as const, message: 'no model' }),
  speech: () => {
    throw new Error('/secret/path is gone')
  },
}
routes.push(
  ...referenceRoutes({ version: '1.2.3', routes: all }),
  healthRoute({ version: '1.2.3', checks, routes: all }),
)

let http: Elysia
beforeAll(() => {
  http = createHttp({ routes, log: silentLog(), publicUrl: () => '' })
})

const get = (path: string) => http.handle(new Request(`http://localhost${path}`))
const readJson = async (path: string) => (await (await get(path)).json()) as Record<string, unknown>

describe('the OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    const document = await readJson('/v1/openapi.json')
    expect(await new Validator().validate(document)).toEqual({ valid: true })
    expect(document['openapi']).toBe('3.1.0')
  })

  test('describes bodies, queries, keys and every error', async () => {
    expect(await readJson('/v1/openapi.json')).toMatchObject({
      info: { version: '1.2.3' },
      components: { securitySchemes: { ApiKey: { in: 'header', name: 'X-API-Key' } } },
      paths: {
        '/transcribe/async': {
          post: {
            security: [{ ApiKey: [] }, { Bearer: [] }],
            requestBody: { content: { 'application/json': { schema: { required: ['video_url'] } } } },
            responses: { 202: {}, 400: {}, 401: {}, 402: {}, 403: {}, 429: {}, 500: {} },
          },
        },
        '/transcribe/{task_id}': {
          get: {
            parameters: [
              { name: 'task_id', in: 'path', required: true },
              { name: 'include_usage', in: 'query', required: false, schema: { type: 'boolean' } },
            ],
          },
        },
        '/health': { get: { security: [] } },
      },
    })
  })

  test('shows each failure as it is really answered', async () => {
    const document = await readJson('/v1/openapi.json')
    const withExamples = (examples: object) => ({ content: { 'application/json': { examples } } })
    const responses = {
      402: withExamples({
        limit_exceeded: { value: { error: 'limit_exceeded', error_code: 'limit_exceeded' } },
      }),
      429: withExamples({ rate_limit_exceeded: {}, too_many_active_jobs: { value: { status: 'error' } } }),
    }
    expect(document).toMatchObject({ paths: { '/transcribe/async': { post: { responses } } } })
  })

  test('leaves pages out', async () => {
    expect(JSON.stringify(await readJson('/v1/openapi.json'))).not.toContain('/docs/start.js')
  })
})

describe('the reference pages', () => {
  test('load nothing from elsewhere', async () => {
    const page = await get('/docs')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self';")
    const html = await page.text()
    const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address ?? '')
    expect(loaded.length).toBeGreaterThan(3)
    for (const address of loaded) {
      expect(address).toStartWith('/')
      expect((await get(address)).status).toBe(200)
    }
  })

  test('carry the real viewer', async () => {
    expect(await (await get('/docs/swagger-ui.js')).text()).toContain('SwaggerUIBundle')
    expect((await get('/docs/swagger-ui.css')).headers.get('content-type')).toContain('text/css')
  })

  test('have an anchor for each error code', async () => {
    const html = await (await get('/docs/errors')).text()
    for (const code of Object.keys(PROBLEMS)) expect(html).toContain(`id="${code}"`)
  })
})

describe('health', () => {
  test('is 200 without a key, lists endpoints, and says how the parts do', async () => {
    const response = await get('/v1/health')
    expect(response.status).toBe(200)
    const body = (await response.json()) as { endpoints: unknown[]; checks: Record<string, unknown> }
    expect(body).toMatchObject({ status: 'success', version: '1.2.3' })
    expect(body.endpoints).toContainEqual({
      path: '/v1/transcribe/{task_id}',
      method: 'GET',
      description: 'Poll',
      auth_required: true,
    })
    expect(body.endpoints).toContainEqual(
      expect.objectContaining({ path: '/v1/health', auth_required: false }),
    )
    expect(body.checks).toMatchObject({
      database: { status: 'ok' },
      llm: { status: 'missing', message: 'no model' },
      speech: { status: 'degraded' },
    })
  })

  test('a failing check tells the public nothing of its insides', async () => {
    expect(await (await get('/v1/health')).text()).not.toContain('/secret/path')
  })
})
