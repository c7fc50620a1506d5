// Administration commands work on the database itself, whether or not a server runs on it: SQLite keeps both in order.

import type { Command } from 'commander'
import { mkdirSync } from 'node:fs'
import { type AccountsContext, createFirstAccount } from '../accounts/accounts.ts'
import { type Db, databasePath, openDatabase } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { asError, Problem } from '../lib/problem.ts'
import { configOf } from './settings.ts'

/** Opens the database of the command's data folder (creating both on first use) for as long as `work` runs. */
export function withDatabase<T>(command: Command, work: (context: AccountsContext) => T): T {
  const context = openContext(command)
  try {
    return work(context)
  } finally {
    context.db.close()
  }
}

/** The same for work that waits for others. */
export async function withDatabaseAsync<T>(
  command: Command,
  work: (context: AccountsContext) => Promise<T>,
): Promise<T> {
  const context = openContext(command)
  try {
    return await work(context)
  } finally {
    context.db.close()
  }
}

function openContext(command: Command): AccountsContext {
  const { dataDir } = configOf(command)
  const db = open(dataDir)
  const context = { db, now: Date.now }
  try {
    migrate(db)
    createFirstAccount(context)
  } catch (error) {
    db.close()
    throw error
  }
  return context
}

function open(dataDir: string): Db {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    return openDatabase(databasePath(dataDir))
  } catch (cause) {
    throw new Problem(
      'internal_server_error',
      `Cannot open the database in ${dataDir}: ${asError(cause).message}. Choose the folder with --data.`,
      { cause },
    )
  }
}
