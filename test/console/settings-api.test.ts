// What the settings pages ask of the server: keys, webhooks, use, tasks, accounts and the doctor.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import type { Permissions } from '../../src/accounts/permissions.ts'
import { charge } from '../../src/billing/ledger.ts'
import { completeTask, createTask, failTask } from '../../src/jobs/tasks.ts'
import { newId } from '../../src/lib/id.ts'
import { Problem } from '../../src/lib/problem.ts'
import { DAY, HOUR } from '../../src/lib/time.ts'
import { createTaskWithWebhook } from '../../src/webhooks/choose.ts'
import { DISABLE_AFTER_FAILURES, noteFailure } from '../../src/webhooks/endpoints.ts'
import { type ConsoleClient, type ConsoleServer, startConsole } from '../support/console-client.ts'
import { createReceiver, type Receiver } from '../support/receiver.ts'

let server: ConsoleServer
let receiver: Receiver
let operator: ConsoleClient
let names = 0

beforeAll(async () => {
  receiver = createReceiver(
    (request) => new Response(null, { status: request.body.includes('boom') ? 500 : 200 }),
  )
  server = await startConsole({ env: { EARSHOT_TRUSTED_HOSTS: '127.0.0.1', EARSHOT_OFFLINE: '1' } })
  operator = server.client()
  await operator.signIn()
})
afterAll(async () => {
  await server.close()
  await receiver.close()
})

interface Member {
  readonly id: string
  readonly text: string
  readonly client: ConsoleClient
}

async function member(permissions: Permissions = 'all', expiresAt?: number): Promise<Member> {
  const { id } = createAccount(server.app, `member-${names++}`, 'custom')
  const { text } = createKey(server.app, id, { name: 'own', permissions, expiresAt })
  const client = server.client()
  expect((await client.signIn({ api_key: text })).status).toBe(200)
  return { id, text, client }
}

const withKey = async (key: string): Promise<number> =>
  (await server.client().request('GET', '/v1/usage', { headers: { 'x-api-key': key } })).status

describe('who may ask what', () => {
  const OWNER = ['/keys', '/webhooks', '/webhooks/deliveries']
  const OPERATOR = ['/accounts', '/models', '/health']

  test('nothing without a session, and an API key is none', async () => {
    const { text } = await member()
    for (const path of [...OWNER, ...OPERATOR, '/tasks', '/usage/days']) {
      const bare = await server.client().request('GET', `/console/api${path}`)
      expect([path, bare.status]).toEqual([path, 401])
      const headers = { 'x-api-key': text, authorization: `Bearer ${text}` }
      const keyed = await server.client().request('GET', `/console/api${path}`, { headers })
      expect([path, keyed.status]).toEqual([path, 401])
    }
  })

  test('an account reaches nothing of the operator', async () => {
    const { client } = await member()
    const calls = [
      ...OPERATOR.map((path) => ['GET', path] as const),
      ['POST', '/health'],
      ['POST', '/models/whisper-tiny-q8_0/pull'],
      ['DELETE', '/models/whisper-tiny-q8_0/pull'],
      ['DELETE', '/models/whisper-tiny-q8_0'],
      ['POST', '/models/use'],
      ['POST', '/session/account'],
    ] as const
    for (const [method, path] of calls) {
      const body = method === 'POST' ? { body: { account: 'default', task: 'speech' } } : {}
      const reply = await client.request(method, `/console/api${path}`, body)
      expect([path, reply.status, reply.body.error]).toEqual([path, 403, 'access_denied'])
    }
  })

  test('a key with some permissions manages neither keys nor webhooks', async () => {
    const { client } = await member(['transcribe', 'usage'])
    for (const path of OWNER) expect((await client.request('GET', `/console/api${path}`)).status).toBe(403)
    expect((await client.request('POST', '/console/api/keys', { body: {} })).status).toBe(403)
    expect((await client.request('GET', '/console/api/usage/days')).status).toBe(200)
    const without = await member(['transcribe'])
    expect((await without.client.request('GET', '/console/api/usage/days')).status).toBe(403)
  })

  test('the operator sees the accounts, and settings of the one that is shown', async () => {
    const { id } = await member()
    const { body } = await operator.request('GET', '/console/api/accounts')
    expect(body.data.map((account: { id: string }) => account.id)).toContain(id)
    await operator.request('POST', '/console/api/session/account', { body: { account: id } })
    const keys = await operator.request('GET', '/console/api/keys')
    expect(keys.body.data).toMatchObject([{ name: 'own', permissions: 'all', is_current: false }])
    await operator.request('POST', '/console/api/session/account', { body: { account: 'default' } })
  })
})

