// A profile of a thousand videos through the compiled server and yt-dlp itself, from the stand-in for TikTok:
// `bun scripts/bench/profile.ts [--source]`. Exit code 1 when what is billed is not what was fetched, when memory grows with
// the list, or when the first results take longer than promised. Linux only.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPlatformSite } from '../../test/support/platform-site.ts'
import { memoryOf, processesOf } from '../../test/support/processes.ts'
import { startServer } from '../../test/support/server.ts'

const MAX_GROWTH_BYTES = 50 * 1_048_576
const MAX_FIRST_MS = 3_000
const LIST = 'GET www.tiktok.com/api/creator/item_list/'

const { values } = parseArgs({ options: { source: { type: 'boolean', default: false } } })
const binary = values.source ? undefined : join(import.meta.dir, '../../dist/earshot')
const site = await startPlatformSite()
const server = await startServer({ env: { ...site.env, EARSHOT_SITE_PAUSE_S: '0.1' }, binary })
const pagesAsked = (): number => site.requests.filter((request) => request === LIST).length
const memory = (): number => memoryOf(processesOf(server.dataDir))

try {
  const key = await server.createKey()
  const startedAt = performance.now()
  const body = { profile_url: 'https://www.tiktok.com/@thousand' }
  const submitted = await server.request('POST', '/v1/shortvideo/profile', { key, body })
  const path = String(submitted.body.data.check_status_url)
  let [firstPageAt, firstResultAt, tenthBytes, peakBytes] = [0, 0, 0, 0]
  for (;;) {
    if (firstPageAt === 0 && pagesAsked() > 0) firstPageAt = performance.now()
    const { body: poll } = await server.request('GET', path, { key })
    const { stats, task_status: status } = poll.data
    if (firstResultAt === 0 && stats.videos_matched > 0) firstResultAt = performance.now()
    const now = memory()
    if (stats.videos_matched >= 100 && tenthBytes === 0) tenthBytes = now
    if (tenthBytes > 0) peakBytes = Math.max(peakBytes, now)
    if (status !== 'processing') break
    await Bun.sleep(20)
  }
  const { body: ended } = await server.request('GET', `${path}?limit=1&include_usage=true`, { key })
  const billed = Number(ended.usage?.charges[0]?.quantity)
  const mib = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MiB`
  console.table({
    videos: ended.data.pagination.total_items,
    'pages fetched from the site': pagesAsked(),
    'pages billed': billed,
    'submit → first page asked, ms': Math.round(firstPageAt - startedAt),
    'first page → first results in the poll, ms': Math.round(firstResultAt - firstPageAt),
    'wall time, s': ((performance.now() - startedAt) / 1_000).toFixed(1),
    'memory at 100 videos': mib(tenthBytes),
    'peak memory behind that': mib(peakBytes),
  })
  const whole = ended.data.pagination.total_items === 1_000 && billed === pagesAsked()
  const quick = firstResultAt - firstPageAt <= MAX_FIRST_MS
  process.exitCode = whole && quick && peakBytes - tenthBytes <= MAX_GROWTH_BYTES ? 0 : 1
} finally {
  await server.close()
  await site.stop()
}
