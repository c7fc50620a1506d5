// Deliveries against a real receiver over the real way out; only the clock is the test's.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { App } from '../../src/app.ts'
import { failTask, pruneTasks } from '../../src/jobs/tasks.ts'
import { createRunner } from '../../src/jobs/runner.ts'
import { Problem } from '../../src/lib/problem.ts'
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts'
import { deliverJob, waitAfter } from '../../src/webhooks/deliver.job.ts'
import { webhookStatus } from '../../src/webhooks/deliveries.ts'
import { getEndpoint, rotateSecret, setDefaultUrl } from '../../src/webhooks/endpoints.ts'
import { type Answer, createReceiver, isSignedWith, type Receiver, signedAt } from '../support/receiver.ts'
import { createWebhookTest, type WebhookTest } from './support.ts'

let support: WebhookTest
let app: App
let receivers: Receiver[]
beforeEach(async () => {
  receivers = []
  support = await createWebhookTest({ EARSHOT_WEBHOOK_TIMEOUT_S: '0.3' })
  app = support.app
})
afterEach(async () => {
  for (const receiver of receivers) await receiver.close()
  await support.close()
})

function receive(answer?: Answer): Receiver {
  const receiver = createReceiver(answer)
  receivers.push(receiver)
  return receiver
}

const status =
  (code: number): Answer =>
  () =>
    new Response('no', { status: code })

/** Lets every wait of the schedule pass, with its jitter. */
async function deliverToTheEnd(): Promise<void> {
  for (let i = 0; i < 8; i++) {
    await support.deliver()
    support.advance(10 * MINUTE)
  }
}

test('the receiver gets a signed event that it can verify on its own', async () => {
  const receiver = receive()
  const task = support.complete({ url: receiver.url, result: { transcript: 'héllo ☃' } })
  expect(webhookStatus(app, task.id)).toEqual({
    status: 'pending',
    attempts: 0,
    response_status: null,
    last_error: null,
    delivered_at: null,
  })
  await support.deliver()
  const [request] = receiver.received
  if (!request) throw new Error('nothing came')
  expect(receiver.received).toHaveLength(1)
  const event = JSON.parse(request.body) as Record<string, unknown>
  expect(event).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    type: 'transcribe.completed',
    created_at: new Date(app.now()).toISOString(),
    api_version: '1.0.0',
    data: {
      task_id: task.id,
      task_status: 'completed',
      job_type: 'transcribe',
      check_status_url: `/v1/transcribe/${task.id}`,
      result: { transcript: 'héllo ☃' },
      result_truncated: false,
    },
  })
  expect(request.method).toBe('POST')
  expect(request.headers).toMatchObject({
    'content-type': 'application/json',
    'x-service-event': 'transcribe.completed',
    'x-service-delivery': expect.stringMatching(/^[0-9a-f-]{36}$/),
    'x-service-task-id': task.id,
  })
  const { secret } = getEndpoint(app, support.accountId)
  expect(isSignedWith(secret, request)).toBe(true)
  expect(isSignedWith(`${secret}x`, request)).toBe(false)
  expect(signedAt(request)).toBe(app.now() / SECOND)
  expect(webhookStatus(app, task.id)).toEqual({
    status: 'delivered',
    attempts: 1,
    response_status: 200,
    last_error: null,
    delivered_at: new Date(app.now()).toISOString(),
  })
})

test('a failed task tells its error, and a task in work tells nothing', async () => {
  const receiver = receive()
  const task = support.submit({ url: receiver.url, jobType: 'extract_video' })
  await support.deliver()
  expect(receiver.received).toHaveLength(0)
  failTask(app, task.id, new Problem('upstream_failed', 'The post could not be had'))
  await support.deliver()
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    type: 'extract_video.failed',
    data: {
      task_status: 'failed',
      check_status_url: `/v1/extract/video/${task.id}`,
      error: { error: null, message: 'The post could not be had', http_status: 502 },
    },
  })
  expect(receiver.received[0]?.body).not.toContain('"result')
})

