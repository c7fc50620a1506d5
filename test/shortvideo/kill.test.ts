// A server that is killed while it scrapes: nothing runs on without it, and its successor finishes the task.

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { findChromium } from '../../src/engines/browser.ts'
import { startPlatformSite } from '../support/platform-site.ts'
import { programsOf } from '../support/processes.ts'
import { finishedTask, startServer } from '../support/server.ts'

setDefaultTimeout(120_000)

const site = await startPlatformSite()
afterAll(() => site.stop())

interface Scrape {
  readonly path: string
  readonly body: object
  /** Name of the statistic that counts pages. */
  readonly pages: string
  readonly program: string
  readonly results: string
  readonly meter: string
}

/** Kills the server behind the third page, and returns what its successor made of the task. */
async function killedInTheMiddle({ path, body, pages, program, results, meter }: Scrape) {
  const env = { ...site.env, EARSHOT_SITE_PAUSE_S: '0.4' }
  let server = await startServer({ env })
  const programs = () => programsOf(server.dataDir, program)
  try {
    const key = await server.createKey()
    const submitted = await server.request('POST', path, { key, body })
    const poll = String(submitted.body.data.check_status_url)
    for (;;) {
      const { body: polled } = await server.request('GET', poll, { key })
      expect(polled.data.task_status).toBe('processing')
      if (polled.data.stats[pages] >= 3) break
      await Bun.sleep(20)
    }
    expect(programs().length).toBeGreaterThan(0)
    await server.kill('SIGKILL')
    for (let wait = 0; wait < 100 && programs().length > 0; wait++) await Bun.sleep(20)
    expect(programs()).toEqual([])
    server = await server.restart()
    const { body: ended } = await finishedTask(server, key, `${poll}?limit=500&include_usage=true`)
    const { body: usage } = await server.request('GET', '/v1/usage', { key })
    expect(programs()).toEqual([])
    const ids = new Set(ended.data[results].map(({ id }: { id: string }) => id))
    return { data: ended.data, ids, charges: ended.usage.charges, used: usage.data.usage[meter].used }
  } finally {
    await server.close()
  }
}

test('killed in the middle of a profile: no process is left, and the next server completes it, billed once', async () => {
  const { data, ids, charges, used } = await killedInTheMiddle({
    path: '/v1/shortvideo/profile',
    body: { profile_url: 'https://www.tiktok.com/@thousand', max_posts: 100 },
    pages: 'pages_consumed',
    program: 'yt_dlp',
    results: 'videos',
    meter: 'standard_request',
  })
  expect(data).toMatchObject({
    task_status: 'completed',
    stats: { videos_scanned: 100, videos_matched: 100, pages_consumed: 7 },
    pagination: { total_items: 100 },
  })
  expect(ids.size).toBe(100)
  expect(charges).toMatchObject([{ service_type: 'standard_request', quantity: 7 }])
  expect(used).toBe(7)
})

const chromium = findChromium({ chromiumPath: undefined })
if (chromium === undefined) console.log('No Chromium on this machine: no search is killed.')

test.skipIf(chromium === undefined)(
  'killed in the middle of a search: no browser is left, and the next server completes it, billed once',
  async () => {
    const { data, ids, charges, used } = await killedInTheMiddle({
      path: '/v1/shortvideo/search',
      body: { query: 'cheese', max_results: 0 },
      pages: 'pages_fetched',
      program: 'earshot-run',
      results: 'results',
      meter: 'residential_request',
    })
    expect(data).toMatchObject({ task_status: 'completed', stats: { results_count: 100 } })
    expect(ids.size).toBe(100)
    const { pages_fetched: pages } = data.stats
    expect(pages).toBe(9)
    expect(charges).toMatchObject([{ service_type: 'residential_request', quantity: pages }])
    expect(used).toBe(pages)
  },
)
