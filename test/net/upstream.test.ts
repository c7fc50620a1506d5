// Upstream proxies of sites: who goes through them, what they are told, and what becomes of their faults.

import { afterAll, describe, expect, test } from 'bun:test'
import { readConfig } from '../../src/config.ts'
import type { Log } from '../../src/lib/log.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem } from '../../src/lib/problem.ts'
import { createEgress } from '../../src/net/egress.ts'
import { createFetcher, type Fetched } from '../../src/net/fetch.ts'
import { makeCertificates } from '../support/site-certificates.ts'
import {
  startUpstreamProxy,
  type UpstreamProxy,
  type UpstreamProxyOptions,
} from '../support/upstream-proxy.ts'

const closers: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

const certificates = await makeCertificates('site.example.com', 'sub.site.example.com', 'other.example.com')
const answer = (request: Request): Response =>
  new URL(request.url).pathname === '/away'
    ? Response.redirect('https://other.example.com/', 302)
    : new Response(`hello ${request.headers.get('host')}`)
const tls = { cert: certificates.cert, key: certificates.key }
const secure = Bun.serve({ hostname: '127.0.0.1', port: 0, tls, fetch: answer })
const plain = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
closers.push(
  () => secure.stop(true),
  () => plain.stop(true),
  () => certificates.remove(),
)
const OVERRIDES = ['site.example.com', 'sub.site.example.com', 'other.example.com']
  .flatMap((name) => [`${name}:443=127.0.0.1:${secure.port}`, `${name}:80=127.0.0.1:${plain.port}`])
  .join(',')
const signal = new AbortController().signal

interface Setup {
  readonly proxies: string
  readonly overrides?: string
  readonly resolve?: (name: string) => Promise<string[]>
  readonly log?: Log
  readonly connectMs?: number
}

async function setup({
  proxies,
  overrides = OVERRIDES,
  resolve,
  log = silentLog(),
  connectMs = 5_000,
}: Setup) {
  const config = readConfig({
    EARSHOT_SITE_PROXIES: proxies,
    EARSHOT_HOST_OVERRIDES: overrides,
    EARSHOT_EXTRA_CA: certificates.caPath,
  })
  const egress = await createEgress({
    ...config,
    log,
    limits: { connectMs },
    ...(resolve ? { resolve } : {}),
  })
  closers.push(() => egress.close())
  const fetcher = createFetcher(egress, config)
  return (url: string): Promise<Fetched> => fetcher.fetch(url, { signal })
}

async function proxy(options: UpstreamProxyOptions = {}): Promise<UpstreamProxy> {
  const started = await startUpstreamProxy(options)
  closers.push(() => started.stop())
  return started
}

const textOf = async (fetched: Fetched): Promise<string> => new Response(fetched.body).text()
const problemOf = (work: Promise<unknown>): Promise<unknown> => work.catch((error: unknown) => error)

describe('who goes through', () => {
  for (const scheme of ['http', 'socks5']) {
    test(`a site and its subdomains, over ${scheme}, by address; nobody else`, async () => {
      const upstream = await proxy({ user: 'me', password: 'p@ss' })
      const fetch = await setup({
        proxies: `site.example.com=${scheme}://me:p%40ss@127.0.0.1:${upstream.port}`,
      })
      expect(await textOf(await fetch('https://site.example.com/'))).toBe('hello site.example.com')
      expect(await textOf(await fetch('http://sub.site.example.com/'))).toBe('hello sub.site.example.com')
      const through = [`127.0.0.1:${secure.port}`, `127.0.0.1:${plain.port}`]
      expect(upstream.targets).toEqual(through)
      expect(await textOf(await fetch('https://other.example.com/'))).toBe('hello other.example.com')
      expect(await textOf(await fetch('https://site.example.com/away'))).toBe('hello other.example.com')
      expect(upstream.targets).toEqual([...through, through[0] ?? ''])
      expect(upstream.heads.join('')).not.toContain('example')
    })
  }

  test('the narrowest site decides', async () => {
    const [wide, narrow] = [await proxy(), await proxy()]
    const proxies = `example.com=http://127.0.0.1:${wide.port},sub.site.example.com=http://127.0.0.1:${narrow.port}`
    const fetch = await setup({ proxies })
    await textOf(await fetch('http://sub.site.example.com/'))
    await textOf(await fetch('http://site.example.com/'))
    expect([wide.targets.length, narrow.targets.length]).toEqual([1, 1])
  })
})

