// A stand-in for an OpenAI-compatible server that answers sensibly, slowly, wrongly, partially, or not at all.

export interface ChatRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly model: string
  readonly system: string
  readonly user: string
  readonly format: string
  readonly schema: JsonSchema | undefined
  readonly maxTokens: number
  readonly temperature: number
}

type JsonSchema = Readonly<Record<string, unknown>>

export type Behaviour =
  /** A value of the schema that was sent. */
  | 'sensible'
  /** The same between code fences, after a phrase. */
  | 'wordy'
  /** The same after thoughts that nobody asked for. */
  | 'thinking'
  /** The same without saying how many tokens it took. */
  | 'uncounted'
  /** JSON of another form. */
  | 'wrong'
  /** Lists and texts longer than asked for, and a property nobody asked for. */
  | 'excessive'
  /** Prose. */
  | 'prose'
  /** Half of the answer, cut off by the limit of tokens. */
  | 'partial'
  /** Headers and a part of the body, and then nothing. */
  | 'stalling'
  /** Nothing at all, until the client gives up. */
  | 'silent'
  /** The connection ends before an answer. */
  | 'hanging-up'
  | 'not-json'
  | 'endless'
  | 'redirect'
  /** Refuses `json_schema`, as older servers do; sensible without it. */
  | 'without-schemas'
  | number

export interface LlmServer {
  /** Base of its API, `/v1` included. */
  readonly url: string
  readonly requests: ChatRequest[]
  /** For the requests to come, in order; the last one stays. */
  behave(...behaviours: readonly Behaviour[]): void
  /** What sensible answers say, instead of something made from the schema. */
  say(value: unknown): void
  /** Resolves once `count` requests have come. */
  arrived(count: number): Promise<void>
  close(): Promise<void>
}

export function createLlmServer(...first: readonly Behaviour[]): LlmServer {
  const requests: ChatRequest[] = []
  let script: readonly Behaviour[] = first.length > 0 ? first : ['sensible']
  let said: unknown
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request, http) {
      const chat = await chatOf(request)
      requests.push(chat)
      for (const { count, resolve } of waiting) if (requests.length >= count) resolve()
      const [behaviour = 'sensible', ...rest] = script
      if (rest.length > 0) script = rest
      if (behaviour === 'hanging-up') {
        http.stop(true).catch(() => undefined)
        return new Response()
      }
      return answer(behaviour, chat, said)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    requests,
    behave(...behaviours) {
      script = behaviours
    },
    say(value) {
      said = value
    },
    async arrived(count) {
      if (requests.length >= count) return
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count, resolve })
      await promise
    },
    async close() {
      await server.stop(true)
    },
  }
}

async function chatOf(request: Request): Promise<ChatRequest> {
  const body = (await request.json()) as {
    model: string
    messages: { role: string; content: string }[]
    response_format?: { type: string; json_schema?: { schema: JsonSchema } }
    max_tokens: number
    temperature: number
  }
  const contentOf = (role: string): string =>
    body.messages.find((message) => message.role === role)?.content ?? ''
  return {
    path: new URL(request.url).pathname,
    headers: Object.fromEntries(request.headers),
    model: body.model,
    system: contentOf('system'),
    user: contentOf('user'),
    format: body.response_format?.type ?? 'text',
    schema: body.response_format?.json_schema?.schema,
    maxTokens: body.max_tokens,
    temperature: body.temperature,
  }
}

function answer(behaviour: Behaviour, chat: ChatRequest, said: unknown): Response | Promise<Response> {
  const value = said ?? (chat.schema ? valueOf(chat.schema, 1) : {})
  const text = JSON.stringify(value)
  switch (behaviour) {
    case 'sensible':
      return completion(text)
    case 'wordy':
      return completion(`Here is what you asked for:\n\`\`\`json\n${text}\n\`\`\``)
    case 'thinking':
      return completion(`<think>The form is {"like": "this"}.</think>\n${text}`)
    case 'uncounted':
      return completion(text, { usage: undefined })
    case 'wrong':
      return completion('{"something": ["else"]}')
    case 'excessive':
      return completion(JSON.stringify({ ...(valueOf(chat.schema ?? {}, 50) as object), extra: 1 }))
    case 'prose':
      return completion('I would rather tell you about the weather.')
    case 'partial':
      return completion(text.slice(0, text.length / 2), { finish_reason: 'length' })
    case 'stalling':
      return new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode('{"choices":')),
        }),
      )
    case 'silent':
      return new Promise(() => undefined)
    case 'not-json':
      return new Response('<html>It works!</html>')
    case 'endless':
      return new Response('x'.repeat(5_000_000))
    case 'redirect':
      return new Response(null, {
        status: 307,
        headers: { location: 'http://127.0.0.1:9/v1/chat/completions' },
      })
    case 'without-schemas':
      if (chat.format === 'json_schema') return refusal(400)
      return completion(text)
    case 'hanging-up':
      return new Response()
    default:
      return refusal(behaviour)
  }
}

function refusal(status: number): Response {
  const headers = status === 429 ? { 'retry-after': '7' } : {}
  return Response.json({ error: { message: `refused with ${status}` } }, { status, headers })
}

function completion(content: string, extra: { usage?: undefined; finish_reason?: string } = {}): Response {
  return Response.json({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content }, finish_reason: extra.finish_reason ?? 'stop' },
    ],
    ...('usage' in extra ? {} : { usage: { prompt_tokens: 120, completion_tokens: 34, total_tokens: 154 } }),
  })
}

/** Something that fits the schema; with `times` above 1 everything that has a length is too long. */
function valueOf(schema: JsonSchema, times: number): unknown {
  const { type, enum: values, anyOf, items, properties, minItems, minimum, description } = schema
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(anyOf)) return valueOf(anyOf[0] as JsonSchema, times)
  switch (type) {
    case 'string':
      return `${typeof description === 'string' ? description : 'text'} `.repeat(times).trim()
    case 'integer':
    case 'number':
      return typeof minimum === 'number' ? Math.max(minimum, 0) * times : times
    case 'boolean':
      return true
    case 'array':
      return Array.from({ length: Math.max(1, Number(minItems ?? 0)) * times }, () =>
        valueOf(items as JsonSchema, times),
      )
    case 'object':
      return Object.fromEntries(
        Object.entries(properties as Record<string, JsonSchema>).map(([name, part]) => [
          name,
          valueOf(part, times),
        ]),
      )
    default:
      return null
  }
}
