// POST /shortvideo/search and its poll: a real Chromium on the stand-in for TikTok's search page.

import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from 'bun:test'
import { findChromium } from '../../src/engines/browser.ts'
import { runningPrograms } from '../support/media-deps.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { SEARCH_NEWEST_S } from '../support/platforms/tiktok-search.ts'
import { openScraping, type Scraping } from './support.ts'

setDefaultTimeout(120_000)

const PAGE_MICROS = 5_000
const SEARCH_API = 'GET www.tiktok.com/api/search/item/full/'
const chromium = findChromium({ chromiumPath: undefined })
if (chromium === undefined)
  console.log('No Chromium on this machine: keyword search is not tested with a browser.')
const withBrowser = test.skipIf(chromium === undefined)

let site: PlatformSite
let run: Scraping

beforeAll(async () => {
  site = await startPlatformSite()
})
afterAll(() => site.stop())
beforeEach(async () => {
  run = await openScraping({ EARSHOT_SITE_PAUSE_S: '0.05', ...site.env })
})
afterEach(async () => {
  await run.close()
  expect(runningPrograms().filter((args) => args.includes('earshot-run'))).toEqual([])
})

const pagesAsked = (): number => site.requests.filter((request) => request === SEARCH_API).length

const poll = async (id: string, query = '') =>
  (await run.call('GET', `/shortvideo/search/${id}${query}`)).body

async function searched(query: string, body: object = {}) {
  const before = pagesAsked()
  const reply = await run.call('POST', '/shortvideo/search', { query, ...body })
  expect(reply).toMatchObject({ status: 202 })
  const id = String(reply.body.data.task_id)
  await run.worker.drain()
  const { data, usage } = await poll(id, '?limit=500&include_usage=true')
  return { id, data, usage, accepted: reply.body.data, asked: pagesAsked() - before }
}

const indexes = (results: readonly { readonly description: string }[]): number[] =>
  results.map(({ description }) => Number(/\d+/.exec(description)?.[0]))

withBrowser('a search: accepted, worked off, and read as decided', async () => {
  const before = run.left()
  const { id, data, usage, accepted, asked } = await searched(' cheese ', { max_results: 30 })
  expect(accepted).toEqual({
    task_id: id,
    task_status: 'processing',
    query: 'cheese',
    max_results: 30,
    parallel_search_slices: 1,
    filters: {
      after_datetime: null,
      before_datetime: null,
      min_likes: null,
      max_likes: null,
      min_views: null,
      max_views: null,
    },
    expires_at: new Date(run.app.now() + 3_600_000).toISOString(),
    check_status_url: `/v1/shortvideo/search/${id}`,
    message: expect.any(String),
    webhook_url: null,
  })
  expect(data).toMatchObject({
    task_status: 'completed',
    query: 'cheese',
    stats: {
      pages_fetched: 3,
      results_count: 30,
      next_search_cursor: '36',
      sort_by: null,
      published_within: 'all',
    },
    pagination: { total_items: 30, has_next: false },
    error: null,
  })
  expect(data.results[0]).toEqual({
    id: '7400000000000000001',
    item_type: 'video',
    description: 'result 1 #cheese #größe',
    timestamp: SEARCH_NEWEST_S - 5 * 3_600,
    published_at: '2026-01-31T06:00:00.000Z',
    author: { id: '77', unique_id: 'cheesefan', nickname: 'Cheese Fan', sec_uid: 'MS4w' },
    stats: { views: 999, likes: 37, comments: 2, shares: 1, collects: 3 },
    music: { id: '5', title: 'a song', author_name: 'A Band', duration: 30 },
    duration: 15,
    hashtags: ['cheese', 'größe'],
    url: 'https://www.tiktok.com/@cheesefan/video/7400000000000000001',
  })
  const times = data.results.map(({ timestamp }: { timestamp: number }) => timestamp)
  expect(times).toEqual(times.toSorted((a: number, b: number) => b - a))
  expect(asked).toBe(3)
  expect(usage.charges).toMatchObject([{ service_type: 'residential_request', quantity: 3 }])
  expect(before - run.left()).toBe(3 * PAGE_MICROS)
  const file = (await (await run.fetch(data.download_url)).json()) as { videos: { description: string }[] }
  expect(indexes(file.videos)).toEqual(indexes(data.results))
})

withBrowser('slices fetch in parallel, to the end, each page once', async () => {
  const { data, asked } = await searched('cheese', {
    max_results: 0,
    parallel_search_slices: 4,
    sort_by: 'relevance',
  })
  expect(indexes(data.results)).toEqual(Array.from({ length: 100 }, (_, index) => index))
  expect(data.stats).toMatchObject({ results_count: 100, next_search_cursor: null })
  expect(data.stats.pages_fetched).toBe(asked)
  // Slices that are under way when the last page comes in may go beyond it.
  expect(asked).toBeGreaterThanOrEqual(9)
  expect(asked).toBeLessThanOrEqual(12)
})

withBrowser('order and filters', async () => {
  const liked = (await searched('cheese', { max_results: 24, sort_by: 'most_liked' })).data
  const likes = liked.results.map(({ stats }: { stats: { likes: number } }) => stats.likes)
  expect(likes).toEqual(likes.toSorted((a: number, b: number) => b - a))
  const recent = (await searched('cheese', { max_results: 0, published_within: 'past_24_hours' })).data
  expect(indexes(recent.results)).toEqual([1, 3])
  const viewed = (await searched('cheese', { max_results: 0, min_views: 990, max_views: 995 })).data
  expect(indexes(viewed.results).toSorted((a, b) => a - b)).toEqual([5, 6, 7, 8, 9, 10])
})

