// The library in a real browser: uploads that break and go on, names that would be markup, what can be done with files.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import {
  barriersOn,
  CHROMIUM,
  type ConsoleBrowser,
  type OpenedPage,
  overflowOf,
  startConsoleBrowser,
} from '../support/console-browser.ts'
import { startCutLine } from '../support/cut-line.ts'
import { JFK_PATH } from '../support/speech.ts'
import { makeTone, temporaryFolder } from '../support/make-media.ts'

setDefaultTimeout(60_000)

const HOSTILE = '<img src=x onerror=alert(1)>"\'&.mp3'
const folder = temporaryFolder()
const speech = readFileSync(JFK_PATH)

let run: ConsoleBrowser
beforeAll(async () => {
  if (CHROMIUM !== undefined) run = await startConsoleBrowser()
})
afterAll(async () => {
  await run?.close()
  folder.remove()
})

function upload(page: Page, name: string, buffer: Buffer = speech): Promise<void> {
  return page.getByLabel('Files to upload').setInputFiles({ name, mimeType: 'audio/mpeg', buffer })
}

function row(page: Page, name: string): ReturnType<Page['locator']> {
  return page.locator('.file-row', { has: page.getByRole('link', { name, exact: true }) })
}

/** What an upload says of itself once something of it has arrived. */
const HALFWAY = /^(?!0 bytes).* of .* · Uploading/

/** Slow enough to be interrupted. Returns how to lift it. */
async function throttleUploads({ context, page }: OpenedPage): Promise<() => Promise<unknown>> {
  const network = await context.newCDPSession(page)
  const throttle = (uploadThroughput: number): Promise<unknown> =>
    network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await throttle(400_000)
  return () => throttle(-1)
}

describe.skipIf(CHROMIUM === undefined)('the library', () => {
  test('says what to do as long as it is empty', async () => {
    await using opened = await run.open('/')
    const { page } = opened
    await page.getByRole('heading', { name: 'Nothing here yet' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    expect(opened.complaints).toEqual([])
    expect(opened.elsewhere).toEqual([])
  })

  test('takes several files, shows how they are doing, and hostile names as they are', async () => {
    await using opened = await run.open('/library')
    const { page, complaints } = opened
    await upload(page, HOSTILE)
    await upload(page, 'broken.mp3', Buffer.from('this is no recording'))
    await row(page, HOSTILE).locator('.status.completed').waitFor()
    const refused = page.locator('.upload[data-state=failed]')
    await refused.waitFor()
    expect(await refused.innerText()).toContain('broken.mp3')
    expect(await refused.locator('.field-error').innerText()).toContain('damaged')
    expect(await page.locator('img').count()).toBe(0)
    await row(page, HOSTILE).getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
    expect(await page.title()).toBe(`${HOSTILE} · Earshot`)
    expect(await page.locator('img').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('takes what is dropped anywhere on the page', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    const dropped = await page.evaluateHandle((base64) => {
      const transfer = new DataTransfer()
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))
      transfer.items.add(new File([bytes], 'dropped.mp3', { type: 'audio/mpeg' }))
      return transfer
    }, speech.toString('base64'))
    for (const event of ['dragenter', 'dragover', 'drop']) {
      await page.dispatchEvent('footer, main', event, { dataTransfer: dropped })
    }
    await row(page, 'dropped.mp3').waitFor()
  })

  test('goes on with an upload whose connection broke', async () => {
    const line = await startCutLine(run.server.url)
    await using opened = await run.open('/library', { through: line.url })
    const { page } = opened
    const offsets: number[] = []
    page.on('request', (request) => {
      if (request.method() === 'PATCH') offsets.push(Number(request.headers()['upload-offset']))
    })
    const path = makeTone(folder.file('long-tone.wav'), 20)
    line.cutAfter(600_000)
    await page.getByLabel('Files to upload').setInputFiles(path)
    const item = page.locator('.upload', { hasText: 'long-tone.wav' })
    await item.getByText('Interrupted').waitFor()
    line.mend()
    await item.getByText('Uploaded', { exact: false }).waitFor()
    await row(page, 'long-tone.wav').locator('.status.completed').waitFor()
    expect(offsets[0]).toBe(0)
    expect(offsets.at(-1)).toBeGreaterThan(0)
    line.stop()
  })

  test('goes on with the same file after the page was closed', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    const unthrottle = await throttleUploads(opened)
    const path = makeTone(folder.file('half.wav'), 15)
    await page.getByLabel('Files to upload').setInputFiles(path)
    const line = page.locator('.upload', { hasText: 'half.wav' })
    await line.getByText(HALFWAY).waitFor()
    await line.getByRole('button', { name: 'Pause' }).click()
    await line.getByText('Paused').waitFor()
    await unthrottle()
    await page.reload()
    await row(page, 'half.wav').getByText('Drop the same file again').waitFor()
    const created: string[] = []
    page.on('request', (request) => {
      if (request.method() === 'POST') created.push(request.url())
    })
    await page.getByLabel('Files to upload').setInputFiles(path)
    await line.getByText('Uploaded', { exact: false }).waitFor()
    await row(page, 'half.wav').locator('.status.completed').waitFor()
    expect(await row(page, 'half.wav').count()).toBe(1)
    expect(created).toEqual([])
  })

  test('groups files in namespaces, and shows those of one', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    await page.getByRole('button', { name: 'Namespaces' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('New namespace').fill('<b>interviews</b>')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('link', { name: '<b>interviews</b>' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.getByLabel('Namespace', { exact: true }).selectOption('<b>interviews</b>')
    await page.getByRole('heading', { name: 'No file fits' }).waitFor()
    await upload(page, 'talk.mp3')
    await row(page, 'talk.mp3').waitFor()
    await row(page, 'talk.mp3').getByRole('link').click()
    await page.getByText('<b>interviews</b>').waitFor()
    await page.getByRole('button', { name: 'Namespaces' }).click()
    await page.getByRole('checkbox', { name: '<b>interviews</b>' }).uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.about-line', { hasText: '<b>interviews</b>' }).waitFor({ state: 'detached' })
  })

  test('cancels, processes again and deletes', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    // Long enough that it is not done before anybody can cancel it.
    const path = makeTone(folder.file('cancelled.mp3'), 600)
    await page.getByLabel('Files to upload').setInputFiles(path)
    const line = row(page, 'cancelled.mp3')
    await line.getByRole('button', { name: 'Cancel' }).click()
    await line.locator('.status.cancelled').waitFor()
    await line.getByRole('button', { name: 'Retry' }).click()
    await line.locator('.status.completed').waitFor()
    await line.getByRole('link').click()
    await page.getByText('Nobody speaks in this recording').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('The file was deleted.').waitFor()
    expect(new URL(page.url()).pathname).toBe('/library')
    expect(await line.count()).toBe(0)
  })

  test.each(['light', 'dark'] as const)(
    'has no barriers in %s colours, nor too much width on a phone',
    async (colours) => {
      await using opened = await run.open('/library', { colours, isPhone: true })
      await opened.page.locator('.file-row').first().waitFor()
      expect(await barriersOn(opened.page)).toEqual([])
      expect(await overflowOf(opened.page)).toBeLessThanOrEqual(0)
      expect(opened.complaints).toEqual([])
    },
  )
})
