// Tells a receiver how a task ended: at least once, at most five times, with the same ids and bytes each time.
// Ids and bytes are written before the first attempt and each outcome before the next, so a crash repeats at most one.

import type { App } from '../app.ts'
import { defineJob, type JobContext, Snooze } from '../jobs/job.ts'
import { getTask } from '../jobs/tasks.ts'
import { newId } from '../lib/id.ts'
import { type Infer, parser, t } from '../lib/schema.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import {
  ATTEMPTS_MAX,
  type Delivery,
  findEvent,
  findTaskDelivery,
  giveUpDelivery,
  recordEnd,
  recordRetry,
  sealDelivery,
} from './deliveries.ts'
import { findEndpoint, noteFailure, noteSuccess } from './endpoints.ts'
import { taskEvent, type WebhookEvent } from './event.ts'
import { type Answer, send } from './send.ts'

const Args = t.Object({ taskId: t.String() })
type Args = Infer<typeof Args>

/** Jitter on the waits: receivers that failed together are not asked again together. */
const JITTER = 0.1

export const deliverJob = defineJob({
  kind: 'deliver_webhook',
  lane: 'webhooks',
  // Only crashes count, and each recorded outcome starts the count anew: the row counts the attempts to deliver.
  attempts: 25,
  timeoutMs: 10 * MINUTE,
  args: parser(Args),
  async run(context: JobContext<Args>, app) {
    const { taskId } = context.args
    const delivery = seal(app, context)
    if (!delivery || delivery.state !== 'pending') return undefined
    const earlyMs = (delivery.nextAttemptAt ?? 0) - app.now()
    if (earlyMs > 0) throw new Snooze(earlyMs)
    if (isSwitchedOff(app, delivery)) {
      return () => giveUpDelivery(app, taskId, 'the default endpoint of the account is switched off')
    }
    const answer = await send(app, { ...delivery, deliveryId: delivery.id }, context.signal)
    app.metrics.webhookSent(answer.outcome)
    const attempt = delivery.attempts + 1
    app.log.info(
      {
        delivery: delivery.id,
        task: taskId,
        attempt,
        status: answer.responseStatus,
        outcome: answer.outcome,
      },
      'sent a webhook',
    )
    if (answer.outcome === 'retry' && attempt < ATTEMPTS_MAX) {
      const waitMs = waitAfter(app.config.webhookRetryS, attempt, Math.random())
      context.saveCheckpoint(null, () => recordRetry(app, delivery.id, answer, app.now() + waitMs))
      throw new Snooze(waitMs)
    }
    return () => end(app, delivery, answer)
  },
  failed({ taskId }, _problem, app) {
    giveUpDelivery(app, taskId, 'Earshot was interrupted again and again while it delivered this')
  },
})

/** The wait after the `attempt`th attempt (from 1), with jitter; `random` is 0..1. */
export function waitAfter(waitsS: readonly [number, ...number[]], attempt: number, random: number): number {
  const waitS = waitsS[Math.min(attempt, waitsS.length) - 1] ?? waitsS[0]
  return Math.round(waitS * SECOND * (1 - JITTER + 2 * JITTER * random))
}

/** The delivery with its event, which is made when it has none yet. Undefined when the task has no webhook. */
function seal(
  app: App,
  context: JobContext<Args>,
): (Delivery & { readonly event: WebhookEvent }) | undefined {
  const { taskId } = context.args
  const found = findTaskDelivery(app, taskId)
  if (!found) return undefined
  const sealed = findEvent(app, found.id)
  if (sealed) return { ...found, event: sealed }
  if (found.state !== 'waiting') return undefined
  const event = taskEvent(getTask(app, taskId), newId())
  context.saveCheckpoint(null, () => sealDelivery(app, found.id, event))
  return { ...found, state: 'pending', event }
}

/** Meanwhile, or before the task ended. A URL that came with a request is never switched off. */
function isSwitchedOff(app: App, delivery: Delivery): boolean {
  if (delivery.source !== 'default') return false
  const endpoint = findEndpoint(app, delivery.accountId)
  return endpoint?.url === delivery.url && endpoint.disabledAt !== null
}

function end(app: App, delivery: Delivery, answer: Answer): void {
  const { id, accountId, url, source } = delivery
  const { responseStatus, error } = answer
  if (answer.outcome === 'delivered') {
    recordEnd(app, id, 'delivered', { responseStatus, error })
    noteSuccess(app, accountId, url)
  } else {
    recordEnd(app, id, 'failed', { responseStatus, error })
    if (source === 'default') noteFailure(app, accountId, url)
  }
}
