// Every endpoint of the product that takes a JSON body, as its own reference lists them, against the table of bad input.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Elysia } from 'elysia'
import { createFirstAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import type { Schema } from '../../src/lib/schema.ts'
import { createServer } from '../../src/server.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { badInputs } from '../support/bad-input.ts'

interface Operation {
  readonly requestBody?: { readonly content: { readonly 'application/json'?: { readonly schema: Schema } } }
}

let testApp: TestApp
let http: Elysia
let key = ''
let bodies: readonly { readonly method: string; readonly path: string; readonly schema: Schema }[] = []

beforeAll(async () => {
  testApp = await createTestApp({ EARSHOT_RATE_LIMITS: 'off' })
  const account = createFirstAccount(testApp.app)
  key = createKey(testApp.app, account?.id ?? '', { name: '', permissions: 'all', expiresAt: undefined }).text
  http = createServer(testApp.app, () => 'http://earshot.test')
  const response = await http.handle(new Request('http://localhost/v1/openapi.json'))
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, Operation>> }
  bodies = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json']?.schema
      return schema ? [{ method: method.toUpperCase(), path: path.replaceAll(/\{\w+\}/g, 'x'), schema }] : []
    }),
  )
})

afterAll(() => testApp.close())

function send(
  method: string,
  path: string,
  body: string | Uint8Array<ArrayBuffer> | undefined,
  type: string,
) {
  return http.handle(
    new Request(`http://localhost/v1${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': type },
      ...(body === undefined ? {} : { body }),
    }),
  )
}

test('every body that nobody should send is answered with a 400 envelope, and creates nothing', async () => {
  expect(bodies.length).toBeGreaterThan(1)
  for (const { method, path, schema } of bodies) {
    for (const { name, body, contentType = 'application/json', error } of badInputs(schema)) {
      const response = await send(method, path, body, contentType)
      const envelope = (await response.json()) as { error: string }
      const outcome = { row: `${method} ${path} ${name}`, httpStatus: response.status, error: envelope.error }
      expect(outcome).toEqual({ ...outcome, httpStatus: 400, error: error ?? 'invalid_parameter' })
    }
  }
  expect(testApp.app.db.query('select count(*) as tasks from tasks').get()).toEqual({ tasks: 0 })
})

test('every endpoint with a body asks for a key before it looks at the body', async () => {
  for (const { method, path } of bodies) {
    const response = await http.handle(new Request(`http://localhost/v1${path}`, { method, body: '{' }))
    expect(response.status).toBe(401)
  }
})
