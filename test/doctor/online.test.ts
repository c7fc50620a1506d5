// What the doctor and the health check say about yt-dlp, the browser, and log-ins and proxies for sites.

import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync } from 'node:fs'
import type { App } from '../../src/app.ts'
import type { Finding } from '../../src/doctor/finding.ts'
import { ONLINE_PARTS } from '../../src/doctor/online.ts'
import { findChromium } from '../../src/engines/browser.ts'
import { healthChecks } from '../../src/http/checks.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/make-media.ts'
import { startUpstreamProxy } from '../support/upstream-proxy.ts'

setDefaultTimeout(60_000)

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

async function startWithClock(env: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const started = await createTestApp(env)
  closers.push(() => started.close())
  return started
}

async function start(env: Readonly<Record<string, string>> = {}): Promise<App> {
  const { app } = await startWithClock(env)
  return app
}

async function examine(name: string, app: App): Promise<Finding> {
  const part = ONLINE_PARTS.find((candidate) => candidate.name === name)
  if (!part) throw new Error(`no part ${name}`)
  return await part.examine(app, AbortSignal.timeout(50_000), 'command')
}

async function install(app: App, version: string): Promise<void> {
  mkdirSync(`${app.config.dataDir}/tools`, { recursive: true })
  const path = `${app.config.dataDir}/tools/yt-dlp`
  const finds = `cat > /dev/null; echo '{"formats":[{"url":"x"}]}'`
  await Bun.write(path, `#!/bin/sh\ncase "$*" in *--version*) echo ${version};; *) ${finds};; esac\n`)
  chmodSync(path, 0o755)
}

test('an old yt-dlp is degraded and says how to update; the update counts at once', async () => {
  const app = await start()
  const health = async () => await healthChecks(app)['downloader']?.()
  // The clock of the test stands at the end of January 2026.
  await install(app, '2025.10.01')
  expect(await health()).toMatchObject({ status: 'degraded', message: expect.stringContaining('too old') })
  expect(await examine('yt-dlp', app)).toMatchObject({
    verdict: 'warning',
    message: expect.stringContaining('earshot tools update'),
  })
  await install(app, '2026.01.25.1')
  expect(await health()).toEqual({ status: 'ok', message: 'yt-dlp 2026.01.25.1.' })
})

test('beyond ninety days it is degraded although it is not too old for the sites', async () => {
  const clock = await startWithClock()
  const { app } = clock
  await install(app, '2026.01.10')
  const health = async () => await healthChecks(app)['downloader']?.()
  expect(await health()).toMatchObject({ status: 'ok' })
  clock.advance(75 * 86_400_000)
  expect(await health()).toMatchObject({
    status: 'degraded',
    message: expect.stringContaining('96 days old'),
  })
})

const probe = await createTestApp()
const runtime = await probe.app.engines.jsRuntimes.find()
await probe.close()
if (!runtime) console.log('No namespaces are permitted here: there is no JavaScript runtime.')

test.skipIf(!runtime)(
  'a yt-dlp without the scripts for riddles is told apart from one that has them',
  async () => {
    const own = await start()
    const path = `${own.config.dataDir}/tools/yt-dlp`
    mkdirSync(`${own.config.dataDir}/tools`)
    const verdict = async (libraries: string): Promise<string> => {
      const debug = `echo "[debug] Optional libraries: ${libraries}" >&2; exit 2`
      await Bun.write(path, `#!/bin/sh\ncase "$*" in *--version*) echo 2026.01.25;; *) ${debug};; esac\n`)
      chmodSync(path, 0o755)
      return (await examine('JavaScript', own)).verdict
    }
    expect(await verdict('sqlite3-3.40.1')).toBe('warning')
    expect(await verdict('sqlite3-3.40.1, yt_dlp_ejs-0.8.0')).toBe('ok')
  },
)

test.skipIf(findChromium({ chromiumPath: undefined }) === undefined)(
  'the browser is run for real',
  async () => {
    const app = await start()
    expect(await examine('browser', app)).toMatchObject({ verdict: 'ok' })
    expect(await healthChecks(app)['browser']?.()).toMatchObject({ status: 'ok' })
  },
)

test('a browser that does not start is no browser', async () => {
  const app = await start({ EARSHOT_CHROMIUM: '/bin/false' })
  await expect(examine('browser', app)).rejects.toThrow('browser')
})

test('log-ins and proxies are looked at, and no secret is told', async () => {
  const folder = temporaryFolder()
  const proxy = await startUpstreamProxy()
  closers.push(
    () => folder.remove(),
    () => proxy.stop(),
  )
  const path = folder.file('cookies.txt')
  const settings = { EARSHOT_SITE_COOKIES: `site.example=${path}` }
  const line = (expires: number): string => `.site.example\tTRUE\t/\tTRUE\t${expires}\tsid\thushhush\n`
  await Bun.write(path, line(4_000_000_000))
  const app = await start({
    ...settings,
    EARSHOT_SITE_PROXIES: `site.example=socks5://me:hushhush@127.0.0.1:${proxy.port}`,
  })
  const good = await examine('sites', app)
  expect(good.verdict).toBe('ok')
  expect(good.message).toContain('1 cookies')
  expect(good.message).not.toContain('hushhush')
  await Bun.write(path, line(1_000))
  expect(await examine('sites', app)).toMatchObject({ verdict: 'warning' })
  await Bun.write(path, '{"cookies": []}')
  expect((await examine('sites', app)).message).toContain('no cookie file')
  await proxy.stop()
  expect((await examine('sites', app)).message).toContain('fails')
})
