// Which content each account has stored, and how many files share it. Owns the table `blobs`. What counts towards the
// storage of an account is the sum of its blobs: the same bytes uploaded twice count once.

import type { App } from '../app.ts'
import { type BlobName, storeBlob } from './storage.ts'

type Context = Pick<App, 'config' | 'db' | 'log' | 'now'>

/** Counts one more file with this content; the first one moves its bytes from `path`. Joins the caller's transaction. */
export function keepBlob(app: Context, name: BlobName, options: { path: string; sizeBytes: number }): void {
  const row = app.db
    .query<{ uses: number }, [Record<string, string | number>]>(
      `insert into blobs (account_id, sha256, size_bytes, uses, created_at)
       values ($accountId, $sha256, $sizeBytes, 1, $now)
       on conflict do update set uses = uses + 1
       returning uses`,
    )
    .get({ ...name, sizeBytes: options.sizeBytes, now: app.now() })
  if (row?.uses === 1) storeBlob(app, name, options.path)
}

/** Counts one file less; joins the caller's transaction. True: it was the last one, and the bytes go after the commit. */
export function releaseBlob({ db }: Pick<App, 'db'>, name: BlobName): boolean {
  const { changes } = db
    .query('delete from blobs where account_id = $accountId and sha256 = $sha256 and uses = 1')
    .run({ ...name })
  if (changes === 1) return true
  db.query('update blobs set uses = uses - 1 where account_id = $accountId and sha256 = $sha256').run({
    ...name,
  })
  return false
}

export function hasBlob({ db }: Pick<App, 'db'>, name: BlobName): boolean {
  return (
    db.query('select 1 from blobs where account_id = $accountId and sha256 = $sha256').get({ ...name }) !==
    null
  )
}

/** Bytes stored for the account. */
export function storageUsedBytes({ db }: Pick<App, 'db'>, accountId: string): number {
  const row = db
    .query<{ bytes: number }, [{ accountId: string }]>(
      'select coalesce(sum(size_bytes), 0) as bytes from blobs where account_id = $accountId',
    )
    .get({ accountId })
  return row?.bytes ?? 0
}
