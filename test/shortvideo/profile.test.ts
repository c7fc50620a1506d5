// POST /shortvideo/profile and its poll, through yt-dlp itself, against the stand-in for TikTok.

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
import { createReceiver } from '../support/receiver.ts'
import { runningPrograms } from '../support/media-deps.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { TIKTOK_NEWEST_S } from '../support/platforms/tiktok.ts'
import { openScraping, type Scraping } from './support.ts'

setDefaultTimeout(120_000)

const PAGE_MICROS = 100
const ITEM_LIST = 'GET www.tiktok.com/api/creator/item_list/'

let site: PlatformSite
let run: Scraping

beforeAll(async () => {
  site = await startPlatformSite()
})
afterAll(() => site.stop())
beforeEach(async () => {
  run = await openScraping({ EARSHOT_SITE_PAUSE_S: '0.3', ...site.env })
})
afterEach(() => run.close())

const pagesAsked = (): number => site.requests.filter((request) => request === ITEM_LIST).length

async function submit(name: string, body: object = {}): Promise<string> {
  const profile_url = `https://www.tiktok.com/@${name}`
  const reply = await run.call('POST', '/shortvideo/profile', { profile_url, ...body })
  expect(reply).toMatchObject({ status: 202 })
  return String(reply.body.data.task_id)
}

const poll = async (id: string, query = '') =>
  (await run.call('GET', `/shortvideo/profile/${id}${query}`)).body

/** Submits, works, and returns the poll's data and the pages that the site was asked for. */
async function scraped(name: string, body: object = {}) {
  const before = pagesAsked()
  const id = await submit(name, body)
  await run.worker.drain()
  const { data, usage } = await poll(id, '?limit=500&include_usage=true')
  return { id, data, usage, asked: pagesAsked() - before }
}

const day = (index: number): string => new Date((TIKTOK_NEWEST_S - index * 86_400) * 1_000).toISOString()
const indexes = (videos: readonly { readonly title: string }[]): number[] =>
  videos.map(({ title }) => Number(/\d+/.exec(title)?.[0]))

test('a profile: accepted, worked off, and read as the contract says', async () => {
  const before = run.left()
  const profile_url = 'https://www.tiktok.com/@forty?lang=en'
  const accepted = await run.call('POST', '/shortvideo/profile', { profile_url })
  const { task_id, expires_at } = accepted.body.data
  expect(accepted).toMatchObject({
    status: 202,
    body: {
      data: {
        task_status: 'processing',
        profile_url,
        check_status_url: `/v1/shortvideo/profile/${task_id}`,
        webhook_url: null,
      },
    },
  })
  expect(Date.parse(expires_at)).toBe(run.app.now() + 3_600_000)
  expect(before - run.left()).toBe(PAGE_MICROS)
  expect(await poll(task_id)).toMatchObject({
    data: {
      task_status: 'processing',
      profile: null,
      videos: [],
      pagination: { total_items: 0, has_next: false, next_cursor: null },
      download_url: null,
      error: null,
      completed_at: null,
    },
  })
  await run.worker.drain()
  const { data, usage } = await poll(task_id, '?include_usage=true')
  expect(data).toMatchObject({
    task_status: 'completed',
    expires_at,
    profile: { uploader: 'cheesefan', channel: 'Cheese Fan', follower_count: null },
    filters: {
      max_posts: null,
      after_datetime: null,
      before_datetime: null,
      min_likes: null,
      max_likes: null,
    },
    stats: { videos_scanned: 40, videos_matched: 40, pages_consumed: 3 },
    pagination: { limit: 50, offset: 0, total_items: 40, has_next: false, has_prev: false },
    error_message: null,
    webhook: null,
  })
  expect(data.videos[0]).toEqual({
    id: '7300000000000000000',
    track: 'original sound',
    artists: ['Cheese Fan', 'Friend'],
    duration: 2,
    title: 'clip number 0 #claim',
    description: 'clip number 0 #claim',
    timestamp: TIKTOK_NEWEST_S,
    published_at: day(0),
    views: 1_000,
    likes: 0,
    reposts: 5,
    comments: 6,
    thumbnails: [{ id: 'cover', url: 'https://p16.tiktokcdn.com/c.jpg', width: null, height: null }],
    url: 'https://www.tiktok.com/@forty/video/7300000000000000000',
  })
  expect(usage.charges).toEqual([
    { service_type: 'standard_request', quantity: 3, credits: 0.0003, waived: false, credits_saved: 0 },
  ])
  expect(before - run.left()).toBe(3 * PAGE_MICROS)
})