test('five attempts with the waits of the schedule: same ids and bytes, each signed anew', async () => {
  const receiver = receive(status(500))
  const task = support.complete({ url: receiver.url })
  await support.deliver()
  const waits = [10, 60, 180, 530]
  for (const [index, waitS] of waits.entries()) {
    expect(webhookStatus(app, task.id)).toMatchObject({ status: 'pending', attempts: index + 1 })
    support.advance(waitS * 0.9 * SECOND - 1)
    await support.deliver()
    expect(receiver.received).toHaveLength(index + 1)
    support.advance(waitS * 0.2 * SECOND + 2)
    await support.deliver()
    expect(receiver.received).toHaveLength(index + 2)
  }
  await deliverToTheEnd()
  expect(receiver.received).toHaveLength(5)
  expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1)
  expect(new Set(receiver.received.map(({ headers }) => headers['x-service-delivery'])).size).toBe(1)
  expect(new Set(receiver.received.map((request) => signedAt(request))).size).toBe(5)
  const { secret } = getEndpoint(app, support.accountId)
  expect(receiver.received.every((request) => isSignedWith(secret, request))).toBe(true)
  expect(webhookStatus(app, task.id)).toEqual({
    status: 'failed',
    attempts: 5,
    response_status: 500,
    last_error: 'HTTP 500',
    delivered_at: null,
  })
})

test('waits have ±10 % of jitter and the last repeats', () => {
  expect(waitAfter([10, 60], 1, 0)).toBe(9_000)
  expect(waitAfter([10, 60], 2, 1)).toBe(66_000)
  expect(waitAfter([10, 60], 4, 0.5)).toBe(60_000)
})

describe('answers', () => {
  for (const code of [500, 503, 429, 301, 302, 307, 304]) {
    test(`${code} is tried again, then 204 delivers`, async () => {
      const elsewhere = receive()
      const receiver = receive((_request, index) =>
        index === 0
          ? new Response(null, { status: code, headers: { location: elsewhere.url } })
          : new Response(null, { status: 204 }),
      )
      const task = support.complete({ url: receiver.url })
      await support.deliver()
      expect(webhookStatus(app, task.id)).toMatchObject({
        status: 'pending',
        attempts: 1,
        response_status: code,
        last_error: expect.stringContaining(`HTTP ${code}`),
      })
      await deliverToTheEnd()
      expect(receiver.received).toHaveLength(2)
      expect(elsewhere.received).toHaveLength(0)
      expect(webhookStatus(app, task.id)).toMatchObject({
        status: 'delivered',
        attempts: 2,
        response_status: 204,
        last_error: null,
      })
    })
  }

  for (const code of [400, 401, 404, 408, 410, 422]) {
    test(`${code} is a permanent rejection`, async () => {
      const receiver = receive(status(code))
      const task = support.complete({ url: receiver.url })
      await deliverToTheEnd()
      expect(receiver.received).toHaveLength(1)
      expect(webhookStatus(app, task.id)).toMatchObject({
        status: 'failed',
        attempts: 1,
        response_status: code,
        last_error: `HTTP ${code}`,
      })
    })
  }

  test('a receiver that answers too late is asked again', async () => {
    const never = Promise.withResolvers<Response>()
    const receiver = receive((_request, index) => (index === 0 ? never.promise : new Response()))
    const task = support.complete({ url: receiver.url })
    await support.deliver()
    expect(webhookStatus(app, task.id)).toMatchObject({
      status: 'pending',
      attempts: 1,
      response_status: null,
      last_error: 'no answer within 0.3 s',
    })
    await deliverToTheEnd()
    expect(webhookStatus(app, task.id)).toMatchObject({ status: 'delivered', attempts: 2 })
    never.resolve(new Response())
  })

  test('nobody listening is tried five times, and the error never tells the address', async () => {
    const receiver = createReceiver()
    await receiver.close()
    const task = support.complete({ url: receiver.url })
    await deliverToTheEnd()
    const shown = webhookStatus(app, task.id)
    expect(shown).toMatchObject({ status: 'failed', attempts: 5, response_status: null })
    expect(shown?.last_error).toStartWith('no connection')
    expect(shown?.last_error).not.toContain('127.0.0.1')
  })

  test('an endless answer is cut off and counts by its status', async () => {
    let sent = 0
    const endless = (): ReadableStream =>
      new ReadableStream({
        pull(controller) {
          sent += 16_384
          controller.enqueue(new Uint8Array(16_384))
        },
      })
    const receiver = receive(() => new Response(endless()))
    const task = support.complete({ url: receiver.url })
    await support.deliver()
    expect(webhookStatus(app, task.id)).toMatchObject({ status: 'delivered', attempts: 1 })
    // What was under way in buffers when we stopped reading; unbounded reading would be gigabytes.
    expect(sent).toBeLessThan(64 * 1_048_576)
  })

  test('an answer whose body never ends is an acknowledgement all the same', async () => {
    const receiver = receive(
      () => new Response(new ReadableStream({ start: (c) => c.enqueue(new Uint8Array(1)) })),
    )
    const task = support.complete({ url: receiver.url })
    await support.deliver()
    expect(webhookStatus(app, task.id)).toMatchObject({ status: 'delivered', response_status: 200 })
  })
})

