// The API reference of the compiled binary in a real browser, under its own content security policy.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { findChromium } from '../../src/engines/browser.ts'
import { REPOSITORY } from '../support/elsewhere.ts'
import { startServer, type TestServer } from '../support/server.ts'

setDefaultTimeout(60_000)

const machine = { chromiumPath: undefined, extraCa: undefined }
const executablePath = findChromium(machine)
if (executablePath === undefined) console.log('No Chromium on this machine: the reference is not opened.')
const withBrowser = test.skipIf(executablePath === undefined)

let server: TestServer
let browser: Browser | undefined

beforeAll(async () => {
  server = await startServer({ binary: join(REPOSITORY, 'dist/earshot') })
  if (executablePath === undefined) return
  browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 })
})
afterAll(async () => {
  await browser?.close()
  await server.close()
})

interface Visit {
  readonly page: Page
  /** What the browser complained of (violated policies, missing files, exceptions). */
  readonly complaints: string[]
  /** Everything it asked for. */
  readonly addresses: string[]
}

async function visit(path: string): Promise<Visit> {
  if (browser === undefined) throw new Error('the browser has not started')
  const page = await browser.newPage()
  const complaints: string[] = []
  const addresses: string[] = []
  page.on('console', (message) => complaints.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('request', (request) => addresses.push(request.url()))
  await page.goto(server.url + path)
  return { page, complaints, addresses }
}

function expectPeace({ complaints, addresses }: Visit): void {
  expect(complaints).toEqual([])
  expect(addresses).not.toEqual([])
  expect(addresses.filter((address) => !address.startsWith(`${server.url}/`))).toEqual([])
}

/** `GET /health` and so on, as the page shows them once there are `count`: it draws them bit by bit. */
async function listedIn(page: Page, count: number): Promise<string[]> {
  await page
    .locator('.opblock-summary')
    .nth(count - 1)
    .waitFor()
  const methods = await page.locator('.opblock-summary-method').allTextContents()
  const paths = await page.locator('[class^="opblock-summary-path"] > a').allTextContents()
  // Those of deprecated endpoints have a class of their own. Swagger UI puts zero-width spaces where a path may break.
  return methods.map((method, index) => `${method} ${paths[index]}`.replaceAll('\u200B', ''))
}

withBrowser('/docs lists every endpoint, sends a request, and asks nobody else for anything', async () => {
  const { body } = await server.request('GET', '/v1/openapi.json')
  const documented = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  )
  const visited = await visit('/docs')
  expect((await listedIn(visited.page, documented.length)).toSorted()).toEqual(documented.toSorted())

  const health = visited.page.locator('#operations-Service-get_health')
  await health.locator('.opblock-summary-control').click()
  await health.getByRole('button', { name: 'Try it out' }).click()
  await health.getByRole('button', { name: 'Execute' }).click()
  expect(await health.locator('.live-responses-table .response-col_status').last().innerText()).toStartWith(
    '200',
  )
  expectPeace(visited)
})

withBrowser('/docs/errors describes the codes', async () => {
  const visited = await visit('/docs/errors')
  expect(await visited.page.locator('tr#rate_limit_exceeded').innerText()).toContain('429')
  expectPeace(visited)
})
