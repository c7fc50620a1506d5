// A server that is killed while it scrapes: nothing runs on without it, and its successor finishes the task.

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { startPlatformSite } from '../support/platform-site.ts'
import { processesOf } from '../support/processes.ts'
import { finishedTask, startServer } from '../support/server.ts'

setDefaultTimeout(120_000)

const site = await startPlatformSite()
afterAll(() => site.stop())

test('killed in the middle of a profile: no process is left, and the next server completes it, billed once', async () => {
  const env = { ...site.env, EARSHOT_SITE_PAUSE_S: '0.4' }
  let server = await startServer({ env })
  const scrapers = () =>
    processesOf(server.dataDir).filter(({ commandLine }) => commandLine.includes('yt_dlp'))
  try {
    const key = await server.createKey()
    const body = { profile_url: 'https://www.tiktok.com/@thousand', max_posts: 100 }
    const submitted = await server.request('POST', '/v1/shortvideo/profile', { key, body })
    const path = String(submitted.body.data.check_status_url)
    for (;;) {
      const { body: polled } = await server.request('GET', path, { key })
      if (polled.data.stats.pages_consumed >= 3) break
      await Bun.sleep(20)
    }
    expect(scrapers().length).toBeGreaterThan(0)
    await server.kill('SIGKILL')
    for (let wait = 0; wait < 50 && scrapers().length > 0; wait++) await Bun.sleep(20)
    expect(scrapers()).toEqual([])
    server = await server.restart()
    const { body: ended } = await finishedTask(server, key, `${path}?limit=500&include_usage=true`)
    expect(ended.data).toMatchObject({
      task_status: 'completed',
      stats: { videos_scanned: 100, videos_matched: 100, pages_consumed: 7 },
      pagination: { total_items: 100 },
    })
    const ids = new Set(ended.data.videos.map(({ id }: { id: string }) => id))
    expect(ids.size).toBe(100)
    expect(ended.usage.charges).toMatchObject([{ service_type: 'standard_request', quantity: 7 }])
    const { body: usage } = await server.request('GET', '/v1/usage', { key })
    expect(usage.data.usage.standard_request.used).toBe(7)
    expect(scrapers()).toEqual([])
  } finally {
    await server.close()
  }
})
