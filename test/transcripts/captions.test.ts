// POST /transcript against the stand-ins for YouTube and TikTok, through yt-dlp itself.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Elysia } from 'elysia'
import { readdirSync } from 'node:fs'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { balance } from '../../src/billing/balance.ts'
import { createServer } from '../../src/server.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runningPrograms } from '../support/media-deps.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { tiktokUrl } from '../support/platforms/tiktok.ts'
import { youtubeUrl } from '../support/platforms/youtube.ts'

setDefaultTimeout(60_000)

let site: PlatformSite
let support: TestApp
let http: Elysia
let key = ''
let accountId = ''

beforeAll(async () => {
  site = await startPlatformSite()
  support = await createTestApp({ EARSHOT_RATE_LIMITS: 'off', ...site.env })
  accountId = createAccount(support.app, 'client', 'trial').id
  key = createKey(support.app, accountId, { name: '', permissions: 'all', expiresAt: undefined }).text
  http = createServer(support.app, () => 'http://earshot.test')
})
afterAll(async () => {
  await support.close()
  await site.stop()
})

interface Reply {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any
}

async function transcript(body: object, signal?: AbortSignal): Promise<Reply> {
  const request = new Request('http://localhost/v1/transcript', {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal ? { signal } : {}),
  })
  const response = await http.handle(request)
  return { status: response.status, body: await response.json() }
}

const left = (): number => balance(support.app, accountId).monthlyRemainingMicros
const REQUEST_MICROS = 5_000

test('captions in the spoken language, at the price of one request, and for nothing the second time', async () => {
  const before = left()
  const video_url = youtubeUrl('both')
  const first = await transcript({ video_url, include_usage: true })
  expect(first).toMatchObject({
    status: 200,
    body: {
      data: {
        video_info: {
          title: 'Video captionsBOT',
          selected_language: 'en',
          caption_kind: 'manual',
          available_languages: ['en', 'de'],
        },
        transcript: [
          { text: 'Hello & welcome.', start: 0, end: 1.8 },
          { text: 'This is a caption', start: 2, end: 3.8 },
          { text: `It says "cheese" 'twice'.`, start: 4, end: 5.8 },
        ],
      },
      usage: { charges: [{ service_type: 'residential_request', quantity: 1, waived: false }] },
    },
  })
  expect(before - left()).toBe(REQUEST_MICROS)
  const asked = site.requests.length
  const again = await transcript({
    video_url: `${video_url}&t=3`,
    include_usage: true,
    transcript_text: true,
  })
  expect(again.body.data).toMatchObject({
    video_info: first.body.data.video_info,
    transcript: `Hello & welcome. This is a caption It says "cheese" 'twice'.`,
  })
  expect(again.body.usage).toMatchObject({
    charges: [{ service_type: 'residential_request', credits: 0, waived: true, credits_saved: 0.005 }],
    total_credits: 0,
  })
  expect(before - left()).toBe(REQUEST_MICROS)
  expect(site.requests.length).toBe(asked)
})

test('captions in the language asked for, each kept by itself', async () => {
  const { body } = await transcript({ video_url: youtubeUrl('both'), language: 'DE' })
  expect(body.data.video_info).toMatchObject({ selected_language: 'de', caption_kind: 'manual' })
  expect(body.data.transcript[0].text).toBe('Hallo und willkommen.')
})

test('automatic captions are marked, and roll no more', async () => {
  const { body } = await transcript({ video_url: youtubeUrl('automatic') })
  expect(body.data.video_info.caption_kind).toBe('automatic')
  expect(body.data.transcript.map(({ text }: { text: string }) => text)).toEqual([
    'so the first thing to know',
    'about cheese is that it is made',
    'from milk',
  ])
})

test('captions of TikTok', async () => {
  const { body } = await transcript({ video_url: tiktokUrl(2) })
  expect(body.data.video_info).toMatchObject({ selected_language: 'en', caption_language: 'eng-US' })
  expect(body.data.transcript).toEqual([
    { text: 'a clip about cheese', start: 0.12, end: 1 },
    { text: 'and its friends', start: 1, end: 1.9 },
  ])
})

test('without captions: 404 at no cost, or metadata for those who take it', async () => {
  const before = left()
  const none = { video_url: youtubeUrl('none') }
  expect(await transcript(none)).toMatchObject({ status: 404, body: { error: 'transcript_not_available' } })
  const missing = await transcript({ video_url: youtubeUrl('both'), language: 'uk' })
  expect(missing).toMatchObject({ status: 404, body: { error: 'transcript_not_available' } })
  expect(missing.body.message).toContain('en, de')
  expect(left()).toBe(before)
  const fallback = await transcript({ ...none, fallback_to_metadata: true })
  expect(fallback.body.data).toMatchObject({ video_info: { title: 'Video captionsNON' }, transcript: null })
  const only = await transcript({ video_url: youtubeUrl('limited'), metadata_only: true })
  expect(only).toMatchObject({ status: 500, body: { error: 'metadata_fetch_failed' } })
  const metadata = await transcript({ video_url: tiktokUrl(4), metadata_only: true })
  expect(metadata.body.data).toMatchObject({ video_info: { likes: 4 }, transcript: null })
  expect(before - left()).toBe(2 * REQUEST_MICROS)
})

test('without credit nothing is asked for', async () => {
  const { app } = support
  const poor = createAccount(app, 'poor', 'trial').id
  app.db.run(`update accounts set plan = 'none' where id = '${poor}'`)
  const rich = key
  key = createKey(app, poor, { name: '', permissions: 'all', expiresAt: undefined }).text
  const asked = site.requests.length
  const reply = await transcript({ video_url: tiktokUrl(5) })
  key = rich
  expect(reply).toMatchObject({ status: 402, body: { error: 'limit_exceeded' } })
  expect(site.requests.length).toBe(asked)
})

test('a client that leaves pays nothing and leaves nothing behind', async () => {
  const before = left()
  const leave = new AbortController()
  const answered = transcript({ video_url: tiktokUrl(6) }, leave.signal).catch(() => undefined)
  while (runningPrograms().every((args) => !args.includes('yt_dlp'))) await Bun.sleep(20)
  leave.abort()
  await answered
  expect(left()).toBe(before)
  expect(runningPrograms().filter((args) => args.includes('yt_dlp'))).toEqual([])
  expect(readdirSync(support.app.spoolDir)).toEqual([])
})

test('captions as a file, and as the envelope where there are none to give', async () => {
  const ask = async (body: object): Promise<Response> =>
    http.handle(
      new Request('http://localhost/v1/transcript', {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ video_url: youtubeUrl('both'), format: 'srt', ...body }),
      }),
    )
  const reply = await ask({})
  expect(reply.headers.get('content-type')).toBe('application/x-subrip; charset=utf-8')
  expect(await reply.text()).toStartWith('1\n00:00:00,000 --> 00:00:01,800\nHello & welcome.\n')
  expect(await (await ask({ metadata_only: true })).json()).toMatchObject({ data: { transcript: null } })
})
