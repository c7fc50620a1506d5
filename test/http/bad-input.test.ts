// The table of bad input against a route with fields of every type.

import { describe, expect, test } from 'bun:test'
import { answer, success } from '../../src/http/envelope.ts'
import { createHttp } from '../../src/http/http.ts'
import { route } from '../../src/http/route.ts'
import { silentLog } from '../../src/lib/log.ts'
import { t } from '../../src/lib/schema.ts'
import { badInputs } from '../support/bad-input.ts'

const Body = t.Object({
  video_url: t.String(),
  query: t.String({ minLength: 2 }),
  enabled: t.Optional(t.Boolean()),
  count: t.Optional(t.Integer({ minimum: 0 })),
  share: t.Optional(t.Number()),
  names: t.Optional(t.Array(t.String(), { maxItems: 3 })),
  focus: t.Optional(t.Union([t.Literal('a'), t.Literal('b')])),
  schema: t.Optional(t.Record(t.String(), t.Unknown())),
})

const everyType = route(
  {
    method: 'POST',
    path: '/every-type',
    tag: 'Test',
    summary: 'Test',
    body: Body,
    responses: { 200: t.Object({ status: t.Literal('success'), data: t.Null() }) },
  },
  () => answer(200, success(null)),
)

const http = createHttp({ routes: [everyType], log: silentLog(), publicUrl: () => 'https://earshot.test' })

describe('bad input', () => {
  test.each(badInputs(Body).map((row) => [row.name, row] as const))('%s', async (_name, row) => {
    const { body, contentType = 'application/json', error } = row
    const request = new Request('http://localhost/v1/every-type', {
      method: 'POST',
      headers: { 'content-type': contentType },
      ...(body === undefined ? {} : { body }),
    })
    const response = await http.handle(request)
    const envelope = (await response.json()) as { status: string; error: string; message: string }
    expect(response.status).toBe(400)
    expect(envelope).toMatchObject({ status: 'error', error: error ?? 'invalid_parameter' })
    expect(envelope.message).not.toBe('')
  })
})
