// Webhooks of the account that is shown, in the console: the default endpoint with the notice when it was switched off,
// its signing secret, and what was sent.

import type { SessionGuards } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { type Answer, answer, type Success, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { type Infer, t } from '../lib/schema.ts'
import { DAY, HOUR, SECOND } from '../lib/time.ts'
import { deliveryRecord, findLastFailure, listDeliveries } from '../webhooks/deliveries.ts'
import {
  clearDefaultUrl,
  type Endpoint,
  enableEndpoint,
  endpointRecord,
  findEndpoint,
  rotateSecret,
  setDefaultUrl,
} from '../webhooks/endpoints.ts'
import { replayDelivery, sendTest } from '../webhooks/replay.ts'
import { PageQuery, pageOf } from './page.ts'
import { CONSOLE, instant, nullable, wrapped } from './spec.ts'

const count = t.Integer()
const text = t.String()

const WebhookSettings = t.Object({
  url: nullable(text),
  state: t.Union([t.Literal('none'), t.Literal('enabled'), t.Literal('disabled')]),
  disabled_at: nullable(instant),
  disabled_reason: nullable(text),
  failures_in_row: count,
  first_failure_at: nullable(instant),
  last_error: nullable(t.String({ description: 'Of the last delivery to it that failed' })),
  notice: nullable(t.String({ description: 'Why it was switched off and what to do, for its owner' })),
  previous_secret_until: nullable(instant),
  secret_hint: nullable(t.String({ description: 'The last characters of the signing secret' })),
  secret: nullable(t.String({ description: 'Only in the answer to what made it' })),
})

export type WebhookData = Infer<typeof WebhookSettings>

const Delivery = t.Object({
  id: text,
  task_id: text,
  event_type: nullable(text),
  source: t.Union([t.Literal('default'), t.Literal('request'), t.Literal('test')]),
  replay_of: nullable(text),
  url: text,
  status: t.Union([t.Literal('waiting'), t.Literal('pending'), t.Literal('delivered'), t.Literal('failed')]),
  attempts: count,
  response_status: nullable(count),
  last_error: nullable(text),
  created_at: instant,
  next_attempt_at: nullable(instant),
  delivered_at: nullable(instant),
})

export type DeliveryData = Infer<typeof Delivery>

const OVERLAP_MAX_S = (30 * DAY) / SECOND
const HINT_LENGTH = 4

export function webhookRoutes(app: App, { owner }: SessionGuards): readonly Route[] {
  return [...settingsRoutes(app, owner), ...deliveryRoutes(app, owner)]
}

function settingsRoutes(app: App, owner: SessionGuards['owner']): readonly Route[] {
  const spec = { ...CONSOLE, auth: owner, responses: { 200: wrapped(WebhookSettings) } }
  return [
    route({ ...spec, method: 'GET', path: '/webhooks', summary: 'The default endpoint' }, ({ caller }) =>
      settings(app, findEndpoint(app, caller.account.id)),
    ),
    route(
      {
        ...spec,
        method: 'PUT',
        path: '/webhooks/default',
        summary: 'Set the default endpoint; one set anew is switched on',
        body: t.Object({ url: t.String({ maxLength: 2_048 }) }),
      },
      ({ caller, body }) => {
        const before = findEndpoint(app, caller.account.id)
        const after = setDefaultUrl(app, caller.account.id, body.url)
        // The first endpoint brings the secret with it.
        return settings(app, after, before === undefined ? after.secret : null)
      },
    ),
    route(
      { ...spec, method: 'DELETE', path: '/webhooks/default', summary: 'Have no default endpoint' },
      ({ caller }) => settings(app, clearDefaultUrl(app, caller.account.id)),
    ),
    route(
      { ...spec, method: 'POST', path: '/webhooks/enable', summary: 'Switch it on again' },
      ({ caller }) => settings(app, enableEndpoint(app, caller.account.id)),
    ),
    route(
      {
        ...spec,
        method: 'POST',
        path: '/webhooks/secret',
        summary: 'A new signing secret; for a while both sign',
        body: t.Object({ overlap_s: t.Optional(t.Integer({ minimum: 0, maximum: OVERLAP_MAX_S })) }),
      },
      ({ caller, body }) => {
        const overlapMs = (body.overlap_s ?? DAY / SECOND) * SECOND
        const after = rotateSecret(app, caller.account.id, overlapMs)
        return settings(app, after, after.secret)
      },
    ),
  ]
}

function deliveryRoutes(app: App, owner: SessionGuards['owner']): readonly Route[] {
  const spec = { ...CONSOLE, auth: owner }
  const one = { ...spec, responses: { 200: wrapped(Delivery) }, slow: true }
  return [
    route(
      {
        ...one,
        method: 'POST',
        path: '/webhooks/test',
        summary: 'Send a test event to the default endpoint, once',
      },
      async ({ caller, signal }) =>
        answer(200, success(deliveryRecord(await sendTest(app, caller.account.id, { signal })))),
    ),
    route(
      {
        ...spec,
        method: 'GET',
        path: '/webhooks/deliveries',
        summary: 'What was sent, newest first',
        query: PageQuery,
        responses: { 200: wrapped(t.Object({ items: t.Array(Delivery), next_cursor: nullable(text) })) },
      },
      ({ caller, query }) => {
        const list = (range: { limit: number; before: string | undefined }) =>
          listDeliveries(app, caller.account.id, range)
        return answer(200, success(pageOf(query, list, deliveryRecord)))
      },
    ),
    route(
      {
        ...one,
        method: 'POST',
        path: '/webhooks/deliveries/{delivery_id}/replay',
        summary: 'Send a delivery once more, with the same bytes',
      },
      async ({ caller, params, signal }) => {
        const delivery = await replayDelivery(app, caller.account.id, params.delivery_id, signal)
        return answer(200, success(deliveryRecord(delivery)))
      },
    ),
  ]
}

function settings(
  app: App,
  endpoint: Endpoint | undefined,
  secret: string | null = null,
): Answer<Success<WebhookData>> {
  if (!endpoint) return answer(200, success(NO_ENDPOINT))
  const record = endpointRecord(endpoint, app.now())
  const failure = endpoint.url === null ? undefined : findLastFailure(app, endpoint.accountId, endpoint.url)
  const lastError = endpoint.failuresInRow > 0 ? (failure?.lastError ?? null) : null
  return answer(
    200,
    success({
      ...record,
      last_error: lastError,
      notice: noticeOf(endpoint, lastError),
      secret_hint: endpoint.secret.slice(-HINT_LENGTH),
      secret,
    }),
  )
}

/** What the owner of an endpoint that was switched off must know. */
function noticeOf(
  { disabledAt, failuresInRow, firstFailureAt }: Endpoint,
  lastError: string | null,
): string | null {
  if (disabledAt === null) return null
  const hours = Math.floor((disabledAt - (firstFailureAt ?? disabledAt)) / HOUR)
  const why = lastError === null ? '' : ` The last error was: ${lastError.replace(/\.$/, '')}.`
  return (
    `Your endpoint was switched off after ${failuresInRow} failures in a row over ${hours} hours.${why} Jobs still run and ` +
    'can be polled, but nothing is sent to it. Mend the receiver, send a test, then re-enable it.'
  )
}

const NO_ENDPOINT: WebhookData = {
  url: null,
  state: 'none',
  disabled_at: null,
  disabled_reason: null,
  failures_in_row: 0,
  first_failure_at: null,
  last_error: null,
  notice: null,
  previous_secret_until: null,
  secret_hint: null,
  secret: null,
}
