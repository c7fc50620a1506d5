// One attempt to deliver an event: signed anew, always the same bytes, through the egress proxy, bounded in every way.

import type { App } from '../app.ts'
import { asError, Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { VERSION } from '../lib/version.ts'
import type { Fetched, Fetcher } from '../net/fetch.ts'
import { limitedBody } from '../net/limited-body.ts'
import type { AttemptResult } from './deliveries.ts'
import { type EndpointsContext, signingSecrets } from './endpoints.ts'
import type { WebhookEvent } from './event.ts'
import { signatureHeader } from './signature.ts'

export type SendContext = EndpointsContext & { readonly fetcher: Pick<Fetcher, 'fetch'> } & Pick<App, 'now'>

/** So much of an answer's body is read, and thrown away. */
const ANSWER_BYTES_MAX = 65_536
const ERROR_LENGTH_MAX = 300

export interface Parcel {
  /** Stable over attempts and replays; receivers deduplicate on it. */
  readonly deliveryId: string
  readonly accountId: string
  readonly taskId: string
  readonly url: string
  readonly event: WebhookEvent
}

/** `retry`: another attempt may succeed. `rejected`: none will. */
export interface Answer extends AttemptResult {
  readonly outcome: 'delivered' | 'retry' | 'rejected'
}

/** Rejects only with the signal's reason; whatever the network and the receiver do is an answer. */
export async function send(context: SendContext, parcel: Parcel, signal: AbortSignal): Promise<Answer> {
  const timeoutMs = context.config.webhookTimeoutS * SECOND
  const late = AbortSignal.timeout(timeoutMs)
  const bounded = AbortSignal.any([signal, late])
  try {
    const response = await context.fetcher.fetch(parcel.url, {
      method: 'POST',
      headers: headersOf(context, parcel),
      body: parcel.event.body,
      signal: bounded,
      timeoutMs,
      maxRedirects: 0,
    })
    await drain(response, bounded)
    return judge(response.status)
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) return noAnswer('retry', `no answer within ${context.config.webhookTimeoutS} s`)
    return fault(error, parcel.url)
  }
}

function headersOf(context: SendContext, { event, ...parcel }: Parcel): Record<string, string> {
  const secrets = signingSecrets(context, parcel.accountId)
  return {
    'Content-Type': 'application/json',
    'User-Agent': `Earshot/${VERSION}`,
    'X-Service-Event': event.type,
    'X-Service-Delivery': parcel.deliveryId,
    'X-Service-Task-Id': parcel.taskId,
    'X-Service-Signature': signatureHeader(secrets, context.now(), event.body),
  }
}

/** The status line is the acknowledgement: a body that stalls, breaks off or never ends takes nothing back. */
async function drain({ body }: Fetched, signal: AbortSignal): Promise<void> {
  if (!body) return
  try {
    const chunks = limitedBody(body, { maxBytes: ANSWER_BYTES_MAX }, signal)
    while ((await chunks.next()).done !== true);
  } catch {
    // Nobody reads it.
  }
}

function judge(status: number): Answer {
  if (status >= 200 && status < 300) return { outcome: 'delivered', responseStatus: status, error: null }
  if (status >= 300 && status < 400) {
    return { outcome: 'retry', responseStatus: status, error: `HTTP ${status}: redirects are not followed` }
  }
  const permanent = status >= 400 && status < 500 && status !== 429
  return { outcome: permanent ? 'rejected' : 'retry', responseStatus: status, error: `HTTP ${status}` }
}

function noAnswer(outcome: 'retry' | 'rejected', error: string): Answer {
  return { outcome, responseStatus: null, error }
}

/** Polls show the error but never the URL, so hosts are taken out of it. */
function fault(error: unknown, url: string): Answer {
  if (error instanceof Problem && !error.temporary) {
    return noAnswer('rejected', 'the address is private or local, or not allowed for another reason')
  }
  const root = asError(error instanceof Problem && error.cause !== undefined ? error.cause : error)
  const { host, hostname } = new URL(url)
  const text = root.message.replaceAll(host, 'the receiver').replaceAll(hostname, 'the receiver')
  return noAnswer('retry', `no connection: ${text.slice(0, ERROR_LENGTH_MAX)}`)
}
