// The log of deliveries: one row per task with a webhook, made with the task; further rows for tests and replays.
// Owns the table `webhook_deliveries`. Ids, address and bytes never change once the event exists.

import type { App } from '../app.ts'
import { newId } from '../lib/id.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import type { WebhookEvent } from './event.ts'

export type DeliveriesContext = Pick<App, 'db' | 'now'>

/** Attempts at most, the first one included. */
export const ATTEMPTS_MAX = 5

/** `default`: to the account's default endpoint. `request`: to a URL that came with the submit. */
export type DeliverySource = 'default' | 'request' | 'test'

/** `waiting`: the task is in work and there is no event yet. */
export type DeliveryState = 'waiting' | 'pending' | 'delivered' | 'failed'

export interface Delivery {
  readonly id: string
  readonly accountId: string
  readonly taskId: string
  readonly source: DeliverySource
  /** The delivery whose bytes and id this one repeated. */
  readonly replayOf: string | null
  readonly url: string
  readonly state: DeliveryState
  /** Null while `waiting`, and in a replay, which has its original's. */
  readonly eventType: string | null
  /** Attempts whose outcome is known. */
  readonly attempts: number
  readonly nextAttemptAt: number | null
  readonly responseStatus: number | null
  readonly lastError: string | null
  readonly createdAt: number
  readonly deliveredAt: number | null
}

interface Row {
  readonly id: string
  readonly account_id: string
  readonly task_id: string
  readonly source: string
  readonly replay_of: string | null
  readonly url: string
  readonly state: string
  readonly event_type: string | null
  readonly attempts: number
  readonly next_attempt_at: number | null
  readonly response_status: number | null
  readonly last_error: string | null
  readonly created_at: number
  readonly delivered_at: number | null
}

/** Without the body, which may be large and is only wanted for sending. */
const COLUMNS = `id, account_id, task_id, source, replay_of, url, state, event_type, attempts, next_attempt_at,
  response_status, last_error, created_at, delivered_at`

type Values = Record<string, string | number | null>

/** What became of one attempt. */
export interface AttemptResult {
  /** Of the answer; null when none came. */
  readonly responseStatus: number | null
  readonly error: string | null
}

export interface NewDelivery {
  readonly accountId: string
  readonly taskId: string
  readonly source: DeliverySource
  readonly url: string
}

/** In the transaction that creates the task: where its end will be told. */
export function planDelivery(context: DeliveriesContext, delivery: NewDelivery): void {
  insert(context, { ...delivery, id: newId(), replayOf: null, event: null }, 'waiting')
}

/** Gives a waiting delivery its event; from here on every attempt sends these bytes. */
export function sealDelivery(context: DeliveriesContext, id: string, event: WebhookEvent): void {
  context.db
    .query(
      `update webhook_deliveries
       set state = 'pending', event_id = $eventId, event_type = $type, body = $body, next_attempt_at = $now
       where id = $id and state = 'waiting'`,
    )
    .run({ id, eventId: event.id, type: event.type, body: event.body, now: context.now() })
}

/** After an attempt that will be followed by another, at `nextAttemptAt`. */
export function recordRetry(
  context: DeliveriesContext,
  id: string,
  result: AttemptResult,
  nextAttemptAt: number,
): void {
  context.db
    .query(
      `update webhook_deliveries
       set attempts = attempts + 1, response_status = $responseStatus, last_error = $error, next_attempt_at = $nextAttemptAt
       where id = $id and state = 'pending'`,
    )
    .run({ id, ...result, nextAttemptAt })
}

/** After the last attempt. */
export function recordEnd(
  context: DeliveriesContext,
  id: string,
  state: 'delivered' | 'failed',
  result: AttemptResult,
): void {
  const now = context.now()
  context.db
    .query(
      `update webhook_deliveries
       set state = $state, attempts = attempts + 1, response_status = $responseStatus, last_error = $error,
         next_attempt_at = null, finished_at = $now, delivered_at = $deliveredAt
       where id = $id and state = 'pending'`,
    )
    .run({ id, state, ...result, now, deliveredAt: state === 'delivered' ? now : null })
}

/** Ends a delivery without another attempt; what the last one met stays, but for the reason. */
export function giveUpDelivery(context: DeliveriesContext, taskId: string, reason: string): void {
  context.db
    .query(
      `update webhook_deliveries
       set state = 'failed', last_error = $reason, next_attempt_at = null, finished_at = $now
       where task_id = $taskId and replay_of is null and state in ('waiting', 'pending')`,
    )
    .run({ taskId, reason, now: context.now() })
}

/** A single attempt that has been made already: a test, or the replay of an earlier delivery. */
export function recordSingle(
  context: DeliveriesContext,
  delivery: Insert,
  state: 'delivered' | 'failed',
  result: AttemptResult,
): Delivery {
  insert(context, delivery, 'pending')
  recordEnd(context, delivery.id, state, result)
  const found = findDelivery(context, delivery.accountId, delivery.id)
  if (!found) throw new Error('An inserted delivery was not found')
  return found
}

interface Insert extends NewDelivery {
  readonly id: string
  readonly replayOf: string | null
  readonly event: WebhookEvent | null
}

