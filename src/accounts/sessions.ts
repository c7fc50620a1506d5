// Who is signed in to the console: the operator, or an account by one of its API keys. A session of a key lives and dies
// with the key. This file alone touches the table sessions.

import { transaction } from '../db/database.ts'
import { newId, randomText, sha256 } from '../lib/id.ts'
import { DAY, HOUR, MINUTE } from '../lib/time.ts'
import { type Account, type AccountsContext, findAccount } from './accounts.ts'
import { type ApiKey, findByKeyId } from './keys.ts'
import type { Permissions } from './permissions.ts'

/** A session ends when it has not been used for so long. */
export const SESSION_IDLE_MS = 12 * HOUR
/** And in any case then. */
const SESSION_LIFE_MS = 30 * DAY
/** Use is noted this exactly. */
const RENEW_STEP_MS = MINUTE
/** 256 bits; the table holds only its hash. */
const TOKEN_LENGTH = 43
/** Of the operator, or of one key: the oldest goes. */
const SESSIONS_MAX = 100

export interface Session {
  readonly id: string
  readonly role: 'operator' | 'account'
  /** Whose library is shown. */
  readonly account: Account
  /** The key that signed in; undefined for the operator. */
  readonly key: ApiKey | undefined
  readonly permissions: Permissions
  readonly createdAt: number
  readonly expiresAt: number
}

export interface NewSession {
  /** Undefined: of the operator. */
  readonly keyId: string | undefined
  readonly accountId: string
}

interface Row {
  readonly id: string
  readonly key_id: string | null
  readonly account_id: string
  readonly expires_at: number
  readonly created_at: number
}

/** Returns the token for the cookie: nobody can ask for it again. */
export function createSession({ db, now }: AccountsContext, { keyId, accountId }: NewSession): string {
  const token = randomText(TOKEN_LENGTH)
  const at = now()
  transaction(db, () => {
    db.query('delete from sessions where expires_at <= $at').run({ at })
    db.query(
      `delete from sessions where id in
         (select id from sessions where key_id is $keyId order by id desc limit -1 offset $kept)`,
    ).run({ keyId: keyId ?? null, kept: SESSIONS_MAX - 1 })
    db.query(
      `insert into sessions (id, hash, key_id, account_id, created_at, expires_at)
       values ($id, $hash, $keyId, $accountId, $at, $expiresAt)`,
    ).run({
      id: newId(),
      hash: sha256(token),
      keyId: keyId ?? null,
      accountId,
      at,
      expiresAt: at + SESSION_IDLE_MS,
    })
  })
  return token
}

/** Undefined for an unknown or expired one, and when its key is revoked or expired or the key's account disabled. */
export function findSession(context: AccountsContext, token: string): Session | undefined {
  if (token.length !== TOKEN_LENGTH) return undefined
  const row = context.db
    .query<Row, { hash: string; now: number }>(
      `select id, key_id, account_id, created_at, expires_at from sessions where hash = $hash and expires_at > $now`,
    )
    .get({ hash: sha256(token), now: context.now() })
  if (!row) return undefined
  const common = { id: row.id, createdAt: row.created_at, expiresAt: row.expires_at }
  if (row.key_id === null) {
    const account = findAccount(context, row.account_id)
    return account && { ...common, role: 'operator', account, key: undefined, permissions: 'all' }
  }
  const identity = findByKeyId(context, row.key_id)
  return identity && { ...common, role: 'account', ...identity, permissions: identity.key.permissions }
}

/** Notes that it is in use. True when it lives longer now: the cookie should too. */
export function renewSession({ db, now }: AccountsContext, session: Session): boolean {
  const expiresAt = Math.min(now() + SESSION_IDLE_MS, session.createdAt + SESSION_LIFE_MS)
  if (expiresAt - session.expiresAt < RENEW_STEP_MS) return false
  db.query('update sessions set expires_at = $expiresAt where id = $id').run({ expiresAt, id: session.id })
  return true
}

/** Does nothing for a token of no session. */
export function endSession({ db }: Pick<AccountsContext, 'db'>, token: string): void {
  db.query('delete from sessions where hash = $hash').run({ hash: sha256(token) })
}

/** When the password changes: whoever knew the old one signs in again. */
export function endOperatorSessions({ db }: Pick<AccountsContext, 'db'>): void {
  db.query('delete from sessions where key_id is null').run()
}

/** Another account's library, for the operator. */
export function setSessionAccount(
  { db }: Pick<AccountsContext, 'db'>,
  session: Session,
  accountId: string,
): void {
  db.query('update sessions set account_id = $accountId where id = $id and key_id is null').run({
    accountId,
    id: session.id,
  })
}
