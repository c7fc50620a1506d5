// Whatever a caller, a site or a name says: nothing reaches a private address. One table of hostile addresses, driven
// through every field that takes a URL; a tripwire on all addresses of this machine counts whoever comes.

import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { Elysia } from 'elysia'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { balance } from '../../src/billing/balance.ts'
import { setDefaultUrl } from '../../src/webhooks/endpoints.ts'
import { findChromium } from '../../src/engines/browser.ts'
import { createServer } from '../../src/server.ts'
import { createWorker, type Worker } from '../../src/worker.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { MALFORMED_URLS, PRIVATE_HOSTS, UNSUPPORTED_URLS } from '../support/hostile-addresses.ts'
import { type HostileSite, REBOUND_NAMES, startHostileSite } from '../support/hostile-site.ts'
import { startTripwire, type Tripwire } from '../support/tripwire.ts'

setDefaultTimeout(120_000)

interface Reply {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any
}

interface Product {
  readonly app: TestApp['app']
  readonly accountId: string
  call(method: string, path: string, body?: object): Promise<Reply>
  isInWork(path: string): Promise<boolean>
  /** The poll's `data` once the task has ended. */
  ended(path: string): Promise<Reply['body']>
  close(): Promise<void>
}

let tripwire: Tripwire
let site: HostileSite
let product: Product
let isTrusted = false