describe('never a page more than is needed', () => {
  const cases: readonly (readonly [string, object, number, readonly number[]])[] = [
    ['max_posts within a page', { max_posts: 7 }, 1, [0, 6]],
    ['max_posts with the last video of a page', { max_posts: 15 }, 1, [0, 14]],
    ['max_posts one beyond a page', { max_posts: 16 }, 2, [0, 15]],
    ['after_datetime within a page', { after_datetime: day(20) }, 2, [0, 20]],
    ['a day newer than everything', { after_datetime: '2026-02-01' }, 1, []],
    ['both, the earlier one counts', { after_datetime: day(50), max_posts: 31 }, 3, [0, 30]],
    ['before_datetime only filters', { before_datetime: day(10), max_posts: 3 }, 1, [10, 12]],
    ['likes only filter', { min_likes: 20, max_likes: 29, max_posts: 5 }, 2, [20, 24]],
  ]
  for (const [name, filters, pages, bounds] of cases) {
    test(name, async () => {
      const before = run.left()
      const { data, asked } = await scraped('thousand', filters)
      const found = indexes(data.videos)
      expect({ asked, pages: data.stats.pages_consumed }).toEqual({ asked: pages, pages })
      expect([found[0], found.at(-1)].filter((index) => index !== undefined)).toEqual([...bounds])
      expect(before - run.left()).toBe(pages * PAGE_MICROS)
    })
  }

  test('old videos that a profile has pinned do not end it', async () => {
    const { data, asked } = await scraped('pinned', { after_datetime: day(5) })
    expect({ found: indexes(data.videos), asked }).toEqual({ found: [0, 1, 2, 3, 4, 5], asked: 1 })
  })
})

test('a thousand videos: progress page by page, memory flat, every page billed once, and cursors that fit', async () => {
  const before = pagesAsked()
  const id = await submit('thousand')
  const seen = new Set<number>()
  const rss: number[] = []
  let [asked, shown] = [0, 0]
  run.worker.start()
  for (;;) {
    const { data } = await poll(id)
    if (asked === 0 && pagesAsked() > before) asked = performance.now()
    if (shown === 0 && data.stats.videos_matched > 0) shown = performance.now()
    seen.add(data.stats.pages_consumed)
    rss.push(process.memoryUsage.rss())
    if (data.task_status !== 'processing') break
    expect(data.videos).toEqual([])
    await Bun.sleep(50)
  }
  const { data, usage } = await poll(id, '?limit=1&include_usage=true')
  expect(data).toMatchObject({
    stats: { videos_scanned: 1_000, videos_matched: 1_000, pages_consumed: 67 },
    pagination: { total_items: 1_000 },
  })
  expect(usage.charges).toMatchObject([{ quantity: 67 }])
  expect(pagesAsked() - before).toBe(67)
  expect(seen.size).toBeGreaterThan(30)
  // The first results are counted in the poll within seconds of the first page.
  expect(shown - asked).toBeLessThan(3_000)
  const [half, end] = [rss[rss.length >> 1] ?? 0, rss.at(-1) ?? 0]
  expect(end - half).toBeLessThan(30e6)
  // Limits that change from page to page skip and repeat nothing, there and back.
  const found: number[] = []
  let cursor: string | null = null
  let limit = 1
  do {
    const query: string = `?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`
    const page = (await poll(id, query)).data
    expect(page.pagination).toMatchObject({ limit, offset: found.length, has_prev: found.length > 0 })
    found.push(...indexes(page.videos))
    cursor = page.pagination.next_cursor
    expect(page.pagination.has_next).toBe(cursor !== null)
    limit = Math.min(500, limit * 3)
  } while (cursor !== null)
  expect(found).toEqual(Array.from({ length: 1_000 }, (_, index) => index))
  const second = (await poll(id, '?limit=400')).data.pagination.next_cursor
  const back = (await poll(id, `?limit=400&cursor=${second}`)).data.pagination.prev_cursor
  expect(indexes((await poll(id, `?limit=3&cursor=${back}`)).data.videos)).toEqual([0, 1, 2])
  const file = await run.fetch(data.download_url)
  const { videos } = (await file.json()) as { videos: { title: string }[] }
  expect(indexes(videos)).toEqual(found)
})

