// What the server tells of its own accord (GET /v1/events, server-sent events of the whole account): one connection,
// open while somebody listens. Where it cannot be had, whoever listens polls anyway (data.ts).

export interface ServerEvent {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

type Listener = (event: ServerEvent) => void

const TYPES = ['progress', 'segment', 'completed', 'failed', 'cancelled'] as const
const listeners = new Set<Listener>()
let source: EventSource | undefined

/** Returns how to stop listening. */
export function onServerEvent(listener: Listener): () => void {
  listeners.add(listener)
  source ??= open()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    source?.close()
    source = undefined
  }
}

function open(): EventSource {
  const opened = new EventSource('/v1/events')
  for (const type of TYPES) {
    opened.addEventListener(type, (event) => tell({ type, data: parsed(event.data) }))
  }
  return opened
}

function tell(event: ServerEvent): void {
  for (const listener of listeners) listener(event)
}

function parsed(text: unknown): ServerEvent['data'] {
  try {
    const value: unknown = JSON.parse(String(text))
    return typeof value === 'object' && value !== null ? (value as ServerEvent['data']) : {}
  } catch {
    return {}
  }
}
