// An OpenAI-compatible server in every mood.

import { afterEach, describe, expect, test } from 'bun:test'
import pino from 'pino'
import type { Generated, LanguageModel } from '../../../src/engines/llm/language-model.ts'
import { createOpenAi, type OpenAiOptions } from '../../../src/engines/llm/openai.ts'
import { prompt } from '../../../src/engines/llm/prompt.ts'
import { type Log, silentLog } from '../../../src/lib/log.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { type Infer, parser, t } from '../../../src/lib/schema.ts'
import { type Behaviour, createLlmServer, type LlmServer } from '../../support/llm-server.ts'

const SCHEMA = t.Object({
  title: t.String({ maxLength: 20, description: 'Of the talk' }),
  tags: t.Array(t.String({ maxLength: 8 }), { maxItems: 3 }),
  mood: t.Union([t.Literal('calm'), t.Literal('loud')]),
  year: t.Union([t.Integer({ minimum: 1900, maximum: 2100 }), t.Null()]),
})

const open: { close(): Promise<void> }[] = []
const waits: number[] = []
afterEach(async () => {
  waits.length = 0
  await Promise.all(open.splice(0).map((part) => part.close()))
})

function start(
  behaviours: readonly Behaviour[],
  options: Partial<OpenAiOptions> = {},
): { server: LlmServer; model: LanguageModel } {
  const server = createLlmServer(...behaviours)
  const model = createOpenAi({
    url: server.url,
    key: 'sk-of-the-operator',
    model: 'big-model',
    contextTokens: 8_192,
    config: { hostOverrides: [], extraCa: undefined },
    log: silentLog(),
    sleep: async (ms) => void waits.push(ms),
    ...options,
  })
  open.push(server, model)
  return { server, model }
}

function ask(
  model: LanguageModel,
  { signal = new AbortController().signal, timeoutMs = 5_000 } = {},
): Promise<Generated<Infer<typeof SCHEMA>>> {
  return model.generate({
    prefix: prompt`Talk: ${'hello </data> there'}`,
    prompt: prompt`What?`,
    schema: SCHEMA,
    signal,
    limits: { timeoutMs },
  })
}

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Problem)
  return error as Problem
}

describe('a sensible server', () => {
  test('is asked with schema, bounds and key, and its answer is taken as it is', async () => {
    const { server, model } = start(['sensible'])
    const { value, usage, engine } = await ask(model)
    expect(value).toEqual({ title: 'Of the talk', tags: ['text'], mood: 'calm', year: 1900 })
    expect(usage).toEqual({ promptTokens: 120, completionTokens: 34 })
    expect(engine).toEqual({ name: 'openai', model: 'big-model' })
    const [request] = server.requests
    expect(request).toMatchObject({
      path: '/v1/chat/completions',
      model: 'big-model',
      format: 'json_schema',
      temperature: 0,
    })
    expect(request?.headers['authorization']).toBe('Bearer sk-of-the-operator')
    expect(request?.user).toContain('<data>hello ‹/data> there</data>')
    expect(request?.schema).toMatchObject({
      required: ['title', 'tags', 'mood', 'year'],
      additionalProperties: false,
      properties: { title: { maxLength: 20 }, tags: { maxItems: 3 }, mood: { enum: ['calm', 'loud'] } },
    })
  })

  test('may be named with or without /v1, and without a key', async () => {
    const { server } = start(['sensible'])
    const { model } = start([], { url: server.url.replace('/v1', '/'), key: '' })
    await ask(model)
    expect(server.requests[0]?.path).toBe('/v1/chat/completions')
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization')
  })

  for (const behaviour of ['wordy', 'thinking', 'without-schemas'] as const) {
    test(`is understood when it is ${behaviour}`, async () => {
      const { server, model } = start([behaviour])
      server.say({ title: 'A', tags: [], mood: 'loud', year: null })
      expect((await ask(model)).value).toEqual({ title: 'A', tags: [], mood: 'loud', year: null })
    })
  }

  test('that knows no schemas is asked without them from then on', async () => {
    const { server, model } = start(['without-schemas'])
    server.say({ title: 'A', tags: [], mood: 'loud', year: null })
    await ask(model)
    await ask(model)
    expect(server.requests.map((request) => request.format)).toEqual([
      'json_schema',
      'json_object',
      'json_object',
    ])
  })

  test('that does not count tokens has them estimated', async () => {
    const { usage } = await ask(start(['uncounted']).model)
    expect(usage.promptTokens).toBeGreaterThan(150)
    expect(usage.completionTokens).toBeGreaterThan(20)
  })

  test('has tokens of texts estimated from above', async () => {
    const { signal } = new AbortController()
    expect(await start([]).model.countTokens(['', 'three words here', '東京'], signal)).toEqual([0, 6, 2])
  })
})

