// POST /extract/video, its async twin and poll, with the built-in engine: bodies in every form, and the contract's shapes.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  type AnalysisBench,
  evaluationSegments,
  type Reply,
  startAnalysisBench,
} from '../support/analysis.ts'
import { BAD_SCHEMAS } from '../support/bad-schemas.ts'
import { shapeFaults } from '../support/shapes.ts'

const VIDEO = 'https://media.example.com/bridge.mp4'
const SCHEMA = {
  mayor: { type: 'String', description: 'Name of the mayor' },
  repair_cost: { type: 'Number', description: 'Cost of the repair in dollars' },
  people: { type: 'Array', description: 'Names of the people mentioned' },
  captain: { type: 'String', description: 'Name of the captain of the spaceship' },
}
const YAML = `
video_url: ${VIDEO}
what_to_extract: facts about the bridge
transcribe: true
schema:
  mayor: {type: String, description: Name of the mayor}
  repair_cost:
    type: Number
    description: Cost of the repair in dollars
`

let bench: AnalysisBench

beforeAll(async () => {
  bench = await startAnalysisBench()
  await bench.know(VIDEO, await evaluationSegments('tuning-bridge-news'))
})
afterAll(() => bench.close())

const extract = async (body: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  bench.call('POST', '/extract/video', body, headers)

const yaml = async (text: string, type = 'application/yaml'): Promise<Reply> =>
  extract(text, { 'content-type': type })

function form(fields: Readonly<Record<string, string | Blob>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, value, 'schema.yaml')
  }
  return data
}

function twice(): FormData {
  const data = form({ video_url: VIDEO, schema: '{}' })
  data.append('schema', new Blob(['{}']), 'schema.json')
  return data
}

describe('a body', () => {
  test('in JSON: one key per field, what the transcript does not say is null', async () => {
    const { status, body } = await extract({ video_url: VIDEO, schema: SCHEMA, include_usage: true })
    expect(status).toBe(200)
    const shape = {
      status: /^success$/,
      data: { mayor: ['string', 'null'], repair_cost: ['number', 'null'] },
      video_info: { title: 'string', url: 'string', duration: 'number', views: ['integer', 'null'] },
      engine: { name: /^builtin$/, model: 'string' },
      usage: { charges: [{ service_type: 'string', quantity: 'number' }], total_credits: 'number' },
    } as const
    expect(shapeFaults(body, shape)).toEqual([])
    expect(Object.keys(body.data)).toEqual(Object.keys(SCHEMA))
    expect(body.data).toMatchObject({ repair_cost: 4_500_000, captain: null })
  })

  test.each(['application/yaml', 'application/x-yaml', 'text/yaml', 'text/yaml; charset=utf-8'])(
    'as %s',
    async (type) => {
      const { status, body } = await yaml(YAML, type)
      expect({ status, cost: body.data?.repair_cost }).toEqual({ status: 200, cost: 4_500_000 })
    },
  )

  test.each([
    ['JSON in a field', JSON.stringify(SCHEMA)],
    ['YAML in a field', 'repair_cost: {type: Number, description: Cost of the repair in dollars}'],
    ['JSON in a file', new Blob([JSON.stringify(SCHEMA)])],
    ['YAML in a file', new Blob(['repair_cost: {type: Number, description: Cost of the repair in dollars}'])],
  ])('as a form with the schema as %s', async (_name, schema) => {
    const fields = { video_url: VIDEO, schema, transcribe: 'false', include_usage: 'yes' }
    const { status, body } = await extract(form(fields))
    expect({ status, cost: body.data?.repair_cost }).toEqual({ status: 200, cost: 4_500_000 })
    expect(body).toHaveProperty('usage')
  })

  test.each([
    ['no schema', { video_url: VIDEO }, 'missing_parameter'],
    ['no URL', { schema: SCHEMA }, 'missing_parameter'],
    ['null as schema', { video_url: VIDEO, schema: null }, 'missing_parameter'],
    ['a blank schema', { video_url: VIDEO, schema: ' ' }, 'missing_parameter'],
    ['a text as schema', { video_url: VIDEO, schema: 'title' }, 'invalid_schema'],
    ['a list as schema', { video_url: VIDEO, schema: [] }, 'invalid_schema'],
    ['a text as transcribe', { video_url: VIDEO, schema: SCHEMA, transcribe: 'maybe' }, 'invalid_parameter'],
    [
      'a long wish',
      { video_url: VIDEO, schema: SCHEMA, what_to_extract: 'x'.repeat(2_001) },
      'invalid_parameter',
    ],
    ['no URL at all', { video_url: 'bridge', schema: SCHEMA }, 'invalid_url'],
    ['a private host', { video_url: 'http://10.0.0.1/x', schema: SCHEMA }, 'unsupported_url'],
  ])('with %s is refused', async (_name, body, error) => {
    const reply = await extract(body)
    expect({ status: reply.status, error: reply.body.error }).toEqual({ status: 400, error })
  })

  test.each([
    ['not JSON', form({ video_url: VIDEO, schema: '{"a": ' }), 'invalid_schema'],
    ['a schema of no fields', form({ video_url: VIDEO, schema: '{}' }), 'invalid_schema'],
    ['a schema twice', twice(), 'invalid_parameter'],
    ['another file', form({ video_url: VIDEO, file: new Blob(['x']) }), 'invalid_parameter'],
    ['a large file', form({ video_url: VIDEO, schema: new Blob(['x'.repeat(40_000)]) }), 'input_too_large'],
    [
      'bytes as a file',
      form({ video_url: VIDEO, schema: new Blob([new Uint8Array([255])]) }),
      'invalid_schema',
    ],
    ['a wrong flag', form({ video_url: VIDEO, schema: '{}', transcribe: 'perhaps' }), 'invalid_parameter'],
  ])('as a form with %s is refused', async (_name, body, error) => {
    const reply = await extract(body)
    expect({ status: reply.status, error: reply.body.error }).toEqual({ status: 400, error })
  })
})

