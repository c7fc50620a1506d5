// POST /analyze/video with the built-in engine: the contract's shape, checked by a judge of its own, its caches and charges.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { newId } from '../../src/lib/id.ts'
import { charge } from '../../src/billing/ledger.ts'
import { balance } from '../../src/billing/balance.ts'
import { type AnalysisBench, evaluationSegments, startAnalysisBench } from '../support/analysis.ts'
import { shapeFaults, type ShapeObject } from '../support/shapes.ts'

const URL_KNOWN = 'https://media.example.com/bridge.mp4'
/** A hundredth of a credit. */
const UNIT_MICROS = 10_000

let bench: AnalysisBench
let segments: readonly string[]

beforeAll(async () => {
  bench = await startAnalysisBench()
  segments = await evaluationSegments('tuning-bridge-news')
  await bench.know(URL_KNOWN, segments)
})
afterAll(() => bench.close())

const VIDEO_INFO: ShapeObject = {
  title: ['string', 'null'],
  description: ['string', 'null'],
  thumbnail: ['string', 'null'],
  url: 'string',
  channel: ['string', 'null'],
  channel_url: ['string', 'null'],
  duration: ['number', 'null'],
  views: ['integer', 'null'],
  likes: ['integer', 'null'],
  published_date: ['string', 'null'],
  category: ['string', 'null'],
  selected_language: ['string', 'null'],
}

const ANALYSIS: ShapeObject = {
  summary: 'string',
  people: [{ name: 'string', context: 'string' }],
  places: [{ name: 'string', context: 'string' }],
  key_subjects: [{ name: 'string', description: 'string', importance: 'string' }],
  timestamp: 'number',
  relevant_text: 'string',
}

test('without a query: video_info, transcript and the summary, in the shape of the contract', async () => {
  const { status, body } = await bench.call('POST', '/analyze/video', { video_url: URL_KNOWN })
  expect(status).toBe(200)
  const shape = {
    status: /^success$/,
    data: {
      video_info: VIDEO_INFO,
      transcript: [{ text: 'string', start: 'number', end: 'number' }],
      transcript_analysis: ANALYSIS,
    },
    engine: { name: /^builtin$/, model: 'string', note: 'string' },
  } as const
  expect(shapeFaults(body, shape)).toEqual([])
  const { transcript_analysis: analysis, transcript } = body.data
  expect(analysis).not.toHaveProperty('query_answer')
  expect(body).not.toHaveProperty('usage')
  expect(transcript).toHaveLength(segments.length)
  expect(analysis.people.map(({ name }: { name: string }) => name)).toContain('Tomas Ekberg')
  const spoken = segments.join(' ')
  for (const { context } of [...analysis.people, ...analysis.places]) expect(spoken).toContain(context)
  expect(segments).toContain(analysis.relevant_text)
})

test('with a query: an answer that points at the moment it comes from', async () => {
  const { body } = await bench.call('POST', '/analyze/video', {
    video_url: URL_KNOWN,
    query: 'How much will the repair of the bridge cost?',
    transcript_text: true,
  })
  const { transcript_analysis: analysis, transcript } = body.data
  expect(
    shapeFaults(analysis, {
      ...ANALYSIS,
      query_answer: { answer: 'string', best_segment_index: 'integer' },
    }),
  ).toEqual([])
  expect(analysis.query_answer.best_segment_index).toBe(4)
  expect(analysis.query_answer.relevant_segments).toContain(segments[4])
  expect(analysis).toMatchObject({ timestamp: 20, relevant_text: segments[4] })
  expect(transcript).toBe(segments.join(' '))
})

test('a question that the transcript does not answer gets no answer', async () => {
  const { body } = await bench.call('POST', '/analyze/video', {
    video_url: URL_KNOWN,
    query: 'What is the name of the airport?',
  })
  expect(body.data.transcript_analysis).toMatchObject({
    timestamp: null,
    relevant_text: null,
    query_answer: { best_segment_index: -1, relevant_segments: [] },
  })
})

