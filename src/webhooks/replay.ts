// Deliveries by hand: a test of an endpoint, and the repetition of an earlier delivery. One attempt each, no retries.

import { transaction } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { type Delivery, findDelivery, findEvent, recordSingle } from './deliveries.ts'
import { checkWebhookUrl, findEndpoint, noteSuccess } from './endpoints.ts'
import { testEvent } from './event.ts'
import { type Answer, type Parcel, send, type SendContext } from './send.ts'

/**
 * Sends a test event to `url`, by default the account's default endpoint, also when that is switched off. Throws Problem
 * `invalid_parameter` when there is none or it can't be used.
 */
export async function sendTest(
  context: SendContext,
  accountId: string,
  options: { readonly url?: string | undefined; readonly signal: AbortSignal },
): Promise<Delivery> {
  const url = options.url ?? findEndpoint(context, accountId)?.url
  if (url === undefined || url === null) {
    throw new Problem(
      'invalid_parameter',
      'This account has no default webhook endpoint. Set one, or give a URL.',
    )
  }
  const deliveryId = newId()
  const taskId = newId()
  const parcel: Parcel = {
    deliveryId,
    accountId,
    taskId,
    url: checkWebhookUrl(url, context.config),
    event: testEvent(newId(), taskId, context.now()),
  }
  const answer = await send(context, parcel, options.signal)
  return record(context, parcel, answer, { id: deliveryId, source: 'test', replayOf: null })
}

/**
 * Sends a delivery's bytes once more under its delivery id: to the account's default endpoint of today if it went to
 * the default, else to the URL it went to. Logged as a delivery of its own. Throws Problem `not_found`.
 */
export async function replayDelivery(
  context: SendContext,
  accountId: string,
  id: string,
  signal: AbortSignal,
): Promise<Delivery> {
  const named = findDelivery(context, accountId, id)
  const original = named?.replayOf ? findDelivery(context, accountId, named.replayOf) : named
  const event = original && findEvent(context, original.id)
  if (!original || !event) {
    throw new Problem('not_found', `This account has no delivery ${id} that could be sent again.`)
  }
  const { taskId, source } = original
  const current = source === 'default' ? findEndpoint(context, accountId)?.url : undefined
  const parcel: Parcel = {
    deliveryId: original.id,
    accountId,
    taskId,
    url: checkWebhookUrl(current ?? original.url, context.config),
    event,
  }
  const answer = await send(context, parcel, signal)
  return record(context, parcel, answer, { id: newId(), source, replayOf: original.id })
}

function record(
  context: SendContext,
  { accountId, taskId, url, event }: Parcel,
  { outcome, responseStatus, error }: Answer,
  row: Pick<Delivery, 'id' | 'source' | 'replayOf'>,
): Delivery {
  const state = outcome === 'delivered' ? 'delivered' : 'failed'
  return transaction(context.db, () => {
    if (state === 'delivered') noteSuccess(context, accountId, url)
    const ownEvent = row.replayOf === null ? event : null
    return recordSingle(context, { ...row, accountId, taskId, url, event: ownEvent }, state, {
      responseStatus,
      error,
    })
  })
}