test('cursors of others, of another task, and changed ones are invalid', async () => {
  const { id, data } = await scraped('forty')
  const other = await scraped('pinned')
  const { next_cursor } = (await poll(other.id, '?limit=5')).data.pagination
  const own = (await poll(id, '?limit=5')).data.pagination.next_cursor
  const changed = `${own.slice(0, 7)}${own[7] === 'B' ? 'C' : 'B'}${own.slice(8)}`
  for (const cursor of [
    next_cursor,
    changed,
    `${own}A`,
    `${own}=`,
    '',
    'AAAA',
    '5',
    'é',
    own.toLowerCase(),
  ]) {
    const reply = await run.call('GET', `/shortvideo/profile/${id}?cursor=${encodeURIComponent(cursor)}`)
    expect({ cursor, ...reply }).toMatchObject({ cursor, status: 400, body: { error: 'invalid_cursor' } })
  }
  for (const limit of ['0', '501', 'x', '1.5']) {
    expect(await poll(id, `?limit=${limit}`)).toMatchObject({ error: 'invalid_parameter' })
  }
  expect(data.task_status).toBe('completed')
})

describe('failures', () => {
  const failures: readonly (readonly [string, string])[] = [
    ['private', 'content_restricted'],
    ['closed', 'content_restricted'],
    ['missing', 'video_unavailable'],
    ['captcha', 'video_unavailable'],
  ]
  for (const [name, code] of failures) {
    test(`${name} is ${code}, and costs nothing`, async () => {
      const before = run.left()
      const { data, usage } = await scraped(name)
      expect(data).toMatchObject({
        task_status: 'failed',
        error: { error: code },
        error_message: data.error.message,
        videos: [],
        profile: null,
        download_url: null,
      })
      expect(usage).toBeUndefined()
      expect(run.left()).toBe(before)
    })
  }

  test('a site that limits is asked again later, and in the end nothing is charged', async () => {
    const before = run.left()
    const id = await submit('limited')
    for (let attempt = 0; attempt < 3; attempt++) {
      await run.worker.drain()
      run.advance(600_000)
    }
    const data = (await poll(id)).data
    expect(data).toMatchObject({ task_status: 'failed', error: { error: 'metadata_fetch_failed' } })
    expect(run.left()).toBe(before)
  })

  test('an interruption after the first page begins anew, and bills no page twice', async () => {
    const id = await submit('interrupted')
    await run.worker.drain()
    expect((await poll(id)).data).toMatchObject({ task_status: 'processing', stats: { pages_consumed: 1 } })
    for (let attempt = 0; attempt < 3; attempt++) {
      run.advance(600_000)
      await run.worker.drain()
    }
    expect((await poll(id)).data).toMatchObject({ task_status: 'failed' })
  })

  test('a profile without videos is an empty list', async () => {
    const { data } = await scraped('empty')
    expect(data).toMatchObject({ task_status: 'completed', videos: [], stats: { pages_consumed: 1 } })
    expect(await (await run.fetch(data.download_url)).json()).toEqual({ videos: [] })
  })
})

