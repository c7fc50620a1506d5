// API keys: `ear_` + 40 base-62 characters, shown once. Only the SHA-256 of a key is stored; 238 random bits need no salt.
// This file alone touches the table api_keys.

import { timingSafeEqual } from 'node:crypto'
import { type Db, transaction } from '../db/database.ts'
import { newId, randomText, sha256 } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { MINUTE } from '../lib/time.ts'
import { type Account, type AccountsContext, findAccount } from './accounts.ts'
import { formatPermissions, parsePermissions, type Permissions } from './permissions.ts'

const PREFIX = 'ear_'
const RANDOM_LENGTH = 40
const HINT_LENGTH = 4
const LAST_USED_STEP_MS = MINUTE

export interface ApiKey {
  readonly id: string
  readonly accountId: string
  readonly name: string
  /** The last characters of the key's text, to tell keys apart. */
  readonly hint: string
  readonly permissions: Permissions
  readonly createdAt: number
  /** Exact to a minute. */
  readonly lastUsedAt: number | undefined
  readonly expiresAt: number | undefined
  readonly revokedAt: number | undefined
}

export interface NewKey {
  readonly key: ApiKey
  /** The key itself: nobody can ask for it again. */
  readonly text: string
}

interface Row {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly hash: string
  readonly hint: string
  readonly permissions: string
  readonly created_at: number
  readonly last_used_at: number | null
  readonly expires_at: number | null
  readonly revoked_at: number | null
}

const COLUMNS =
  'id, account_id, name, hash, hint, permissions, created_at, last_used_at, expires_at, revoked_at'

function keyOf(row: Row): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    hint: row.hint,
    // A name that this version does not know grants nothing.
    permissions: parsePermissions(row.permissions) ?? [],
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
  }
}

export interface KeyOptions {
  readonly name: string
  readonly permissions: Permissions
  readonly expiresAt: number | undefined
}

export function createKey({ db, now }: AccountsContext, accountId: string, options: KeyOptions): NewKey {
  if (options.name.length > 100)
    throw new Problem('invalid_parameter', 'A key name has at most 100 characters.')
  if (options.expiresAt !== undefined && options.expiresAt <= now()) {
    throw new Problem('invalid_parameter', 'The expiry date of a new key must be in the future.')
  }
  const text = PREFIX + randomText(RANDOM_LENGTH)
  const key: ApiKey = {
    id: newId(),
    accountId,
    ...options,
    hint: text.slice(-HINT_LENGTH),
    createdAt: now(),
    lastUsedAt: undefined,
    revokedAt: undefined,
  }
  db.query(
    `insert into api_keys (id, account_id, name, hash, hint, permissions, created_at, expires_at)
     values ($id, $accountId, $name, $hash, $hint, $permissions, $createdAt, $expiresAt)`,
  ).run({
    id: key.id,
    accountId,
    name: key.name,
    hash: sha256(text),
    hint: key.hint,
    permissions: formatPermissions(key.permissions),
    createdAt: key.createdAt,
    expiresAt: key.expiresAt ?? null,
  })
  return { key, text }
}

/** Of one account, or of all; oldest first. */
export function listKeys({ db }: Pick<AccountsContext, 'db'>, accountId?: string): readonly ApiKey[] {
  return db
    .query<Row, { accountId: string | null }>(
      `select ${COLUMNS} from api_keys where $accountId is null or account_id = $accountId
       order by id limit 10000`,
    )
    .all({ accountId: accountId ?? null })
    .map(keyOf)
}

/** Revoked and expired ones too. */
export function findKey({ db }: Pick<AccountsContext, 'db'>, id: string): ApiKey | undefined {
  const row = db.query<Row, { id: string }>(`select ${COLUMNS} from api_keys where id = $id`).get({ id })
  return row ? keyOf(row) : undefined
}

function getKey(db: Db, id: string): ApiKey {
  const key = findKey({ db }, id)
  if (key) return key
  throw new Problem('not_found', `There is no key with the id "${id}". See: earshot keys list`)
}

/** Takes effect with the next request. Revoking twice keeps the first time. */
export function revokeKey({ db, now }: AccountsContext, id: string): ApiKey {
  const key = getKey(db, id)
  const revokedAt = key.revokedAt ?? now()
  db.query('update api_keys set revoked_at = $revokedAt where id = $id').run({ revokedAt, id })
  return { ...key, revokedAt }
}

/** A new key with the old one's name, permissions and expiry date; the old one stays valid for `graceMs` at most. */
export function rotateKey(context: AccountsContext, id: string, graceMs: number): NewKey {
  return transaction(context.db, () => {
    const old = getKey(context.db, id)
    if (!isValid(old, context.now())) {
      throw new Problem('invalid_parameter', 'The key is revoked or expired. Create a new one instead.')
    }
    const { name, permissions, expiresAt } = old
    const created = createKey(context, old.accountId, { name, permissions, expiresAt })
    const endsAt = Math.min(expiresAt ?? Infinity, context.now() + graceMs)
    context.db.query('update api_keys set expires_at = $endsAt where id = $id').run({ endsAt, id })
    return created
  })
}

function isValid(key: ApiKey, atMs: number): boolean {
  return key.revokedAt === undefined && (key.expiresAt === undefined || key.expiresAt > atMs)
}

export interface Identity {
  readonly account: Account
  readonly key: ApiKey
}

/** Undefined for an unknown, revoked or expired key, and for a key of a disabled account. */
export function findByText(context: AccountsContext, text: string): Identity | undefined {
  if (text.length !== PREFIX.length + RANDOM_LENGTH || !text.startsWith(PREFIX)) return undefined
  const hash = sha256(text)
  const row = context.db
    .query<Row, { hash: string }>(`select ${COLUMNS} from api_keys where hash = $hash`)
    .get({ hash })
  if (!row || !timingSafeEqual(Buffer.from(row.hash), Buffer.from(hash))) return undefined
  return identityOf(context, keyOf(row))
}

/** The same by the key's id, for what the key has begun. */
export function findByKeyId(context: AccountsContext, id: string): Identity | undefined {
  const key = findKey(context, id)
  return key && identityOf(context, key)
}

function identityOf(context: AccountsContext, key: ApiKey): Identity | undefined {
  const account = findAccount(context, key.accountId)
  if (!isValid(key, context.now()) || !account || account.disabledAt !== undefined) return undefined
  noteUse(context, key)
  return { account, key }
}

function noteUse({ db, now }: AccountsContext, { id, lastUsedAt }: ApiKey): void {
  if (lastUsedAt !== undefined && now() - lastUsedAt < LAST_USED_STEP_MS) return
  db.query('update api_keys set last_used_at = $lastUsedAt where id = $id').run({ lastUsedAt: now(), id })
}
