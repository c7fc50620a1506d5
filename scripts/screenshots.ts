// Pictures of the console for the manual: `bun scripts/screenshots.ts` writes scripts/screenshots/*.png. They show the compiled
// binary with a library of test recordings, so that they can be made again whenever the console changes.

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type OpenOptions, startConsoleBrowser } from '../test/support/console-browser.ts'

const ROOT = join(import.meta.dir, '..')
const OUT = join(ROOT, 'scripts/screenshots')
const SAMPLES = join(ROOT, 'test/samples')

const RECORDINGS = [
  ['sample-1-news.wav', 'Morning news.wav'],
  ['sample-4-energy.wav', 'Energy round table.wav'],
  ['sample-2-weather.wav', 'Weather for Tuesday and Wednesday.wav'],
] as const

const run = await startConsoleBrowser()
const key = await run.server.createKey()
const ids: string[] = []
for (const [file, name] of RECORDINGS) ids.push(await upload(file, name))
mkdirSync(OUT, { recursive: true })

async function upload(file: string, name: string): Promise<string> {
  const form = new FormData()
  form.append('file', Bun.file(join(SAMPLES, file)), name)
  form.append('wait_for_completion', 'true')
  const request = { method: 'POST', headers: { 'x-api-key': key }, body: form }
  const response = await fetch(`${run.server.url}/v1/upload/file`, request)
  const { file_id } = (await response.json()) as { file_id: string }
  return file_id
}

interface Picture extends OpenOptions {
  readonly name: string
  readonly path: string
  /** Until there is something to see. */
  readonly prepare: (page: Page) => Promise<unknown>
}

async function readAndAsk(page: Page): Promise<void> {
  await page.getByLabel('Your question').fill('Where will there be snow?')
  await page.keyboard.press('Enter')
  await page.locator('.answers li').first().waitFor()
  await page.locator('.segment', { hasText: 'snow in Moscow' }).getByRole('button').click()
  await page.locator('.segment.is-active').waitFor()
  await page.locator('audio').evaluate((audio: HTMLAudioElement) => audio.pause())
  await page.mouse.move(0, 0)
}

const file = `/files/${ids.at(-1) ?? ''}`
const question = '/search?q=where+will+it+be+cold+tomorrow%3F'
const pictures: readonly Picture[] = [
  { name: 'library', path: '/library', prepare: (page) => page.locator('.file-row').nth(2).waitFor() },
  { name: 'file', path: file, prepare: readAndAsk },
  {
    name: 'search-dark',
    path: question,
    colours: 'dark',
    prepare: (page) => page.locator('.hit .soft').nth(1).waitFor(),
  },
  {
    name: 'file-phone',
    path: file,
    isPhone: true,
    prepare: (page) => page.locator('.segment').first().waitFor(),
  },
]

for (const { name, path, prepare, ...options } of pictures) {
  await using opened = await run.open(path, options)
  await prepare(opened.page)
  // The font and the player have settled.
  await opened.page.waitForLoadState('networkidle').catch(() => undefined)
  await opened.page.screenshot({ path: join(OUT, `${name}.png`) })
  console.log(`  ${name}.png`)
}
await run.close()
