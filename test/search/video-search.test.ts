// POST /search/video against the stand-in for YouTube, with yt-dlp for real: what is found, fetched, billed, kept, and what
// is left when the platform cannot be reached.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { createTask, discardTask } from '../../src/jobs/tasks.ts'
import { searchPlatform } from '../../src/search/candidates.ts'
import { fetchTranscripts } from '../../src/search/video-transcripts.ts'
import { openScraping, type Reply, type Scraping } from '../shortvideo/support.ts'
import { runningPrograms } from '../support/media-deps.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { BROKEN_QUERY, SILENT_QUERY, TOPICS } from '../support/platforms/youtube-channels.ts'

setDefaultTimeout(120_000)

let site: PlatformSite
let run: Scraping

beforeAll(async () => {
  site = await startPlatformSite()
  run = await openScraping(site.env)
  run.worker.start()
})
afterAll(async () => {
  await run.close()
  await site.stop()
})

const signal = new AbortController().signal
const watch = (id: string): string => `https://www.youtube.com/watch?v=${id}`
const find = (query: string, more: object = {}): Promise<Reply> =>
  run.call('POST', '/search/video', { query, use_enhanced_search: false, ...more })
const titles = ({ body }: Reply): string[] => body.data.results.map(({ title }: { title: string }) => title)
const asked = (path: string): number => site.requests.filter((request) => request.endsWith(path)).length

function otherAccount(name: string): Record<string, string> {
  const { id } = createAccount(run.app, name, 'custom')
  const { text } = createKey(run.app, id, { name: '', permissions: 'all', expiresAt: undefined })
  return { 'x-api-key': text }
}

test('nothing found is nothing billed', async () => {
  const before = run.left()
  const reply = await find('xylophone quartets', { include_usage: true })
  expect(reply).toMatchObject({
    status: 200,
    body: { data: { results: [], total_found: 0 }, usage: { charges: [], total_credits: 0 } },
  })
  expect(run.left()).toBe(before)
})

test('finds what is said, at its moment; captions are paid once and stay in the library', async () => {
  const reply = await find('when does the ferry leave for the island', { include_usage: true })
  expect(reply.status).toBe(200)
  const [first, second] = reply.body.data.results
  expect(first).toMatchObject({
    title: TOPICS.ferries.title,
    url: watch(TOPICS.ferries.id),
    channel: 'Harbour and Sky',
    duration: 120,
    views: 900,
    timestamp: 2,
    query_relevance: 'The first ferry leaves for the island at six in the morning.',
  })
  expect(first.published_date).toStartWith('2021-02-03')
  expect(first.relevant_text).toStartWith('The first ferry leaves')
  expect(first.transcript_summary).toBeString()
  expect(first.places).toContainEqual({ name: 'Lunden', context: expect.any(String) })
  // No captions: listed for its title.
  expect(second).toMatchObject({ title: TOPICS.silent.title, timestamp: null, transcript_summary: null })
  expect(second.relevance_score).toBeLessThan(first.relevance_score)
  expect(reply.body.usage.charges).toMatchObject([
    { service_type: 'residential_request', quantity: 1 },
    { service_type: 'analysis_request', quantity: 1 },
  ])
  const watched = asked('/api/timedtext')
  const again = await find('ferry to the island', { include_usage: true })
  expect(titles(again)[0]).toBe(TOPICS.ferries.title)
  expect(again.body.usage.charges).toMatchObject([{ service_type: 'analysis_request' }])
  expect(asked('/api/timedtext')).toBe(watched)
})

test('accounts share what was fetched, but see only what they asked for themselves', async () => {
  const other = otherAccount('other')
  const watched = asked('/api/timedtext')
  // The platform is down: the library alone answers, and the other account has none.
  const body = { query: `${BROKEN_QUERY} ferry`, include_usage: true }
  const nothing = await run.call('POST', '/search/video', body, other)
  expect(nothing.body.data).toMatchObject({ results: [], total_found: 0 })
  const found = await run.call('POST', '/search/video', { ...body, query: 'ferry island' }, other)
  expect(titles(found)).toContain(TOPICS.ferries.title)
  expect(found.body.usage.charges).toContainEqual(
    expect.objectContaining({ service_type: 'residential_request', waived: true }),
  )
  expect(asked('/api/timedtext')).toBe(watched)
  expect(titles(await run.call('POST', '/search/video', body, other))).toContain(TOPICS.ferries.title)
})

test('a platform that fails leaves the library, and the explanation says so', async () => {
  const reply = await find(`${BROKEN_QUERY} ferry island six in the morning`)
  expect(titles(reply)).toEqual([TOPICS.ferries.title])
  expect(reply.body.data.explanation).toMatch(/could not be asked, so only the library was searched/)
})

test('what was captioned or transcribed in any other way is found too', async () => {
  const taken = await run.call('POST', '/transcript', { video_url: watch(TOPICS.stars.id) })
  expect(taken.status).toBe(200)
  const reply = await find(`${BROKEN_QUERY} rings of Saturn`)
  expect(titles(reply)[0]).toBe(TOPICS.stars.title)
})