describe('YAML that nobody should send is refused quickly, and the server is up:', () => {
  const letters = 'abcdefghij'.split('')
  const laughs = letters
    .map((letter, index) => {
      const before = letters[index - 1]
      const value = before === undefined ? '"lol"' : Array.from({ length: 10 }, () => `*${before}`).join(',')
      return `${letter}: &${letter} [${value}]`
    })
    .join('\n')
  test.each([
    ['a billion laughs', `video_url: ${VIDEO}\n${laughs}\nschema: *j\n`, 'invalid_parameter'],
    [
      'a schema in itself',
      `video_url: ${VIDEO}\nschema: &s {a: {type: Object, description: x, properties: *s}}`,
      'invalid_parameter',
    ],
    ['an anchor', `video_url: &u ${VIDEO}\nschema: {a: {type: String, description: x}}`, 'invalid_parameter'],
    ['a merge', `video_url: ${VIDEO}\nschema: {a: &a {type: String}, b: {<<: *a}}`, 'invalid_parameter'],
    ['20,000 levels', `video_url: ${VIDEO}\nschema: ${'['.repeat(10_000)}`, 'invalid_parameter'],
    ['a name twice', `video_url: ${VIDEO}\nvideo_url: ${VIDEO}\nschema: {}`, 'invalid_parameter'],
    ['two documents', `video_url: ${VIDEO}\n---\nschema: {}`, 'invalid_parameter'],
    ['a list', '- a\n- b\n', 'invalid_parameter'],
    ['a text', 'just a text', 'invalid_parameter'],
    ['half a text', 'video_url: "https://', 'invalid_parameter'],
    ['a list as a name', '? [a, b]\n: c\n', 'invalid_parameter'],
    [
      '__proto__',
      `video_url: ${VIDEO}\n__proto__: {schema: {a: {type: String, description: x}}}`,
      'missing_parameter',
    ],
    [
      '__proto__ as a field',
      `video_url: ${VIDEO}\nschema: {__proto__: {type: String, description: x}}`,
      'invalid_schema',
    ],
    ['a function', `video_url: ${VIDEO}\nschema: !!js/function "function () {}"`, 'invalid_schema'],
    ['100 KB', `video_url: ${VIDEO}\n# ${'x'.repeat(100_000)}\nschema: {}`, 'input_too_large'],
    ['2 MB', `# ${'x'.repeat(2_000_000)}`, 'input_too_large'],
    ['nothing', ' \n', 'request_body_required'],
  ])('%s', async (_name, text, error) => {
    const startedAt = performance.now()
    const reply = await yaml(text)
    expect({ status: reply.status, error: reply.body.error }).toEqual({ status: 400, error })
    expect(performance.now() - startedAt).toBeLessThan(20_000)
  })

  test('bytes that are no UTF-8, and other charsets', async () => {
    const reply = await bench.http.handle(
      new Request('http://localhost/v1/extract/video', {
        method: 'POST',
        headers: { 'x-api-key': bench.key, 'content-type': 'application/yaml' },
        body: new Uint8Array([0x61, 0x3a, 0x20, 0xff]),
      }),
    )
    expect(reply.status).toBe(400)
    expect((await yaml(YAML, 'text/yaml; charset=latin1')).body.error).toBe('invalid_parameter')
    expect((await yaml(YAML, 'text/plain')).body.error).toBe('invalid_parameter')
  })
})

