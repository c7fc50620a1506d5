// Language models behind an OpenAI-compatible server that the operator names: Ollama, vLLM, llama-server and others.
// Its requests pass an egress proxy of their own, which trusts that one host and nothing else; the key goes nowhere else.

import type { Config } from '../../config.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { type Parsed, parser, t } from '../../lib/schema.ts'
import { MINUTE, SECOND } from '../../lib/time.ts'
import { createEgress, type Egress } from '../../net/egress.ts'
import { createFetcher, type Fetcher } from '../../net/fetch.ts'
import { limitedBody } from '../../net/limited-body.ts'
import { portOf } from '../../net/policy.ts'
import { type Ask, answer, type Written } from './answer.ts'
import { jsonSchemaOf } from './json-schema.ts'
import type { EngineName, LanguageModel, Usage } from './language-model.ts'

export interface OpenAiOptions {
  /** Base of the API, with or without `/v1`. */
  readonly url: string
  /** '' when the server wants none. */
  readonly key: string
  readonly model: string
  readonly contextTokens: number
  readonly config: Pick<Config, 'hostOverrides' | 'extraCa'>
  readonly log: Log
  /** For tests: waits between attempts. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
}

/** Below the five minutes after which Bun's own client gives up on a silent server. */
const ATTEMPT_TIMEOUT_MS = 4 * MINUTE
const ANSWER_BYTES_MAX = 4 * 1_024 * 1_024
/** Waits before the second and the third attempt at a server that is busy or out of order. */
const RETRY_MS = [SECOND, 4 * SECOND]
const RETRY_AFTER_MAX_MS = 30 * SECOND

const ANSWER = parser(
  t.Object({
    choices: t.Array(
      t.Object({
        message: t.Object({ content: t.Union([t.String(), t.Null()]) }),
        finish_reason: t.Optional(t.Union([t.String(), t.Null()])),
      }),
      { minItems: 1 },
    ),
    usage: t.Optional(
      t.Union([t.Object({ prompt_tokens: t.Integer(), completion_tokens: t.Integer() }), t.Null()]),
    ),
  }),
)
type Answer = Parsed<typeof ANSWER>

interface Reply {
  readonly status: number
  readonly text: string
  readonly retryAfterMs: number
}

/** Nothing is asked before the first request. */
export function createOpenAi(options: OpenAiOptions): LanguageModel {
  const engine: EngineName = { name: 'openai', model: options.model }
  const url = endpointOf(options.url)
  const sleep = options.sleep ?? pause
  let access: Promise<{ egress: Egress; fetcher: Fetcher }> | undefined
  /** Servers that know no schemas get the schema in the prompt only. */
  let knowsSchemas = true

  async function open(): Promise<{ egress: Egress; fetcher: Fetcher }> {
    const trusted = { kind: 'host', host: url.hostname.replaceAll(/[[\]]/g, ''), port: portOf(url) } as const
    const { log, config } = options
    const egress = await createEgress({
      trustedHosts: [trusted],
      hostOverrides: config.hostOverrides,
      log,
      // A server that computes an answer is silent all the while.
      limits: { idleMs: ATTEMPT_TIMEOUT_MS + MINUTE },
    })
    return { egress, fetcher: createFetcher(egress, config) }
  }

  async function post(body: string, timeoutMs: number, signal: AbortSignal): Promise<Reply> {
    const { fetcher } = await (access ??= open())
    const late = AbortSignal.timeout(timeoutMs)
    const both = AbortSignal.any([signal, late])
    try {
      const reply = await fetcher.fetch(url.href, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(options.key === '' ? {} : { authorization: `Bearer ${options.key}` }),
        },
        body,
        signal: both,
        timeoutMs,
        // The key and the text are for this server alone.
        maxRedirects: 0,
      })
      const retryAfterMs = Number(reply.headers.get('retry-after') ?? 0) * SECOND || 0
      return { status: reply.status, text: await textOf(reply.body, timeoutMs, both), retryAfterMs }
    } catch (error) {
      signal.throwIfAborted()
      // Where the server is, is nothing for callers of the API: it goes to the log with the cause.
      const reason = late.aborted
        ? `gave no answer within ${timeoutMs / SECOND} s`
        : 'could not be reached, or broke off'
      throw new Problem('extraction_failed', `The language model server ${reason}`, {
        cause: error,
        temporary: true,
      })
    }
  }

  /** Asks again where that may help: the network failed, the server is busy or out of order. */
  async function patientPost(body: string, timeoutMs: number, signal: AbortSignal): Promise<Reply> {
    for (let attempt = 0; ; attempt++) {
      const waitMs = RETRY_MS[attempt]
      const reply = await post(body, timeoutMs, signal).catch((error: unknown) => {
        if (waitMs === undefined || !(error instanceof Problem)) throw error
        return undefined
      })
      const busy = reply === undefined || reply.status === 429 || reply.status >= 500
      if (reply && (!busy || waitMs === undefined)) return reply
      options.log.debug({ host: url.host, status: reply?.status }, 'language model server asked again')
      await sleep(Math.min(RETRY_AFTER_MAX_MS, Math.max(waitMs ?? 0, reply?.retryAfterMs ?? 0)), signal)
    }
  }

  async function write(ask: Ask): Promise<Written> {
    const timeoutMs = Math.min(ask.timeoutMs ?? ATTEMPT_TIMEOUT_MS, ATTEMPT_TIMEOUT_MS)
    const send = async (): Promise<Reply> =>
      patientPost(JSON.stringify(bodyOf(ask, options.model, knowsSchemas)), timeoutMs, ask.signal)
    let reply = await send()
    if (knowsSchemas && (reply.status === 400 || reply.status === 422)) {
      knowsSchemas = false
      reply = await send()
      // It was not the schema that was wrong with the request.
      if (reply.status !== 200) knowsSchemas = true
    }
    if (reply.status !== 200) throw refused(options.model, reply)
    return writtenOf(answerOf(reply.text), ask)
  }

  return {
    engine,
    contextTokens: options.contextTokens,
    generate: (request) => answer(request, engine, write),
    countTokens: async (texts) => texts.map(estimatedTokens),
    async close() {
      const opened = await access?.catch(() => undefined)
      access = undefined
      await opened?.egress.close()
    },
  }
}

