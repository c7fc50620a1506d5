// A server that is killed while POST /transcript fetches captions: its client sees a broken connection, nothing was charged,
// nothing runs on or stays on disk, and the same request under the same key is done as if for the first time.

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { startPlatformSite } from '../support/platform-site.ts'
import { TOPICS } from '../support/platforms/youtube-channels.ts'
import { youtubeUrl } from '../support/platforms/youtube.ts'
import { programsOf } from '../support/processes.ts'
import { startServer } from '../support/server.ts'

setDefaultTimeout(120_000)

const site = await startPlatformSite()
afterAll(() => site.stop())

test('killed in the middle of POST /transcript: no process is left, nothing is charged, and it can be asked again', async () => {
  let server = await startServer({ env: { ...site.env, EARSHOT_SITE_PAUSE_S: '0' } })
  try {
    const key = await server.createKey()
    const used = async (): Promise<number> =>
      (await server.request('GET', '/v1/usage', { key })).body.data.usage.residential_request.used
    const ask = (video_url: string, idempotency: string) =>
      server.request('POST', '/v1/transcript', {
        key,
        body: { video_url, include_usage: true },
        headers: { 'idempotency-key': idempotency },
      })
    const answered = await ask(youtubeUrl('both'), 'done')
    expect([answered.status, await used()]).toEqual([200, 1])
    const stuck = ask(`https://www.youtube.com/watch?v=${TOPICS.stuck.id}`, 'stuck').catch(
      (error: unknown) => error,
    )
    const asked = (): boolean => site.requests.some((request) => request.endsWith('/youtubei/v1/player'))
    const before = site.requests.length
    while (site.requests.length === before || programsOf(server.dataDir, 'yt_dlp').length === 0)
      await Bun.sleep(20)
    expect(asked()).toBe(true)
    await server.kill('SIGKILL')
    expect(await stuck).toBeInstanceOf(Error)
    for (let wait = 0; wait < 100 && programsOf(server.dataDir, '').length > 0; wait++) await Bun.sleep(20)
    expect(programsOf(server.dataDir, '')).toEqual([])
    server = await server.restart()
    expect(await used()).toBe(1)
    // What was answered before the kill is answered again; what was not is done anew.
    const again = await ask(youtubeUrl('both'), 'done')
    expect(again.headers.get('idempotent-replayed')).toBe('true')
    expect(again.body).toEqual(answered.body)
    const other = await ask(`https://www.youtube.com/watch?v=${TOPICS.ferries.id}`, 'stuck')
    expect([other.status, other.headers.get('idempotent-replayed')]).toEqual([200, null])
    expect(await used()).toBe(2)
    expect(programsOf(server.dataDir, 'yt_dlp')).toEqual([])
    expect(readdirSync(join(server.dataDir, 'spool')).length).toBeLessThanOrEqual(1)
  } finally {
    await server.close()
  }
})
