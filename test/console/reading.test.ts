// Reading and listening, searching and tasks in a real browser, on one recording that the compiled binary transcribes.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import {
  barriersOn,
  CHROMIUM,
  type ConsoleBrowser,
  overflowOf,
  PASSWORD,
  startConsoleBrowser,
} from '../support/console-browser.ts'
import { REPOSITORY } from '../support/elsewhere.ts'
import { addRecording, type SpeechSite, startSpeechSite } from '../support/speech-site.ts'
import { JFK_PATH } from '../support/speech.ts'

setDefaultTimeout(60_000)

const RECORDING = join(REPOSITORY, 'test/samples/sample-2-weather.wav')
const MARKUP = '<img src=x onerror=alert(1)> & <b>bold</b>'

const FORMATS = [
  ['Plain text', /^Here is the weather/],
  ['Subtitles, SRT', /^1\r?\n00:00:00,\d{3} --> /],
  ['Subtitles, WebVTT', /^WEBVTT/],
  ['Table, TSV', /^start\t/],
  ['JSON', /^\{/],
] as const

let run: ConsoleBrowser
let site: SpeechSite
let fileId: string
beforeAll(async () => {
  if (CHROMIUM === undefined) return
  site = startSpeechSite()
  run = await startConsoleBrowser({ EARSHOT_TRUSTED_HOSTS: site.host, EARSHOT_OFFLINE: '1' })
  fileId = await upload('speech & music.wav')
})
afterAll(async () => {
  await run?.close()
  await site?.stop()
})

async function upload(name: string): Promise<string> {
  const { server } = run
  const form = new FormData()
  form.append('file', new Blob([readFileSync(RECORDING)]), name)
  form.append('wait_for_completion', 'true')
  const headers = { 'x-api-key': await server.createKey() }
  const response = await fetch(`${server.url}/v1/upload/file`, { method: 'POST', headers, body: form })
  const body = (await response.json()) as { file_id: string; file_status: string }
  expect(body.file_status).toBe('completed')
  return body.file_id
}

function soundAt(page: Page): Promise<{ seconds: number; isPlaying: boolean }> {
  return page.locator('audio').evaluate((audio: HTMLAudioElement) => {
    return { seconds: audio.currentTime, isPlaying: !audio.paused }
  })
}

describe.skipIf(CHROMIUM === undefined)('a file', () => {
  test('is played from the sentence that is pressed, and its transcript follows the sound', async () => {
    await using opened = await run.open(`/files/${fileId}`)
    const { page } = opened
    const sentence = page.locator('.segment', { hasText: 'snow in Moscow' }).getByRole('button')
    await sentence.click()
    await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 7.8)
    const { seconds, isPlaying } = await soundAt(page)
    expect(isPlaying).toBe(true)
    expect(seconds).toBeLessThan(14)
    expect(await sentence.getAttribute('aria-current')).toBe('true')
    await page.locator('audio').evaluate((audio: HTMLAudioElement) => {
      audio.currentTime = 24
    })
    await page.locator('.segment').last().and(page.locator('.is-active')).waitFor()
    expect(opened.complaints).toEqual([])
    expect(opened.elsewhere).toEqual([])
  })

  test('begins at the moment that its address names', async () => {
    await using opened = await run.open(`/files/${fileId}?t=12`)
    await opened.page.locator('.segment.is-active', { hasText: 'twenty degrees' }).waitFor()
  })

  test('is read with the keyboard alone', async () => {
    await using opened = await run.open(`/files/${fileId}`)
    const { page } = opened
    await page.locator('.segment').first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('WILL')
    await page.getByText('1 of 5').waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('2 of 5').waitFor()
    expect(await page.locator('mark').count()).toBe(5)
    await page.locator('.segment button').first().focus()
    await page.keyboard.press('End')
    const focusedIndex = (): Promise<string | undefined> =>
      page.evaluate(() => (document.activeElement as HTMLElement).dataset['index'])
    const last = (await page.locator('.segment').count()) - 1
    await page.waitForFunction(
      (index) => document.activeElement?.getAttribute('data-index') === index,
      String(last),
    )
    await page.keyboard.press('ArrowUp')
    await page.waitForFunction(
      (index) => document.activeElement?.getAttribute('data-index') === index,
      String(last - 1),
    )
    expect(await focusedIndex()).toBe(String(last - 1))
  })

  test('is summarised and asked, and an answer is played', async () => {
    await using opened = await run.open(`/files/${fileId}`)
    const { page } = opened
    await page.getByLabel('Your question').fill('Where will there be snow?')
    await page.keyboard.press('Enter')
    const answer = page.locator('.answers li').first()
    expect(await answer.innerText()).toContain('Moscow')
    // The summary comes along.
    await page.getByRole('heading', { name: 'Places' }).waitFor()
    await answer.getByRole('button', { name: /^Play from/ }).click()
    await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 7)
    expect(await barriersOn(page)).toEqual([])
  })

  test('is taken away in each format, under its own name', async () => {
    await using opened = await run.open(`/files/${fileId}`)
    const { page } = opened
    await page.getByText('Export').click()
    for (const [label, beginning] of FORMATS) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: label, exact: true }).click(),
      ])
      expect(download.suggestedFilename()).toMatch(/^speech . music\.\w+$/)
      expect(readFileSync(await download.path(), 'utf8')).toMatch(beginning)
    }
  })

  test('with ten thousand segments answers at once, and markup in it is text', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    const segments = Array.from({ length: 10_000 }, (_, index) => {
      return { text: `${MARKUP} ${index}`, start: index * 2, end: index * 2 + 2 }
    })
    await page.route(`**/v1/file/${fileId}`, async (handled) => {
      const response = await handled.fetch()
      const body = (await response.json()) as { data: object }
      await handled.fulfill({ response, json: { ...body, data: { ...body.data, transcript: segments } } })
    })
    await page.locator(`a[href="/files/${fileId}"]`).click()
    await page.locator('.segment').first().waitFor()
    // Playwright’s own search by label goes through every element.
    await page.locator('.find-bar input').fill('bold</b> 9999')
    await page.getByText('1 of 1').waitFor()
    await page.locator('.segment.is-current').waitFor()
    expect(await page.locator('.segment').count()).toBe(10_000)
    expect(await page.locator('.segments').locator('img, b').count()).toBe(0)
    expect(opened.complaints).toEqual([])
  })

  test.each(['light', 'dark'] as const)(
    'has no barriers in %s colours, nor too much width on a phone',
    async (colours) => {
      await using opened = await run.open(`/files/${fileId}`, { colours, isPhone: true })
      const { page } = opened
      await page.locator('.segment').first().waitFor()
      expect(await barriersOn(page)).toEqual([])
      expect(await overflowOf(page)).toBeLessThanOrEqual(0)
      await page.getByRole('button', { name: 'Ask and summary' }).click()
      await page.getByLabel('Your question').waitFor()
      expect(await page.locator('.segment').first().isVisible()).toBe(false)
      expect(await barriersOn(page)).toEqual([])
    },
  )
})

