// A server that is killed while it has a post fetched, and while it transcribes its video: nothing runs on without it, and
// its successor finishes the task, billed once.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { X_CLAIMS } from '../support/platforms/x-posts.ts'
import { processesOf } from '../support/processes.ts'
import { finishedTask, type Reply, startServer, type TestServer } from '../support/server.ts'

setDefaultTimeout(120_000)

let site: PlatformSite
let server: TestServer
let key = ''

beforeAll(async () => {
  site = await startPlatformSite()
  server = await startServer({ env: { ...site.env, EARSHOT_SITE_PAUSE_S: '0.1' } })
  key = await server.createKey()
})
afterAll(async () => {
  await server.close()
  await site.stop()
})

async function submit(post_id: string): Promise<string> {
  const reply = await server.request('POST', '/v1/post/statement/async', { key, body: { post_id } })
  expect(reply.status).toBe(202)
  return String(reply.body.data.check_status_url)
}

async function killAndRestart(): Promise<void> {
  await server.kill('SIGKILL')
  for (let wait = 0; wait < 250 && processesOf(server.dataDir).length > 0; wait++) await Bun.sleep(20)
  expect(processesOf(server.dataDir)).toEqual([])
  server = await server.restart()
}

function segments(): number {
  using db = new Database(join(server.dataDir, 'earshot.db'), { readonly: true })
  return db.query<{ n: number }, []>('select count(*) as n from transcript_segments').get()?.n ?? 0
}

const ended = (path: string): Promise<Reply> => finishedTask(server, key, `${path}?include_usage=true`)
const used = async (): Promise<Record<string, { used: number }>> =>
  (await server.request('GET', '/v1/usage', { key })).body.data.usage

test('while the post is fetched', async () => {
  const path = await submit(X_CLAIMS.slow)
  while (!site.requests.some((line) => line.includes('/TweetResultByRestId'))) await Bun.sleep(10)
  expect(processesOf(server.dataDir).some(({ commandLine }) => commandLine.includes('yt_dlp'))).toBe(true)
  await killAndRestart()
  const { body } = await ended(path)
  expect(body.data).toMatchObject({
    task_status: 'completed',
    result: { post_text: 'The bus leaves at nine.', post_media_summary: 'Video (0:02) has no speech.' },
  })
  expect((await used())['residential_request']?.used).toBe(1)
})

test('while its video is transcribed', async () => {
  const path = await submit(X_CLAIMS.talk)
  const before = segments()
  while (segments() === before) await Bun.sleep(5)
  expect((await server.request('GET', path, { key })).body.data.task_status).toBe('processing')
  await killAndRestart()
  const { body } = await ended(path)
  expect(body.data).toMatchObject({ task_status: 'completed', error: null })
  // From the first word to the last, and nothing twice.
  expect(body.data.result.post_media_summary).toMatch(
    /says: “Hello and welcome[^“]+president[^“]+good-?bye.”$/i,
  )
  expect(body.data.result.post_media_summary.match(/president/gi)).toHaveLength(1)
  expect(body.usage.charges).toContainEqual(expect.objectContaining({ service_type: 'transcription_hour' }))
  const usage = await used()
  expect(usage['residential_request']?.used).toBe(2)
  // The recording, and the two seconds of the first post.
  expect(Math.round((usage['transcription_hour']?.used ?? 0) * 3_600)).toBe(37)
  expect(usage['analysis_request']?.used).toBe(2)
})
