// Channels and video search through the compiled binary: followed, killed in the middle, found without the platform.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { REPOSITORY } from '../support/elsewhere.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { TOPICS } from '../support/platforms/youtube-channels.ts'
import { processesOf, type RunningProcess } from '../support/processes.ts'
import { type Reply, startServer, type TestServer } from '../support/server.ts'

setDefaultTimeout(120_000)

let site: PlatformSite
let server: TestServer
let key = ''

beforeAll(async () => {
  site = await startPlatformSite()
  const env = { ...site.env, EARSHOT_SITE_PAUSE_S: '0.2' }
  server = await startServer({ env, binary: join(REPOSITORY, 'dist/earshot') })
  await server.command('accounts', 'create', 'client', '--plan', 'tier2')
  key = await server.createKey('--account', 'client')
})
afterAll(async () => {
  await server.close()
  await site.stop()
})

const call = (method: string, path: string, body?: object): Promise<Reply> =>
  server.request(method, path, { key, ...(body ? { body } : {}) })
const downloaders = (): RunningProcess[] =>
  processesOf(server.dataDir).filter(({ commandLine }) => commandLine.includes('yt_dlp'))
const usage = async (): Promise<Reply['body']> => (await call('GET', '/v1/usage')).body.data

async function until(what: string, check: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!(await check())) {
    if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(20)
  }
}

async function killed(): Promise<void> {
  await server.kill('SIGKILL')
  await until('nothing runs on', () => downloaders().length === 0)
  server = await server.restart()
}

test('killed twice while a channel is indexed: its videos are indexed all the same, each paid once', async () => {
  const added = await call('POST', '/v1/channels', { channel_url: 'https://www.youtube.com/@harbour' })
  expect(added.status).toBe(201)
  const path = `/v1/channels/${added.body.data.id}`
  await until('the channel is listed', () => downloaders().length > 0)
  await killed()
  await until('a video is fetched', async () => {
    const { body } = await call('GET', path)
    return body.data.videos.pending > 0 && downloaders().length > 0
  })
  await killed()
  await until('all are indexed', async () => (await call('GET', path)).body.data.videos.indexed === 2)
  expect((await call('GET', path)).body.data).toMatchObject({ status: 'indexed', title: 'Harbour and Sky' })
  const { usage: counters, credits, channels_indexed } = await usage()
  expect(counters.residential_request.used).toBe(2)
  expect(credits.monthly_remaining).toBe(14.99)
  expect(channels_indexed).toMatchObject({ used: 1, limit: 3 })
})

test('killed while a search waits for a candidate: it costs nothing and leaves nothing', async () => {
  const lost = call('POST', '/v1/search/video', { query: 'lighthouse that never loads' }).catch(
    () => undefined,
  )
  const page = (): boolean => site.requests.some((request) => request === 'GET www.youtube.com/watch')
  const asked = site.requests.length
  await until('the candidate is asked', () =>
    site.requests.slice(asked).some((request) => request.endsWith('www.youtube.com/watch')),
  )
  expect(page() && downloaders().length > 0).toBe(true)
  expect((await usage()).usage.analysis_request.used).toBe(1)
  await killed()
  await lost
  const { usage: counters, credits } = await usage()
  expect(counters.analysis_request.used).toBe(0)
  expect(credits.monthly_remaining).toBe(14.99)
})

test('when the platform is gone, the library answers', async () => {
  await site.stop()
  const found = await call('POST', '/v1/search/video', { query: 'when does the first ferry leave' })
  expect(found.status).toBe(200)
  expect(found.body.data.results[0]).toMatchObject({ title: TOPICS.ferries.title, timestamp: 2 })
  expect(found.body.data.explanation).toContain('so only the library was searched')
  expect(downloaders()).toEqual([])
})
