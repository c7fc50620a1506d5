// Where media lies while a task works on it: one folder per task, gone when the task has ended.

import { mkdirSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../app.ts'
import { newId } from '../lib/id.ts'
import { HOUR } from '../lib/time.ts'

type Context = Pick<App, 'spoolDir'>

/** Creates the task's folder and returns its path. */
export function openSpool(app: Context, taskId: string): string {
  const folder = join(app.spoolDir, taskId)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

const REQUEST = 'request-'
const REQUEST_MAX_MS = HOUR

/** For a request without a task: runs `work` with an empty folder, which is gone afterwards. */
export async function withRequestFolder<T>(app: Context, work: (folder: string) => Promise<T>): Promise<T> {
  const name = `${REQUEST}${newId()}`
  try {
    return await work(openSpool(app, name))
  } finally {
    await removeSpool(app, name)
  }
}

export async function removeSpool(app: Context, taskId: string): Promise<void> {
  await rm(join(app.spoolDir, taskId), { recursive: true, force: true })
}

/** Removes the folders of tasks that are not among `activeIds`: leftovers of a crash. Returns how many. */
export async function sweepSpool(app: Context, activeIds: () => readonly string[]): Promise<number> {
  const found = await readdir(app.spoolDir)
  // Read after the folders: a task that began in between is not mistaken for a leftover.
  const active = new Set(activeIds())
  let removed = 0
  for (const name of found) {
    if (active.has(name) || (name.startsWith(REQUEST) && (await isYoung(join(app.spoolDir, name))))) continue
    await removeSpool(app, name)
    removed++
  }
  return removed
}

async function isYoung(path: string): Promise<boolean> {
  const entry = await stat(path).catch(() => undefined)
  return entry !== undefined && Date.now() - entry.mtimeMs < REQUEST_MAX_MS
}
