// What the product runs on, opened once and passed explicitly. A record of infrastructure; features are functions.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from './config.ts'
import { type Db, openDatabase } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { createEngines, type Engines } from './engines/engines.ts'
import type { Log } from './lib/log.ts'
import { createMetrics, type Metrics } from './lib/metrics.ts'
import { createSignal, type Signal } from './lib/signal.ts'
import { createEgress } from './net/egress.ts'
import { createFetcher, type Fetcher } from './net/fetch.ts'
import type { Resolve } from './net/policy.ts'

export interface Signals {
  /** Jobs were enqueued (look for due ones) or cancelled (check your leases). */
  readonly jobs: Signal<{ readonly type: 'enqueued' | 'cancelled' }>
  /** The task reached a final state. */
  readonly taskFinished: Signal<{ readonly taskId: string }>
  /** The file's status changed, or the file is gone. */
  readonly fileChanged: Signal<{ readonly fileId: string }>
  /** Something was written to the log of events. */
  readonly eventLogged: Signal<{ readonly accountId: string; readonly subjectId: string }>
  /** The work for a task or file has come so far: 0..1. */
  readonly progressed: Signal<{ readonly owner: string; readonly progress: number }>
  /** The server is being stopped: answers that last must end by themselves. */
  readonly stopping: Signal<Record<string, never>>
}

export interface App {
  readonly config: Config
  readonly db: Db
  readonly log: Log
  readonly metrics: Metrics
  /** Epoch milliseconds; tests move it. */
  now(): number
  readonly signals: Signals
  readonly engines: Engines
  /** Our own HTTP requests; its `egress` is the way out for everything else. */
  readonly fetcher: Fetcher
  /** Where media lies while tasks work on it: one folder per task. */
  readonly spoolDir: string
  close(): Promise<void>
}

export interface AppOptions {
  readonly config: Config
  readonly log: Log
  readonly now?: () => number
  /** Instead of the system's resolver, for tests. */
  readonly resolve?: Resolve
}

export function createSignals(): Signals {
  return {
    jobs: createSignal(),
    taskFinished: createSignal(),
    fileChanged: createSignal(),
    eventLogged: createSignal(),
    progressed: createSignal(),
    stopping: createSignal(),
  }
}

/** Opens the database (and brings it up to date) and everything else. */
export async function createApp({ config, log, now = Date.now, resolve }: AppOptions): Promise<App> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const spoolDir = join(config.dataDir, 'spool')
  mkdirSync(spoolDir, { recursive: true })
  const db = openDatabase(join(config.dataDir, 'earshot.db'))
  migrate(db)
  const metrics = createMetrics({ ofProcess: config.metrics !== 'off' })
  const egress = await createEgress({ ...config, log, ...(resolve && { resolve }) })
  const engines = createEngines({
    config,
    log,
    proxyUrl: egress.proxyUrl,
    onChildEnd: (name, crashed) => metrics.childEnded(name, crashed),
  })
  return {
    config,
    db,
    log,
    metrics,
    now,
    signals: createSignals(),
    engines,
    fetcher: createFetcher(egress, config),
    spoolDir,
    async close() {
      await engines.close()
      await egress.close()
      db.close()
    },
  }
}