describe('keys', () => {
  test('are made with what was asked for, shown once, and work', async () => {
    const { client } = await member()
    const expires_at = new Date(server.app.now() + DAY).toISOString()
    const body = { name: ' backup job ', permissions: ['usage', 'search'], expires_at }
    const made = await client.request('POST', '/console/api/keys', { body })
    expect(made.body.data.key).toMatch(/^ear_\w{40}$/)
    expect(made.body.data.record).toMatchObject({ name: 'backup job', state: 'active', expires_at })
    expect(await withKey(made.body.data.key)).toBe(200)
    const listed = await client.request('GET', '/console/api/keys')
    expect(JSON.stringify(listed.body)).not.toContain(made.body.data.key)
    expect(listed.body.data.map((key: { is_current: boolean }) => key.is_current)).toEqual([false, true])
  })

  test.each([
    { permissions: [] },
    { permissions: ['everything'] },
    { permissions: 'some' },
    { expires_at: 'tomorrow' },
    { expires_at: '2001-01-01T00:00:00Z' },
    { name: 'x'.repeat(101) },
    { name: 7 },
  ])('refuse %p', async (body) => {
    const { client } = await member()
    expect((await client.request('POST', '/console/api/keys', { body })).status).toBe(400)
  })

  test('are rotated with a time in which both work, and revoked at once', async () => {
    const { client, text } = await member()
    const { body } = await client.request('GET', '/console/api/keys')
    const [{ id }] = body.data
    const rotated = await client.request('POST', `/console/api/keys/${id}/rotate`, {
      body: { grace_s: 3_600 },
    })
    const fresh = rotated.body.data
    expect([await withKey(text), await withKey(fresh.key)]).toEqual([200, 200])
    server.advance(HOUR)
    expect([await withKey(text), await withKey(fresh.key)]).toEqual([401, 200])
    const next = server.client()
    await next.signIn({ api_key: fresh.key })
    const revoked = await next.request('POST', `/console/api/keys/${fresh.record.id}/revoke`)
    expect(revoked.body.data.state).toBe('revoked')
    expect(await withKey(fresh.key)).toBe(401)
    expect((await next.request('GET', '/console/api/keys')).status).toBe(401)
  })

  test('of another account are not there', async () => {
    const [first, second] = [await member(), await member()]
    const { body } = await first.client.request('GET', '/console/api/keys')
    for (const action of ['rotate', 'revoke']) {
      const path = `/console/api/keys/${body.data[0].id}/${action}`
      const reply = await second.client.request('POST', path, { body: {} })
      expect([reply.status, reply.body.error]).toEqual([404, 'not_found'])
    }
    expect(await withKey(first.text)).toBe(200)
  })

  test('cannot be made to outlive the key of who makes them', async () => {
    const { client } = await member('all', server.app.now() + HOUR)
    const { body } = await client.request('GET', '/console/api/keys')
    expect((await client.request('POST', '/console/api/keys', { body: {} })).status).toBe(403)
    const path = `/console/api/keys/${body.data[0].id}/rotate`
    expect((await client.request('POST', path, { body: {} })).status).toBe(403)
  })
})

