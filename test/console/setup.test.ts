// The first visit: who may set the operator's password, and how it is set and changed on the command line.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { findPasswordHash } from '../../src/accounts/password.ts'
import { setPassword } from '../../src/accounts/sign-in.ts'
import { type ConsoleServer, PASSWORD, startConsole } from '../support/console-client.ts'
import { cleanEnv, commandLine } from '../support/earshot.ts'

let server: ConsoleServer

const setUp = (headers: Readonly<Record<string, string>> = {}, password = PASSWORD) =>
  server.client().request('POST', '/console/api/setup', { body: { password }, headers })

describe('without a password', () => {
  beforeEach(async () => {
    server = await startConsole({ password: false })
  })
  afterEach(() => server.close())

  test('a visitor at the machine may set one, once, and is signed in', async () => {
    const client = server.client()
    const before = await client.request('GET', '/console/api/session')
    expect(before.body.data).toMatchObject({ setup_required: true, setup_allowed: true })
    const reply = await client.request('POST', '/console/api/setup', { body: { password: PASSWORD } })
    expect(reply.body.data).toMatchObject({ signed_in: true, role: 'operator', setup_required: false })
    expect((await client.request('GET', '/v1/namespaces')).status).toBe(200)
    expect((await setUp({}, 'another password')).status).toBe(403)
    expect((await server.client().signIn()).status).toBe(200)
  })

  test.each([
    'x-forwarded-for',
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-real-ip',
    'forwarded',
    'via',
    'cf-connecting-ip',
  ])('nobody may who comes through a proxy (%s)', async (name) => {
    const { body } = await server
      .client()
      .request('GET', '/console/api/session', { headers: { [name]: '127.0.0.1' } })
    expect(body.data).toMatchObject({ setup_required: true, setup_allowed: false })
    expect((await setUp({ [name]: '127.0.0.1' })).status).toBe(403)
    expect(findPasswordHash(server.app)).toBeUndefined()
  })

  test('nobody may under the name or address of a network', async () => {
    for (const host of ['192.168.1.4:8787', 'evil.example']) expect((await setUp({ host })).status).toBe(403)
    expect(findPasswordHash(server.app)).toBeUndefined()
  })

  test('a short password is refused', async () => {
    const reply = await setUp({}, 'short')
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_parameter'])
  })

  test('two at once: one wins', async () => {
    const replies = await Promise.all([setUp({}, 'first password'), setUp({}, 'second password')])
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200, 403]))
  })

  test('signing in says what to do', async () => {
    const { status, body } = await server.client().signIn()
    expect(status).toBe(403)
    expect(body.message).toContain('earshot console set-password')
  })
})

test('behind a public URL the first visit sets nothing: a proxy may say nothing of its clients', async () => {
  server = await startConsole({ password: false, env: { EARSHOT_PUBLIC_URL: 'https://earshot.example' } })
  expect((await setUp()).status).toBe(403)
  await server.close()
})

test('connections from other machines may not set it, wherever they say they come from', async () => {
  server = await startConsole({ password: false })
  // In-process requests have no peer address, as those of other machines have no loopback one.
  const { createServer } = await import('../../src/server.ts')
  const response = await createServer(server.app, () => '').handle(
    new Request('http://127.0.0.1/console/api/setup', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-earshot-console': '1' },
      body: JSON.stringify({ password: PASSWORD }),
    }),
  )
  expect(response.status).toBe(403)
  await server.close()
})

describe('earshot console set-password', () => {
  async function run(input: string) {
    const child = Bun.spawn(commandLine(['console', 'set-password']), {
      env: cleanEnv({ EARSHOT_DATA: server.app.config.dataDir }),
      stdin: new TextEncoder().encode(input),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [stdout, stderr] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode: await child.exited, output: stdout + stderr }
  }

  test('sets it from stdin while the server runs, and signs the operator out everywhere', async () => {
    server = await startConsole()
    const client = server.client()
    await client.signIn()
    const { exitCode, output } = await run('quite another one\nignored')
    expect(exitCode).toBe(0)
    expect(output).not.toContain('quite another one')
    expect((await client.request('GET', '/v1/namespaces')).status).toBe(401)
    expect((await server.client().signIn()).status).toBe(403)
    expect((await server.client().signIn({ password: 'quite another one' })).status).toBe(200)
    await expect(setPassword(server.app, 'short')).rejects.toThrow('must have 10 to')
    await server.close()
  })
})

test('a password is kept as Argon2id and is the same however its accents were typed', async () => {
  server = await startConsole({ password: false })
  await setPassword(server.app, 'caf\u00e9 au lait noir')
  expect(findPasswordHash(server.app)).toStartWith('$argon2id$v=19$m=65536,t=2,p=1$')
  expect((await server.client().signIn({ password: 'cafe\u0301 au lait noir' })).status).toBe(200)
  await server.close()
})
