// Idempotency-Key: a request that charges is done once, however often it is sent; later ones get the first one's bytes.
// After draft-ietf-httpapi-idempotency-key-header, except that a second request waits for the first instead of a 409,
// which the contract does not know. This file alone touches the table idempotency_keys.

import { type Db, transaction } from '../db/database.ts'
import { sha256 } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { DAY, MINUTE, SECOND, sleep } from '../lib/time.ts'
import { type Answer, bodyText } from './envelope.ts'

const KEPT_MS = DAY
const JSON_TYPE = 'application/json;charset=utf-8'

/** A second request waits so long for the first: less than the idle time-out of its connection, unless that is lifted. */
const WAIT_MS = { quick: 45 * SECOND, slow: 15 * MINUTE }

export interface IdempotencyContext {
  readonly db: Db
  readonly now: () => number
}

export interface Incoming {
  readonly request: Request
  readonly accountId: string
  readonly endpoint: string
  /** Whether the first request may take minutes. */
  readonly slow: boolean
}

/** A key that a request in work holds: others with the same key wait until it is settled. */
export interface Claim {
  /**
   * The answer of the first request; undefined when this is the first. `fingerprint`: SHA-256 of what is asked for.
   * Throws Problem `invalid_parameter` when the key was used for something else.
   */
  find(fingerprint: string): Response | undefined
  /** Writes the answer; joins the caller's transaction. `find` came before. */
  store(httpStatus: number, contentType: string, body: string): void
  /** Keeps the answer if it is one to keep and `store` was not called, and lets the next request go on. */
  settle(response: Response, refused: boolean): Promise<void>
}

export interface Idempotency {
  /** Undefined when the request has no key. Waits while another request holds the same key. */
  claim(incoming: Incoming): Promise<Claim | undefined>
  /** Runs `work` in a transaction that also writes its answer under the claimed key, if there is one. */
  commit<Body>(claim: Claim | undefined, work: () => Answer<Body>): Answer<Body>
}

export function createIdempotency(context: IdempotencyContext): Idempotency {
  const inWork = new Map<string, Promise<void>>()
  return {
    async claim({ request, accountId, endpoint, slow }) {
      const key = keyOf(request)
      if (key === undefined) return undefined
      const name = `${accountId} ${endpoint} ${key}`
      const untilMs = performance.now() + (slow ? WAIT_MS.slow : WAIT_MS.quick)
      for (let first = inWork.get(name); first; first = inWork.get(name)) {
        await waitFor(first, request.signal, untilMs - performance.now())
      }
      const { promise, resolve } = Promise.withResolvers<void>()
      inWork.set(name, promise)
      return createClaim(context, { accountId, endpoint, key }, () => {
        inWork.delete(name)
        resolve()
      })
    },
    commit(claim, work) {
      return transaction(context.db, (): Answer<never> => {
        const reply = work()
        claim?.store(reply.httpStatus, reply.contentType ?? JSON_TYPE, bodyText(reply))
        return reply as Answer<never>
      })
    },
  }
}

function keyOf(request: Request): string | undefined {
  const key = request.headers.get('idempotency-key')
  if (key === null) return undefined
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw new Problem(
    'invalid_parameter',
    'The header Idempotency-Key must have 1 to 255 printable ASCII characters.',
  )
}

/** Rejects with the signal's reason when the client leaves, and with a Problem when the first takes too long. */
async function waitFor(first: Promise<void>, signal: AbortSignal, waitMs: number): Promise<void> {
  const over = new AbortController()
  const late = async (): Promise<never> => {
    await sleep(waitMs, AbortSignal.any([signal, over.signal]))
    throw new Problem(
      'system_overload',
      'The first request with this Idempotency-Key is still in work. Send it again later.',
    )
  }
  try {
    await Promise.race([first, late()])
  } finally {
    over.abort()
  }
}

interface Scope {
  readonly accountId: string
  readonly endpoint: string
  readonly key: string
}

function createClaim(context: IdempotencyContext, scope: Scope, release: () => void): Claim {
  let fingerprint: string | undefined
  let stored = false
  const claim: Claim = {
    find(asked) {
      fingerprint = asked
      const row = findRow(context, scope)
      if (!row) return undefined
      if (row.fingerprint !== asked) {
        throw new Problem(
          'invalid_parameter',
          'This Idempotency-Key was used for another request. Use a new key for each thing you ask for.',
        )
      }
      stored = true
      const headers = { 'content-type': row.content_type, 'idempotent-replayed': 'true' }
      return new Response(row.body, { status: row.http_status, headers })
    },
    store(httpStatus, contentType, body) {
      if (fingerprint === undefined) throw new Error('an answer is stored only under what was asked for')
      insertRow(context, { ...scope, fingerprint, httpStatus, contentType, body })
      stored = true
    },
    async settle(response, refused) {
      try {
        if (stored || fingerprint === undefined || !isKept(response.status, refused)) return
        claim.store(
          response.status,
          response.headers.get('content-type') ?? JSON_TYPE,
          await response.clone().text(),
        )
      } finally {
        release()
      }
    },
  }
  return claim
}

/**
 * What is worth another attempt is not kept: faults of ours, refusals by key or rate, clients that left, and – unless
 * work was done for it – a lack of credits.
 */
function isKept(httpStatus: number, refused: boolean): boolean {
  if (httpStatus >= 499 || [401, 403, 429].includes(httpStatus)) return false
  return !(refused && httpStatus === 402)
}

/** SHA-256 over what a request asks for. Two bodies are the same when they say the same after checking. */
export function fingerprintOf(...parts: readonly unknown[]): string {
  return sha256(JSON.stringify(parts))
}

interface Row {
  readonly fingerprint: string
  readonly http_status: number
  readonly content_type: string
  readonly body: string
}

function findRow({ db, now }: IdempotencyContext, scope: Scope): Row | null {
  return db
    .query<Row, [Record<string, string | number>]>(
      `select fingerprint, http_status, content_type, body from idempotency_keys
       where account_id = $accountId and endpoint = $endpoint and key = $key and expires_at > $now`,
    )
    .get({ ...scope, now: now() })
}

type NewRow = Scope & {
  readonly fingerprint: string
  readonly httpStatus: number
  readonly contentType: string
  readonly body: string
}

function insertRow({ db, now }: IdempotencyContext, row: NewRow): void {
  // Replaces an expired one that the upkeep has not reached yet.
  db.query(
    `insert or replace into idempotency_keys
       (account_id, endpoint, key, fingerprint, http_status, content_type, body, expires_at)
     values ($accountId, $endpoint, $key, $fingerprint, $httpStatus, $contentType, $body, $expiresAt)`,
  ).run({ ...row, expiresAt: now() + KEPT_MS })
}

/** Forgets keys older than 24 hours, at most `limit` of them. */
export function pruneIdempotency({ db, now }: IdempotencyContext, limit: number): number {
  return db
    .query(
      `delete from idempotency_keys where rowid in (
         select rowid from idempotency_keys where expires_at <= $now order by expires_at limit $limit
       )`,
    )
    .run({ now: now(), limit }).changes
}
