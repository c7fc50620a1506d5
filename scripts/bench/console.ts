// What the console costs a browser: `bun scripts/bench/console.ts`. Sizes as sent, first paint, and when the page can be used,
// on a desktop and on a slow phone; and a transcript of 10,000 segments. Goal: under 200 KB at the first load.

import type { CDPSession, Page } from 'playwright-core'
import { bundleConsole } from '../../src/console/bundle.ts'
import { CHROMIUM, startConsoleBrowser } from '../../test/support/console-browser.ts'
import { JFK_PATH } from '../../test/support/speech.ts'

const MAX_FIRST_LOAD_BYTES = 200_000
const ROUNDS = 3
const SEGMENTS = 10_000

interface Machine {
  readonly name: string
  /** So many times slower than this one. */
  readonly slowdown: number
  readonly bytesPerS: number
  readonly latencyMs: number
}

const MACHINES: readonly Machine[] = [
  { name: 'desktop', slowdown: 1, bytesPerS: -1, latencyMs: 0 },
  { name: 'slow phone on 3G', slowdown: 4, bytesPerS: 200_000, latencyMs: 150 },
]

const { files } = await bundleConsole()
const sizeOf = (base64: string): number => Buffer.byteLength(base64, 'base64')
const sizes = Object.entries(files).map(([name, { brotli, gzip }]) => {
  return { file: name, 'brotli, KB': sizeOf(brotli) / 1e3, 'gzip, KB': sizeOf(gzip) / 1e3 }
})
console.table(sizes)
const firstLoadBytes = Object.values(files).reduce((sum, { gzip }) => sum + sizeOf(gzip), 0)

if (CHROMIUM === undefined) throw new Error('There is no Chromium to measure in.')
const run = await startConsoleBrowser()
const first = await run.open('/library')
const state = await first.context.storageState()
await first.context.close()

async function visit<T>(machine: Machine, work: (page: Page) => Promise<T>): Promise<T> {
  const context = await run.browser.newContext({ storageState: state })
  try {
    const page = await context.newPage()
    await slowDown(await context.newCDPSession(page), machine)
    return await work(page)
  } finally {
    await context.close()
  }
}

async function slowDown(session: CDPSession, { slowdown, bytesPerS, latencyMs }: Machine): Promise<void> {
  await session.send('Emulation.setCPUThrottlingRate', { rate: slowdown })
  const speed = { downloadThroughput: bytesPerS, uploadThroughput: bytesPerS }
  await session.send('Network.emulateNetworkConditions', { offline: false, latency: latencyMs, ...speed })
}

/** Milliseconds from the beginning of the navigation: first paint, and the library with its buttons. */
function firstLoad(machine: Machine): Promise<{ paintMs: number; usableMs: number }> {
  return visit(machine, async (page) => {
    await page.goto(run.server.url)
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor()
    return page.evaluate(() => {
      const paint = performance.getEntriesByName('first-contentful-paint')[0]
      return { paintMs: paint?.startTime ?? Number.NaN, usableMs: performance.now() }
    })
  })
}

/** A transcript of that many segments: until the first is there, until all are, and until words in the last are found. */
function longTranscript(machine: Machine, fileId: string): Promise<Record<string, number>> {
  return visit(machine, async (page) => {
    const segments = Array.from({ length: SEGMENTS }, (_, index) => {
      return { text: `This is sentence number ${index} of many.`, start: index * 2, end: index * 2 + 2 }
    })
    await page.route(`**/v1/file/${fileId}`, async (handled) => {
      const response = await handled.fetch()
      const body = (await response.json()) as { data: object }
      await handled.fulfill({ response, json: { ...body, data: { ...body.data, transcript: segments } } })
    })
    const answered = page.waitForResponse(`**/v1/file/${fileId}`)
    await page.goto(`${run.server.url}/files/${fileId}`)
    await answered
    const startedAt = performance.now()
    const since = (): number => Math.round(performance.now() - startedAt)
    await page.locator('[data-index="0"]').waitFor()
    const firstMs = since()
    await page.locator(`[data-index="${SEGMENTS - 1}"]`).waitFor({ state: 'attached' })
    const allMs = since()
    await page.locator('.find-bar input').fill(`number ${SEGMENTS - 1}`)
    await page.locator('.segment.is-current').waitFor()
    return { 'first, ms': firstMs, 'all, ms': allMs, 'found in the last, ms': since() - allMs }
  })
}

const median = (values: readonly number[]): number =>
  Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0)

const loads: object[] = []
for (const machine of MACHINES) {
  const rounds: { paintMs: number; usableMs: number }[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await firstLoad(machine))
  loads.push({
    machine: machine.name,
    'first paint, ms': median(rounds.map(({ paintMs }) => paintMs)),
    'usable, ms': median(rounds.map(({ usableMs }) => usableMs)),
  })
}
console.table(loads)

const form = new FormData()
form.append('file', Bun.file(JFK_PATH), 'speech.mp3')
form.append('wait_for_completion', 'true')
const headers = { 'x-api-key': await run.server.createKey() }
const uploaded = await fetch(`${run.server.url}/v1/upload/file`, { method: 'POST', headers, body: form })
const { file_id } = (await uploaded.json()) as { file_id: string }
const transcripts: object[] = []
for (const machine of MACHINES) {
  transcripts.push({ machine: machine.name, ...(await longTranscript(machine, file_id)) })
}
console.log(`A transcript of ${SEGMENTS} segments:`)
console.table(transcripts)
await run.close()
console.log(`first load: ${(firstLoadBytes / 1e3).toFixed(1)} KB (gzip)`)
process.exitCode = firstLoadBytes < MAX_FIRST_LOAD_BYTES ? 0 : 1
