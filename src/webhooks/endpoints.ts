// The default endpoint of an account and its signing secret. Owns the table `webhook_endpoints`.
// A default endpoint that keeps failing is switched off; a URL given with a request never is.

import { findAccount } from '../accounts/accounts.ts'
import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import { randomText } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { DAY, HOUR, isoTime, isoTimeOrNull } from '../lib/time.ts'
import { checkUrl, type EgressPolicy, isTrustedUrl } from '../net/policy.ts'

export type EndpointsContext = Pick<App, 'db' | 'now' | 'config' | 'log'>

/** Both conditions must hold before a default endpoint is switched off. */
export const DISABLE_AFTER_FAILURES = 20
export const DISABLE_AFTER_MS = 72 * HOUR

/** How long the secret before the current one still signs, unless said otherwise. */
export const SECRET_OVERLAP_MS = DAY

const SECRET_PREFIX = 'whsec_'
const SECRET_LENGTH = 40

export interface Endpoint {
  readonly accountId: string
  /** Null: the account has no default endpoint. */
  readonly url: string | null
  /** Deliveries to it that failed since the last success. */
  readonly failuresInRow: number
  readonly firstFailureAt: number | null
  readonly disabledAt: number | null
  readonly disabledReason: string | null
  /** The current secret; receivers verify with it. */
  readonly secret: string
  readonly previousSecret: string | null
  readonly previousSecretUntil: number | null
}

interface Row {
  readonly account_id: string
  readonly url: string | null
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_secret_until: number | null
  readonly failures_in_row: number
  readonly first_failure_at: number | null
  readonly disabled_at: number | null
  readonly disabled_reason: string | null
}

const COLUMNS = `account_id, url, secret, previous_secret, previous_secret_until, failures_in_row, first_failure_at,
  disabled_at, disabled_reason`

/**
 * A URL to deliver to: public `https`, or a host that the operator trusts, there also plain `http`. Throws Problem
 * `invalid_parameter` for any other. Names are resolved, and judged again, when something is sent.
 */
export function checkWebhookUrl(text: string, policy: EgressPolicy): string {
  let url: URL
  try {
    url = checkUrl(text, policy)
  } catch (cause) {
    if (!(cause instanceof Problem)) throw cause
    throw new Problem('invalid_parameter', `webhook_url can't be used. ${cause.message}`, { cause })
  }
  if (url.protocol !== 'https:' && !isTrustedUrl(url, policy)) {
    throw new Problem('invalid_parameter', 'webhook_url must be an https URL.')
  }
  return text.trim()
}

/** The account's row; made, with a new secret, when it has none. */
export function getEndpoint(context: EndpointsContext, accountId: string): Endpoint {
  return transaction(context.db, () => {
    const found = findEndpoint(context, accountId)
    if (found) return found
    const row = context.db
      .query<Row, [Record<string, string | number>]>(
        `insert into webhook_endpoints (account_id, secret, created_at) values ($accountId, $secret, $now)
         returning ${COLUMNS}`,
      )
      .get({ accountId, secret: newSecret(), now: context.now() })
    if (!row) throw new Error('An inserted row was not returned')
    return endpointOf(row)
  })
}

export function findEndpoint({ db }: Pick<App, 'db'>, accountId: string): Endpoint | undefined {
  const row = db
    .query<Row, [{ accountId: string }]>(
      `select ${COLUMNS} from webhook_endpoints where account_id = $accountId`,
    )
    .get({ accountId })
  return row ? endpointOf(row) : undefined
}

/** A new default endpoint starts enabled and without failures. Throws Problem `invalid_parameter`. */
export function setDefaultUrl(context: EndpointsContext, accountId: string, text: string): Endpoint {
  return write(context, accountId, checkWebhookUrl(text, context.config))
}

/** Jobs submitted from now on have no webhook unless they bring a URL. The secret stays. */
export function clearDefaultUrl(context: EndpointsContext, accountId: string): Endpoint {
  return write(context, accountId, null)
}

/** Throws Problem `invalid_parameter` when there is no default endpoint. */
export function enableEndpoint(context: EndpointsContext, accountId: string): Endpoint {
  const { url } = getEndpoint(context, accountId)
  if (url === null) {
    throw new Problem(
      'invalid_parameter',
      'This account has no default webhook endpoint to enable. Set one first.',
    )
  }
  return write(context, accountId, url)
}

function write(context: EndpointsContext, accountId: string, url: string | null): Endpoint {
  return transaction(context.db, () => {
    getEndpoint(context, accountId)
    context.db
      .query(
        `update webhook_endpoints set url = $url, failures_in_row = 0, first_failure_at = null, disabled_at = null,
           disabled_reason = null
         where account_id = $accountId`,
      )
      .run({ accountId, url })
    return getEndpoint(context, accountId)
  })
}

