// What the server tells of its own accord (GET /v1/events, server-sent events of the whole account): one connection,
// open while somebody listens. Where it cannot be had, whoever listens polls anyway (data.ts).

import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { path } from './api.ts'
import type { Segment } from './api-types.ts'

/** What is told about a task, or about the processing of a file. */
export interface ServerEvent {
  readonly type: 'progress' | 'segment' | 'restarted' | 'completed' | 'failed' | 'cancelled'
  readonly data: Readonly<Record<string, unknown>>
}

type Listener = (event: ServerEvent) => void

const TYPES = ['progress', 'segment', 'restarted', 'completed', 'failed', 'cancelled'] as const
const ENDS: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])
const listeners = new Set<Listener>()
let source: Stream | undefined

/** Told of everything but progress and segments, which have their own ways. Returns how to stop listening. */
export function onServerEvent(listener: Listener): () => void {
  listeners.add(listener)
  source ??= follow('/v1/events', hear)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    source?.close()
    source = undefined
  }
}

function hear(event: ServerEvent): void {
  const { data, type } = event
  const id = data['file_id'] ?? data['task_id']
  if (typeof id === 'string' && type === 'progress') progressSignal(id).value = Number(data['progress'])
  if (type === 'progress' || type === 'segment') return
  if (typeof id === 'string') progress.delete(id)
  for (const listener of listeners) listener(event)
}

interface Stream {
  close(): void
}

/**
 * Listens while the page is seen: browsers allow few connections to one server, and tabs in the background would use them
 * up. `begin` is called whenever it is listened anew; what is told may then start from the beginning again.
 */
function follow(address: string, listener: Listener, begin: () => void = () => undefined): Stream {
  let source: EventSource | undefined
  const open = (): void => {
    begin()
    source = new EventSource(address)
    for (const type of TYPES) {
      source.addEventListener(type, (event) => listener({ type, data: parsed(event.data) }))
    }
  }
  const close = (): void => {
    source?.close()
    source = undefined
  }
  const turn = (): void => {
    if (document.hidden) close()
    else if (!source) open()
  }
  turn()
  document.addEventListener('visibilitychange', turn)
  return {
    close() {
      document.removeEventListener('visibilitychange', turn)
      close()
    },
  }
}

function parsed(text: unknown): ServerEvent['data'] {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null ? (value as ServerEvent['data']) : {}
  } catch {
    return {}
  }
}

const progress = new Map<string, Signal<number | undefined>>()

function progressSignal(id: string): Signal<number | undefined> {
  const known = progress.get(id) ?? signal<number | undefined>(undefined)
  progress.set(id, known)
  return known
}

/** How far a file or a task is, 0 to 1; undefined as long as nobody has said. */
export function progressOf(id: string): ReadonlySignal<number | undefined> {
  return progressSignal(id)
}

/**
 * Collects what is being recognised of a task or a file, from its beginning; `tell` gets all of it so far. Returns how to
 * stop. Ends by itself when the work ends.
 */
export function followSegments(id: string, tell: (segments: readonly Segment[]) => void): () => void {
  let segments: readonly Segment[] = []
  const restart = (): void => {
    segments = []
  }
  const stream = follow(
    path('/v1/tasks/', id, '/events'),
    ({ type, data }) => {
      if (ENDS.has(type)) stream.close()
      if (type === 'restarted') restart()
      else if (type === 'segment') segments = [...segments, segmentOf(data)]
      else return
      tell(segments)
    },
    restart,
  )
  return () => stream.close()
}

function segmentOf(data: ServerEvent['data']): Segment {
  return { text: String(data['text']), start: Number(data['start']), end: Number(data['end']) }
}