describe('webhooks', () => {
  const settings = async (client: ConsoleClient) =>
    (await client.request('GET', '/console/api/webhooks')).body.data

  test('show the secret with the first endpoint and when it is rotated, and never else', async () => {
    const { client } = await member()
    expect(await settings(client)).toMatchObject({
      url: null,
      state: 'none',
      secret: null,
      secret_hint: null,
    })
    const put = (url: string) => client.request('PUT', '/console/api/webhooks/default', { body: { url } })
    const first = await put(`${receiver.url}/one`)
    const { secret, state } = first.body.data
    expect([state, secret]).toEqual(['enabled', expect.stringMatching(/^whsec_\w{40}$/)])
    expect((await put(`${receiver.url}/two`)).body.data.secret).toBeNull()
    expect(await settings(client)).toMatchObject({
      url: `${receiver.url}/two`,
      secret: null,
      secret_hint: secret.slice(-4),
    })
    const rotated = await client.request('POST', '/console/api/webhooks/secret', { body: {} })
    expect(rotated.body.data.secret).not.toBe(secret)
    expect(Date.parse(rotated.body.data.previous_secret_until)).toBe(server.app.now() + DAY)
    expect((await client.request('DELETE', '/console/api/webhooks/default')).body.data.state).toBe('none')
  })

  test.each(['nonsense', 'ftp://example.com/x', 'http://169.254.169.254/', 'http://example.com/'])(
    'refuse %s as an endpoint',
    async (url) => {
      const { client } = await member()
      const reply = await client.request('PUT', '/console/api/webhooks/default', { body: { url } })
      expect(reply.status).toBe(400)
    },
  )

  test('are tested and replayed, and each delivery is listed', async () => {
    const { client } = await member()
    expect((await client.request('POST', '/console/api/webhooks/test')).status).toBe(400)
    await client.request('PUT', '/console/api/webhooks/default', { body: { url: `${receiver.url}/test` } })
    const before = receiver.received.length
    const sent = await client.request('POST', '/console/api/webhooks/test')
    expect(sent.body.data).toMatchObject({ status: 'delivered', source: 'test', response_status: 200 })
    const path = `/console/api/webhooks/deliveries/${sent.body.data.id}/replay`
    expect((await client.request('POST', path)).body.data).toMatchObject({ replay_of: sent.body.data.id })
    expect(receiver.received[before + 1]?.body).toBe(receiver.received[before]?.body ?? 'none')

    const page = (cursor = '') => client.request('GET', `/console/api/webhooks/deliveries?limit=1${cursor}`)
    const newest = (await page()).body.data
    expect(newest.items).toMatchObject([{ replay_of: sent.body.data.id }])
    const oldest = (await page(`&cursor=${newest.next_cursor}`)).body.data
    expect(oldest).toMatchObject({ items: [{ id: sent.body.data.id }], next_cursor: null })
    expect((await page('&cursor=nonsense')).body.error).toBe('invalid_cursor')

    const other = await member()
    expect((await other.client.request('POST', path)).status).toBe(404)
  })

  test('tell the owner that an endpoint was switched off, why, and switch it on again', async () => {
    const { client, id, text } = await member()
    const url = 'https://receiver.example/hook'
    await client.request('PUT', '/console/api/webhooks/default', { body: { url } })
    for (let time = 1; time < DISABLE_AFTER_FAILURES; time++) noteFailure(server.app, id, url)
    server.advance(73 * HOUR)
    noteFailure(server.app, id, url)
    // What the deliveries themselves would have left behind.
    const [deliveryId, taskId] = [newId(), newId()]
    server.app.db.run(
      `insert into webhook_deliveries (id, account_id, task_id, source, url, state, attempts, last_error, created_at)
       values (?, ?, ?, 'default', ?, 'failed', 5, 'The receiver answered 503.', ?)`,
      [deliveryId, id, taskId, url, server.app.now()],
    )
    await client.signIn({ api_key: text })
    const shown = await settings(client)
    expect(shown).toMatchObject({
      state: 'disabled',
      failures_in_row: 20,
      last_error: 'The receiver answered 503.',
    })
    expect(shown.notice).toStartWith(
      'Your endpoint was switched off after 20 failures in a row over 73 hours. The last error was: The receiver answered 503.',
    )
    expect(shown.notice).toContain('re-enable')
    const enabled = await client.request('POST', '/console/api/webhooks/enable')
    expect(enabled.body.data).toMatchObject({ state: 'enabled', notice: null, failures_in_row: 0 })
  })
})

describe('use by day', () => {
  test('adds up what was charged, less what was given back, on the day it happened', async () => {
    const { client, id, text } = await member()
    const spend = (quantity: number): void =>
      charge(server.app, { accountId: id, reference: newId(), meter: 'transcription_hour', quantity })
    spend(3_600)
    server.advance(2 * DAY)
    spend(1_800)
    spend(1_800)
    await client.signIn({ api_key: text })
    const { body } = await client.request('GET', '/console/api/usage/days?days=3')
    expect(body.data.days).toHaveLength(3)
    const [meter] = body.data.meters
    expect(meter).toMatchObject({ meter: 'transcription_hour', unit: 'hours', quantity: 2 })
    expect(meter.by_day.map((day: { quantity: number }) => day.quantity)).toEqual([1, 0, 1])
    expect(meter.credits).toBeCloseTo(2 / 3, 5)
    for (const days of ['0', '367', 'x', '1.5']) {
      expect((await client.request('GET', `/console/api/usage/days?days=${days}`)).status).toBe(400)
    }
  })
})

