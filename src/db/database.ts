// The database: one file, one writer connection, every durable fact of the product in it.

import { Database } from 'bun:sqlite'
import { join } from 'node:path'

export type Db = Database

/** Where the database lies in a data folder. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'earshot.db')
}

/** Opens (and creates) the database. `:memory:` serves tests. */
export function openDatabase(path: string): Db {
  const db = new Database(path, { strict: true, create: true })
  db.run('pragma busy_timeout = 10000')
  db.run('pragma journal_mode = wal')
  // FULL: a commit that was acknowledged survives a power cut.
  db.run('pragma synchronous = full')
  db.run('pragma foreign_keys = on')
  db.run('pragma trusted_schema = off')
  return db
}

/** `work` must be synchronous: an `await` inside would let other requests write into this transaction. */
export function transaction<T>(db: Db, work: () => T extends PromiseLike<unknown> ? never : T): T {
  return db.transaction(work).immediate()
}