test('year, duration and focus decide', async () => {
  const all = 'ferry island, sourdough bread, telescope Saturn'
  const popular = await find(all, { focus: 'popularity', max_results: 2 })
  expect(popular.body.data).toMatchObject({ total_found: 4, results: { length: 2 } })
  const views: number[] = popular.body.data.results.map((result: { views: number }) => result.views)
  expect(views).toEqual([TOPICS.bread.views, TOPICS.stars.views])
  expect(titles(await find(all, { start_year: 2023 })).toSorted()).toEqual(
    [TOPICS.bread.title, TOPICS.stars.title].toSorted(),
  )
  expect(titles(await find(all, { end_year: 2021 }))).toEqual([TOPICS.ferries.title])
  expect(titles(await find(all, { duration: 120, focus: 'brevity' })).toSorted()).toEqual(
    [TOPICS.ferries.title, TOPICS.silent.title].toSorted(),
  )
})

test('expansion looks for synonyms too and says so', async () => {
  const reply = await find('ship timetable', { use_enhanced_search: true })
  expect(reply.body.data.explanation).toContain('Also looked for "boat timetable".')
  expect(titles(reply)).toContain(TOPICS.ferries.title)
})

test('a silent platform and a stuck candidate are left behind in time, and no process stays', async () => {
  const silent = await searchPlatform(run.app, [SILENT_QUERY], signal, 1_500)
  expect(silent).toMatchObject({ candidates: [], note: expect.stringContaining('did not answer in time') })
  const { candidates } = await searchPlatform(run.app, ['lighthouse never loads'], signal)
  expect(candidates.map(({ facts }) => facts.title)).toEqual([TOPICS.stuck.title])
  const accountId = createAccount(run.app, 'waiting', 'custom').id
  const base = { accountId, jobType: 'search_video', isSync: true, request: {}, stages: [] } as const
  const task = createTask(run.app, base)
  const startedAt = performance.now()
  const { fetched } = await fetchTranscripts(run.app, task, candidates, signal, 3_000)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  expect(fetched).toMatchObject([{ transcriptId: undefined }])
  discardTask(run.app, task.id)
  expect(runningPrograms().filter((args) => args.includes('yt_dlp'))).toEqual([])
})

const WRONG: readonly (readonly [object, string])[] = [
  [{}, 'missing_parameter'],
  [{ query: ' ' }, 'missing_parameter'],
  [{ query: 7 }, 'invalid_parameter'],
  [{ query: 'x'.repeat(2_001) }, 'invalid_parameter'],
  [{ query: 'x', focus: 'price' }, 'invalid_parameter'],
  [{ query: 'x', duration: 0 }, 'invalid_parameter'],
  [{ query: 'x', max_results: 51 }, 'invalid_parameter'],
  [{ query: 'x', start_year: 20_000 }, 'invalid_parameter'],
  [{ query: 'x', start_year: 2024, end_year: 2023 }, 'invalid_parameter'],
]
test('refuses what it cannot do', async () => {
  for (const [body, error] of WRONG) {
    const reply = await run.call('POST', '/search/video', body)
    expect([reply.status, reply.body.error]).toEqual([400, error])
  }
})

test('a query is text, whatever is in it', async () => {
  const queries = ['--exec=id', '"; drop table tasks; NEAR(', '\u0000 🎉']
  for (const query of queries) expect([query, (await find(query)).status]).toEqual([query, 200])
})

test('credits that run out midway give what was found so far; without any it is refused', async () => {
  const poor = await openScraping(site.env)
  poor.worker.start()
  try {
    // For the analysis and one of three transcripts.
    poor.spendAllBut(15_000)
    const body = { query: 'ferry island, sourdough bread, telescope Saturn', include_usage: true }
    const partial = await poor.call('POST', '/search/video', body)
    expect(partial).toMatchObject({
      status: 402,
      body: { status: 'partial', error_code: 'insufficient_credits_video_search' },
    })
    expect(partial.body.data.results.length).toBeGreaterThanOrEqual(3)
    const withText = partial.body.data.results.filter(
      ({ transcript_summary }: { transcript_summary: string | null }) => transcript_summary !== null,
    )
    expect(withText.length).toBe(1)
    expect(partial.body.usage.total_credits).toBe(0.015)
    expect(poor.left()).toBe(0)
    expect(await poor.call('POST', '/search/video', body)).toMatchObject({
      status: 402,
      body: { status: 'error', error: 'limit_exceeded' },
    })
  } finally {
    await poor.close()
  }
})

test('an offline server asks nobody and says so', async () => {
  const offline = await openScraping({ ...site.env, EARSHOT_OFFLINE: '1' })
  offline.worker.start()
  try {
    await offline.call('POST', '/transcript', { video_url: watch(TOPICS.bread.id) })
    const searches = asked('/youtubei/v1/search')
    const reply = await offline.call('POST', '/search/video', { query: 'how hot must the oven be' })
    expect(titles(reply)).toEqual([TOPICS.bread.title])
    expect(reply.body.data.results[0].timestamp).toBe(4)
    expect(reply.body.data.explanation).toStartWith(
      'This server is offline, so only the library was searched.',
    )
    expect(asked('/youtubei/v1/search')).toBe(searches)
  } finally {
    await offline.close()
  }
})
