// A recorded tour of the console for the manual: `bun scripts/tour.ts` writes scripts/screenshots/tour.webp from the compiled
// binary at work: a recording is dropped, heard, read, asked and found again. Nothing in it is staged.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CDPSession, Page } from 'playwright-core'
import { startConsoleBrowser } from '../test/support/console-browser.ts'
import { ffmpeg, temporaryFolder } from '../test/support/make-media.ts'

const ROOT = join(import.meta.dir, '..')
const OUT = join(ROOT, 'scripts/screenshots')
const RECORDING = join(ROOT, 'test/samples/sample-2-weather.wav')
const NAME = 'Weather for Tuesday and Wednesday.wav'
/** How long each scene stays, so that it can be read. */
const LOOK_MS = 2_200
/** Of the tour; the browser's window is wider. */
const WIDTH = 900

interface Frame {
  readonly file: string
  readonly at: number
}

const folder = temporaryFolder()
const run = await startConsoleBrowser()
try {
  const { page, context } = await run.open('/library')
  await page.setViewportSize({ width: 1200, height: 780 })
  const frames = await recorded(await context.newCDPSession(page), () => tour(page))
  mkdirSync(OUT, { recursive: true })
  joinFrames(frames, join(OUT, 'tour.webp'))
  console.log(`  tour.webp: ${frames.length} pictures`)
} finally {
  await run.close()
  folder.remove()
}

async function tour(page: Page): Promise<void> {
  await look(page)
  const buffer = Buffer.from(await Bun.file(RECORDING).arrayBuffer())
  await page.getByLabel('Files to upload').setInputFiles({ name: NAME, mimeType: 'audio/wav', buffer })
  const row = page.locator('.file-row', { hasText: NAME })
  await row.locator('.status.completed').waitFor({ timeout: 60_000 })
  await look(page)
  await row.getByRole('link').click()
  await page.locator('.segment').first().waitFor()
  await look(page)
  await page.locator('.segment', { hasText: 'snow in Moscow' }).getByRole('button').click()
  await look(page)
  await page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.pause())
  await page.getByLabel('Your question').pressSequentially('Where will there be snow?', { delay: 50 })
  await page.keyboard.press('Enter')
  await page.locator('.answers li').first().waitFor()
  await look(page)
  await page.getByRole('link', { name: 'Search' }).first().click()
  await page.getByRole('searchbox').pressSequentially('how cold does it get in the north', { delay: 50 })
  await page.keyboard.press('Enter')
  await page.locator('.hit').first().waitFor({ timeout: 60_000 })
  await look(page)
}

function look(page: Page): Promise<void> {
  return page.waitForTimeout(LOOK_MS)
}

/** What the browser shows while `work` goes on: a picture whenever something changes. */
async function recorded(session: CDPSession, work: () => Promise<void>): Promise<Frame[]> {
  const frames: Frame[] = []
  session.on('Page.screencastFrame', ({ data, sessionId }) => {
    const file = folder.file(`${String(frames.length).padStart(5, '0')}.png`)
    writeFileSync(file, Buffer.from(data, 'base64'))
    frames.push({ file, at: performance.now() })
    void session.send('Page.screencastFrameAck', { sessionId })
  })
  await session.send('Page.startScreencast', { format: 'png', everyNthFrame: 1 })
  await work()
  await session.send('Page.stopScreencast')
  return frames
}

/** The pictures, each for as long as it was seen, as an animation that repeats. */
function joinFrames(frames: readonly Frame[], path: string): void {
  const lines = frames.map(({ file, at }, index) => {
    const until = frames[index + 1]?.at ?? at + LOOK_MS
    return `file '${file}'\nduration ${((until - at) / 1_000).toFixed(3)}`
  })
  const list = folder.file('frames.txt')
  writeFileSync(list, lines.join('\n'))
  const pictures = ['-f', 'concat', '-safe', '0', '-i', list, '-vf', `fps=8,scale=${WIDTH}:-1`]
  ffmpeg(...pictures, '-c:v', 'libwebp_anim', '-lossless', '0', '-quality', '60', '-loop', '0', path)
}