test('an address that became private is refused at once, without a connection', async () => {
  const receiver = receive()
  const task = support.complete({ url: receiver.url })
  // The operator has withdrawn the trust since the submit.
  const other = await createWebhookTest({ EARSHOT_TRUSTED_HOSTS: '' })
  await support.deliver({ ...app, fetcher: other.app.fetcher })
  await other.close()
  expect(receiver.received).toHaveLength(0)
  expect(webhookStatus(app, task.id)).toMatchObject({
    status: 'failed',
    attempts: 1,
    last_error: expect.stringContaining('private'),
  })
})

test('both secrets sign while a rotation overlaps, and only the new one afterwards', async () => {
  const receiver = receive()
  const before = getEndpoint(app, support.accountId).secret
  const { secret: after } = rotateSecret(app, support.accountId)
  expect(after).not.toBe(before)
  support.complete({ url: receiver.url })
  await support.deliver()
  support.advance(24 * HOUR)
  support.complete({ url: receiver.url })
  await support.deliver()
  const [during, later] = receiver.received
  if (!during || !later) throw new Error('two deliveries were expected')
  expect(during.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/)
  expect([isSignedWith(before, during), isSignedWith(after, during)]).toEqual([true, true])
  expect(later.headers['x-service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64}$/)
  expect([isSignedWith(before, later), isSignedWith(after, later)]).toEqual([false, true])
})

test('an event of a task that expired before anything could be sent is complete', async () => {
  const receiver = receive()
  const task = support.complete({ url: receiver.url, result: { n: 1 } })
  support.advance(3 * HOUR)
  expect(pruneTasks(app, 100)).toBe(0)
  await support.deliver()
  expect(pruneTasks(app, 100)).toBe(1)
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    data: { task_id: task.id, result: { n: 1 } },
  })
})

test('a runner that dies between sending and recording is followed by one that sends the same again', async () => {
  const receiver = receive()
  const task = support.complete({ url: receiver.url })
  const death = Promise.withResolvers<void>()
  const dying: App = {
    ...app,
    fetcher: {
      ...app.fetcher,
      async fetch(...request) {
        const response = await app.fetcher.fetch(...request)
        await death.promise
        return response
      },
    },
  }
  const lanes = { net: 1, compute: 1, webhooks: 4 }
  const first = createRunner(dying, { jobs: [deliverJob], lanes }).drain()
  await receiver.arrived(1)
  support.advance(MINUTE)
  await support.deliver()
  support.advance(MINUTE)
  await support.deliver()
  expect(receiver.received).toHaveLength(2)
  const [a, b] = receiver.received
  expect(b?.body).toBe(a?.body ?? 'missing')
  expect(b?.headers['x-service-delivery']).toBe(a?.headers['x-service-delivery'] ?? 'missing')
  const settled = webhookStatus(app, task.id)
  expect(settled).toMatchObject({ status: 'delivered', attempts: 1 })
  death.resolve()
  await first
  expect(webhookStatus(app, task.id)).toEqual(settled)
})

test('a delivery under way at shutdown is given back and made again', async () => {
  const never = Promise.withResolvers<Response>()
  const receiver = receive((_request, index) => (index === 0 ? never.promise : new Response()))
  const slow = await createWebhookTest({ EARSHOT_WEBHOOK_TIMEOUT_S: '60' })
  try {
    const task = slow.complete({ url: receiver.url })
    const lanes = { net: 1, compute: 1, webhooks: 4 }
    const runner = createRunner(slow.app, { jobs: [deliverJob], lanes })
    runner.start()
    await receiver.arrived(1)
    await runner.stop(0)
    expect(webhookStatus(slow.app, task.id)).toMatchObject({ status: 'pending', attempts: 0 })
    await slow.deliver()
    expect(webhookStatus(slow.app, task.id)).toMatchObject({ status: 'delivered', attempts: 1 })
    expect(receiver.received[1]?.body).toBe(receiver.received[0]?.body ?? 'missing')
  } finally {
    never.resolve(new Response())
    await slow.close()
  }
})

test('what was submitted for a default endpoint that is off by now is not sent', async () => {
  const receiver = receive()
  setDefaultUrl(app, support.accountId, receiver.url)
  const task = support.complete()
  app.db.run('update webhook_endpoints set disabled_at = 1')
  await support.deliver()
  expect(receiver.received).toHaveLength(0)
  expect(webhookStatus(app, task.id)).toMatchObject({
    status: 'failed',
    attempts: 0,
    response_status: null,
    last_error: expect.stringContaining('switched off'),
  })
})