test('what is refused creates and charges nothing', async () => {
  const before = run.left()
  const good = 'https://www.tiktok.com/@forty'
  const rows: readonly (readonly [object, string])[] = [
    [{}, 'missing_parameter'],
    [{ profile_url: 'tiktok' }, 'invalid_url'],
    [{ profile_url: 'ftp://www.tiktok.com/@forty' }, 'unsupported_url'],
    [{ profile_url: 'https://127.0.0.1/@forty' }, 'unsupported_url'],
    [{ profile_url: 'https://www.instagram.com/someone' }, 'unsupported_platform'],
    [{ profile_url: 'https://www.tiktok.com.example.com/@forty' }, 'unsupported_platform'],
    [{ profile_url: 'https://www.tiktok.com/@forty/video/7300000000000000000' }, 'unsupported_url'],
    [{ profile_url: good, max_posts: 0 }, 'invalid_parameter'],
    [{ profile_url: good, max_posts: 1.5 }, 'invalid_parameter'],
    [{ profile_url: good, min_likes: -1 }, 'invalid_parameter'],
    [{ profile_url: good, min_likes: 5, max_likes: 4 }, 'invalid_parameter'],
    [{ profile_url: good, after_datetime: '2026-02-30' }, 'invalid_parameter'],
    [{ profile_url: good, after_datetime: '2026-01-01T10:00:00' }, 'invalid_parameter'],
    [{ profile_url: good, before_datetime: 'yesterday' }, 'invalid_parameter'],
    [{ profile_url: good, after_datetime: '2026-01-02', before_datetime: '2026-01-01' }, 'invalid_parameter'],
    [{ profile_url: good, webhook_url: 'http://example.com' }, 'invalid_parameter'],
  ]
  for (const [body, error] of rows) {
    const reply = await run.call('POST', '/shortvideo/profile', body)
    expect({ sent: body, ...reply }).toMatchObject({ sent: body, status: 400, body: { error } })
  }
  expect(run.left()).toBe(before)
  expect(run.app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 0 })
})

test('without credit for a page: 402, nothing created', async () => {
  run.spendAllBut(PAGE_MICROS - 1)
  const reply = await run.call('POST', '/shortvideo/profile', {
    profile_url: 'https://www.tiktok.com/@forty',
  })
  expect(reply).toMatchObject({
    status: 402,
    body: { error: 'limit_exceeded', error_code: 'limit_exceeded' },
  })
  expect(run.app.db.query('select count(*) as n from tasks').get()).toEqual({ n: 0 })
})

test('a task lasts an hour from its creation, and its link and its rows go with it', async () => {
  const { id, data } = await scraped('forty')
  run.advance(3_599_000)
  expect((await run.call('GET', `/shortvideo/profile/${id}`)).status).toBe(200)
  const fresh = (await poll(id)).data.download_url
  run.advance(1_000)
  const gone = await run.call('GET', `/shortvideo/profile/${id}`)
  expect(gone).toMatchObject({ status: 404, body: { error: 'task_not_found' } })
  expect((await run.fetch(data.download_url)).status).toBe(403)
  expect((await run.fetch(fresh)).status).toBe(404)
  run.prune()
  expect(run.app.db.query('select count(*) as n from shortvideo_items').get()).toEqual({ n: 0 })
  expect(runningPrograms().filter((args) => args.includes('yt_dlp'))).toEqual([])
})

test('the event at its end carries the stats, no videos; the same Idempotency-Key makes one task', async () => {
  const receiver = createReceiver(() => new Response())
  await run.close()
  const trusted = new URL(receiver.url).host
  run = await openScraping({ EARSHOT_SITE_PAUSE_S: '0.3', ...site.env, EARSHOT_TRUSTED_HOSTS: trusted })
  const body = { profile_url: 'https://www.tiktok.com/@forty', max_posts: 3, webhook_url: receiver.url }
  const headers = { 'idempotency-key': 'once' }
  const first = await run.call('POST', '/shortvideo/profile', body, headers)
  const second = await run.call('POST', '/shortvideo/profile', body, headers)
  expect(second).toEqual(first)
  expect(first.body.data.webhook_url).toBe(receiver.url)
  const before = run.left()
  await run.worker.drain()
  expect(run.left()).toBe(before)
  expect(receiver.received.length).toBe(1)
  const { task_id } = first.body.data
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    type: 'shortvideo_profile.completed',
    data: {
      task_id,
      check_status_url: `/v1/shortvideo/profile/${task_id}`,
      result: {
        stats: { videos_scanned: 3, videos_matched: 3, pages_consumed: 1 },
        download_url_available: true,
      },
    },
  })
  expect((await poll(task_id)).data.webhook).toMatchObject({ status: 'delivered', attempts: 1 })
  await receiver.close()
})