describe.skipIf(CHROMIUM === undefined)('search', () => {
  test('finds the sentence with what is said around it, and plays from there', async () => {
    await using opened = await run.open('/search', { colours: 'dark' })
    const { page } = opened
    await page.getByLabel('What was said?').fill('in which town is snow expected?')
    await page.keyboard.press('Enter')
    const hit = page.locator('.hit').first()
    await hit.locator('.quote', { hasText: 'There will be snow in Moscow' }).waitFor()
    await hit.locator('.soft', { hasText: 'cold and wet in London' }).waitFor()
    expect(await barriersOn(page)).toEqual([])
    await hit
      .getByRole('button', { name: /^Play speech/ })
      .first()
      .click()
    await page.waitForFunction(() => (document.querySelector('audio')?.currentTime ?? 0) > 7)
    await hit.getByRole('link').click()
    await page.locator('.segment.is-active').waitFor()
    expect(opened.complaints).toEqual([])
  })

  test('says that nothing was found', async () => {
    await using opened = await run.open('/search?q=zzzzqqqq')
    await opened.page.getByText('Nothing was found').waitFor()
  })
})

describe.skipIf(CHROMIUM === undefined)('tasks', () => {
  test('show an online video while it is transcribed, then its transcript', async () => {
    addRecording(site, JFK_PATH, 'talk.mp3')
    await using opened = await run.open('/library', { isPhone: true })
    const { page } = opened
    await page.getByLabel('Or transcribe an online video').fill(site.url('/talk.mp3'))
    await page.getByRole('button', { name: 'Transcribe' }).click()
    await page.locator('.segment', { hasText: 'what you can do for your country' }).waitFor()
    await page.locator('.status.completed').waitFor()
    await page.goto(`${run.server.url}/tasks`)
    await page.getByRole('link', { name: /talk\.mp3/ }).click()
    await page.locator('.segment').first().waitFor()
    expect(await overflowOf(page)).toBeLessThanOrEqual(0)
    // From then on it is found among online videos.
    await page.goto(`${run.server.url}/search?q=my+fellow+Americans`)
    await page.getByRole('button', { name: 'Online videos' }).click()
    const hit = page.locator('.hit', { hasText: 'your country' })
    expect(await hit.getByRole('link').getAttribute('href')).toBe(site.url('/talk.mp3'))
    expect(await barriersOn(page)).toEqual([])
    await hit.getByRole('button', { name: 'Transcript' }).click()
    await page.locator('.segment', { hasText: 'your country' }).first().waitFor()
  })

  test('that fail say why and what to do', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    await page.getByLabel('Or transcribe an online video').fill(site.url('/gone.wav'))
    await page.keyboard.press('Enter')
    await page.locator('.status.failed').waitFor()
    await page.getByRole('link', { name: 'Tasks' }).click()
    const failed = page.locator('.task-row', { hasText: 'gone.wav' })
    expect((await failed.locator('.field-error').innerText()).length).toBeGreaterThan(10)
    expect((await failed.locator('.hint').innerText()).length).toBeGreaterThan(10)
    expect(await barriersOn(page)).toEqual([])
  })

  test('are refused where the address is none', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    await page.getByLabel('Or transcribe an online video').fill('http://user:pass@127.0.0.1/x')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: /./ }).first().waitFor()
    expect(new URL(page.url()).pathname).toBe('/library')
  })
})

