// Indexed channels against the stand-in for YouTube, with yt-dlp for real: added, followed, searched, removed.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { grant } from '../../src/billing/balance.ts'
import { charge } from '../../src/billing/ledger.ts'
import { changePlan } from '../../src/billing/subscription.ts'
import { newId } from '../../src/lib/id.ts'
import { MINUTE } from '../../src/lib/time.ts'
import { CHECK_EVERY_MS } from '../../src/search/channels.ts'
import { openScraping, type Reply, type Scraping } from '../shortvideo/support.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { BROKEN_QUERY, CHANNELS, TOPICS, type TopicVideo } from '../support/platforms/youtube-channels.ts'

setDefaultTimeout(120_000)

type Headers = Readonly<Record<string, string>>

let site: PlatformSite
let run: Scraping

beforeAll(async () => {
  site = await startPlatformSite()
  run = await openScraping({ ...site.env, EARSHOT_SITE_PAUSE_S: '0' })
  run.worker.start()
})
afterAll(async () => {
  await run.close()
  await site.stop()
})

const channelUrl = (name: string): string => `https://www.youtube.com/@${name}`
const watch = (id: string): string => `https://www.youtube.com/watch?v=${id}`
const add = (name: string, more: object = {}, headers: Headers = {}): Promise<Reply> =>
  run.call('POST', '/channels', { channel_url: channelUrl(name), ...more }, headers)
const remove = (id: string, headers: Headers = {}): Promise<Reply> =>
  run.call('DELETE', `/channels/${id}`, undefined, headers)
const show = async (id: string, headers: Headers = {}): Promise<Reply['body']> =>
  (await run.call('GET', `/channels/${id}`, undefined, headers)).body.data
const watched = (): number => site.requests.filter((request) => request.endsWith('/watch')).length

function account(name: string): { readonly id: string; readonly headers: Headers } {
  const { id } = createAccount(run.app, name, 'custom')
  const { text } = createKey(run.app, id, { name: '', permissions: 'all', expiresAt: undefined })
  return { id, headers: { 'x-api-key': text } }
}

/** The channel's record once it is as wanted. */
async function until(id: string, wanted: (record: Reply['body']) => boolean, headers: Headers = {}) {
  for (let waits = 0; waits < 1_000; waits++) {
    const record = await show(id, headers)
    if (wanted(record)) return record
    await Bun.sleep(20)
  }
  throw new Error(`waited in vain: ${JSON.stringify(await show(id, headers))}`)
}
const isIdle = ({ status, videos }: Reply['body']): boolean => status !== 'pending' && videos.pending === 0

/** Of the library alone: the platform's search fails. */
async function titlesFor(query: string, headers: Headers = {}): Promise<string[]> {
  const body = { query: `${BROKEN_QUERY} ${query}`, use_enhanced_search: false }
  const { body: found } = await run.call('POST', '/search/video', body, headers)
  return found.data.results.map(({ title }: { title: string }) => title)
}

let harbourId = ''

test('its videos are transcribed from captions, paid once each, counted, and found without the platform', async () => {
  const before = run.left()
  const added = await add('harbour')
  expect(added).toMatchObject({
    status: 201,
    body: { data: { channel_url: channelUrl('harbour'), platform: 'YouTube', max_videos: 30 } },
  })
  harbourId = added.body.data.id
  const usage = await run.call('GET', '/usage')
  expect(usage.body.data.channels_indexed).toEqual({ used: 1, limit: 2, remaining: 1, percentage: 50 })
  expect(await until(harbourId, isIdle)).toMatchObject({
    title: 'Harbour and Sky',
    status: 'indexed',
    error_message: null,
    videos: { pending: 0, indexed: 2, failed: 0 },
    newest_videos: [
      { url: watch(TOPICS.stars.id), title: TOPICS.stars.title, status: 'indexed' },
      { url: watch(TOPICS.ferries.id), title: TOPICS.ferries.title, status: 'indexed' },
    ],
  })
  expect(before - run.left()).toBe(10_000)
  expect((await titlesFor('the first ferry to the island'))[0]).toBe(TOPICS.ferries.title)
})

test('the same channel in another spelling is answered as it is, and the plan limits how many there are', async () => {
  const again = await run.call('POST', '/channels', { channel_url: 'https://m.youtube.com/@Harbour/videos' })
  expect(again).toMatchObject({ status: 200, body: { data: { id: harbourId } } })
  const second = await add('empty')
  expect(await until(second.body.data.id, isIdle)).toMatchObject({ status: 'indexed', newest_videos: [] })
  expect(await add('kitchen')).toMatchObject({ status: 402, body: { error: 'limit_exceeded' } })
  const listed = await run.call('GET', '/channels')
  expect(listed.body.data.map(({ id }: { id: string }) => id)).toEqual([harbourId, second.body.data.id])
  expect((await remove(second.body.data.id)).status).toBe(200)
})

test('a later look takes what is new and nothing else', async () => {
  const fresh: TopicVideo = {
    ...TOPICS.ferries,
    id: 'topicNEW___',
    title: 'A new bridge',
    lines: ['The bridge is made of oak.'],
  }
  CHANNELS.harbour.videos.unshift(fresh)
  try {
    const [left, asked] = [run.left(), watched()]
    run.advance(CHECK_EVERY_MS + MINUTE)
    const record = await until(harbourId, ({ videos }) => videos.indexed === 3)
    expect(record.newest_videos[0]).toMatchObject({ title: 'A new bridge', status: 'indexed' })
    expect(left - run.left()).toBe(5_000)
    expect(watched() - asked).toBe(1)
    expect(await titlesFor('which wood is the bridge made of')).toContain('A new bridge')
  } finally {
    CHANNELS.harbour.videos.shift()
  }
})

