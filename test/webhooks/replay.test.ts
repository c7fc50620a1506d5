// What an owner sends by hand, and the log that shows it.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import type { App } from '../../src/app.ts'
import { newId } from '../../src/lib/id.ts'
import { DAY, MINUTE } from '../../src/lib/time.ts'
import { listDeliveries, pruneDeliveries, webhookStatus } from '../../src/webhooks/deliveries.ts'
import { findEndpoint, getEndpoint, setDefaultUrl } from '../../src/webhooks/endpoints.ts'
import { replayDelivery, sendTest } from '../../src/webhooks/replay.ts'
import { createReceiver, isSignedWith, type Receiver } from '../support/receiver.ts'
import { createWebhookTest, type WebhookTest } from './support.ts'

let support: WebhookTest
let app: App
let accountId: string
let receiver: Receiver
let code: number
const { signal } = new AbortController()
beforeEach(async () => {
  code = 200
  receiver = createReceiver(() => new Response(null, { status: code }))
  support = await createWebhookTest()
  ;({ app, accountId } = support)
})
afterEach(async () => {
  await receiver.close()
  await support.close()
})

const log = (limit = 10, before?: string) => listDeliveries(app, accountId, { limit, before })

test('a replay sends the same bytes under the same id, signed anew, and is logged by itself', async () => {
  code = 404
  const task = support.complete({ url: receiver.url })
  await support.deliver()
  const [original] = log()
  support.advance(3 * DAY)
  code = 202
  const replay = await replayDelivery(app, accountId, original?.id ?? '', signal)
  expect(replay).toMatchObject({
    state: 'delivered',
    attempts: 1,
    responseStatus: 202,
    replayOf: original?.id,
  })
  const [first, second] = receiver.received
  if (!first || !second) throw new Error('two requests were expected')
  expect(second.bytes).toEqual(first.bytes)
  for (const name of ['x-service-delivery', 'x-service-event', 'x-service-task-id']) {
    expect(second.headers[name]).toBe(first.headers[name] ?? 'missing')
  }
  expect(isSignedWith(getEndpoint(app, accountId).secret, second)).toBe(true)
  expect(webhookStatus(app, task.id)).toMatchObject({ status: 'failed', response_status: 404 })
  expect(log().map(({ id, state }) => [id, state])).toEqual([
    [replay.id, 'delivered'],
    [original?.id ?? '', 'failed'],
  ])
  await replayDelivery(app, accountId, replay.id, signal)
  expect(receiver.received[2]?.bytes).toEqual(first.bytes)
  expect(log()[0]?.replayOf).toBe(original?.id ?? 'missing')
})

test('a replay to the default goes to the default of today', async () => {
  setDefaultUrl(app, accountId, 'http://127.0.0.1:9/old')
  support.complete()
  for (let i = 0; i < 5; i++) {
    await support.deliver()
    support.advance(20 * MINUTE)
  }
  expect(findEndpoint(app, accountId)?.failuresInRow).toBe(1)
  setDefaultUrl(app, accountId, receiver.url)
  expect(await replayDelivery(app, accountId, log()[0]?.id ?? '', signal)).toMatchObject({
    state: 'delivered',
  })
  expect(receiver.received).toHaveLength(1)
})

test('unknown ids, another account’s and tasks still in work cannot be replayed', async () => {
  support.complete({ url: receiver.url })
  await support.deliver()
  const other = createAccount(app, 'other', 'custom').id
  const waiting = support.submit({ url: receiver.url })
  const waitingRow = app.db
    .query<{ id: string }, [string]>('select id from webhook_deliveries where task_id = ?')
    .get(waiting.id)
  for (const [account, id] of [
    [accountId, newId()],
    [other, log()[0]?.id ?? ''],
    [accountId, waitingRow?.id ?? ''],
  ] as const) {
    expect(replayDelivery(app, account, id, signal)).rejects.toThrow(/no delivery/)
  }
  expect(receiver.received).toHaveLength(1)
})

test('a test reaches the default endpoint signed, and its failure does not count against it', async () => {
  expect(sendTest(app, accountId, { signal })).rejects.toThrow(/no default webhook endpoint/)
  setDefaultUrl(app, accountId, receiver.url)
  const good = await sendTest(app, accountId, { signal })
  expect(good).toMatchObject({ state: 'delivered', source: 'test', responseStatus: 200, attempts: 1 })
  const [request] = receiver.received
  if (!request) throw new Error('nothing came')
  expect(request.headers['x-service-event']).toBe('webhook.test')
  expect(request.headers['x-service-delivery']).toBe(good.id)
  expect(isSignedWith(getEndpoint(app, accountId).secret, request)).toBe(true)
  code = 500
  expect(await sendTest(app, accountId, { signal })).toMatchObject({ state: 'failed', lastError: 'HTTP 500' })
  expect(findEndpoint(app, accountId)?.failuresInRow).toBe(0)
  expect(log().map(({ eventType }) => eventType)).toEqual(['webhook.test', 'webhook.test'])
  expect(sendTest(app, accountId, { url: 'https://10.0.0.1/', signal })).rejects.toThrow(/webhook_url/)
})

test('the log is newest first, in pages, without tasks still in work', async () => {
  for (let i = 0; i < 3; i++) support.complete({ url: receiver.url })
  await support.deliver()
  support.submit({ url: receiver.url })
  const ids = log().map(({ id }) => id)
  expect(ids).toHaveLength(3)
  expect(ids).toEqual(ids.toSorted().toReversed())
  expect([...log(2), ...log(2, ids[1])].map(({ id }) => id)).toEqual(ids)
})

test('finished deliveries are pruned by age, others never', async () => {
  support.complete({ url: receiver.url })
  await support.deliver()
  const waiting = support.submit({ url: receiver.url })
  support.advance(DAY)
  expect(pruneDeliveries(app, app.now() - DAY, 10)).toBe(0)
  support.advance(1)
  expect(pruneDeliveries(app, app.now() - DAY, 10)).toBe(1)
  expect(webhookStatus(app, waiting.id)).not.toBeNull()
})
