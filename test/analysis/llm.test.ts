// The endpoints with a language model behind them: a server that answers well, badly, slowly or not at all, and a model on
// this machine whose process is killed. Whatever happens: the contract's errors, nothing charged, and the server is up.

import { afterEach, expect, test } from 'bun:test'
import type { LlamaModel } from '../../src/engines/llm/llama.ts'
import { type AnalysisBench, startAnalysisBench } from '../support/analysis.ts'
import { createLlmServer, type LlmServer } from '../support/llm-server.ts'
import { temporaryFolder } from '../support/temp.ts'
import { TINY_LLM_ID, writeTinyLlm } from '../support/tiny-llm.ts'

const VIDEO = 'https://media.example.com/talk.mp4'
const SEGMENTS = ['Ada Lovelace wrote the first program.', 'She lived in London.', 'It was in 1843.']
const SCHEMA = { author: { type: 'String', description: 'Who wrote the program' } }
const ANSWER = {
  summary: 'Ada Lovelace wrote a program.',
  best_segment: 0,
  people: [{ name: 'Ada Lovelace', segment: 0 }],
  places: [{ name: 'London', segment: 1 }],
  key_subjects: [{ name: 'program', description: 'The first one.', importance: 'high' }],
}
const FOUND = { found: true, answer: 'In 1843.', best_segment: 2, relevant_segments: [2] }

const open: { close(): Promise<void> | void }[] = []
afterEach(async () => {
  for (const item of open.splice(0)) await item.close()
})

async function withServer(
  env: Readonly<Record<string, string>> = {},
): Promise<{ bench: AnalysisBench; server: LlmServer }> {
  const server = createLlmServer()
  const bench = await startAnalysisBench({ EARSHOT_LLM_URL: server.url, EARSHOT_LLM_MODEL: 'big', ...env })
  open.push(bench, server)
  await bench.know(VIDEO, SEGMENTS)
  return { bench, server }
}

test('the model answers, by segment; it is named, and its tokens are one consolidated entry', async () => {
  const { bench, server } = await withServer()
  server.say(ANSWER)
  const first = await bench.call('POST', '/analyze/video', { video_url: VIDEO, include_usage: true })
  expect(first.body).toMatchObject({
    data: {
      transcript_analysis: {
        summary: ANSWER.summary,
        people: [{ name: 'Ada Lovelace', context: SEGMENTS[0] }],
        places: [{ name: 'London', context: SEGMENTS[1] }],
        timestamp: 0,
        relevant_text: SEGMENTS[0],
      },
    },
    engine: { name: 'openai', model: 'big' },
  })
  server.say(FOUND)
  const second = await bench.call('POST', '/analyze/video', {
    video_url: VIDEO,
    query: 'When was that?',
    include_usage: true,
  })
  // The summary came from the cache: one request, for the answer.
  expect(server.requests).toHaveLength(2)
  expect(second.body.data.transcript_analysis).toMatchObject({
    summary: ANSWER.summary,
    timestamp: 10,
    relevant_text: SEGMENTS[2],
    query_answer: { answer: 'In 1843.', best_segment_index: 2, relevant_segments: [SEGMENTS[2]] },
  })
  const entries = second.body.usage.charges.filter(
    (entry: { service_type: string }) => entry.service_type === 'analysis_request',
  )
  expect(entries).toEqual([
    {
      service_type: 'analysis_request',
      quantity: 1,
      credits: 0.01,
      waived: false,
      credits_saved: 0,
      tokens: { prompt_tokens: 120, completion_tokens: 34, total_tokens: 154 },
    },
  ])
})

test('the summary of one engine is not served as another’s', async () => {
  const { bench, server } = await withServer()
  const { db } = bench.support.app
  server.say(ANSWER)
  db.run(
    `insert into summaries select id, 'builtin', 'builtin', '{"summary":"Old.","people":[],"places":[],"keySubjects":[],"bestSegmentIndex":0}', 1, 1, 0 from transcripts`,
  )
  const { body } = await bench.call('POST', '/analyze/video', { video_url: VIDEO })
  expect(body.data.transcript_analysis.summary).toBe(ANSWER.summary)
})

test.each([
  ['prose', '/analyze/video', {}],
  ['wrong', '/analyze/video', {}],
  ['partial', '/extract/video', { schema: SCHEMA }],
  ['not-json', '/analyze/video', { query: 'When?' }],
  [401, '/extract/video', { schema: SCHEMA }],
] as const)(
  'a model that answers %p to %s: extraction_failed, nothing charged, nothing kept',
  async (behaviour, path, body) => {
    const { bench, server } = await withServer()
    server.behave(behaviour)
    const reply = await bench.skippingWaits(bench.call('POST', path, { video_url: VIDEO, ...body }))
    expect({ status: reply.status, error: reply.body.error }).toEqual({
      status: 500,
      error: 'extraction_failed',
    })
    expect(bench.spentMicros()).toBe(0)
    server.behave('sensible')
    server.say(path === '/analyze/video' ? ANSWER : { author: 'Ada' })
    expect((await bench.call('POST', path, { video_url: VIDEO, ...body, query: '' })).status).toBe(200)
  },
)