test('every bad schema is refused at submit by its path; nothing is created or charged', async () => {
  const { db } = bench.support.app
  const count = (): unknown => db.query('select count(*) as n from tasks').get()
  const before = { tasks: count(), spent: bench.spentMicros() }
  for (const { name, schema, says } of BAD_SCHEMAS) {
    // What refers to itself cannot be sent as JSON.
    if (name === 'itself' || name === '1,000 levels' || name === '100,000 fields inside') continue
    const reply = await bench.call('POST', '/extract/video/async', { video_url: VIDEO, schema })
    const { error, message } = reply.body
    expect({ name, status: reply.status, error }).toEqual({ name, status: 400, error: 'invalid_schema' })
    expect(message).toContain(says)
  }
  const deep = `{"video_url":"${VIDEO}","schema":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}}`
  expect((await bench.call('POST', '/extract/video/async', deep)).body.error).toBe('invalid_parameter')
  expect({ tasks: count(), spent: bench.spentMicros() }).toEqual(before)
})

test('async: 202, then the bare result with video_info beside it and the engine on top', async () => {
  const submitted = await bench.call('POST', '/extract/video/async', {
    video_url: VIDEO,
    schema: SCHEMA,
    what_to_extract: ' facts ',
  })
  expect(submitted).toMatchObject({
    status: 202,
    body: {
      status: 'success',
      data: { task_status: 'processing', job_type: 'extract_video', webhook_url: null },
    },
  })
  const { task_id: id, check_status_url: path } = submitted.body.data
  expect(path).toBe(`/v1/extract/video/${id}`)
  await ended(id)
  const { body } = await bench.call('GET', `/extract/video/${id}?include_usage=true`)
  expect(body.data).toMatchObject({
    task_status: 'completed',
    job_type: 'extract_video',
    progress: 1,
    request: { video_url: VIDEO, schema: SCHEMA, what_to_extract: 'facts', transcribe: true },
    result: { repair_cost: 4_500_000, captain: null },
    video_info: { title: 'A talk' },
    error: null,
    webhook: null,
  })
  expect(Object.keys(body.data.request)).toEqual(['video_url', 'schema', 'what_to_extract', 'transcribe'])
  expect(Object.keys(body.data.result)).toEqual(Object.keys(SCHEMA))
  expect(body.engine.name).toBe('builtin')
  expect(body.usage.charges).toContainEqual(
    expect.objectContaining({ service_type: 'analysis_request', quantity: 1, credits: 0.01, waived: false }),
  )
  expect((await bench.call('GET', `/transcribe/${id}`)).status).toBe(404)
})

test('transcribe: false uses a known transcript and makes none', async () => {
  const body = { video_url: 'https://media.example.com/unknown.mp4', schema: SCHEMA, transcribe: false }
  const before = bench.spentMicros()
  const sync = await extract(body)
  expect({ status: sync.status, error: sync.body.error }).toEqual({
    status: 404,
    error: 'transcript_not_available',
  })
  const { body: submitted } = await bench.call('POST', '/extract/video/async', body)
  await ended(submitted.data.task_id)
  const { body: poll } = await bench.call('GET', `/extract/video/${submitted.data.task_id}`)
  expect(poll.data).toMatchObject({
    task_status: 'failed',
    result: null,
    video_info: null,
    error: { error: 'transcript_not_available', http_status: 404 },
  })
  expect(poll).not.toHaveProperty('engine')
  expect(bench.spentMicros()).toBe(before)
})

test('no value is invented: every text is found in the transcript', async () => {
  for (const name of ['held-out-storm-news', 'held-out-tap-repair']) {
    const file = Bun.file(new URL(`../analysis-eval/${name}.json`, import.meta.url))
    const { segments, schema } = (await file.json()) as {
      segments: string[]
      schema: Record<string, unknown>
    }
    const url = `https://media.example.com/${name}.mp4`
    await bench.know(url, segments)
    const { body } = await extract({ video_url: url, schema })
    const spoken = segments.join(' ').toLowerCase()
    for (const value of Object.values(body.data).flat()) {
      if (typeof value !== 'string' || JSON.stringify(schema).includes(`"${value}"`)) continue
      expect(spoken).toContain(value.toLowerCase().replace(/[.!?]$/, ''))
    }
  }
})

async function ended(taskId: string): Promise<void> {
  await bench.worker.drain()
  const { db } = bench.support.app
  const read = (): unknown => db.query('select status from tasks where id = ?').get(taskId)
  while ((read() as { status: string }).status === 'processing') await bench.worker.drain()
}
