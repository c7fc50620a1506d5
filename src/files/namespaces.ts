// Namespaces group the files of an account. Owns the table `namespaces`. Each account has one called `default`, made when
// it is first needed, in which every file is; it can be neither renamed nor deleted.

import type { Account } from '../accounts/accounts.ts'
import type { App } from '../app.ts'
import { PLAN_TERMS } from '../billing/plans.ts'
import { transaction } from '../db/database.ts'
import { isId, newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'

type Context = Pick<App, 'db' | 'now'>

export const DEFAULT_NAMESPACE = 'default'
const NAME_MAX = 100

export interface Namespace {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly isDefault: boolean
  readonly createdAt: number
  readonly updatedAt: number
}

interface Row {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly is_default: number
  readonly created_at: number
  readonly updated_at: number
}

const COLUMNS = 'id, account_id, name, is_default, created_at, updated_at'

function namespaceOf(row: Row): Namespace {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    isDefault: row.is_default === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function defaultNamespace(app: Context, accountId: string): Namespace {
  const find = app.db.query<Row, [{ accountId: string }]>(
    `select ${COLUMNS} from namespaces where account_id = $accountId and is_default = 1`,
  )
  const row = find.get({ accountId })
  return row ? namespaceOf(row) : insert(app, accountId, DEFAULT_NAMESPACE, true)
}

/** `default` first, then by name. There are at most as many as the plan allows, and one. */
export function listNamespaces(app: Context, accountId: string): readonly Namespace[] {
  defaultNamespace(app, accountId)
  return app.db
    .query<Row, [{ accountId: string }]>(
      `select ${COLUMNS} from namespaces where account_id = $accountId order by is_default desc, name`,
    )
    .all({ accountId })
    .map(namespaceOf)
}

/** Undefined for unknown ones and those of other accounts. */
export function findNamespace(app: Pick<App, 'db'>, accountId: string, id: string): Namespace | undefined {
  if (!isId(id)) return undefined
  const row = app.db
    .query<Row, [{ accountId: string; id: string }]>(
      `select ${COLUMNS} from namespaces where account_id = $accountId and id = $id`,
    )
    .get({ accountId, id })
  return row ? namespaceOf(row) : undefined
}

/** Throws Problem `invalid_parameter` for a name that is empty, too long, taken or reserved, and when there are too many. */
export function createNamespace(
  app: Context,
  account: Pick<Account, 'id' | 'plan'>,
  text: string,
): Namespace {
  const name = checkName(text)
  return transaction(app.db, () => {
    refuseTaken(app, account.id, name)
    const count = listNamespaces(app, account.id).length - 1
    const limit = PLAN_TERMS[account.plan].namespaces
    if (count >= limit) {
      throw new Problem(
        'invalid_parameter',
        `The account has ${count} namespaces, which is the limit of its plan. Delete one, or change the plan.`,
      )
    }
    return insert(app, account.id, name, false)
  })
}

/** As `createNamespace`; `namespace` must not be `default`. */
export function renameNamespace(app: Context, namespace: Namespace, text: string): void {
  if (namespace.isDefault) {
    throw new Problem('invalid_parameter', 'The namespace "default" cannot be renamed.')
  }
  const name = checkName(text)
  transaction(app.db, () => {
    if (name !== namespace.name) refuseTaken(app, namespace.accountId, name)
    app.db
      .query('update namespaces set name = $name, updated_at = $now where id = $id')
      .run({ id: namespace.id, name, now: app.now() })
  })
}

/** Its files stay, without it. Throws Problem `invalid_parameter` for `default`. */
export function deleteNamespace(app: Pick<App, 'db'>, namespace: Namespace): void {
  if (namespace.isDefault) {
    throw new Problem('invalid_parameter', 'The namespace "default" cannot be deleted.')
  }
  app.db.query('delete from namespaces where id = $id').run({ id: namespace.id })
}

/** Ids of what a file shall be in: the given ones and `default`. Throws Problem `invalid_parameter` for an unknown id. */
export function chooseNamespaces(app: Context, accountId: string, ids: readonly string[]): readonly string[] {
  for (const id of ids) {
    if (findNamespace(app, accountId, id)) continue
    const shown = id.slice(0, 64).replaceAll(/[^\w-]/g, '?')
    throw new Problem(
      'invalid_parameter',
      `"namespace_ids" names ${shown}, which is no namespace of this account.`,
    )
  }
  return [...new Set([defaultNamespace(app, accountId).id, ...ids])]
}

function checkName(text: string): string {
  const name = text.trim().toWellFormed()
  if (name === '' || Array.from(name).length > NAME_MAX || /\p{Cc}/u.test(name)) {
    throw new Problem(
      'invalid_parameter',
      `"name" must have 1 to ${NAME_MAX} characters, and no control characters.`,
    )
  }
  if (name.toLowerCase() === DEFAULT_NAMESPACE) {
    throw new Problem('invalid_parameter', 'The name "default" is reserved.')
  }
  return name
}

function refuseTaken({ db }: Context, accountId: string, name: string): void {
  const taken = db
    .query('select 1 from namespaces where account_id = $accountId and name = $name')
    .get({ accountId, name })
  if (taken !== null)
    throw new Problem('invalid_parameter', 'The account has a namespace of this name already.')
}

function insert(app: Context, accountId: string, name: string, isDefault: boolean): Namespace {
  const now = app.now()
  const namespace = { id: newId(), accountId, name, isDefault, createdAt: now, updatedAt: now }
  app.db
    .query(
      `insert into namespaces (id, account_id, name, is_default, created_at, updated_at)
       values ($id, $accountId, $name, $isDefault, $now, $now)`,
    )
    .run({ id: namespace.id, accountId, name, isDefault: isDefault ? 1 : 0, now })
  return namespace
}