withBrowser('nothing found is an empty list', async () => {
  expect((await searched('none')).data).toMatchObject({
    task_status: 'completed',
    results: [],
    stats: { pages_fetched: 1, results_count: 0, next_search_cursor: null },
  })
})

describe('walls', () => {
  const walls: readonly (readonly [string, string])[] = [
    ['captcha', 'prove that they are human'],
    ['late captcha', 'prove that they are human'],
    ['login', 'asks visitors to log in'],
    ['refused', 'refused the search'],
  ]
  for (const [query, words] of walls) {
    withBrowser(`${query}: metadata_fetch_failed with advice, at no cost`, async () => {
      const before = run.left()
      const { data } = await searched(query)
      expect(data).toMatchObject({ task_status: 'failed', error: { error: 'metadata_fetch_failed' } })
      expect(data.error.message).toContain(words)
      expect(data.error.message).toContain('try again later')
      expect(run.left()).toBe(before)
    })
  }

  for (const query of ['limited', 'limited later', 'broken']) {
    withBrowser(`${query}: tried again later`, async () => {
      expect((await searched(query)).data).toMatchObject({ task_status: 'processing' })
    })
  }
})

withBrowser('a page that pries reaches nothing private', async () => {
  const seen: string[] = []
  const canary = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      seen.push(request.url)
      return new Response('secret')
    },
  })
  const host = `127.0.0.1:${canary.port}`
  const { data } = await searched(`canary ${host}`, { max_results: 12 })
  expect(data).toMatchObject({ task_status: 'completed', stats: { results_count: 12 } })
  expect(seen).toEqual([])
  // The page does pry: where the operator trusts the host, the same requests arrive.
  await run.close()
  run = await openScraping({ EARSHOT_SITE_PAUSE_S: '0.05', ...site.env, EARSHOT_TRUSTED_HOSTS: host })
  await searched(`canary ${host}`, { max_results: 12 })
  await canary.stop(true)
  expect(seen.length).toBeGreaterThan(0)
})

withBrowser('a browser that crashes, and a server that stops, leave no process', async () => {
  for (const end of ['crash', 'stop']) {
    const reply = await run.call('POST', '/shortvideo/search', { query: 'slow' })
    const id = String(reply.body.data.task_id)
    const before = site.requests.filter((request) => request === SEARCH_API).length
    run.worker.start()
    while (site.requests.filter((request) => request === SEARCH_API).length === before) await Bun.sleep(20)
    if (end === 'crash') {
      for (const line of Bun.spawnSync(['pgrep', '-f', 'earshot-run=']).stdout.toString().split('\n')) {
        if (line !== '') process.kill(Number(line), 'SIGKILL')
      }
      const browsers = (): string[] => runningPrograms().filter((args) => args.includes('earshot-run'))
      while (browsers().length > 0) await Bun.sleep(20)
    }
    await run.worker.stop(0)
    expect(runningPrograms().filter((args) => args.includes('earshot-run'))).toEqual([])
    expect((await poll(id)).data.task_status).toBe('processing')
    await run.close()
    run = await openScraping({ EARSHOT_SITE_PAUSE_S: '0.05', ...site.env })
  }
})

test('without a browser: unsupported_platform that says what to install, and nothing is created', async () => {
  const path = process.env['PATH']
  process.env['PATH'] = '/nonexistent'
  try {
    const reply = await run.call('POST', '/shortvideo/search', { query: 'cheese' })
    expect(reply).toMatchObject({ status: 400, body: { error: 'unsupported_platform' } })
    expect(reply.body.message).toContain('EARSHOT_CHROMIUM')
    expect(run.app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 0 })
  } finally {
    process.env['PATH'] = path
  }
})

test('what is refused creates and charges nothing', async () => {
  const rows: readonly (readonly [object, string])[] = [
    [{ query: 'x' }, 'invalid_parameter'],
    [{ query: '' }, 'missing_parameter'],
    [{ query: ' x ' }, 'invalid_parameter'],
    [{ query: 'cheese', max_results: -1 }, 'invalid_parameter'],
    [{ query: 'cheese', parallel_search_slices: 5 }, 'invalid_parameter'],
    [{ query: 'cheese', parallel_search_slices: 0 }, 'invalid_parameter'],
    [{ query: 'cheese', sort_by: 'oldest' }, 'invalid_parameter'],
    [{ query: 'cheese', published_within: 'ever' }, 'invalid_parameter'],
    [{ query: 'cheese', min_views: 2, max_views: 1 }, 'invalid_parameter'],
  ]
  for (const [body, error] of rows) {
    const reply = await run.call('POST', '/shortvideo/search', body)
    expect({ sent: body, ...reply }).toMatchObject({ sent: body, status: 400, body: { error } })
  }
  expect(run.app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 0 })
})

withBrowser('without credit for a page: 402, nothing created', async () => {
  run.spendAllBut(PAGE_MICROS - 1)
  const poor = await run.call('POST', '/shortvideo/search', { query: 'cheese' })
  expect(poor).toMatchObject({ status: 402, body: { error: 'limit_exceeded' } })
  expect(run.app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 0 })
})
