// The settings in a real browser, against the compiled binary: what people do there, and that everybody can.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { getAccount } from '../../src/accounts/accounts.ts'
import { charge } from '../../src/billing/ledger.ts'
import { readConfig } from '../../src/config.ts'
import { databasePath, openDatabase } from '../../src/db/database.ts'
import { CATALOGUE } from '../../src/engines/model-catalogue.ts'
import { newId } from '../../src/lib/id.ts'
import {
  barriersOn,
  CHROMIUM,
  type ConsoleBrowser,
  overflowOf,
  startConsoleBrowser,
} from '../support/console-browser.ts'
import { type ModelHub, startModelHub } from '../support/model-hub.ts'
import { createReceiver, type Receiver } from '../support/receiver.ts'

setDefaultTimeout(60_000)

const PAGES = ['usage', 'keys', 'webhooks', 'models', 'health'] as const
const MARKUP = '<img src=x onerror="document.title=1">'
const MODEL = CATALOGUE.find(({ id }) => id === 'whisper-tiny-q8_0')
const MODEL_FILE = MODEL?.files[0]

let hub: ModelHub
let receiver: Receiver
let answer = 200
let shared: ConsoleBrowser

describe.skipIf(CHROMIUM === undefined)('settings', () => {
  beforeAll(async () => {
    hub = await startModelHub()
    receiver = createReceiver(() => new Response(null, { status: answer }))
    shared = await startConsoleBrowser({
      EARSHOT_TRUSTED_HOSTS: '127.0.0.1',
      EARSHOT_MODEL_HUB: hub.url,
    })
  })
  afterAll(async () => {
    await shared.close()
    await receiver.close()
    await hub[Symbol.asyncDispose]()
  })

  const statusWith = async (key: string): Promise<number> =>
    (await shared.server.request('GET', '/v1/usage', { key })).status

  const inDatabase = (work: (db: ReturnType<typeof openDatabase>, accountId: string) => void): void => {
    const db = openDatabase(databasePath(shared.server.dataDir))
    work(db, getAccount({ db }, 'default').id)
    db.close()
  }

  const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

  test('a key is made with chosen permissions, shown once, rotated and revoked', async () => {
    await using opened = await shared.open('/settings/keys')
    const { page, complaints } = opened
    await press(page, 'New key')
    await page.getByLabel('What it is for').fill(MARKUP)
    await page.getByLabel('Everything').uncheck()
    expect(await page.getByRole('button', { name: 'Make the key' }).isDisabled()).toBe(true)
    await page.getByLabel('See usage').check()
    await press(page, 'Make the key')
    const key = (await page.getByLabel('API key', { exact: true }).textContent()) ?? ''
    expect(key).toMatch(/^ear_\w{40}$/)
    expect(await statusWith(key)).toBe(200)
    await press(page, 'Done')
    await page.getByText('May usage').waitFor()
    expect(await page.content()).not.toContain(key)
    expect(await page.getByText(MARKUP).isVisible()).toBe(true)

    await press(page, `Rotate ${MARKUP}`)
    await page.getByLabel('How long the old key still works').selectOption('0')
    await press(page, 'Make the new key')
    const next = (await page.getByLabel('API key', { exact: true }).textContent()) ?? ''
    expect([await statusWith(key), await statusWith(next)]).toEqual([401, 200])
    await press(page, 'Done')

    await press(page, `Revoke ${MARKUP}`)
    await press(page, 'Revoke')
    await page.getByText('2 keys that ended').waitFor()
    expect(await statusWith(next)).toBe(401)
    expect(complaints).toEqual([])
  })

  test('an endpoint is set, its secret shown once, tested, and a delivery sent again', async () => {
    await using opened = await shared.open('/settings/webhooks')
    const { page, complaints } = opened
    await page.getByLabel('Address').fill('http://example.com/not-https')
    await press(page, 'Save')
    await page.getByText('webhook_url must be an https URL').waitFor()
    await page.getByLabel('Address').fill(`${receiver.url}/hook`)
    await press(page, 'Save')
    const secret = (await page.getByLabel('signing secret', { exact: true }).textContent()) ?? ''
    expect(secret).toMatch(/^whsec_\w{40}$/)
    await press(page, 'Done')
    await page.getByText(`…${secret.slice(-4)}`).waitFor()
    await press(page, 'Send a test')
    await page.getByText('The test event arrived').waitFor()
    answer = 503
    await page.getByRole('button', { name: /^Send again the delivery of/ }).click()
    await page.getByText('Sent once more: HTTP 503').waitFor()
    await page.getByText('Failed', { exact: true }).waitFor()
    answer = 200
    expect(complaints).toEqual([])
  })

  test('an endpoint that was switched off says why and is switched on again', async () => {
    inDatabase((db, accountId) => {
      const url = `${receiver.url}/hook`
      db.run(
        `update webhook_endpoints set url = ?, failures_in_row = 20, first_failure_at = 0, disabled_at = 262800000
         where account_id = ?`,
        [url, accountId],
      )
      db.run(
        `insert into webhook_deliveries (id, account_id, task_id, source, url, state, attempts, last_error, created_at)
         values (?, ?, ?, 'default', ?, 'failed', 5, ?, 0)`,
        [newId(), accountId, newId(), url, `HTTP 500 ${MARKUP}`],
      )
    })
    await using opened = await shared.open('/settings/webhooks')
    const { page, complaints } = opened
    const notice = page.getByText('Your endpoint was switched off after 20 failures in a row over 73 hours.')
    await notice.waitFor()
    expect(await notice.textContent()).toContain(`The last error was: HTTP 500 ${MARKUP}.`)
    await press(page, 'Switch it on again')
    await page.getByText('In order: nothing has failed').waitFor()
    expect(await notice.isVisible()).toBe(false)
    expect(complaints).toEqual([])
  })

  test('a model is downloaded with its progress, and stopped', async () => {
    const size = MODEL_FILE?.sizeBytes ?? 0
    const content = new Uint8Array(size)
    hub.entries.set(MODEL_FILE?.path ?? '', { content, holdAfter: size / 2 })
    await using opened = await shared.open('/settings/models')
    const { page, complaints } = opened
    await page
      .getByText(/^\d+ more models$/)
      .first()
      .click()
    await press(page, 'Download whisper-tiny-q8_0')
    const progress = page.getByRole('progressbar', { name: 'Download of whisper-tiny-q8_0' })
    await page.getByText('20.8 MB of 41.5 MB').waitFor()
    expect(await progress.getAttribute('value')).toBe('50')
    await press(page, 'Stop the download of whisper-tiny-q8_0')
    await page.getByText('What has come is kept').waitFor()
    expect(await page.getByText('Go on', { exact: true }).isVisible()).toBe(true)
    expect(complaints).toEqual([])
  })

  test('use is drawn day by day and told in words and numbers', async () => {
    inDatabase((db, accountId) => {
      const app = { db, now: Date.now, config: readConfig({}) }
      charge(app, { accountId, reference: newId(), meter: 'transcription_hour', quantity: 5_400 })
    })
    await using opened = await shared.open('/settings')
    const { page } = opened
    const picture = page.getByRole('img', {
      name: /^Transcription: 1.5 hours, 0.5 credits in 30 days. Most on /,
    })
    await picture.waitFor()
    await page.getByText('The numbers of transcription').click()
    expect(await page.getByRole('cell', { name: '1.5' }).isVisible()).toBe(true)
    await press(page, '7 days')
    await page.getByRole('img', { name: /in 7 days/ }).waitFor()
  })

  test('the doctor examines while one looks on', async () => {
    await using opened = await shared.open('/settings/health')
    const { page } = opened
    await press(page, 'Examine')
    await page.getByText(/^\d+ of \d+ parts examined/).waitFor()
    await page.getByRole('heading', { name: 'Database in order' }).waitFor()
  })

  test('who is signed in with a narrow key sees what that key reaches', async () => {
    const key = await shared.server.createKey('--permissions', 'usage')
    await using opened = await shared.open('/', { signedIn: false })
    const { page } = opened
    await press(page, 'API key')
    await page.getByLabel('API key', { exact: true }).fill(key)
    await press(page, 'Sign in')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor()
    expect(await page.getByRole('navigation', { name: 'Settings' }).count()).toBe(0)
    await page.goto(`${shared.server.url}/settings/keys`)
    await page.getByText('No such settings here').waitFor()
  })

  test.each([
    { colours: 'light', isPhone: false },
    { colours: 'dark', isPhone: true },
  ] as const)('nobody is kept out of any page: %p', async (options) => {
    await using opened = await shared.open('/settings', options)
    const { page, complaints, elsewhere } = opened
    for (const name of PAGES) {
      await page.goto(`${shared.server.url}/settings/${name}`)
      await page.locator('.settings .card').first().waitFor()
      await page.locator('.loading').first().waitFor({ state: 'detached' })
      expect([name, await barriersOn(page)]).toEqual([name, []])
      expect(await overflowOf(page)).toBeLessThanOrEqual(0)
    }
    await page.goto(`${shared.server.url}/settings/keys`)
    await press(page, 'New key')
    expect(await barriersOn(page)).toEqual([])
    // By keyboard alone: Escape closes, and the focus is where it was.
    await page.keyboard.press('Escape')
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('New key')
    expect([complaints, elsewhere]).toEqual([[], []])
  })
})