describe.skipIf(CHROMIUM === undefined)('the door', () => {
  test('opens to the password and to an API key, and closes', async () => {
    await using opened = await run.open('/search?q=snow', { signedIn: false })
    const { page, complaints } = opened
    await page.getByLabel('Operator’s password').fill('wrong password')
    await page.keyboard.press('Enter')
    await page
      .getByRole('alert')
      .filter({ hasText: /password/i })
      .waitFor()
    expect(await barriersOn(page)).toEqual([])
    await page.getByLabel('Operator’s password').fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search' }).waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'API key' }).click()
    await page.getByLabel('API key').fill(await run.server.createKey('--permissions', 'files:read'))
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Library' }).click()
    await page.getByRole('link', { name: /^speech/ }).waitFor()
    // A key that may only read is offered nothing else.
    expect(await page.getByRole('button', { name: 'Choose files' }).count()).toBe(0)
    expect(await page.getByLabel('Or transcribe an online video').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('keeps the colours that were chosen', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    const paper = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const before = await paper()
    await page.getByRole('button', { name: /^Colours/ }).click()
    await page.getByRole('button', { name: /^Colours: light/ }).click()
    expect(await paper()).not.toBe(before)
    const chosen = await paper()
    await page.reload()
    await page.getByRole('button', { name: /^Colours: dark/ }).waitFor()
    expect(await paper()).toBe(chosen)
  })

  test('moves the focus to the heading of a page, and tells of one that is not there', async () => {
    await using opened = await run.open('/library')
    const { page } = opened
    await page.getByRole('link', { name: 'Search' }).click()
    await page.waitForFunction(() => document.activeElement?.tagName === 'H1')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Search')
    await page.goBack()
    await page.getByRole('heading', { name: 'Library' }).waitFor()
    await page.goto(`${run.server.url}/files/01a20037-6b54-76ef-8e7d-a3a66d0457f6`)
    await page.getByRole('heading', { name: 'There is no such file' }).waitFor()
  })
})