test('a server that is silent: the time runs out, nothing is charged, and the next request is served', async () => {
  const { bench, server } = await withServer({ EARSHOT_LLM_TIMEOUT_S: '0.1' })
  server.behave('silent')
  const answered = bench.call('POST', '/extract/video', { video_url: VIDEO, schema: SCHEMA })
  const reply = await bench.skippingWaits(answered)
  expect({ status: reply.status, error: reply.body.error }).toEqual({
    status: 500,
    error: 'extraction_failed',
  })
  expect(bench.spentMicros()).toBe(0)
  server.behave('sensible')
  server.say({ author: 'Ada Lovelace' })
  const next = await bench.call('POST', '/extract/video', { video_url: VIDEO, schema: SCHEMA })
  expect(next.body.data).toEqual({ author: 'Ada Lovelace' })
}, 60_000)

test('a client that leaves ends the work at the model, and pays nothing', async () => {
  const { bench, server } = await withServer()
  server.behave('silent')
  const leave = new AbortController()
  const answered = bench.http.handle(
    new Request('http://localhost/v1/analyze/video', {
      method: 'POST',
      headers: { 'x-api-key': bench.key, 'content-type': 'application/json' },
      body: JSON.stringify({ video_url: VIDEO }),
      signal: leave.signal,
    }),
  )
  await server.arrived(1)
  leave.abort()
  await answered
  await bench.worker.drain()
  expect(bench.spentMicros()).toBe(0)
  expect(bench.support.app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 0 })
})

test('a transcript of 25,000 tokens is read in parts and costs what its tokens come to', async () => {
  const { bench, server } = await withServer()
  const url = 'https://media.example.com/long.mp4'
  const sentence = 'The old river runs through the wide valley and nobody knows how deep it really is there.'
  await bench.know(
    url,
    Array.from({ length: 1_400 }, (_, index) => `${index}: ${sentence}`),
  )
  const { status, body } = await bench.call('POST', '/extract/video', {
    video_url: url,
    schema: SCHEMA,
    include_usage: true,
  })
  expect(status).toBe(200)
  expect(server.requests.length).toBeGreaterThan(8)
  const entry = body.usage.charges.find(
    ({ service_type }: { service_type: string }) => service_type === 'analysis_request',
  )
  expect(entry.tokens.total_tokens).toBe(154 * server.requests.length)
  expect(entry.quantity).toBe(Math.max(1, Math.ceil(entry.tokens.total_tokens / 15_000)))
}, 60_000)

test('a model that was configured and is not there is the server’s fault, not the caller’s', async () => {
  const bench = await startAnalysisBench({ EARSHOT_LLM_MODEL: 'gone' })
  open.push(bench)
  await bench.know(VIDEO, SEGMENTS)
  const { status, body } = await bench.call('POST', '/analyze/video', { video_url: VIDEO })
  expect({ status, error: body.error }).toEqual({ status: 500, error: 'extraction_failed' })
  expect(body.message).toContain('EARSHOT_LLM_MODEL names "gone"')
  expect(bench.spentMicros()).toBe(0)
})

interface LocalModel {
  readonly bench: AnalysisBench
  /** Kills the model's process whenever there is one, until told to stop. */
  readonly kill: (times: number) => () => number
}

async function withTinyModel(): Promise<LocalModel> {
  const folder = temporaryFolder()
  writeTinyLlm(folder)
  const bench = await startAnalysisBench({ EARSHOT_MODELS: folder.path, EARSHOT_LLM_MODEL: TINY_LLM_ID })
  open.push(bench, { close: () => folder[Symbol.dispose]() })
  await bench.know(VIDEO, SEGMENTS)
  const model = (await bench.support.app.engines.llm.find()) as LlamaModel
  return {
    bench,
    kill(times) {
      let killed = 0
      let last: number | undefined
      const timer = setInterval(() => {
        const { pid } = model
        if (pid === undefined || pid === last || killed >= times) return
        last = pid
        killed++
        process.kill(pid, 'SIGKILL')
      }, 1)
      return () => {
        clearInterval(timer)
        return killed
      }
    },
  }
}

/** A few tokens to write: the model is tiny, but so may be the machine. */
const SMALL = { live: { type: 'Boolean', description: 'Whether it is live' } }

test('a local model that knows nothing still gives an answer of the schema’s shape', async () => {
  const { bench } = await withTinyModel()
  const { status, body } = await bench.skippingWaits(
    bench.call('POST', '/extract/video', { video_url: VIDEO, schema: SMALL }),
  )
  expect({ status, message: body.message }).toEqual({ status: 200, message: undefined })
  expect(body.engine).toEqual({ name: 'llama', model: TINY_LLM_ID })
  expect(Object.keys(body.data)).toEqual(['live'])
  expect([true, false, null]).toContain(body.data.live)
}, 120_000)

test('a model whose process is killed in the middle is started again, and the analysis goes on', async () => {
  const { bench, kill } = await withTinyModel()
  const stop = kill(1)
  const { status } = await bench.skippingWaits(
    bench.call('POST', '/extract/video', { video_url: VIDEO, schema: SMALL }),
  )
  expect({ status, killed: stop() }).toEqual({ status: 200, killed: 1 })
}, 120_000)

test('a model whose process is killed every time: extraction_failed, nothing charged, the server up', async () => {
  const { bench, kill } = await withTinyModel()
  const stop = kill(Infinity)
  const ask = () => bench.call('POST', '/extract/video', { video_url: VIDEO, schema: SMALL })
  const reply = await bench.skippingWaits(ask())
  expect({ status: reply.status, error: reply.body.error }).toEqual({
    status: 500,
    error: 'extraction_failed',
  })
  expect(stop()).toBeGreaterThanOrEqual(2)
  expect(bench.spentMicros()).toBe(0)
  expect((await bench.skippingWaits(ask())).status).toBe(200)
}, 120_000)
