// A gibibyte uploaded in the console, through a line that is cut in the middle: `bun scripts/bench/console-upload.ts`.
// Says how long it took, what was sent twice and what the server's memory rose to; fails unless every byte arrived right.

import { createReadStream } from 'node:fs'
import { createHash } from 'node:crypto'
import { CHROMIUM, startConsoleBrowser } from '../../test/support/console-browser.ts'
import { startCutLine } from '../../test/support/cut-line.ts'
import { ffmpeg, temporaryFolder } from '../../test/support/make-media.ts'
import { memoryOf } from '../../test/support/processes.ts'

const MIB = 1_048_576
const CUT_AFTER_BYTES = 500 * MIB
const PATIENCE_MS = 600_000

if (CHROMIUM === undefined) throw new Error('There is no Chromium to upload with.')
const folder = temporaryFolder()
const path = folder.file('gibibyte.wav')
// Two channels of 48,000 samples of two bytes: 192,000 bytes a second.
ffmpeg('-f', 'lavfi', '-i', 'sine=frequency=330:duration=5600', '-ac', '2', '-ar', '48000', path)
const size = Bun.file(path).size

const run = await startConsoleBrowser()
const line = await startCutLine(run.server.url)
let peakBytes = 0
const idleBytes = memoryOf([run.server])
const sampler = setInterval(() => (peakBytes = Math.max(peakBytes, memoryOf([run.server]))), 100)
try {
  const { page, complaints } = await run.open('/library', { through: line.url })
  const offsets: number[] = []
  page.on('request', (request) => {
    if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
  })
  line.cutAfter(CUT_AFTER_BYTES)
  const startedAt = performance.now()
  await page.getByLabel('Files to upload').setInputFiles(path)
  const upload = page.locator('.upload', { hasText: 'gibibyte.wav' })
  await upload.getByText('Interrupted').waitFor({ timeout: PATIENCE_MS })
  const cutAt = performance.now()
  const sentBefore = offsets.length
  line.mend()
  await upload.getByText('Uploaded', { exact: false }).waitFor({ timeout: PATIENCE_MS })
  const seconds = (since: number): string => ((performance.now() - since) / 1_000).toFixed(1)
  console.table({
    'size, MiB': Math.round(size / MIB),
    'cut after, MiB': CUT_AFTER_BYTES / MIB,
    'went on from, MiB': Math.round((offsets[sentBefore] ?? 0) / MIB),
    'seconds in all': seconds(startedAt),
    'seconds after the cut': seconds(cutAt),
    'server idle, MiB': Math.round(idleBytes / MIB),
    'server at its peak, MiB': Math.round(peakBytes / MIB),
    'complaints of the browser': complaints.join('; ') || 'none',
  })
  await compare()
} finally {
  clearInterval(sampler)
  await run.close()
  line.stop()
  folder.remove()
}

/** What the server gives back is what was sent. */
async function compare(): Promise<void> {
  const key = await run.server.createKey()
  const files = await run.server.request('GET', '/v1/files', { key })
  const id = String(files.body.data.files[0].id)
  const { body } = await run.server.request('GET', `/v1/file/${id}/url`, { key })
  const there = createHash('sha256')
  for await (const chunk of (await fetch(String(body.data.file_url))).body ?? []) there.update(chunk)
  const here = createHash('sha256')
  for await (const chunk of createReadStream(path)) here.update(chunk)
  if (there.digest('hex') !== here.digest('hex')) throw new Error('what arrived is not what was sent')
  console.log('Every byte arrived.')
}