/** `http://host:11434` and `http://host:11434/v1` name the same API. */
function endpointOf(base: string): URL {
  const url = new URL(base)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = `${path === '' ? '/v1' : path}/chat/completions`
  return url
}

function bodyOf(ask: Ask, model: string, withSchema: boolean): unknown {
  const { system, prefix, task } = ask.messages
  const schema = { name: 'answer', strict: true, schema: jsonSchemaOf(ask.shape) }
  return {
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: prefix + task },
    ],
    temperature: ask.temperature,
    max_tokens: ask.maxTokens,
    stream: false,
    response_format: withSchema ? { type: 'json_schema', json_schema: schema } : { type: 'json_object' },
  }
}

async function textOf(
  body: ReadableStream<Uint8Array> | null,
  stallMs: number,
  signal: AbortSignal,
): Promise<string> {
  if (!body) return ''
  const chunks: Uint8Array[] = []
  const limits = { maxBytes: ANSWER_BYTES_MAX, stallMs, stallBytes: 1 }
  for await (const chunk of limitedBody(body, limits, signal)) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

function answerOf(text: string): Answer {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    // Not JSON is not an answer either.
  }
  const parsed = ANSWER.parse(value)
  if (parsed.ok) return parsed.value
  throw new Problem(
    'extraction_failed',
    "The language model server gave no answer in the form of OpenAI's chat completions. Check EARSHOT_LLM_URL.",
    { cause: new Error(text.slice(0, 1_000)), temporary: true },
  )
}

function writtenOf({ choices: [choice], usage }: Answer, ask: Ask): Written {
  // Some models think aloud although they were not asked to.
  const text = (choice?.message.content ?? '').replace(/^[^]*<\/think>/, '')
  const { system, prefix, task } = ask.messages
  const counted: Usage = usage
    ? { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens }
    : { promptTokens: estimatedTokens(system + prefix + task), completionTokens: estimatedTokens(text) }
  return { text, finished: choice?.finish_reason !== 'length', usage: counted }
}

/** Nobody can ask the server's tokenizer. Three bytes to a token is more than English and most other text needs. */
function estimatedTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3)
}

function refused(model: string, { status, text }: Reply): Problem {
  const advice: Readonly<Record<number, string>> = {
    401: 'it does not accept the key in EARSHOT_LLM_KEY',
    403: 'it does not accept the key in EARSHOT_LLM_KEY',
    404: `it has no model "${model}", or its API is elsewhere; check EARSHOT_LLM_MODEL and EARSHOT_LLM_URL`,
    429: 'it has too much to do; try again later',
  }
  const reason =
    advice[status] ?? (status >= 500 ? 'it is out of order; try again later' : 'it refused the request')
  return new Problem('extraction_failed', `The language model server answered ${status}: ${reason}.`, {
    // What the server says may quote the request: it goes to the log, not to callers.
    cause: new Error(text.slice(0, 1_000)),
    temporary: status === 429 || status >= 500,
  })
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      signal.removeEventListener('abort', stop)
      resolve()
    }
    function stop(): void {
      clearTimeout(timer)
      reject(signal.reason as Error)
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}