describe('tasks', () => {
  const stage = { kind: 'none', lane: 'net', attempts: 1 } as const
  const taskOf = (accountId: string, jobType: 'transcribe' | 'analyze_video', isSync = false) => ({
    accountId,
    jobType,
    isSync,
    request: { video_url: 'https://x.example/1' },
    stages: [stage],
  })
  const make = (...about: Parameters<typeof taskOf>) => createTask(server.app, taskOf(...about))

  test('of all kinds are listed newest first, with advice on failures, page by page', async () => {
    const { client, id } = await member()
    const first = make(id, 'transcribe')
    const second = make(id, 'analyze_video')
    make(id, 'transcribe', true)
    const third = make(id, 'transcribe')
    failTask(server.app, first.id, new Problem('video_not_found', 'There is no such video.'))
    completeTask(server.app, second.id, { large: 'result' })
    const { body } = await client.request('GET', '/console/api/tasks?limit=2')
    expect(body.data.items).toMatchObject([
      { task_id: third.id, task_status: 'processing', progress: 0, error: null },
      { task_id: second.id, task_status: 'completed', job_type: 'analyze_video', progress: 1 },
    ])
    expect(JSON.stringify(body)).not.toContain('large')
    const next = await client.request('GET', `/console/api/tasks?cursor=${body.data.next_cursor}`)
    expect(next.body.data).toMatchObject({
      items: [
        { task_id: first.id, error: { error: 'video_not_found', advice: expect.stringContaining('URL') } },
      ],
      next_cursor: null,
    })
  })

  test('are seen by the account and with the permission alone', async () => {
    const { client, id } = await member(['transcribe'])
    const [own, hidden] = [make(id, 'transcribe'), make(id, 'analyze_video')]
    const { body } = await client.request('GET', '/console/api/tasks')
    expect(body.data.items.map((task: { task_id: string }) => task.task_id)).toEqual([own.id])
    const other = await member()
    expect((await other.client.request('GET', '/console/api/tasks')).body.data.items).toEqual([])
    for (const [who, task] of [
      [other.client, own],
      [client, hidden],
    ] as const) {
      expect((await who.request('DELETE', `/console/api/tasks/${task.id}`)).status).toBe(404)
    }
  })

  test('can be stopped: they fail, cost nothing, and their webhook is told', async () => {
    const { client, id } = await member()
    const task = createTaskWithWebhook(server.app, taskOf(id, 'transcribe'), {
      url: `${receiver.url}/stopped`,
      source: 'request',
    })
    charge(server.app, { accountId: id, reference: task.id, meter: 'standard_request', quantity: 1 })
    const stop = () => client.request('DELETE', `/console/api/tasks/${task.id}`)
    expect((await stop()).status).toBe(200)
    const [item] = (await client.request('GET', '/console/api/tasks')).body.data.items
    expect(item).toMatchObject({ task_status: 'failed', error: { error: null, advice: null } })
    expect(item.error.message).toContain('stopped')
    const { body } = await client.request('GET', '/v1/usage')
    expect(body.data.usage.standard_request.used).toBe(0)
    // What is left to do is to tell of it.
    const jobs = server.app.db
      .query(`select kind from jobs where owner = ? and state = 'queued'`)
      .all(task.id)
    expect(jobs).toEqual([{ kind: 'deliver_webhook' }])
    expect((await stop()).status).toBe(400)
  })
})

describe('the doctor', () => {
  test('examines in the background, one at a time, and tells what it has found so far', async () => {
    await operator.signIn()
    const look = async (method = 'GET') => (await operator.request(method, '/console/api/health')).body.data
    expect((await look()).state).toBe('never')
    const started = await look('POST')
    expect(started).toMatchObject({ state: 'running', completed_at: null })
    expect((await look('POST')).started_at).toBe(started.started_at)
    let data = started
    while (data.findings.length < 3) {
      await Bun.sleep(10)
      data = await look()
    }
    const found = data.findings
      .slice(0, 3)
      .map(({ name, verdict }: { name: string; verdict: string }) => [name, verdict])
    expect(found).toEqual([
      ['data folder', 'ok'],
      ['database', 'ok'],
      ['outgoing requests', 'ok'],
    ])
    expect(data.parts).toBeGreaterThan(10)
  })
})

test('the console is no part of the public API', async () => {
  const document = await operator.request('GET', '/v1/openapi.json')
  const health = await operator.request('GET', '/v1/health')
  for (const { body } of [document, health]) expect(JSON.stringify(body)).not.toContain('/console')
})
