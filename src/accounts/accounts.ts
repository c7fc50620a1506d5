// Accounts: everything a caller owns hangs on one. This file alone touches the table accounts.

import { type Db, transaction } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import { findPlan, type Plan } from './plans.ts'

/** What this folder needs of the application. */
export interface AccountsContext {
  readonly db: Db
  readonly now: () => number
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly createdAt: number
  /** Its keys answer 401 from then on; what already runs, finishes. */
  readonly disabledAt: number | undefined
}

interface Row {
  readonly id: string
  readonly name: string
  readonly plan: string
  readonly created_at: number
  readonly disabled_at: number | null
}

const COLUMNS = 'id, name, plan, created_at, disabled_at'

/** The account of a server that nobody has set up yet. */
const FIRST_ACCOUNT = 'default'

function accountOf(row: Row): Account {
  return {
    id: row.id,
    name: row.name,
    plan: findPlan(row.plan) ?? 'none',
    createdAt: row.created_at,
    disabledAt: row.disabled_at ?? undefined,
  }
}

/** Name: 1 to 64 letters, digits, `.`, `_`, `@`, `-`, inner spaces. Throws Problem `invalid_parameter` for others and for a taken name. */
export function createAccount({ db, now }: AccountsContext, name: string, plan: Plan): Account {
  if (!/^[\p{L}\p{N} ._@-]{1,64}$/u.test(name) || name.trim() !== name) {
    throw new Problem(
      'invalid_parameter',
      'An account name has 1 to 64 letters, digits, dots, underscores, hyphens, at signs, or spaces inside.',
    )
  }
  const account: Account = { id: newId(), name, plan, createdAt: now(), disabledAt: undefined }
  const { changes } = db
    .query(
      `insert into accounts (id, name, plan, created_at) values ($id, $name, $plan, $createdAt)
       on conflict (name) do nothing`,
    )
    .run({ id: account.id, name, plan, createdAt: account.createdAt })
  if (changes === 0) throw new Problem('invalid_parameter', `There is already an account "${name}".`)
  return account
}

/** On an empty database: creates the account `default` (plan custom) and returns it. */
export function createFirstAccount(context: AccountsContext): Account | undefined {
  return transaction(context.db, () => {
    if (context.db.query('select 1 from accounts limit 1').get() !== null) return undefined
    return createAccount(context, FIRST_ACCOUNT, 'custom')
  })
}

export function findAccount({ db }: Pick<AccountsContext, 'db'>, id: string): Account | undefined {
  const row = db.query<Row, { id: string }>(`select ${COLUMNS} from accounts where id = $id`).get({ id })
  return row ? accountOf(row) : undefined
}

/** By name or id. Throws Problem `not_found`. */
export function getAccount({ db }: Pick<AccountsContext, 'db'>, nameOrId: string): Account {
  const row = db
    .query<Row, { nameOrId: string }>(
      `select ${COLUMNS} from accounts where name = $nameOrId or id = $nameOrId order by name = $nameOrId desc`,
    )
    .get({ nameOrId })
  if (row) return accountOf(row)
  throw new Problem('not_found', `There is no account "${nameOrId}". See: earshot accounts list`)
}

/** All accounts, oldest first: administration works on hundreds, not millions. */
export function listAccounts({ db }: Pick<AccountsContext, 'db'>): readonly Account[] {
  return db.query<Row, []>(`select ${COLUMNS} from accounts order by id limit 10000`).all().map(accountOf)
}

export function setPlan(context: AccountsContext, nameOrId: string, plan: Plan): Account {
  const account = getAccount(context, nameOrId)
  context.db.query('update accounts set plan = $plan where id = $id').run({ plan, id: account.id })
  return { ...account, plan }
}

/** Disabling twice keeps the first time. */
export function disableAccount(context: AccountsContext, nameOrId: string): Account {
  const account = getAccount(context, nameOrId)
  const disabledAt = account.disabledAt ?? context.now()
  context.db
    .query('update accounts set disabled_at = $disabledAt where id = $id')
    .run({ disabledAt, id: account.id })
  return { ...account, disabledAt }
}

/** An account in listings, as JSON. */
export interface AccountRecord {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly created_at: string
  readonly disabled_at: string | null
}

export function accountRecord({ id, name, plan, createdAt, disabledAt }: Account): AccountRecord {
  return {
    id,
    name,
    plan,
    created_at: isoTime(createdAt),
    disabled_at: isoTimeOrNull(disabledAt ?? null),
  }
}