async function openProduct(trusted = ''): Promise<Product> {
  const support = await createTestApp(
    {
      EARSHOT_RATE_LIMITS: 'off',
      EARSHOT_MAX_ACTIVE_JOBS: '1000',
      EARSHOT_HOST_OVERRIDES: `hostile.example:80=${site.host}`,
      EARSHOT_TRUSTED_HOSTS: trusted,
      EARSHOT_WEBHOOK_RETRY_S: '0.01',
    },
    {
      // As time goes, since leases do.
      now: Date.now,
      resolve: async (name) => REBOUND_NAMES[name] ?? Promise.reject(new Error(`${name} is not known`)),
    },
  )
  const { app } = support
  const accountId = createAccount(app, 'client', 'trial').id
  const key = createKey(app, accountId, { name: '', permissions: 'all', expiresAt: undefined }).text
  const http: Elysia = createServer(app, () => 'http://earshot.test')
  const worker: Worker = createWorker(app)
  worker.start()
  const call: Product['call'] = async (method, path, body) => {
    const request = new Request(`http://localhost/v1${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    const response = await http.handle(request)
    return { status: response.status, body: await response.json() }
  }
  const isInWork = async (path: string): Promise<boolean> =>
    (await call('GET', path)).body.data?.task_status === 'processing'
  return {
    app,
    accountId,
    call,
    isInWork,
    async ended(path) {
      while (await isInWork(path)) await Bun.sleep(20)
      return (await call('GET', path)).body.data
    },
    async close() {
      await worker.stop(0)
      await support.close()
    },
  }
}

beforeAll(async () => {
  tripwire = await startTripwire()
  site = startHostileSite(tripwire)
  product = await openProduct()
})
// The control below is the one that reaches it.
afterEach(() => expect(tripwire.forget().filter(() => !isTrusted)).toEqual([]))
afterAll(async () => {
  await product.close()
  await site.stop()
  tripwire.close()
})

const VIDEO = 'https://public.example/v.mp4'
const SCHEMA = { a: { type: 'String', description: 'b' } }

/** Every field of the API that takes a URL: how it is filled, and what it must answer to what is not public. */
const FIELDS: readonly (readonly [string, (url: string) => object])[] = [
  ['POST /transcribe', (url) => ({ video_url: url })],
  ['POST /transcribe/async', (url) => ({ video_url: url })],
  ['POST /transcript', (url) => ({ video_url: url })],
  ['POST /analyze/video', (url) => ({ video_url: url })],
  ['POST /extract/video', (url) => ({ video_url: url, schema: SCHEMA })],
  ['POST /extract/video/async', (url) => ({ video_url: url, schema: SCHEMA })],
  ['POST /shortvideo/profile', (url) => ({ profile_url: url })],
  ['POST /channels', (url) => ({ channel_url: url })],
  ['POST /post/statement', (url) => ({ post_id: url })],
  ['POST /post/statement/async', (url) => ({ post_id: url })],
  ['POST /tweet/statement', (url) => ({ tweet_id: url })],
  ['POST /transcribe/async', (url) => ({ video_url: VIDEO, webhook_url: url })],
  ['POST /extract/video/async', (url) => ({ video_url: VIDEO, schema: SCHEMA, webhook_url: url })],
  ['POST /post/statement/async', (url) => ({ post_id: '1234567890', webhook_url: url })],
  ['POST /shortvideo/profile', (url) => ({ profile_url: 'https://www.tiktok.com/@a', webhook_url: url })],
  ['POST /shortvideo/search', (url) => ({ query: 'cats', webhook_url: url })],
]

const CODES = new Set(['invalid_url', 'unsupported_url', 'invalid_parameter', 'missing_parameter'])

describe('every field that takes a URL refuses the whole table, creating and charging nothing', () => {
  const byHost = (scheme: string): string[] =>
    PRIVATE_HOSTS.map((host) => `${scheme}://${host}:${tripwire.port}/video.mp4`)

  for (const [index, [endpoint, bodyOf]] of FIELDS.entries()) {
    const field = Object.keys(bodyOf('')).at(-1) === 'schema' ? 'video_url' : Object.keys(bodyOf('')).at(-1)
    test(`${endpoint} ${field ?? ''} (${index})`, async () => {
      const [method = '', path = ''] = endpoint.split(' ')
      const table = [...byHost('http'), ...byHost('https'), ...MALFORMED_URLS, ...UNSUPPORTED_URLS]
      expect(table.length).toBeGreaterThan(150)
      const { app, accountId } = product
      const count = (): unknown =>
        app.db.query('select (select count(*) from tasks) + (select count(*) from channels) as n').get()
      const before = [count(), balance(app, accountId).monthlyRemainingMicros]
      for (const url of table) {
        // An empty webhook_url is the caller's way to want none.
        if (field === 'webhook_url' && url.trim() === '') continue
        const { status, body } = await product.call(method, path, bodyOf(url))
        expect([url, status, CODES.has(body.error) ? 'refused' : body.error]).toEqual([url, 400, 'refused'])
      }
      expect([count(), balance(app, accountId).monthlyRemainingMicros]).toEqual(before)
    })
  }

  test('the account’s default webhook too', () => {
    for (const url of [...byHost('http'), ...byHost('https'), ...UNSUPPORTED_URLS]) {
      expect(() => setDefaultUrl(product.app, product.accountId, url)).toThrow()
    }
  })
})

describe('names that turn out to be private', () => {
  test('are refused as media, by every endpoint in turn', async () => {
    const names = Object.keys(REBOUND_NAMES).flatMap((name) => [name, `${name}.`, name.toUpperCase()])
    const sync = ['/transcribe', '/transcript', '/analyze/video'] as const
    await Promise.all(
      names.map(async (name, index) => {
        const url = `http://${name}:${tripwire.port}/video.mp4`
        const reply = await product.call('POST', sync[index % sync.length] ?? '', { video_url: url })
        expect([name, reply.status, reply.body.error]).toEqual([name, 400, 'unsupported_url'])
      }),
    )
  })

  test('get no webhook, and the task says so', async () => {
    const names = Object.keys(REBOUND_NAMES)
    const paths = await Promise.all(
      names.map(async (name) => {
        const body = {
          video_url: 'http://hostile.example/redirect/301',
          webhook_url: `https://${name}:${tripwire.port}/hook`,
        }
        const { status, body: reply } = await product.call('POST', '/transcribe/async', body)
        expect([name, status]).toEqual([name, 202])
        return String(reply.data.check_status_url).replace('/v1', '')
      }),
    )
    for (const path of paths) {
      let webhook: { attempts: number; status: string } | undefined
      while (webhook === undefined || webhook.attempts === 0) webhook = (await product.ended(path)).webhook
      expect(webhook.status).not.toBe('delivered')
    }
  })
})

describe('a public site that leads elsewhere', () => {
  test('by redirects, pages and lists of media, reaches nothing through any endpoint', async () => {
    const submit = ['/transcribe/async', '/extract/video/async'] as const
    const paths = await Promise.all(
      site.attempts.map(async (attempt, index) => {
        const body = { video_url: `http://hostile.example${attempt}`, schema: SCHEMA }
        const { body: reply } = await product.call('POST', submit[index % submit.length] ?? '', body)
        return [attempt, String(reply.data.check_status_url).replace('/v1', '')] as const
      }),
    )
    const codes: [string, string][] = []
    for (const [attempt, path] of paths) {
      const { task_status, error } = await product.ended(path)
      expect([attempt, task_status]).toEqual([attempt, 'failed'])
      codes.push([attempt, error.error])
    }
    expect(codes.filter(([, code]) => code === 'internal_server_error')).toEqual([])
    for (const attempt of site.attempts) expect(site.requests).toContain(attempt)
  })
})

const browserPath = findChromium({ chromiumPath: undefined })
if (browserPath === undefined)
  console.warn('no Chromium here: what pages can reach from a browser is not tried')

/** Opens the page that tries every way out of a browser; returns how many it tried. */
async function browse({ app }: Product): Promise<number> {
  return app.engines.browser.session(
    async (session) => {
      const page = await session.newPage()
      await page.goto('http://hostile.example/browser', { waitUntil: 'commit' })
      const done = await page.waitForFunction('window.done', undefined, { timeout: 30_000 })
      const tried = Number(await done.jsonValue())
      // Wherever it is sent by a redirect, the page itself can't go there either.
      for (const path of ['/redirect/302', '/to/rebound.mp4', '/refresh']) {
        await page.goto(`http://hostile.example${path}`, { timeout: 5_000 }).catch(() => undefined)
      }
      for (const url of [
        `http://127.0.0.1:${tripwire.port}/`,
        'file:///etc/passwd',
        `http://[::1]:${tripwire.port}/`,
      ]) {
        const answer = await page.goto(url, { timeout: 5_000 }).catch(() => null)
        expect([url, answer?.ok() ?? false]).toEqual([url, false])
      }
      return tried
    },
    { signal: AbortSignal.timeout(60_000) },
  )
}

describe.if(browserPath !== undefined)('a page in the browser', () => {
  test('reaches nothing, whatever its scripts, frames, workers and sockets try', async () => {
    expect(await browse(product)).toBeGreaterThan(20)
  })
})

describe('the tripwire itself', () => {
  test('is reached by the same ways where the operator trusts it', async () => {
    isTrusted = true
    const trusting = await openProduct(`127.0.0.1:${tripwire.port}`)
    try {
      for (const attempt of ['/redirect/302', '/segments.m3u8', '/og']) {
        tripwire.forget()
        const { body } = await trusting.call('POST', '/transcribe/async', {
          video_url: `http://hostile.example${attempt}`,
        })
        // What it finds there is no video; that it came is enough.
        const path = String(body.data.check_status_url).replace('/v1', '')
        while (tripwire.touched.length === 0 && (await trusting.isInWork(path))) await Bun.sleep(20)
        expect([attempt, tripwire.touched.length > 0]).toEqual([attempt, true])
      }
    } finally {
      await trusting.close()
    }
  })
})
