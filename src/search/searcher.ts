// Our side of the search thread: questions go over one after the other, and whoever gives up waiting is forgotten.

import type { App } from '../app.ts'
import { databasePath } from '../db/database.ts'
import { asError, Problem } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import type { Findings, Question } from './lookup.ts'
import type { WorkerAnswer, WorkerQuestion, WorkerStart } from './search-worker.ts'

/** More questions at a time are refused: they would only wait. */
const WAITING_MAX = 256
/** A thread that takes longer is replaced. */
const ANSWER_TIMEOUT_MS = MINUTE

export interface Searcher {
  /**
   * Rejects with Problem `system_overload` when too many wait, `internal_server_error` when the thread fails, or the
   * signal's reason.
   */
  search(question: Question, signal: AbortSignal): Promise<Findings>
  close(): void
}

interface Waiting {
  readonly resolve: (findings: Findings) => void
  readonly reject: (error: unknown) => void
}

const searchers = new WeakMap<object, Searcher>()

/** The one of this application, for everything that searches. */
export function searcherOf(app: Pick<App, 'config' | 'engines' | 'log'>): Searcher {
  const searcher = searchers.get(app) ?? createSearcher(app)
  searchers.set(app, searcher)
  return searcher
}

/** Starts the thread with the first question, and ends it when nobody has asked for a while. */
export function createSearcher(app: Pick<App, 'config' | 'engines' | 'log'>): Searcher {
  const waiting = new Map<number, Waiting>()
  let worker: Worker | undefined
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  let nextId = 1

  function start(): Worker {
    const thread = new Worker(threadUrl())
    thread.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => {
      const asked = waiting.get(data.id)
      waiting.delete(data.id)
      if ('findings' in data) asked?.resolve(data.findings)
      else asked?.reject(failed(data.error))
    })
    thread.addEventListener('error', (event) => end(asError(event.error ?? event.message)))
    thread.unref()
    const first: WorkerStart = {
      databasePath: databasePath(app.config.dataDir),
      extensionPath: app.engines.native.path('vec0.so'),
    }
    send(thread, first)
    return thread
  }

  function end(cause: Error): void {
    app.log.error({ err: cause }, 'search thread ended')
    worker?.terminate()
    worker = undefined
    const open = [...waiting.values()]
    waiting.clear()
    for (const { reject } of open) reject(failed(cause.message))
  }

  function close(): void {
    clearTimeout(idleTimer)
    worker?.terminate()
    worker = undefined
  }

  return {
    async search(question, signal) {
      signal.throwIfAborted()
      if (waiting.size >= WAITING_MAX) {
        throw new Problem('system_overload', 'Too many searches are waiting. Try again in a moment.')
      }
      clearTimeout(idleTimer)
      worker ??= start()
      const id = nextId++
      const { promise, resolve, reject } = Promise.withResolvers<Findings>()
      waiting.set(id, { resolve, reject })
      const giveUp = (): void => reject(signal.reason)
      signal.addEventListener('abort', giveUp, { once: true })
      const timer = setTimeout(() => end(new Error('no answer within a minute')), ANSWER_TIMEOUT_MS)
      send(worker, { id, question })
      try {
        return await promise
      } finally {
        clearTimeout(timer)
        waiting.delete(id)
        signal.removeEventListener('abort', giveUp)
        clearTimeout(idleTimer)
        if (waiting.size === 0) {
          idleTimer = setTimeout(close, app.config.engineIdleS * SECOND)
          idleTimer.unref()
        }
      }
    },
    close,
  }
}

/** Inside a compiled binary, all modules but the entries of threads have become one file. */
function threadUrl(): string {
  if (import.meta.path.startsWith('/$bunfs/')) return '/$bunfs/root/src/search/search-worker.js'
  return new URL('./search-worker.ts', import.meta.url).href
}

function send(thread: Worker, message: WorkerStart | WorkerQuestion): void {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  thread.postMessage(message)
}

function failed(message: string): Problem {
  return new Problem('internal_server_error', 'The search failed. Try again; see the log if it goes on.', {
    cause: new Error(message),
    temporary: true,
  })
}
