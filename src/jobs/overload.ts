// Graceful overload: when the queue is long or the disk nearly full, new work is refused before anything is accepted or
// charged, so that what was accepted can be finished. Polls and other reads go on.

import { statfsSync } from 'node:fs'
import type { App } from '../app.ts'
import { Problem } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import { hasQueued } from './queue.ts'

const DISK_KNOWN_MS = SECOND
/** A queue of thousands and a full disk are both matters of minutes. */
const RETRY_AFTER_S = MINUTE / SECOND
const GIB = 1_073_741_824

export type OverloadContext = Pick<App, 'config' | 'db' | 'now'>

/** Per data folder: free bytes, and when that was so. */
const lastLooks = new Map<string, { readonly atMs: number; readonly freeBytes: number }>()

/**
 * Throws Problem `system_overload`. `createTask` calls it; whoever takes bytes before there is a task calls it first.
 * Costs microseconds: one limited count on an index, and the disk is asked once a second.
 */
export function refuseOverload(app: OverloadContext): void {
  const { maxQueuedJobs, minFreeBytes } = app.config
  if (hasQueued(app, maxQueuedJobs)) throw overload('Too much work is waiting on this server.')
  if (findFreeBytes(app) < minFreeBytes) {
    throw overload(`This server has less than ${(minFreeBytes / GIB).toFixed(1)} GiB of disk space left.`)
  }
}

function overload(what: string): Problem {
  return new Problem('system_overload', `${what} Nothing was accepted or charged. Try again later.`, {
    retryAfterS: RETRY_AFTER_S,
  })
}

function findFreeBytes({ config, now }: OverloadContext): number {
  const atMs = now()
  const last = lastLooks.get(config.dataDir)
  if (last && Math.abs(atMs - last.atMs) < DISK_KNOWN_MS) return last.freeBytes
  const { bavail, bsize } = statfsSync(config.dataDir)
  const freeBytes = bavail * bsize
  lastLooks.set(config.dataDir, { atMs, freeBytes })
  return freeBytes
}
