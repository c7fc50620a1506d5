// earshot serve: API and job loop in one process, from lock to graceful stop.

import type { Command } from 'commander'
import { mkdirSync } from 'node:fs'
import { createFirstAccount } from '../accounts/accounts.ts'
import { listKeys } from '../accounts/keys.ts'
import { findPasswordHash } from '../accounts/password.ts'
import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import { DataFolderInUse, lockDataFolder } from '../db/lock.ts'
import { type Listening, listen } from '../http/http.ts'
import { createLog, type Log } from '../lib/log.ts'
import { asError, Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { createServer } from '../server.ts'
import { createWorker, type Worker } from '../worker.ts'
import { note, print } from './output.ts'
import { configOf } from './settings.ts'

/** What a stop may take in all; service managers commonly kill after ten seconds. */
const STOP_DEADLINE_MS = 9 * SECOND
/** Short work may end by itself; longer work is given back. */
const JOBS_GRACE_MS = SECOND
const ANSWERS_GRACE_MS = 2 * SECOND

export function registerServe(program: Command): void {
  program
    .command('serve')
    .description('run the server: API and job loop')
    .action(async (_options: object, command: Command) => serve(configOf(command)))
}

/** Resolves when the server has been stopped by SIGTERM or SIGINT. */
async function serve(config: Config): Promise<void> {
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 })
  const lock = lockOrExplain(config.dataDir)
  const log = createLog(config.log)
  surviveRejections(log)
  const app = await createApp({ config, log })
  createFirstAccount(app)
  const worker = createWorker(app)
  let url = config.publicUrl ?? ''
  const server = listen(
    createServer(app, () => url),
    { host: config.host, port: config.port },
  )
  url = config.publicUrl ?? baseUrl(config.host, server.port)
  const stopped = stopSignal()
  worker.start()
  print(`Earshot listens on ${baseUrl(config.host, server.port)}`)
  if (findPasswordHash(app) === undefined) {
    note(
      "Open it in a browser on this machine to set the console's password, or: earshot console set-password",
    )
  }
  if (listKeys(app).length === 0) note('Make an API key with: earshot keys create')
  await stopped
  await stop({ app, worker, server })
  lock.release()
}

/** A promise that failed while nobody waited for it is a fault of ours to look at, and no reason to end or to exit with 1. */
function surviveRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    log.error({ err: asError(reason) }, 'a failure was not handled; please report it')
  })
}

function lockOrExplain(dataDir: string): ReturnType<typeof lockDataFolder> {
  try {
    return lockDataFolder(dataDir)
  } catch (error) {
    if (error instanceof DataFolderInUse) throw new Problem('internal_server_error', error.message)
    throw error
  }
}

function baseUrl(host: string, port: number): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Later signals change nothing: Ctrl-C below npm arrives twice, and a stop has its own deadline. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.on('SIGTERM', () => resolve())
    process.on('SIGINT', () => resolve())
  })
}

/** Stops accepting, gives running jobs back, lets answers under way finish, closes everything: all within 10 s. */
async function stop({ app, worker, server }: { app: App; worker: Worker; server: Listening }): Promise<void> {
  app.log.info('stopping')
  const deadline = setTimeout(() => {
    app.log.error('stopping took too long; ending now: the next start takes up what was left')
    process.exit(1)
  }, STOP_DEADLINE_MS)
  const answered = server.stop(ANSWERS_GRACE_MS)
  app.signals.stopping.emit({})
  await worker.stop(JOBS_GRACE_MS)
  await answered
  await app.close()
  clearTimeout(deadline)
  app.log.info('stopped')
}
