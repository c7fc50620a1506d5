// Migrations: numbered .sql files, each applied once, in one transaction, never edited afterwards.

import { type Db, transaction } from './database.ts'
import accounts from './migrations/001_accounts.sql' with { type: 'text' }
import jobs from './migrations/002_jobs.sql' with { type: 'text' }
import tasks from './migrations/003_tasks.sql' with { type: 'text' }
import transcripts from './migrations/004_transcripts.sql' with { type: 'text' }
import billing from './migrations/005_billing.sql' with { type: 'text' }
import webhooks from './migrations/006_webhooks.sql' with { type: 'text' }
import limits from './migrations/007_limits.sql' with { type: 'text' }
import idempotency from './migrations/008_idempotency.sql' with { type: 'text' }
import files from './migrations/009_files.sql' with { type: 'text' }
import search from './migrations/010_search.sql' with { type: 'text' }
import analysis from './migrations/011_analysis.sql' with { type: 'text' }
import shortvideo from './migrations/012_shortvideo.sql' with { type: 'text' }
import sessions from './migrations/013_sessions.sql' with { type: 'text' }
import events from './migrations/014_events.sql' with { type: 'text' }
import library from './migrations/015_library.sql' with { type: 'text' }
import taskTranscripts from './migrations/016_task_transcripts.sql' with { type: 'text' }
import dailyUse from './migrations/017_daily_use.sql' with { type: 'text' }

/** In order; the position is the schema version, kept in SQLite's `user_version`. */
const MIGRATIONS: readonly string[] = [
  accounts,
  jobs,
  tasks,
  transcripts,
  billing,
  webhooks,
  limits,
  idempotency,
  files,
  search,
  analysis,
  shortvideo,
  sessions,
  events,
  library,
  taskTranscripts,
  dailyUse,
]

export const SCHEMA_VERSION = MIGRATIONS.length

/** Brings the schema up to date. Throws when the database was written by a newer Earshot. */
export function migrate(db: Db): void {
  const version = schemaVersion(db)
  if (version > SCHEMA_VERSION) {
    throw new Error(
      `The database has schema version ${version}; this Earshot knows versions up to ${SCHEMA_VERSION}. ` +
        'Start the newer Earshot that wrote it, or restore a backup.',
    )
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < version) continue
    transaction(db, () => {
      // Another process may have migrated while this one waited for the lock.
      if (schemaVersion(db) > index) return
      db.run(sql)
      db.run(`pragma user_version = ${index + 1}`)
    })
  }
}

export function schemaVersion(db: Db): number {
  return db.query<{ user_version: number }, []>('pragma user_version').get()?.user_version ?? 0
}