describe('a server that answers wrongly', () => {
  test('has what is too much cut off', async () => {
    const { value } = await ask(start(['excessive']).model)
    expect(parser(SCHEMA).parse(value).ok).toBe(true)
    expect(value.title).toHaveLength(20)
    expect(value.tags).toHaveLength(3)
    expect(value).not.toHaveProperty('extra')
  })

  for (const first of ['wrong', 'prose', 'partial'] as const) {
    test(`is asked once more, differently, after an answer that is ${first}`, async () => {
      const { server, model } = start([first, 'sensible'])
      expect((await ask(model)).value.title).toBe('Of the talk')
      expect(server.requests.map((request) => request.temperature)).toEqual([0, 0.7])
    })

    test(`is given up after two answers that are ${first}`, async () => {
      const { server, model } = start([first])
      const problem = await problemOf(ask(model))
      expect(problem.code).toBe('extraction_failed')
      expect(problem.message).toContain('big-model gave no answer in the required form, twice')
      expect(server.requests).toHaveLength(2)
    })
  }

  test('is asked for less when it did not end in time', async () => {
    const { server, model } = start(['partial', 'sensible'])
    await ask(model)
    expect(server.requests[1]?.schema).toMatchObject({
      properties: { title: { maxLength: 10 }, tags: { maxItems: 2 } },
    })
  })

  test('with something that is no chat completion is a mistake in the settings', async () => {
    const problem = await problemOf(ask(start(['not-json']).model))
    expect(problem.message).toContain('EARSHOT_LLM_URL')
  })
})

describe('a server that does not answer', () => {
  test('is asked again when it is busy, as late as it says, and then given up for now', async () => {
    const { server, model } = start([429, 503, 'sensible'])
    await ask(model)
    expect(server.requests).toHaveLength(3)
    expect(waits).toEqual([7_000, 4_000])
    const problem = await problemOf(ask(start([503]).model))
    expect(problem).toMatchObject({ code: 'extraction_failed', temporary: true })
    expect(problem.message).toBe(
      'The language model server answered 503: it is out of order; try again later.',
    )
  })

  test('is asked again when the connection breaks', async () => {
    const problem = await problemOf(ask(start(['hanging-up']).model))
    expect(problem).toMatchObject({ code: 'extraction_failed', temporary: true })
    expect(waits).toEqual([1_000, 4_000])
  })

  for (const behaviour of ['silent', 'stalling'] as const) {
    test(`is left after the time limit when it is ${behaviour}`, async () => {
      const problem = await problemOf(ask(start([behaviour]).model, { timeoutMs: 50 }))
      expect(problem).toMatchObject({ code: 'extraction_failed', temporary: true })
      expect(problem.message).toBe('The language model server gave no answer within 0.05 s')
    })
  }

  test('is left at once when the caller leaves', async () => {
    const { server, model } = start(['silent'])
    const controller = new AbortController()
    const reason = new Error('the caller left')
    const asking = ask(model, { signal: controller.signal })
    await server.arrived(1)
    controller.abort(reason)
    await expect(asking).rejects.toBe(reason)
  })

  test('is not followed elsewhere, and not read without end', async () => {
    const redirected = await problemOf(ask(start(['redirect']).model))
    expect(redirected.message).toContain('answered 307: it refused the request')
    const endless = await problemOf(ask(start(['endless']).model))
    expect(endless.code).toBe('extraction_failed')
  })

  test('is a mistake in the settings when it refuses the key or knows no such model', async () => {
    expect((await problemOf(ask(start([401]).model))).message).toContain('EARSHOT_LLM_KEY')
    const unknown = await problemOf(ask(start([404]).model))
    expect(unknown.message).toContain('it has no model "big-model"')
    expect(unknown.temporary).toBe(false)
  })
})

describe('the egress rules', () => {
  test('trust the named host and port alone, and for these requests alone', async () => {
    const { server } = start(['sensible'])
    const other = createLlmServer('redirect')
    open.push(other)
    const { model } = start([], { url: other.url })
    await problemOf(ask(model))
    expect(server.requests).toEqual([])
    const overridden = start([], {
      url: 'http://llm.example/v1',
      config: {
        hostOverrides: [
          { host: 'llm.example', port: 80, toHost: '127.0.0.1', toPort: Number(new URL(server.url).port) },
        ],
        extraCa: undefined,
      },
    })
    expect((await ask(overridden.model)).value.mood).toBe('calm')
  })

  test('never put the key into the log or into a problem', async () => {
    const lines: string[] = []
    const log: Log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) })
    const { model } = start([401], { log })
    const problem = await problemOf(ask(model))
    const told = JSON.stringify([
      problem.message,
      String(problem.cause),
      (problem.cause as Error).stack,
      lines,
    ])
    expect(lines.length).toBeGreaterThan(0)
    expect(told).not.toContain('sk-of-the-operator')
  })
})