test('one unit is paid, the cached summary is waived, and a question pays again', async () => {
  const url = 'https://media.example.com/charged.mp4'
  await bench.know(url, segments)
  const ask = async (query?: string): Promise<{ micros: number; charges: Record<string, unknown>[] }> => {
    const before = bench.spentMicros()
    const body = { video_url: url, include_usage: true, ...(query === undefined ? {} : { query }) }
    const reply = await bench.call('POST', '/analyze/video', body)
    const charges = reply.body.usage.charges as Record<string, unknown>[]
    return { micros: bench.spentMicros() - before, charges }
  }
  const transcription = { service_type: 'transcription_hour', credits: 0, waived: true }
  const first = await ask()
  expect(first.micros).toBe(UNIT_MICROS)
  expect(first.charges).toHaveLength(2)
  expect(first.charges.find(({ service_type }) => service_type === 'transcription_hour')).toMatchObject(
    transcription,
  )
  const paid = { service_type: 'analysis_request', quantity: 1, credits: 0.01, waived: false }
  const entry = first.charges.find(({ service_type }) => service_type === 'analysis_request')
  expect(entry).toMatchObject(paid)
  const { prompt_tokens, completion_tokens, total_tokens } = (entry?.['tokens'] ?? {}) as Record<
    string,
    number
  >
  expect(prompt_tokens).toBeGreaterThan(200)
  expect(completion_tokens).toBeGreaterThan(20)
  expect(total_tokens).toBe((prompt_tokens ?? 0) + (completion_tokens ?? 0))
  const second = await ask()
  expect(second.micros).toBe(0)
  expect(second.charges.find(({ service_type }) => service_type === 'analysis_request')).toMatchObject({
    quantity: 1,
    credits: 0,
    waived: true,
    credits_saved: 0.01,
  })
  for (const _ of [1, 2]) expect((await ask('Who is the mayor?')).micros).toBe(UNIT_MICROS)
})

test('the summary is kept by transcript and engine; answers are not kept', () => {
  const { db } = bench.support.app
  const rows = db.query('select engine, content from summaries').all() as {
    engine: string
    content: string
  }[]
  expect(rows.map(({ engine }) => engine)).toEqual(['builtin', 'builtin'])
  for (const { content } of rows) expect(content).not.toContain('bestSegmentIndexes')
  expect(db.query("select count(*) as n from summaries where content like '%airport%'").get()).toEqual({
    n: 0,
  })
})

test('a transcript without a word is analysed, too', async () => {
  const url = 'https://media.example.com/silence.mp4'
  await bench.know(url, [])
  const { status, body } = await bench.call('POST', '/analyze/video', {
    video_url: url,
    query: 'Who speaks?',
  })
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    transcript: [],
    transcript_analysis: {
      summary: '',
      people: [],
      timestamp: null,
      query_answer: { best_segment_index: -1 },
    },
  })
})

test('a stage in vain costs nothing, and nothing is left of the task', async () => {
  const before = bench.spentMicros()
  const { status, body } = await bench.call('POST', '/analyze/video', {
    video_url: 'https://127.0.0.1/x.mp4',
  })
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'unsupported_url' })
  expect(bench.spentMicros()).toBe(before)
})

test('without credit for one unit nothing is created', async () => {
  const poor = await startAnalysisBench()
  const { app } = poor.support
  await poor.know(URL_KNOWN, segments)
  const left = balance(app, poor.accountId).monthlyRemainingMicros
  const quantity = Math.floor((left - UNIT_MICROS + 100) / 100)
  charge(app, { accountId: poor.accountId, reference: newId(), meter: 'standard_request', quantity })
  const refused = await poor.call('POST', '/analyze/video', { video_url: URL_KNOWN })
  expect(refused).toMatchObject({
    status: 402,
    body: { error: 'limit_exceeded', error_code: 'limit_exceeded' },
  })
  expect(app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 0 })
  await poor.close()
})

test('the same Idempotency-Key is answered alike and charged once', async () => {
  const before = bench.spentMicros()
  const ask = async () =>
    bench.call('POST', '/analyze/video', { video_url: URL_KNOWN, query: 'Why?' }, { 'idempotency-key': 'a1' })
  const [first, second] = [await ask(), await ask()]
  expect(second.body).toEqual(first.body)
  expect(bench.spentMicros() - before).toBe(UNIT_MICROS)
})