/** The secrets to sign with now, the current one first; makes one on first use. */
export function signingSecrets(context: EndpointsContext, accountId: string): readonly string[] {
  const { secret, previousSecret, previousSecretUntil } = getEndpoint(context, accountId)
  const overlaps = previousSecret !== null && (previousSecretUntil ?? 0) > context.now()
  return overlaps ? [secret, previousSecret] : [secret]
}

/** The former secret signs beside the new one for `overlapMs`; one that was still overlapping ends at once. */
export function rotateSecret(
  context: EndpointsContext,
  accountId: string,
  overlapMs: number = SECRET_OVERLAP_MS,
): Endpoint {
  return transaction(context.db, () => {
    getEndpoint(context, accountId)
    context.db
      .query(
        `update webhook_endpoints set previous_secret = secret, previous_secret_until = $until, secret = $secret
         where account_id = $accountId`,
      )
      .run({ accountId, secret: newSecret(), until: context.now() + overlapMs })
    return getEndpoint(context, accountId)
  })
}

/** A delivery to `url` succeeded: when that is the default endpoint, its failures are forgotten. */
export function noteSuccess({ db }: Pick<App, 'db'>, accountId: string, url: string): void {
  db.query(
    `update webhook_endpoints set failures_in_row = 0, first_failure_at = null
     where account_id = $accountId and url = $url`,
  ).run({ accountId, url })
}

/** A delivery to the default endpoint `url` failed for good: counts it, and switches the endpoint off when due. */
export function noteFailure(context: EndpointsContext, accountId: string, url: string): void {
  const now = context.now()
  const row = context.db
    .query<Row, [Record<string, string | number>]>(
      `update webhook_endpoints
       set failures_in_row = failures_in_row + 1, first_failure_at = coalesce(first_failure_at, $now)
       where account_id = $accountId and url = $url and disabled_at is null
       returning ${COLUMNS}`,
    )
    .get({ accountId, url, now })
  if (!row || row.failures_in_row < DISABLE_AFTER_FAILURES) return
  const since = row.first_failure_at ?? now
  if (now - since <= DISABLE_AFTER_MS) return
  const reason = `${row.failures_in_row} deliveries in a row failed since ${isoTime(since)}.`
  context.db
    .query(
      `update webhook_endpoints set disabled_at = $now, disabled_reason = $reason where account_id = $accountId`,
    )
    .run({ accountId, now, reason })
  context.log.warn(
    { account: accountId, failures: row.failures_in_row, since: isoTime(since) },
    'switched a default webhook endpoint off; when it works again: earshot webhooks enable',
  )
}

function newSecret(): string {
  return SECRET_PREFIX + randomText(SECRET_LENGTH)
}

function endpointOf(row: Row): Endpoint {
  return {
    accountId: row.account_id,
    url: row.url,
    failuresInRow: row.failures_in_row,
    firstFailureAt: row.first_failure_at,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousSecretUntil: row.previous_secret_until,
  }
}

/** An endpoint in listings, as JSON: without its secrets. */
export interface EndpointRecord {
  readonly url: string | null
  readonly state: 'none' | 'enabled' | 'disabled'
  readonly disabled_at: string | null
  readonly disabled_reason: string | null
  readonly failures_in_row: number
  readonly first_failure_at: string | null
  /** Until then the former secret signs too. */
  readonly previous_secret_until: string | null
}

export function endpointRecord(endpoint: Endpoint, atMs: number): EndpointRecord {
  const { url, disabledAt, previousSecretUntil } = endpoint
  const isOverlapping = (previousSecretUntil ?? 0) > atMs
  return {
    url,
    state: url === null ? 'none' : disabledAt === null ? 'enabled' : 'disabled',
    disabled_at: isoTimeOrNull(disabledAt),
    disabled_reason: endpoint.disabledReason,
    failures_in_row: endpoint.failuresInRow,
    first_failure_at: isoTimeOrNull(endpoint.firstFailureAt),
    previous_secret_until: isoTimeOrNull(isOverlapping ? previousSecretUntil : null),
  }
}

/** Default endpoints that failed for days and were switched off, by account name. */
export function listDisabledEndpoints({
  db,
}: Pick<App, 'db'>): readonly { readonly account: string; readonly disabledAt: number }[] {
  return db
    .query<{ account_id: string; disabled_at: number }, []>(
      `select account_id, disabled_at from webhook_endpoints where disabled_at is not null order by disabled_at`,
    )
    .all()
    .map(({ account_id, disabled_at }) => ({
      account: findAccount({ db }, account_id)?.name ?? account_id,
      disabledAt: disabled_at,
    }))
}
