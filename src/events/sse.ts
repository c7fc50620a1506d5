// Server-sent events as text (https://html.spec.whatwg.org/multipage/server-sent-events.html), and the ids by which a
// client that lost its connection goes on: `row.piece`, or `end` behind the last event of a task that is over.

import { Problem } from '../lib/problem.ts'

export const SSE_TYPE = 'text/event-stream'

export const SSE_HEADERS = {
  'content-type': `${SSE_TYPE}; charset=utf-8`,
  'cache-control': 'no-store, no-transform',
  // nginx would gather the events otherwise.
  'x-accel-buffering': 'no',
} as const

/** How long a browser waits before it connects again. */
const RETRY_MS = 2_000

/** Sent first: connections are known to stand only when something has come. */
export const OPENING = `retry: ${RETRY_MS}\n\n`
export const HEARTBEAT = ': still here\n\n'

/** JSON has no line feed of its own, so the data is always one line. */
export function eventText(type: string, data: object, id?: string): string {
  return `${id === undefined ? '' : `id: ${id}\n`}event: ${type}\ndata: ${JSON.stringify(data)}\n\n`
}

/** The last event a client has seen. */
export interface Position {
  readonly row: number
  /** 0-based piece of that row. */
  readonly piece: number
}

/** Of the event that says how a task ended whose log is gone. */
export const END_ID = 'end'

export function idText({ row, piece }: Position): string {
  return `${row}.${piece}`
}

/** Undefined when none was sent. Throws Problem `invalid_cursor`. */
export function parseLastEventId(text: string | null | undefined): Position | typeof END_ID | undefined {
  if (text === null || text === undefined || text.trim() === '') return undefined
  if (text === END_ID) return END_ID
  const match = /^(\d{1,15})\.(\d{1,6})$/.exec(text)
  if (match) return { row: Number(match[1]), piece: Number(match[2]) }
  throw new Problem(
    'invalid_cursor',
    'Last-Event-ID is none that this server gave. Send the id of the last event you received, or none.',
  )
}
