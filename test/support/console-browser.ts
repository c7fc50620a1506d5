// The console of the compiled binary in a real browser: one server and one browser per test file, a page of its own per test.
// Whatever the browser complains of (violated policies, exceptions, missing files) and whatever it asks of others is kept.

import axe from 'axe-core'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../src/engines/browser.ts'
import { REPOSITORY } from './elsewhere.ts'
import { startServer, type TestServer } from './server.ts'

export const PASSWORD = 'quiet harbour lantern'
const BINARY = join(REPOSITORY, 'dist/earshot')

const machine = { chromiumPath: undefined, extraCa: undefined }
/** Undefined where there is no browser: then tests of the console in the browser are skipped and say so. */
export const CHROMIUM = findChromium(machine)
if (CHROMIUM === undefined) console.log('No Chromium on this machine: the console is not opened.')

export interface ConsoleBrowser {
  readonly server: TestServer
  readonly browser: Browser
  /** A page in a context of its own; signed in as the operator unless `signedIn` is false. */
  open(path: string, options?: OpenOptions): Promise<OpenedPage>
  close(): Promise<void>
}

export interface OpenOptions {
  readonly signedIn?: boolean
  readonly colours?: 'light' | 'dark'
  readonly isPhone?: boolean
  /** Reaches the server by this address, such as a line that can be cut. */
  readonly through?: string
}

export interface OpenedPage extends AsyncDisposable {
  readonly page: Page
  readonly context: BrowserContext
  /** What the browser complained of, but for answers that the console shows to its reader. */
  readonly complaints: string[]
  /** Addresses asked for that are not the server's. */
  readonly elsewhere: string[]
}

const DESKTOP = { viewport: { width: 1280, height: 860 } }
const PHONE = { viewport: { width: 375, height: 760 }, isMobile: true, hasTouch: true, deviceScaleFactor: 2 }

export async function startConsoleBrowser(
  env: Readonly<Record<string, string>> = {},
): Promise<ConsoleBrowser> {
  if (!existsSync(BINARY)) throw new Error('There is no dist/earshot to test: run "npm run build" first')
  if (CHROMIUM === undefined) throw new Error('there is no browser')
  const [server, browser] = await Promise.all([
    startServer({ binary: BINARY, env }),
    chromium.launch({ executablePath: CHROMIUM, chromiumSandbox: process.getuid?.() !== 0 }),
  ])
  let cookie: Promise<string> | undefined
  return {
    server,
    browser,
    async open(path, { signedIn = true, colours = 'light', isPhone = false, through = server.url } = {}) {
      const context = await browser.newContext({ ...(isPhone ? PHONE : DESKTOP), colorScheme: colours })
      if (signedIn) {
        const [name = '', value = ''] = (await (cookie ??= setUp(server))).split('=')
        await context.addCookies([{ name, value, url: through, httpOnly: true, sameSite: 'Strict' }])
      }
      const opened = watched(context, await context.newPage(), through)
      await opened.page.goto(through + path)
      return opened
    },
    async close() {
      await browser.close()
      await server.close()
    },
  }
}

/** Sets the operator's password and returns the session's cookie, `name=value`. */
async function setUp({ url }: TestServer): Promise<string> {
  const response = await fetch(`${url}/console/api/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-earshot-console': '1' },
    body: JSON.stringify({ password: PASSWORD }),
  })
  const [cookie] = response.headers.getSetCookie()
  if (cookie === undefined) throw new Error(`not set up: ${await response.text()}`)
  return cookie.split(';', 1)[0] ?? ''
}

function watched(context: BrowserContext, page: Page, url: string): OpenedPage {
  const complaints: string[] = []
  const elsewhere: string[] = []
  page.on('console', (message) => {
    // Refusals of the API are logged by the browser itself.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text())
  })
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog opened: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) elsewhere.push(request.url())
  })
  return { page, context, complaints, elsewhere, [Symbol.asyncDispose]: () => context.close() }
}

/** Serious and critical findings of axe-core about the page as it is: rule and place of each. */
export async function barriersOn(page: Page): Promise<string[]> {
  // The policy forbids foreign scripts to the page, not to whoever steers the browser.
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() => (globalThis as unknown as { axe: typeof axe }).axe.run())
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`))
}

/** By how many pixels the page is wider than the screen. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
}
