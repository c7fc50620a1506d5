// What one client still has to be told: the log of events behind its position, and the newest progress of each task. Reads
// only when the client takes something, a bounded batch at a time, so a slow client costs no memory.

import type { App } from '../app.ts'
import { listEvents, type LoggedEvent, type SegmentsEvent } from '../jobs/event-log.ts'
import { SECOND } from '../lib/time.ts'
import { endFields, subjectFields } from './followed.ts'
import { END_ID, eventText, HEARTBEAT, idText, OPENING, type Position } from './sse.ts'

/** Rows per look; a row is a window of speech at most. */
const BATCH = 50
/** Tasks whose progress is kept until the client takes it; of more, the newest are told at their next step. */
const PROGRESS_MAX = 200

export interface FeedOptions {
  readonly accountId: string
  /** Absent: everything of the account. */
  readonly subjectId: string | undefined
  readonly jobTypes: readonly string[]
  /** Only what lies behind it. */
  readonly after: Position
  /** Sent at once. */
  readonly first: readonly string[]
  /** Nothing but `first` is to be sent. */
  readonly isOver: boolean
  readonly heartbeatMs: number
  /** Whether the client may still follow, and what it follows is still there. */
  readonly isAllowed: () => boolean
}

export interface Feed {
  /** Waits for something to send; undefined at the end. */
  next(): Promise<string | undefined>
  /** Something was logged. */
  wake(): void
  progressed(subject: { readonly id: string; readonly jobType: string }, progress: number): void
  /** Ends it, also while `next` waits. */
  close(): void
}

export function createFeed(app: Pick<App, 'db'>, options: FeedOptions): Feed {
  const { subjectId, heartbeatMs } = options
  const progress = new Map<string, string>()
  const checkEveryMs = Math.min(SECOND, heartbeatMs)
  let { after } = options
  let first: string | undefined = OPENING + options.first.join('')
  let isOver = options.isOver
  let mayHaveMore = true
  let checkedAt = 0
  let wakeUp: (() => void) | undefined

  function wake(): void {
    mayHaveMore = true
    wakeUp?.()
  }

  /** Once it is not, it never is again. */
  function isAllowed(): boolean {
    const at = performance.now()
    if (isOver || at - checkedAt < checkEveryMs) return !isOver
    checkedAt = at
    isOver = !options.isAllowed()
    return !isOver
  }

  /** Everything that is to be said now, up to the batch. */
  function take(): string {
    const texts: string[] = []
    if (mayHaveMore) {
      const rows = listEvents(app, { ...options, from: after.row, limit: BATCH })
      mayHaveMore = rows.length === BATCH
      for (const row of rows) {
        for (const [piece, text] of piecesOf(row).entries()) {
          if (row.id === after.row && piece <= after.piece) continue
          after = { row: row.id, piece }
          texts.push(text(idText(after)))
        }
        if (!isEnd(row)) continue
        progress.delete(row.subjectId)
        if (subjectId !== undefined) isOver = true
      }
    }
    if (!isOver) texts.push(...progress.values())
    progress.clear()
    return texts.join('')
  }

  /** False when nothing came within the time of a heartbeat. */
  async function woken(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), heartbeatMs)
    wakeUp = () => resolve(true)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      wakeUp = undefined
    }
  }

  return {
    wake,
    progressed(subject, share) {
      if (progress.size >= PROGRESS_MAX && !progress.has(subject.id)) return
      const data = { ...subjectFields(subject), progress: Number(share.toFixed(4)) }
      progress.set(subject.id, eventText('progress', data))
      wakeUp?.()
    },
    close() {
      isOver = true
      progress.clear()
      wakeUp?.()
    },
    async next() {
      for (;;) {
        if (first !== undefined) {
          const text = first
          first = undefined
          return text
        }
        if (!isAllowed()) return undefined
        const text = take()
        if (text !== '') return text
        if (!(await woken()) && isAllowed()) return HEARTBEAT
      }
    },
  }
}

function isEnd({ type }: LoggedEvent): boolean {
  return type !== 'segments' && type !== 'restarted'
}

/** One event per segment; everything else is one. Each as a function of its id. */
function piecesOf(row: LoggedEvent): ((id: string) => string)[] {
  const subject = { id: row.subjectId, jobType: row.jobType }
  const fields = subjectFields(subject)
  if (row.type === 'segments') {
    const { item, first, segments } = row.data as SegmentsEvent
    return segments.map(
      (segment, index) => (id) =>
        eventText('segment', { ...fields, item, index: first + index, ...segment }, id),
    )
  }
  if (row.type === 'restarted') {
    return [(id) => eventText('restarted', { ...fields, ...(row.data as { item: number | null }) }, id)]
  }
  const { error } = row.data as { error: unknown }
  return [(id) => eventText(row.type, endFields(subject, { type: row.type, error }), id)]
}

/** For a task that is over and whose log is gone. */
export function lastEvent(
  subject: { readonly id: string; readonly jobType: string },
  end: { readonly type: string; readonly error: unknown },
): string {
  return eventText(end.type, endFields(subject, end), END_ID)
}
