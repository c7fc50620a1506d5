// A client of server-sent events that tests read one event at a time, and leave whenever they like.

export interface SseEvent {
  readonly id: string | undefined
  readonly type: string
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into data of every shape and assert what they find.
  readonly data: any
}

export interface SseClient {
  readonly status: number
  readonly headers: Headers
  /** Of the last event that had one. */
  readonly lastId: string | undefined
  /** Comments so far. */
  readonly comments: readonly string[]
  /** The next event; undefined at the end of the stream. Fails after `deadlineMs`. */
  next(deadlineMs?: number): Promise<SseEvent | undefined>
  /** All events until the stream ends. */
  rest(): Promise<SseEvent[]>
  /** The next event of that type, past all others. */
  nextOf(type: string): Promise<SseEvent>
  leave(): Promise<void>
}

/** `send`: a fetch, or an in-process handler. */
export async function followEvents(
  send: (headers: Record<string, string>) => Promise<Response> | Response,
  lastId?: string,
): Promise<SseClient> {
  const response = await send(lastId === undefined ? {} : { 'last-event-id': lastId })
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  const comments: string[] = []
  const events: SseEvent[] = []
  let text = ''
  let isOver = reader === undefined
  const self = { lastId }

  async function read(): Promise<void> {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) {
      isOver = true
      return
    }
    text += decoder.decode(chunk.value, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith(':')) comments.push(block)
      const event = parse(block)
      if (!event) continue
      if (event.id !== undefined) self.lastId = event.id
      events.push(event)
    }
  }

  async function next(deadlineMs = 30_000): Promise<SseEvent | undefined> {
    const late = Promise.withResolvers<never>()
    const timer = setTimeout(() => late.reject(new Error('no event came in time')), deadlineMs)
    try {
      while (events.length === 0 && !isOver) await Promise.race([read(), late.promise])
      return events.shift()
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    status: response.status,
    headers: response.headers,
    get lastId() {
      return self.lastId
    },
    comments,
    next,
    async rest() {
      const all: SseEvent[] = []
      for (let event = await next(); event; event = await next()) all.push(event)
      return all
    },
    async nextOf(type) {
      for (let event = await next(); event; event = await next()) if (event.type === type) return event
      throw new Error(`the stream ended without ${type}`)
    },
    leave: async () => reader?.cancel(),
  }
}

function parse(block: string): SseEvent | undefined {
  const fields = new Map(
    block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const data = fields.get('data')
  if (data === undefined) return undefined
  return { id: fields.get('id'), type: fields.get('event') ?? 'message', data: JSON.parse(data) }
}