test('IPv6 addresses are told in full', async () => {
  const upstream = await proxy({ user: 'a', password: 'b' })
  const resolve = async (): Promise<string[]> => ['2606:4700::1111']
  const url = 'http://site.example.com/'
  for (const scheme of ['socks5', 'http']) {
    const proxies = `site.example.com=${scheme}://a:b@127.0.0.1:${upstream.port}`
    await problemOf((await setup({ proxies, overrides: '', resolve }))(url))
  }
  expect(upstream.targets).toEqual(['[2606:4700:0000:0000:0000:0000:0000:1111]:80', '[2606:4700::1111]:80'])
})

test('a name that leads to a private address is refused before the proxy hears of it', async () => {
  const upstream = await proxy()
  const proxies = `site.example.com=http://127.0.0.1:${upstream.port}`
  const fetch = await setup({ proxies, overrides: '', resolve: async () => ['93.184.216.34', '10.0.0.7'] })
  expect(await problemOf(fetch('http://site.example.com/'))).toMatchObject({ code: 'unsupported_url' })
  expect(upstream.heads).toEqual([])
})

describe('faults of the proxy are temporary, and logged without its password', () => {
  const faults: Readonly<Record<string, UpstreamProxyOptions>> = {
    'other credentials': { user: 'me', password: 'another' },
    'no proxy at all': { answer: 'SSH-2.0-OpenSSH_9.2\r\n\r\n' },
    'no answer': { answer: '' },
    'an answer without end': { answer: `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(40_000)}` },
    'a refusal': { answer: 'HTTP/1.1 403 Forbidden\r\n\r\n' },
  }
  for (const [name, options] of Object.entries(faults)) {
    for (const scheme of ['http', 'socks5']) {
      test(`${name}, ${scheme}`, async () => {
        const upstream = await proxy(options)
        const lines: string[] = []
        const write = (...parts: readonly unknown[]): void => void lines.push(JSON.stringify(parts))
        const log = { ...silentLog(), warn: write, error: write, info: write, debug: write } as unknown as Log
        const proxies = `site.example.com=${scheme}://me:hushhush@127.0.0.1:${upstream.port}`
        const fetch = await setup({ proxies, log, connectMs: 200 })
        const problem = await problemOf(fetch('http://site.example.com/'))
        expect(problem).toBeInstanceOf(Problem)
        expect(problem).toMatchObject({ code: 'metadata_fetch_failed', temporary: true })
        expect(lines.join('')).toContain('UpstreamError')
        expect(`${lines.join('')} ${JSON.stringify(problem)}`).not.toContain('hushhush')
      })
    }
  }
})

describe('the settings', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['EARSHOT_SITE_PROXIES', 'youtube.com'],
    ['EARSHOT_SITE_PROXIES', 'com=http://proxy.example:1'],
    ['EARSHOT_SITE_PROXIES', 'youtube.com=ftp://me:hushhush@proxy.example'],
    ['EARSHOT_SITE_PROXIES', 'youtube.com=http://me:hushhush@proxy.example/path'],
    ['EARSHOT_SITE_PROXIES', 'a.com=http://x:1,A.com=http://me:hushhush@y:1'],
    ['EARSHOT_SITE_COOKIES', 'youtube.com=/nowhere/cookies.txt'],
  ]
  for (const [name, value] of refused) {
    test(`${name} refuses ${value.replace('hushhush', '…')}, and repeats no password`, () => {
      expect(() => readConfig({ [name]: value })).toThrow(name)
      expect(() => readConfig({ [name]: value })).not.toThrow('hushhush')
    })
  }
})
