// The console's files as a browser gets them, from a server inside the test's process.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { brotliDecompressSync } from 'node:zlib'
import { type ConsoleServer, startConsole } from '../support/console-client.ts'

const FIRST_LOAD_BYTES_MAX = 200_000

let server: ConsoleServer
let page: string
beforeAll(async () => {
  server = await startConsole()
  page = await (await get('/')).text()
})
afterAll(() => server.close())

function get(path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> {
  return fetch(server.url + path, { headers: { 'accept-encoding': 'identity', ...headers } })
}

function assetsOf(html: string): string[] {
  return [...html.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path ?? '')
}

describe('the page', () => {
  test.each([
    '/',
    '/library',
    '/files/01a20037-6b54-76ef-8e7d-a3a66d0457f6',
    '/search',
    '/tasks',
    '/tasks/01a20037-6b54-76ef-8e7d-a3a66d0457f6',
    '/settings',
    '/settings/keys',
  ])('is answered at %s', async (path) => {
    const response = await get(path)
    expect(response.status).toBe(200)
    expect(await response.text()).toBe(page)
  })

  test('has a policy that lets nothing run but files of this server', async () => {
    const { headers } = await get('/')
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "media-src 'self' blob:",
      "connect-src 'self'",
      "font-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ])
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
  })

  test('has no inline script or style, and names no other host', () => {
    expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/)
    expect(page).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    expect(assetsOf(page).length).toBeGreaterThanOrEqual(3)
  })

  test('is asked for again each time, and not sent again when it is the same', async () => {
    const first = await get('/')
    expect(first.headers.get('cache-control')).toBe('no-cache')
    const again = await get('/', { 'if-none-match': first.headers.get('etag') ?? '' })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
  })

  test('loads in less than 200 KB', async () => {
    let bytes = 0
    for (const path of ['/', ...assetsOf(page)]) {
      const response = await get(path, { 'accept-encoding': 'gzip' })
      bytes += Number(response.headers.get('content-length'))
    }
    expect(bytes).toBeGreaterThan(1_000)
    expect(bytes).toBeLessThan(FIRST_LOAD_BYTES_MAX)
  })
})

describe('a file of the console', () => {
  test('may be kept for ever, and comes as the browser can read it', async () => {
    const path = assetsOf(page).find((name) => name.endsWith('.js')) ?? ''
    const plain = await get(path)
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(plain.headers.get('content-encoding')).toBeNull()
    const text = await plain.text()
    const request = { headers: { 'accept-encoding': 'gzip, deflate, br' }, decompress: false }
    const packed = await fetch(server.url + path, request)
    expect(packed.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(await packed.arrayBuffer()).toString()).toBe(text)
    const refused = await get(path, { 'accept-encoding': 'br;q=0, gzip;q=0' })
    expect(refused.headers.get('content-encoding')).toBeNull()
  })

  test.each(['/assets/nothing.js', '/assets/index.html', '/assets/..%2f..%2fpackage.json', '/assets/%00'])(
    'is not found at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404)
    },
  )
})
