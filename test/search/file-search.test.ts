// Search end to end: spoken recordings uploaded over HTTP, transcribed, indexed, and found by what is said in them.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type FilesServer, startFilesServer } from '../support/files.ts'

const FOLDER = `${import.meta.dir}/../samples`
const NAMES = ['sample-1-news', 'sample-2-weather', 'sample-5-music'] as const

interface Sample {
  readonly sentences: readonly { readonly start: number; readonly end: number; readonly text: string }[]
}

let files: FilesServer
const ids = new Map<string, string>()
const namespaces = new Map<string, string>()

beforeAll(async () => {
  files = await startFilesServer()
  for (const name of ['mornings', 'evenings']) {
    const reply = await files.request('POST', '/v1/namespaces', { name })
    namespaces.set(name, reply.body.data.id)
  }
  for (const name of NAMES) {
    const bytes = await Bun.file(`${FOLDER}/${name}.wav`).bytes()
    const namespace = namespaces.get(name < 'sample-3' ? 'mornings' : 'evenings') ?? ''
    const reply = await files.upload(bytes, `${name}.wav`, { namespace_ids: namespace })
    ids.set(name, reply.body.file_id ?? reply.body.data.file_info.id)
  }
  for (const id of ids.values()) expect((await files.ended(id)).status).toBe('completed')
  await files.until('everything is indexed', async () => {
    const { body } = await find('the and of to in we')
    return /Searched 3 files/.test(body.data.explanation)
  })
}, 180_000)

afterAll(async () => files.close())

const find = async (query: string, more: object = {}) =>
  files.request('POST', '/v1/search/file', { query, ...more })

async function sentenceOf(name: string, words: RegExp): Promise<{ start: number; end: number }> {
  const sample = (await Bun.file(`${FOLDER}/${name}.json`).json()) as Sample
  const sentence = sample.sentences.find(({ text }) => words.test(text))
  if (!sentence) throw new Error(`${name} says nothing like ${words}`)
  return sentence
}

describe('POST /search/file', () => {
  test.each([
    ['a politician arrives in the German capital', 'sample-1-news', /Berlin/],
    ['railway traffic between two cities was interrupted', 'sample-1-news', /storm stopped the train/],
    ['how cold it gets in a far country in the north', 'sample-2-weather', /winter in Canada/],
    ['a text about a house with old things to look at', 'sample-5-music', /museum/],
  ])('finds "%s" in the right file, at the right sentence', async (query, name, words) => {
    const { status, body } = await find(query)
    expect(status).toBe(200)
    const [first] = body.data.results
    expect(first.name).toBe(`${name}.wav`)
    const { start, end } = await sentenceOf(name, words)
    expect(first.timestamps[0]).toBeGreaterThan(start - 0.5)
    expect(first.timestamps[0]).toBeLessThan(end)
    expect(first.relevance_score).toBeGreaterThan(0.1)
    expect(first.relevance_score).toBeLessThanOrEqual(1)
  })

  test('answers with the record of the file and a link that works', async () => {
    const { body } = await find('president of France')
    const [first] = body.data.results
    expect(first).toMatchObject({ status: 'completed', type: 'audio/wav', has_transcript: true })
    expect(first.relevant_text).toMatch(/France/)
    const link = await fetch(first.file_url)
    expect(link.status).toBe(200)
    expect((await link.bytes()).length).toBe(first.size)
    expect(body.engine).toMatchObject({ name: 'builtin', model: 'extractive-2' })
    expect(first.query_answer).toMatch(/France/)
    expect(first.transcript_summary).toBeString()
    expect(first.places).toContainEqual({ name: 'Berlin', context: expect.any(String) })
    for (const { name } of first.key_subjects) expect(name).toBeString()
    expect(body.data.query).toBe('president of France')
    expect(body.data.total_found).toBeGreaterThanOrEqual(1)
    expect(body.data.explanation).toMatch(
      /^Searched 3 files by meaning \(use-lite-en\) and by words\. \d of \d were analysed by builtin \(extractive-2\)\.$/,
    )
    expect(body.usage).toBeUndefined()
  })

  test('looks only into the namespaces that are named', async () => {
    const inside = await find('president of France', { namespace_ids: [namespaces.get('mornings')] })
    expect(inside.body.data.results[0].name).toBe('sample-1-news.wav')
    expect(inside.body.data.explanation).toStartWith('Searched 2 files')
    const outside = await find('president of France', { namespace_ids: [namespaces.get('evenings')] })
    const names = outside.body.data.results.map((result: { name: string }) => result.name)
    expect(names).not.toContain('sample-1-news.wav')
    const unknown = await find('x', { namespace_ids: ['0190e2a4-0000-7000-8000-000000000000'] })
    expect([unknown.status, unknown.body.error]).toEqual([400, 'invalid_parameter'])
  })

  test('charges one search and the analysis of what was found, and says so when asked', async () => {
    const { body } = await find('weather', { include_usage: true })
    expect(body.usage.charges).toMatchObject([
      { service_type: 'search_request', quantity: 1 },
      { service_type: 'analysis_request', quantity: 1, tokens: { total_tokens: expect.any(Number) } },
    ])
  })

  test('takes any text for data', async () => {
    const queries = [
      '"',
      "it's",
      'a AND b OR',
      'NEAR(',
      '*',
      'text:x',
      '^',
      '-',
      '🎉',
      "'; drop table files; --",
      '(('.repeat(50),
    ]
    for (const query of queries) expect([query, (await find(query)).status]).toEqual([query, 200])
    expect((await find('  ')).body.error).toBe('missing_parameter')
    expect((await find('x'.repeat(2_001))).body.error).toBe('invalid_parameter')
  })

  test('says when it compares words only, and what it took a slip for', async () => {
    const foreign = await find('где находится вокзал в Берлине')
    expect(foreign.body.data.explanation).toMatch(/by words alone.*use-lite-en understands en only/)
    const slip = await find('presidnet of France')
    expect(slip.body.data.results[0].name).toBe('sample-1-news.wav')
    expect(slip.body.data.explanation).toContain('Nobody says "presidnet"')
  })

  test('is refused to a key without the permission', async () => {
    const key = await files.server.createKey('--permissions', 'files:read')
    const reply = await files.server.request('POST', '/v1/search/file', { key, body: { query: 'x' } })
    expect([reply.status, reply.body.error]).toEqual([403, 'access_denied'])
  })

  test('finds nothing of another account', async () => {
    await files.server.command('accounts', 'create', 'other', '--plan', 'custom')
    const key = await files.server.createKey('--account', 'other')
    const { body } = await files.server.request('POST', '/v1/search/file', { key, body: { query: 'France' } })
    expect(body.data).toMatchObject({ results: [], total_found: 0 })
    expect(body.data.explanation).toBe('There is no transcribed file to search in.')
  })

  test('forgets a file that is deleted', async () => {
    const id = ids.get('sample-5-music') ?? ''
    expect((await files.request('DELETE', `/v1/file/${id}/delete`)).status).toBe(200)
    const { body } = await find('music')
    expect(body.data.explanation).toStartWith('Searched 2 files')
    expect(body.data.results.map((result: { id: string }) => result.id)).not.toContain(id)
  })
})
