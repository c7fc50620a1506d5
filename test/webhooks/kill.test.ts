// Deliveries survive kill -9: a real process is killed with requests under way, again and again.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { HOUR } from '../../src/lib/time.ts'
import { findEvent, findTaskDelivery } from '../../src/webhooks/deliveries.ts'
import { createReceiver, isSignedWith } from '../support/receiver.ts'
import { getEndpoint } from '../../src/webhooks/endpoints.ts'
import { createWebhookTest } from './support.ts'

const CHILD = join(import.meta.dir, '../support/deliver-child.ts')
// More than the kills can deliver or put off: there is always something due.
const TASKS = 40
const KILLS = 5

test('every event arrives, with the same bytes and id each time, however often the process is killed', async () => {
  // Every second request is never answered: the process always dies with some under way, and with others settled.
  const never = Promise.withResolvers<Response>()
  let patient = true
  const receiver = createReceiver((_request, index) =>
    patient && index % 2 === 0 ? never.promise : new Response(null, { status: index % 3 === 0 ? 503 : 200 }),
  )
  const support = await createWebhookTest()
  const { app, accountId } = support
  try {
    const tasks = Array.from({ length: TASKS }, () => support.complete({ url: receiver.url }))
    for (let kill = 1; kill <= KILLS; kill++) {
      const before = receiver.received.length
      const child = Bun.spawn([process.execPath, CHILD, String(app.now())], {
        env: {
          ...process.env,
          EARSHOT_DATA: app.config.dataDir,
          EARSHOT_TRUSTED_HOSTS: '127.0.0.1',
        },
        stdout: 'ignore',
        stderr: 'ignore',
      })
      await receiver.arrived(before + kill)
      child.kill('SIGKILL')
      await child.exited
      support.advance(HOUR)
    }
    patient = false
    for (let i = 0; i < 8; i++) {
      support.advance(HOUR)
      await support.deliver()
    }
    const { secret } = getEndpoint(app, accountId)
    expect(receiver.received.every((request) => isSignedWith(secret, request))).toBe(true)
    for (const task of tasks) {
      const delivery = findTaskDelivery(app, task.id)
      expect(delivery).toMatchObject({ state: 'delivered' })
      expect(delivery?.attempts).toBeLessThanOrEqual(5)
      const requests = receiver.received.filter(({ headers }) => headers['x-service-task-id'] === task.id)
      expect(new Set(requests.map(({ body }) => body))).toEqual(
        new Set([findEvent(app, delivery?.id ?? '')?.body ?? 'none']),
      )
      expect(new Set(requests.map(({ headers }) => headers['x-service-delivery']))).toEqual(
        new Set([delivery?.id ?? 'none']),
      )
    }
    expect(receiver.received.length).toBeGreaterThan(TASKS)
    expect(app.db.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  } finally {
    never.resolve(new Response())
    await receiver.close()
    await support.close()
  }
}, 30_000)
