// Storage that uploads may take: reserved before the bytes come, so that uploads at the same time cannot together pass
// the limit, and given back when they end. Owns the table `storage_reservations`.

import type { Account } from '../accounts/accounts.ts'
import type { App } from '../app.ts'
import { formatBytes, storageLimit } from '../billing/usage-routes.ts'
import { transaction } from '../db/database.ts'
import { Problem } from '../lib/problem.ts'
import { storageUsedBytes } from './blobs.ts'

type Context = Pick<App, 'db' | 'now'>

export interface Reservation {
  /** The upload. */
  readonly id: string
  readonly account: Pick<Account, 'id' | 'plan'>
}

/**
 * Makes the reservation `wantedBytes` large, or as large as the limit allows but at least `neededBytes`; returns its size
 * (Infinity where there is no limit). Throws Problem `storage_quota_exceeded`, leaving it as it was.
 */
export function reserveStorage(
  app: Context,
  { id, account }: Reservation,
  { neededBytes, wantedBytes }: { readonly neededBytes: number; readonly wantedBytes: number },
): number {
  return transaction(app.db, () => {
    const limit = storageLimit(app, { accountId: account.id, plan: account.plan })
    if (limit === 'unlimited') return Number.POSITIVE_INFINITY
    const freeBytes = limit - storageUsedBytes(app, account.id) - reservedBytes(app, account.id, id)
    if (neededBytes > freeBytes) throw exceeded(limit, freeBytes)
    const sizeBytes = Math.min(wantedBytes, freeBytes)
    app.db
      .query(
        `insert into storage_reservations (id, account_id, size_bytes, created_at)
         values ($id, $accountId, $sizeBytes, $now)
         on conflict (id) do update set size_bytes = $sizeBytes`,
      )
      .run({ id, accountId: account.id, sizeBytes, now: app.now() })
    return sizeBytes
  })
}

function exceeded(limit: number, freeBytes: number): Problem {
  return new Problem(
    'storage_quota_exceeded',
    `The storage of this account (${formatBytes(limit)}) has ${formatBytes(Math.max(0, freeBytes))} left, which is not ` +
      'enough for this file. Delete files, or change the plan.',
  )
}

function reservedBytes({ db }: Pick<App, 'db'>, accountId: string, exceptId: string): number {
  const row = db
    .query<{ bytes: number }, [{ accountId: string; exceptId: string }]>(
      `select coalesce(sum(size_bytes), 0) as bytes from storage_reservations
       where account_id = $accountId and id <> $exceptId`,
    )
    .get({ accountId, exceptId })
  return row?.bytes ?? 0
}

/** Gives the rest back; joins the caller's transaction. Twice is fine. */
export function releaseStorage({ db }: Pick<App, 'db'>, id: string): void {
  db.query('delete from storage_reservations where id = $id').run({ id })
}

/** At start: uploads of the former process are gone, but for those in `keptIds`. */
export function releaseStorageExcept({ db }: Pick<App, 'db'>, keptIds: readonly string[]): void {
  db.query('delete from storage_reservations where id not in (select value from json_each($kept))').run({
    kept: JSON.stringify(keptIds),
  })
}
