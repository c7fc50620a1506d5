// Analysis and extraction of a video whose platform has captions: nobody downloads or listens.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { youtubeUrl } from '../support/platforms/youtube.ts'
import { openScraping, type Scraping } from '../shortvideo/support.ts'

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

const MEDIA = 'GET rr1---sn-test.googlevideo.com/videoplayback.mp4'
const downloads = (): number => site.requests.filter((request) => request === MEDIA).length
const meters = (usage: { charges: { service_type: string }[] }): string[] =>
  usage.charges.map(({ service_type }) => service_type)

test('an analysis takes the captions, pays one request for them, and the next one nothing', async () => {
  const body = { video_url: youtubeUrl('both'), include_usage: true }
  const first = await run.call('POST', '/analyze/video', body)
  expect(first.status).toBe(200)
  expect(first.body.data).toMatchObject({ video_info: { caption_kind: 'manual' } })
  expect(first.body.data.transcript[0]).toEqual({ text: 'Hello & welcome.', start: 0, end: 1.8 })
  expect(meters(first.body.usage).toSorted()).toEqual(['analysis_request', 'residential_request'])
  const asked = site.requests.length
  const again = await run.call('POST', '/analyze/video', { ...body, query: 'What does it say?' })
  expect(again.status).toBe(200)
  expect(meters(again.body.usage)).not.toContain('residential_request')
  expect(site.requests.length).toBe(asked)
  expect(downloads()).toBe(0)
})

test('an extraction takes them too, even when nobody is to listen', async () => {
  const schema = { subject: { type: 'String', description: 'What it is about' } }
  const body = { video_url: youtubeUrl('automatic'), schema, transcribe: false }
  expect((await run.call('POST', '/extract/video', body)).status).toBe(200)
  const none = { ...body, video_url: youtubeUrl('none') }
  const refused = await run.call('POST', '/extract/video', none)
  expect(refused).toMatchObject({ status: 404, body: { error: 'transcript_not_available' } })
  expect(downloads()).toBe(0)
})

test('a transcription listens, whatever captions there are; so does an analysis where there are none', async () => {
  const heard = await run.call('POST', '/transcribe', { video_url: youtubeUrl('both') })
  expect(heard).toMatchObject({ status: 200, body: { data: { transcript: [] } } })
  expect(heard.body.data.video_info.caption_kind).toBeUndefined()
  expect(downloads()).toBe(1)
  await run.call('POST', '/analyze/video', { video_url: youtubeUrl('none') })
  expect(downloads()).toBe(2)
})
