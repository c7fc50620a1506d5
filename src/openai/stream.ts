// The text as it is recognised, as OpenAI's server-sent events: `transcript.text.delta` for each segment, then
// `transcript.text.done` with the whole text. When the client leaves, the work ends; nothing is made before it is taken.

import type { App } from '../app.ts'
import { HEARTBEAT, SSE_HEADERS } from '../events/sse.ts'
import { forgetEvents, listEvents, type SegmentsEvent } from '../jobs/event-log.ts'
import { discardTask, findTask, type Task } from '../jobs/tasks.ts'
import { Problem, problemOfRecord } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { fullText } from './answer.ts'
import { readAudioResult } from './audio.job.ts'
import { errorBody } from './errors.ts'

const HEARTBEAT_MS = 15 * SECOND
/** Rows of the log per look; a row is a window of speech at most. */
const BATCH = 50

/** The answer to a request for `task`, which it owns from now on. `signal` aborts when the client leaves. */
export function streamedAnswer(app: App, task: Task, signal: AbortSignal): Response {
  const left = new AbortController()
  const gone = AbortSignal.any([signal, left.signal])
  const chunks = chunksOf(app, task, gone)
  const forget = (): void => {
    if (findTask(app, task.id)?.status === 'processing') discardTask(app, task.id)
    forgetEvents(app, task.id)
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await chunks.next()
      if (done !== true) return controller.enqueue(encoder.encode(value))
      forget()
      controller.close()
    },
    cancel: () => left.abort(),
  })
  // At once, whether or not anybody still takes chunks.
  const leave = (): void => {
    forget()
    chunks.return(undefined).catch(() => undefined)
  }
  gone.addEventListener('abort', leave, { once: true })
  if (gone.aborted) leave()
  return new Response(body, { headers: SSE_HEADERS })
}

async function* chunksOf(app: App, task: Task, signal: AbortSignal): AsyncGenerator<string, void, undefined> {
  const news = createNews(app, task.id, signal)
  const seen = { row: 0, isFirst: true }
  try {
    // Proxies and clients know that the connection stands only when something has come.
    yield ': accepted\n\n'
    for (;;) {
      // Asked before the log is read: what is logged at the end is read, too.
      const now = findTask(app, task.id)
      for (let more = true; more; ) {
        const { texts, isFull } = deltasBehind(app, task, seen)
        yield* texts
        more = isFull
      }
      if (now?.status !== 'processing') {
        yield lastEvent(now)
        return
      }
      const what = await news.wait(HEARTBEAT_MS)
      if (signal.aborted) return
      if (what === 'stopping') {
        yield lastEvent(undefined)
        return
      }
      if (what === 'nothing') yield HEARTBEAT
    }
  } finally {
    news.close()
  }
}

interface Seen {
  row: number
  isFirst: boolean
}

function deltasBehind(app: App, task: Task, seen: Seen): { texts: string[]; isFull: boolean } {
  const rows = listEvents(app, {
    accountId: task.accountId,
    subjectId: task.id,
    jobTypes: [task.jobType],
    from: seen.row + 1,
    limit: BATCH,
  })
  const texts: string[] = []
  for (const row of rows) {
    seen.row = row.id
    // What was told cannot be taken back when the work starts over; the last event has the whole text.
    if (row.type !== 'segments') continue
    for (const { text } of (row.data as SegmentsEvent).segments) {
      texts.push(event({ type: 'transcript.text.delta', delta: seen.isFirst ? text : ` ${text}` }))
      seen.isFirst = false
    }
  }
  return { texts, isFull: rows.length === BATCH }
}

function lastEvent(task: Task | undefined): string {
  if (task?.status === 'completed') {
    return event({ type: 'transcript.text.done', text: fullText(readAudioResult(task.result)) })
  }
  const problem = task?.error
    ? problemOfRecord(task.error)
    : new Problem('system_overload', 'The server stopped before the transcription had ended. Send it again.')
  return `event: error\n${event(errorBody(problem))}`
}

/** JSON has no line feed of its own, so the data is always one line. */
function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}

type Happened = 'something' | 'stopping' | 'nothing'

interface News {
  /** `nothing` happened within `ms`. What happened since the last wait counts. */
  wait(ms: number): Promise<Happened>
  close(): void
}

/** Wakes when something was logged for the task, when it ended, and when the client left or the server stops. */
function createNews(app: App, taskId: string, signal: AbortSignal): News {
  let next = Promise.withResolvers<Happened>()
  const wake = (): void => next.resolve('something')
  const unlisten = [
    app.signals.eventLogged.listen(({ subjectId }) => {
      if (subjectId === taskId) wake()
    }),
    app.signals.taskFinished.listen((ended) => {
      if (ended.taskId === taskId) wake()
    }),
    app.signals.stopping.listen(() => next.resolve('stopping')),
  ]
  signal.addEventListener('abort', wake, { once: true })
  if (signal.aborted) wake()
  return {
    async wait(ms) {
      const timer = setTimeout(() => next.resolve('nothing'), ms)
      try {
        return await next.promise
      } finally {
        clearTimeout(timer)
        next = Promise.withResolvers()
      }
    },
    close() {
      for (const stop of unlisten) stop()
      signal.removeEventListener('abort', wake)
    },
  }
}
