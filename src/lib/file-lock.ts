// A lock that ends with its process, however that ends: an exclusive SQLite transaction on a file of its own.
// Plain lock files would have to guess whether their writer still lives.

import { Database, SQLiteError } from 'bun:sqlite'
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'

export interface FileLock {
  /** Safe to call twice. The lock's file stays: deleting it would let two processes hold locks of one name. */
  release(): void
}

/** Undefined when another process, or this one, holds the lock on `path`. Creates missing folders. */
export function tryFileLock(path: string): FileLock | undefined {
  mkdirSync(dirname(path), { recursive: true })
  const db = new Database(path, { create: true })
  try {
    db.run('pragma busy_timeout = 0')
    db.run('begin exclusive')
  } catch (error) {
    db.close()
    if (error instanceof SQLiteError && error.code?.startsWith('SQLITE_BUSY')) return undefined
    throw error
  }
  return { release: () => db.close() }
}
