// A Chromium of the machine's own, for pages whose data only their own scripts can fetch. One at a time, thrown away after
// each use, with nothing of the machine in it: no profile, no downloads, and the egress proxy as its only way out.

import { readFileSync } from 'node:fs'
import { createHash, X509Certificate } from 'node:crypto'
import type { Browser as Chromium, BrowserContext, Page } from 'playwright-core'
import type { Config } from '../config.ts'
import { createGate } from '../lib/gate.ts'
import { newId } from '../lib/id.ts'
import { asError, Problem } from '../lib/problem.ts'
import { MINUTE, SECOND, sleep } from '../lib/time.ts'
import { killRun } from './browser-processes.ts'
import { allSiteCookies, type SiteCookie } from './site-cookies.ts'

export interface BrowserEngine {
  /** Path of the program; undefined when the machine has none. */
  readonly path: string | undefined
  /**
   * Runs `work` with a session that holds nothing but the operator's log-ins. Throws Problem `unsupported_platform` without a browser, `metadata_fetch_failed`
   * when it crashes or takes longer than `timeoutMs`, or the signal's reason. Whatever happens, no process outlives it.
   */
  session<T>(
    work: (session: BrowserSession) => Promise<T>,
    options: { readonly signal: AbortSignal; readonly timeoutMs?: number },
  ): Promise<T>
}

export interface BrowserSession {
  /** A new tab; all tabs share cookies. */
  newPage(): Promise<Page>
}

export type BrowserConfig = Pick<Config, 'chromiumPath' | 'extraCa' | 'siteCookies'>

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
const TIMEOUT_MS = 10 * MINUTE
const LAUNCH_MS = 30 * SECOND
const CLOSE_MS = 5 * SECOND
/** What shows something, but tells nothing. */
const NEEDLESS = new Set(['image', 'media', 'font'])

/** The setting, else what the machine has. */
export function findChromium(config: Pick<Config, 'chromiumPath'>): string | undefined {
  if (config.chromiumPath !== undefined) return config.chromiumPath
  const options = { PATH: process.env['PATH'] ?? '' }
  return NAMES.map((name) => Bun.which(name, options)).find((path) => path !== null) ?? undefined
}

export function createBrowser(config: BrowserConfig, proxyUrl: string): BrowserEngine {
  // One has some hundred megabytes.
  const gate = createGate(1)
  return {
    get path() {
      return findChromium(config)
    },
    session: (work, { signal, timeoutMs = TIMEOUT_MS }) =>
      gate.run(async () => {
        const path = findChromium(config)
        if (path === undefined) throw noBrowser()
        const late = AbortSignal.timeout(timeoutMs)
        const both = AbortSignal.any([signal, late])
        const run = newId()
        try {
          const cookies = await allSiteCookies(config)
          return await withBrowser(launch(path, { config, proxyUrl, run }), both, { cookies, work })
        } catch (error) {
          signal.throwIfAborted()
          if (error instanceof Problem) throw error
          const what = late.aborted ? 'took too long' : 'ended unexpectedly'
          const message = `The browser that reads this site ${what}; try again later`
          throw new Problem('metadata_fetch_failed', message, { cause: asError(error), temporary: true })
        } finally {
          await killRun(run)
        }
      }, signal),
  }
}

async function withBrowser<T>(
  launching: Promise<Chromium>,
  signal: AbortSignal,
  { cookies, work }: { cookies: readonly SiteCookie[]; work: (session: BrowserSession) => Promise<T> },
): Promise<T> {
  const aborted = Promise.withResolvers<never>()
  // Whoever waits is told by the race below; nobody else needs to know.
  aborted.promise.catch(() => undefined)
  const onAbort = (): void => aborted.reject(asError(signal.reason))
  signal.addEventListener('abort', onAbort, { once: true })
  let browser: Chromium | undefined
  try {
    signal.throwIfAborted()
    browser = await Promise.race([launching, aborted.promise])
    browser.once('disconnected', () => aborted.reject(new Error('the browser has ended')))
    const context = await Promise.race([freshContext(browser, cookies), aborted.promise])
    return await Promise.race([work({ newPage: () => context.newPage() }), aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
    browser ??= await Promise.race([launching.catch(() => undefined), sleep(0).then(() => undefined)])
    await Promise.race([browser?.close().catch(() => undefined), sleep(CLOSE_MS)])
  }
}

async function launch(
  path: string,
  { config, proxyUrl, run }: { config: BrowserConfig; proxyUrl: string; run: string },
): Promise<Chromium> {
  const { chromium } = await import('playwright-core')
  const { username, password, host } = new URL(proxyUrl)
  return chromium.launch({
    executablePath: path,
    headless: true,
    timeout: LAUNCH_MS,
    // Chromium refuses its sandbox to root; elsewhere it keeps it.
    chromiumSandbox: process.getuid?.() !== 0,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
    // Local addresses too: the proxy is who refuses them.
    proxy: { server: `http://${host}`, username, password, bypass: '<-loopback>' },
    env: environment(),
    args: [
      // By this its processes are known, should it not end by itself.
      `--earshot-run=${run}`,
      '--disable-quic',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--disable-background-networking',
      '--dns-prefetch-disable',
      // Names are the proxy's business: nothing is ever looked up here.
      '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
      ...trusting(config.extraCa),
    ],
  })
}

/** Empty but for the operator's log-ins; what sites add to them is forgotten with it. */
async function freshContext(browser: Chromium, cookies: readonly SiteCookie[]): Promise<BrowserContext> {
  const context = await browser.newContext({
    acceptDownloads: false,
    serviceWorkers: 'block',
    locale: 'en-US',
    timezoneId: 'UTC',
    viewport: { width: 1_280, height: 900 },
  })
  for (const { domain, path, expiresAtS, ...cookie } of cookies) {
    const place = domain.startsWith('.') || path !== '/' ? { domain, path } : { url: `https://${domain}/` }
    const expires = expiresAtS === 0 ? -1 : expiresAtS
    // One that the browser does not accept is no reason to do without the others.
    await context.addCookies([{ ...cookie, ...place, expires, secure: true }]).catch(() => undefined)
  }
  await context.route('**/*', async (route) => {
    const request = route.request()
    const web = /^(?:https?|data|blob):/.test(request.url())
    await (web && !NEEDLESS.has(request.resourceType()) ? route.continue() : route.abort())
  })
  return context
}

/**
 * Chromium reads no PEM files. It accepts chains in which an authority of EARSHOT_EXTRA_CA is sent along; an operator who
 * names one vouches for the network behind it.
 */
function trusting(extraCa: string | undefined): string[] {
  if (extraCa === undefined) return []
  const pem = readFileSync(extraCa, 'utf8')
  const certificates = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []
  const keys = certificates.map((text) => {
    const der = new X509Certificate(text).publicKey.export({ type: 'spki', format: 'der' })
    return createHash('sha256').update(der).digest('base64')
  })
  return keys.length === 0 ? [] : [`--ignore-certificate-errors-spki-list=${keys.join(',')}`]
}

function environment(): Record<string, string> {
  const env: Record<string, string> = {}
  for (const name of ['PATH', 'HOME', 'LANG', 'TMPDIR']) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return env
}

/** For whoever asks beforehand. */
export function noBrowser(): Problem {
  return new Problem(
    'unsupported_platform',
    'Searching this platform needs a browser, and this server has none: install Chromium, or set EARSHOT_CHROMIUM to its path',
  )
}
