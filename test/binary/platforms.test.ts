// One task per platform through the compiled binary: yt-dlp and Chromium for real, against the stand-ins.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { findChromium } from '../../src/engines/browser.ts'
import { REPOSITORY } from '../support/elsewhere.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { X_POSTS } from '../support/platforms/x.ts'
import { X_CLAIMS } from '../support/platforms/x-posts.ts'
import { youtubeUrl } from '../support/platforms/youtube.ts'
import { processesOf } from '../support/processes.ts'
import { finishedTask, type Reply, startServer, type TestServer } from '../support/server.ts'

setDefaultTimeout(120_000)

let site: PlatformSite
let server: TestServer
let key = ''

beforeAll(async () => {
  site = await startPlatformSite()
  const env = { ...site.env, EARSHOT_SITE_PAUSE_S: '0.2' }
  server = await startServer({ env, binary: join(REPOSITORY, 'dist/earshot') })
  key = await server.createKey()
})
afterAll(async () => {
  await server.close()
  await site.stop()
})

async function ended(path: string, body: object): Promise<Reply['body']> {
  const submitted = await server.request('POST', path, { key, body })
  expect(submitted).toMatchObject({ status: 202 })
  const reply = await finishedTask(server, key, String(submitted.body.data.check_status_url))
  expect(reply.body.data).toMatchObject({ task_status: 'completed', error: null })
  return reply.body.data
}

test('X: a post is transcribed', async () => {
  const video_url = `https://x.com/someone/status/${X_POSTS.one}`
  const { result } = await ended('/v1/transcribe/async', { video_url })
  expect(result).toMatchObject({ video_info: { channel: 'Some One', duration: 2 }, transcript: [] })
})

test('X: the claim of a post that quotes one with a video, under the name that older clients know', async () => {
  const body = { tweet_id: `https://twitter.com/someone/status/${X_CLAIMS.quoting}` }
  const { result, job_type } = await ended('/v1/tweet/statement/async', body)
  expect(job_type).toBe('post_statement')
  expect(result).toMatchObject({
    post_text: 'I doubt that this is true.',
    quoted_post_text: 'A great speech!',
    quoted_media_summary: expect.stringContaining('my fellow Americans'),
  })
})

test('Instagram: all videos of a carousel are transcribed', async () => {
  const body = { video_url: 'https://www.instagram.com/p/CARO/', all_videos: true }
  const { result } = await ended('/v1/transcribe/async', body)
  expect(result.carousel_info).toMatchObject({ total_items: 3, video_count: 2, transcribed_count: 2 })
})

test('YouTube: captions', async () => {
  const reply = await server.request('POST', '/v1/transcript', {
    key,
    body: { video_url: youtubeUrl('both') },
  })
  expect(reply).toMatchObject({ status: 200, body: { data: { video_info: { caption_kind: 'manual' } } } })
  expect(reply.body.data.transcript[0].text).toBe('Hello & welcome.')
})

test('TikTok: a profile', async () => {
  const body = { profile_url: 'https://www.tiktok.com/@thousand', max_posts: 20 }
  const data = await ended('/v1/shortvideo/profile', body)
  expect(data).toMatchObject({ stats: { videos_matched: 20, pages_consumed: 2 } })
  expect(data.videos.length).toBe(20)
  const file = await fetch(data.download_url)
  expect(((await file.json()) as { videos: unknown[] }).videos.length).toBe(20)
})

const chromium = findChromium({ chromiumPath: undefined })
if (chromium === undefined) console.log('No Chromium on this machine: the binary does not search.')

test.skipIf(chromium === undefined)('TikTok: a search, and kill -9 in the middle of another', async () => {
  const used = async (): Promise<number> =>
    (await server.request('GET', '/v1/usage', { key })).body.data.usage.residential_request.used
  const before = await used()
  const data = await ended('/v1/shortvideo/search', { query: 'cheese', max_results: 20 })
  expect(data).toMatchObject({ stats: { pages_fetched: 2, results_count: 20 } })
  const body = { query: 'slow' }
  const submitted = await server.request('POST', '/v1/shortvideo/search', { key, body })
  const browsers = () =>
    processesOf(server.dataDir).filter(({ commandLine }) => commandLine.includes('earshot-run'))
  while (browsers().length === 0) await Bun.sleep(20)
  await server.kill('SIGKILL')
  for (let wait = 0; wait < 250 && browsers().length > 0; wait++) await Bun.sleep(20)
  expect(browsers()).toEqual([])
  server = await server.restart()
  const path = String(submitted.body.data.check_status_url)
  expect((await server.request('GET', path, { key })).body.data.task_status).toBe('processing')
  // Two pages of the first, and the one that is held for the second: nothing was charged twice.
  expect((await used()) - before).toBe(3)
})