test('accounts see only their own; what one has paid for costs the next nothing', async () => {
  const { headers } = account('second')
  expect(await run.call('GET', `/channels/${harbourId}`, undefined, headers)).toMatchObject({ status: 404 })
  expect((await remove(harbourId, headers)).status).toBe(404)
  expect((await run.call('GET', '/channels', undefined, headers)).body.data).toEqual([])
  expect(await titlesFor('ferry island', headers)).toEqual([])
  const asked = watched()
  const { body } = await add('harbour', { max_videos: 1 }, headers)
  expect(body.data.id).not.toBe(harbourId)
  expect((await until(body.data.id, isIdle, headers)).videos).toEqual({ pending: 0, indexed: 1, failed: 0 })
  expect(watched()).toBe(asked)
  expect(await titlesFor('rings of Saturn', headers)).toContain(TOPICS.stars.title)
})

test('a removed channel takes its videos out of the library, but not those asked for otherwise', async () => {
  await run.call('POST', '/transcript', { video_url: watch(TOPICS.ferries.id) })
  expect(await titlesFor('rings of Saturn')).toContain(TOPICS.stars.title)
  expect((await remove(harbourId)).status).toBe(200)
  expect((await run.call('GET', `/channels/${harbourId}`)).status).toBe(404)
  expect(await titlesFor('rings of Saturn')).not.toContain(TOPICS.stars.title)
  expect(await titlesFor('ferry to the island')).toContain(TOPICS.ferries.title)
})

test('without captions a video is listened to, or given up at no cost where that is not wanted', async () => {
  const first = account('third')
  const listening = await add('quiet', {}, first.headers)
  expect((await until(listening.body.data.id, isIdle, first.headers)).videos.indexed).toBe(1)
  const second = account('fourth')
  // Another video, because a known transcript would do.
  CHANNELS.quiet.videos.unshift({ ...TOPICS.silent, id: 'topicMUTE2_' })
  try {
    const reading = await add('quiet', { transcribe: false, max_videos: 1 }, second.headers)
    const record = await until(reading.body.data.id, isIdle, second.headers)
    expect(record).toMatchObject({ status: 'indexed', videos: { indexed: 0, failed: 1 } })
    expect(record.newest_videos[0].error_message).toContain('no transcript')
    const { body } = await run.call('GET', '/usage', undefined, second.headers)
    expect(body.data.usage.residential_request.used).toBe(0)
  } finally {
    CHANNELS.quiet.videos.shift()
  }
})

test('a channel that is not there says so, and is looked at again', async () => {
  const { headers } = account('fifth')
  const { body } = await add('nobody', {}, headers)
  const record = await until(body.data.id, ({ status }) => status === 'failed', headers)
  expect(record.error_message).toContain('does not exist')
  expect(Date.parse(record.next_check_at)).toBeGreaterThan(Date.parse(record.last_checked_at))
})

test('without credits nothing is begun; with some again it goes on at the next look', async () => {
  const { id, headers } = account('sixth')
  changePlan(run.app, id, 'trial')
  charge(run.app, { accountId: id, reference: newId(), meter: 'standard_request', quantity: 50_000 })
  const added = await add('kitchen', {}, headers)
  const waiting = await until(added.body.data.id, ({ status }) => status === 'failed', headers)
  expect(waiting).toMatchObject({ videos: { pending: 1, indexed: 0 } })
  expect(waiting.error_message).toContain('credits')
  grant(run.app, { accountId: id, micros: 1_000_000 })
  run.advance(CHECK_EVERY_MS + MINUTE)
  const record = await until(added.body.data.id, ({ videos }) => videos.indexed === 1, headers)
  expect(record).toMatchObject({ status: 'indexed', error_message: null })
})

const WRONG: readonly (readonly [unknown, string])[] = [
  [undefined, 'missing_parameter'],
  [7, 'invalid_parameter'],
  ['not a url', 'invalid_url'],
  ['ftp://www.youtube.com/@a', 'unsupported_url'],
  ['http://127.0.0.1/@a', 'unsupported_url'],
  ['http://[::1]/@a', 'unsupported_url'],
  ['http://169.254.169.254/latest', 'unsupported_url'],
  ['https://user:pass@www.youtube.com/@a', 'unsupported_url'],
  ['https://www.youtube.com/watch?v=captionsBOT', 'unsupported_url'],
  ['https://www.youtube.com/playlist?list=PL1', 'unsupported_url'],
  ['https://www.youtube.com/@a/../../watch', 'unsupported_url'],
  ['https://example.com/@a', 'unsupported_platform'],
  ['https://www.youtube.com.example.com/@a', 'unsupported_platform'],
]
test('what is no channel is refused', async () => {
  for (const [channel_url, error] of WRONG) {
    const { status, body } = await run.call('POST', '/channels', { channel_url })
    expect([channel_url, status, body.error]).toEqual([channel_url, 400, error])
  }
  for (const more of [{ max_videos: 0 }, { max_videos: 501 }, { transcribe: 'yes' }]) {
    expect(await add('kitchen', more)).toMatchObject({ status: 400, body: { error: 'invalid_parameter' } })
  }
})