function insert({ db, now }: DeliveriesContext, delivery: Insert, state: DeliveryState): void {
  const { id, accountId, taskId, source, replayOf, url, event } = delivery
  db.query(
    `insert into webhook_deliveries
       (id, account_id, task_id, source, replay_of, url, state, event_id, event_type, body, created_at)
     values ($id, $accountId, $taskId, $source, $replayOf, $url, $state, $eventId, $eventType, $body, $now)`,
  ).run({
    id,
    accountId,
    taskId,
    source,
    replayOf,
    url,
    state,
    eventId: event?.id ?? null,
    eventType: event?.type ?? null,
    body: event?.body ?? null,
    now: now(),
  })
}

/** The delivery that tells of the task's end; replays are not it. */
export function findTaskDelivery({ db }: Pick<App, 'db'>, taskId: string): Delivery | undefined {
  const row = db
    .query<Row, [Values]>(
      `select ${COLUMNS} from webhook_deliveries where task_id = $taskId and replay_of is null`,
    )
    .get({ taskId })
  return row ? deliveryOf(row) : undefined
}

export function findDelivery({ db }: Pick<App, 'db'>, accountId: string, id: string): Delivery | undefined {
  const row = db
    .query<Row, [Values]>(
      `select ${COLUMNS} from webhook_deliveries where id = $id and account_id = $accountId`,
    )
    .get({ id, accountId })
  return row ? deliveryOf(row) : undefined
}

/** What a delivery sends; undefined while `waiting`, and for replays. */
export function findEvent({ db }: Pick<App, 'db'>, id: string): WebhookEvent | undefined {
  const row = db
    .query<WebhookEvent, [Values]>(
      `select event_id as id, event_type as type, body from webhook_deliveries where id = $id and body is not null`,
    )
    .get({ id })
  return row ?? undefined
}

/** Newest first, without those that still wait for their task. `before`: the last id of the page before. */
export function listDeliveries(
  { db }: Pick<App, 'db'>,
  accountId: string,
  options: { readonly limit: number; readonly before?: string | undefined },
): readonly Delivery[] {
  return db
    .query<Row, [Values]>(
      `select ${COLUMNS} from webhook_deliveries
       where account_id = $accountId and state <> 'waiting' and ($before is null or id < $before)
       order by id desc limit $limit`,
    )
    .all({ accountId, limit: options.limit, before: options.before ?? null })
    .map(deliveryOf)
}

/** The last delivery to `url` that failed for good: why an endpoint was switched off. */
export function findLastFailure(
  { db }: Pick<App, 'db'>,
  accountId: string,
  url: string,
): Delivery | undefined {
  const row = db
    .query<Row, [Values]>(
      `select ${COLUMNS} from webhook_deliveries
       where account_id = $accountId and url = $url and state = 'failed' and source <> 'test' and attempts > 0
       order by id desc limit 1`,
    )
    .get({ accountId, url })
  return row ? deliveryOf(row) : undefined
}

/** `data.webhook` of a poll. */
export interface WebhookStatus {
  readonly status: 'pending' | 'delivered' | 'failed'
  readonly attempts: number
  readonly response_status: number | null
  readonly last_error: string | null
  readonly delivered_at: string | null
}

/** Null when the task has no webhook. Never tells the URL. */
export function webhookStatus({ db }: Pick<App, 'db'>, taskId: string): WebhookStatus | null {
  const delivery = findTaskDelivery({ db }, taskId)
  if (!delivery) return null
  return {
    status: delivery.state === 'waiting' ? 'pending' : delivery.state,
    attempts: delivery.attempts,
    response_status: delivery.responseStatus,
    last_error: delivery.lastError,
    delivered_at: isoTimeOrNull(delivery.deliveredAt),
  }
}

/** Without the body. */
export interface DeliveryRecord {
  readonly id: string
  readonly task_id: string
  readonly event_type: string | null
  readonly source: DeliverySource
  readonly replay_of: string | null
  readonly url: string
  readonly status: DeliveryState
  readonly attempts: number
  readonly response_status: number | null
  readonly last_error: string | null
  readonly created_at: string
  readonly next_attempt_at: string | null
  readonly delivered_at: string | null
}

/** The log's JSON form. */
export function deliveryRecord(delivery: Delivery): DeliveryRecord {
  return {
    id: delivery.id,
    task_id: delivery.taskId,
    event_type: delivery.eventType,
    source: delivery.source,
    replay_of: delivery.replayOf,
    url: delivery.url,
    status: delivery.state,
    attempts: delivery.attempts,
    response_status: delivery.responseStatus,
    last_error: delivery.lastError,
    created_at: isoTime(delivery.createdAt),
    next_attempt_at: isoTimeOrNull(delivery.nextAttemptAt),
    delivered_at: isoTimeOrNull(delivery.deliveredAt),
  }
}

/** Removes deliveries that ended before `before` (epoch ms), at most `limit` of them. */
export function pruneDeliveries({ db }: Pick<App, 'db'>, before: number, limit: number): number {
  return db
    .query(
      `delete from webhook_deliveries where id in
         (select id from webhook_deliveries where finished_at < $before order by finished_at limit $limit)`,
    )
    .run({ before, limit }).changes
}

function deliveryOf(row: Row): Delivery {
  return {
    id: row.id,
    accountId: row.account_id,
    taskId: row.task_id,
    source: row.source as DeliverySource,
    replayOf: row.replay_of,
    url: row.url,
    state: row.state as DeliveryState,
    eventType: row.event_type,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    responseStatus: row.response_status,
    lastError: row.last_error,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
  }
}
