// One server per data folder. The lock is an exclusive SQLite transaction, so the kernel drops it when the process dies.

import { Database } from 'bun:sqlite'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface DataLock {
  release(): void
}

export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
}

/** Keeps held locks from the garbage collector, which would close them. */
const held = new Set<Database>()

/** Throws DataFolderInUse, naming the process that holds the folder. */
export function lockDataFolder(dataDir: string): DataLock {
  const pidFile = join(dataDir, 'earshot.pid')
  const lock = new Database(join(dataDir, 'earshot.lock'), { create: true, strict: true })
  try {
    lock.run('pragma busy_timeout = 0')
    lock.run('pragma journal_mode = delete')
    lock.run('begin exclusive')
  } catch (cause) {
    lock.close()
    throw new DataFolderInUse(
      `The data folder ${dataDir} is in use by process ${holderOf(pidFile)}. Stop that one first, or set EARSHOT_DATA.`,
      { cause },
    )
  }
  writeFileSync(pidFile, String(process.pid))
  held.add(lock)
  return {
    release() {
      held.delete(lock)
      lock.run('rollback')
      lock.close()
    },
  }
}

function holderOf(pidFile: string): string {
  try {
    return readFileSync(pidFile, 'utf8').trim() || '(unknown)'
  } catch {
    return '(unknown)'
  }
}
