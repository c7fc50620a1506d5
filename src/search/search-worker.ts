// The thread that searches: its own connection, which cannot write, so that no search ever holds up a request. An entry
// of its own in scripts/build.ts. searcher.ts is its only client.

import { Database } from 'bun:sqlite'
import { asError } from '../lib/problem.ts'
import { type Findings, type Question, search } from './lookup.ts'
import { createStems } from './stems.ts'
import { lookups, type Lookups } from './store.ts'

export interface WorkerStart {
  readonly databasePath: string
  /** Of sqlite-vec. */
  readonly extensionPath: string
}

export interface WorkerQuestion {
  readonly id: number
  readonly question: Question
}

export type WorkerAnswer =
  | { readonly id: number; readonly findings: Findings }
  | { readonly id: number; readonly error: string }

/** Up to here the exact distance to every chunk of the account is the fastest way too. */
const EXACT_CHUNKS_MAX = 20_000
const COARSE = 1_000

declare const self: Worker

let index: Lookups | undefined
const stems = createStems()
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const answer = (message: WorkerAnswer): void => self.postMessage(message)

self.addEventListener('message', ({ data }: MessageEvent<WorkerStart | WorkerQuestion>) => {
  if ('databasePath' in data) {
    index = open(data)
    return
  }
  try {
    if (!index) throw new Error('the search thread was not told what to open')
    const findings = search(index, stems, data.question)
    answer({ id: data.id, findings })
  } catch (error) {
    answer({ id: data.id, error: asError(error).message })
  }
})

function open({ databasePath, extensionPath }: WorkerStart): Lookups {
  const db = new Database(databasePath, { readonly: true, strict: true })
  db.run('pragma busy_timeout = 10000')
  db.run('pragma trusted_schema = off')
  db.run('pragma mmap_size = 1073741824')
  db.loadExtension(extensionPath)
  return lookups(db, { exactMax: EXACT_CHUNKS_MAX, coarse: COARSE })
}
