// POST /analyze/file and /extract/file: the same engine as for videos, on transcripts of the account's own files.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { deleteFile } from '../../src/files/processing.ts'
import { endFile, getFile, insertFile, setTranscript } from '../../src/files/files.ts'
import { newId } from '../../src/lib/id.ts'
import { Problem } from '../../src/lib/problem.ts'
import { type AnalysisBench, evaluationSegments, startAnalysisBench } from '../support/analysis.ts'
import { shapeFaults } from '../support/shapes.ts'

const SCHEMA = { repair_cost: { type: 'Number', description: 'Cost of the repair in dollars' } }
const UNIT_MICROS = 10_000

let bench: AnalysisBench
let segments: readonly string[]
let fileId: string

beforeAll(async () => {
  bench = await startAnalysisBench()
  segments = await evaluationSegments('tuning-bridge-news')
  fileId = await addFile(bench.accountId)
})
afterAll(() => bench.close())

/** A file as if it had been uploaded and transcribed. */
async function addFile(accountId: string): Promise<string> {
  const { app } = bench.support
  const id = newId()
  insertFile(app, { id, accountId, name: 'talk.mp3', sizeBytes: 9, language: null, namespaceIds: [] })
  setTranscript(app, id, await bench.know(`https://media.example.com/${id}`, segments))
  endFile(app, id, { status: 'completed', durationS: 70 })
  return id
}

const analyze = (body: object) => bench.call('POST', '/analyze/file', body)
const extract = (body: object) => bench.call('POST', '/extract/file', body)

test('the analysis of a file: file_info, transcript and analysis, one unit charged', async () => {
  const before = bench.spentMicros()
  const { status, body } = await analyze({
    file_id: fileId,
    query: 'How much will the repair of the bridge cost?',
    include_usage: true,
  })
  expect(status).toBe(200)
  const shape = {
    data: {
      file_info: { id: 'string', name: /^talk\.mp3$/, status: /^completed$/, has_transcript: 'boolean' },
      transcript: [{ text: 'string', start: 'number', end: 'number' }],
      transcript_analysis: {
        summary: 'string',
        people: [{ name: 'string', context: 'string' }],
        timestamp: 'number',
        relevant_text: 'string',
        query_answer: { answer: 'string', best_segment_index: 'integer' },
      },
    },
    engine: { name: /^builtin$/, model: 'string' },
    usage: { charges: [{ service_type: /^analysis_request$/ }] },
  } as const
  expect(shapeFaults(body, shape)).toEqual([])
  expect(body.data).not.toHaveProperty('video_info')
  expect(body.data.transcript_analysis.query_answer.best_segment_index).toBe(4)
  expect(body.usage.charges).toHaveLength(1)
  expect(bench.spentMicros() - before).toBe(UNIT_MICROS)
})

test('its summary is kept: asked for again, it is waived', async () => {
  const before = bench.spentMicros()
  const { body } = await analyze({ file_id: fileId, transcript_text: true, include_usage: true })
  expect(body.usage.charges).toMatchObject([{ service_type: 'analysis_request', waived: true, credits: 0 }])
  expect(body.data.transcript).toBe(segments.join(' '))
  expect(body.data.transcript_analysis).not.toHaveProperty('query_answer')
  expect(bench.spentMicros()).toBe(before)
})

test('extraction from a file, as JSON and as YAML', async () => {
  const { status, body } = await extract({ file_id: fileId, schema: SCHEMA, include_usage: true })
  expect({ status, data: body.data, name: body.file_info.name }).toEqual({
    status: 200,
    data: { repair_cost: 4_500_000 },
    name: 'talk.mp3',
  })
  expect(body.engine.name).toBe('builtin')
  expect(body.usage.charges).toMatchObject([{ service_type: 'analysis_request', quantity: 1 }])
  const yaml = `file_id: ${fileId}\nschema: {cost: {type: Number, description: Cost of the repair in dollars}}`
  const again = await bench.call('POST', '/extract/file', yaml, { 'content-type': 'text/yaml' })
  expect(again.body.data).toEqual({ cost: 4_500_000 })
})

test('unknown files, another account’s and deleted ones read the same', async () => {
  const { app } = bench.support
  const theirs = await addFile(createAccount(app, 'other', 'trial').id)
  const gone = await addFile(bench.accountId)
  deleteFile(app, getFile(app, bench.accountId, gone))
  for (const id of [theirs, gone, newId(), 'x', '../etc']) {
    for (const reply of [await analyze({ file_id: id }), await extract({ file_id: id, schema: SCHEMA })]) {
      expect({ id, status: reply.status, error: reply.body.error }).toEqual({
        id,
        status: 404,
        error: 'file_not_found',
      })
    }
  }
})

test('a file without a transcript: what it is waiting for is said, nothing is charged', async () => {
  const { app } = bench.support
  const add = (): string => {
    const id = newId()
    const { accountId } = bench
    insertFile(app, { id, accountId, name: 'new.mp3', sizeBytes: 9, language: null, namespaceIds: [] })
    return id
  }
  const [pending, failed] = [add(), add()]
  endFile(app, failed, { status: 'failed', problem: new Problem('transcription_failed', 'It broke.') })
  const before = bench.spentMicros()
  for (const [id, words] of [
    [pending, 'it is pending. Wait'],
    [failed, 'it is failed. Process it again'],
  ] as const) {
    const { status, body } = await analyze({ file_id: id })
    expect({ status, error: body.error }).toEqual({ status: 404, error: 'transcript_not_available' })
    expect(body.message).toContain(words)
  }
  expect(bench.spentMicros()).toBe(before)
})

test('a bad schema is refused before the file is looked for', async () => {
  const { status, body } = await extract({ file_id: newId(), schema: { a: {} } })
  expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_schema' })
})
