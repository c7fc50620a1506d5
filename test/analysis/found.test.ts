// What a search shows about each transcript that it found: within its budget, and never an error.

import { afterEach, expect, test } from 'bun:test'
import { analyseFound } from '../../src/analysis/found.ts'
import { type AnalysisBench, evaluationSegments, startAnalysisBench } from '../support/analysis.ts'
import { createLlmServer } from '../support/llm-server.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const item of open.splice(0)) await item.close()
})

async function start(env: Readonly<Record<string, string>> = {}): Promise<AnalysisBench> {
  const bench = await startAnalysisBench(env)
  open.push(bench)
  return bench
}

const { signal } = new AbortController()
const QUERY = 'How much will the repair of the bridge cost?'

test('an answer from around the moments found, a summary, and the tokens it took', async () => {
  const bench = await start()
  const { app } = bench.support
  const segments = await evaluationSegments('tuning-bridge-news')
  const transcriptId = await bench.know('https://media.example.com/a.mp4', segments)
  const found = [{ transcriptId, timestamps: [20] }]
  const options = { query: QUERY, signal, budgetMs: 30_000 }
  const first = await analyseFound(app, found, options)
  expect(first.analyses).toMatchObject([{ answer: segments[4] }])
  expect(first.analyses[0]?.summary.people.length).toBeGreaterThan(0)
  expect(first.engine.name).toBe('builtin')
  expect(first.explanation).toContain('1 of 1')
  const second = await analyseFound(app, found, options)
  expect(second.analyses).toEqual(first.analyses)
  // The summary was kept.
  expect(second.tokens.prompt).toBeLessThan(first.tokens.prompt)
})

test('what the budget does not reach is left out; deleted transcripts, too', async () => {
  const bench = await start()
  const transcriptId = await bench.know('https://media.example.com/a.mp4', ['The ferry leaves at nine.'])
  const one = { transcriptId, timestamps: [] }
  const gone = { transcriptId: 'gone', timestamps: [] }
  const many = await analyseFound(bench.support.app, [gone, one, one, one], {
    query: 'When does the ferry leave?',
    signal,
    itemsMax: 3,
    budgetMs: 30_000,
  })
  expect(many.analyses.map((analysis) => analysis !== undefined)).toEqual([false, true, true, false])
  const none = await analyseFound(bench.support.app, [one], { query: 'When?', signal, budgetMs: 0 })
  expect(none).toMatchObject({ analyses: [undefined], tokens: { prompt: 0, completion: 0 } })
})

test('a model that fails spoils no search; a client that left ends it', async () => {
  const server = createLlmServer('prose')
  open.push(server)
  const bench = await start({ EARSHOT_LLM_URL: server.url, EARSHOT_LLM_MODEL: 'big' })
  const transcriptId = await bench.know('https://media.example.com/a.mp4', ['The ferry leaves at nine.'])
  const found = [{ transcriptId, timestamps: [0] }]
  const failed = await analyseFound(bench.support.app, found, { query: 'When?', signal, budgetMs: 30_000 })
  expect(failed.analyses).toEqual([undefined])
  expect(failed.explanation).toContain('0 of 1')
  const leave = AbortSignal.abort(new Error('left'))
  await expect(
    analyseFound(bench.support.app, found, { query: 'When?', signal: leave, budgetMs: 30_000 }),
  ).rejects.toThrow('left')
})

test('a model is asked once for each, about the moments only; the summary is the built-in engine’s', async () => {
  const server = createLlmServer()
  open.push(server)
  server.say({ found: true, answer: 'At nine.', best_segment: 0, relevant_segments: [0] })
  const bench = await start({ EARSHOT_LLM_URL: server.url, EARSHOT_LLM_MODEL: 'big' })
  const segments = Array.from({ length: 2_000 }, (_, index) => `Sentence number ${index} about the ferry.`)
  const transcriptId = await bench.know('https://media.example.com/a.mp4', segments)
  const { analyses, tokens } = await analyseFound(
    bench.support.app,
    [{ transcriptId, timestamps: [5_000] }],
    { query: 'When?', signal, budgetMs: 60_000 },
  )
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]?.user).toContain('Sentence number 1000 ')
  expect(server.requests[0]?.user).not.toContain('Sentence number 100 ')
  expect(analyses[0]?.answer).toBe('At nine.')
  expect(analyses[0]?.summary.summary).toContain('Sentence number')
  expect(tokens.prompt).toBeGreaterThan(120)
}, 90_000)
