// The operator's log-ins and proxies for sites, through the compiled binary and the real yt-dlp; and an update while it runs.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../../src/lib/id.ts'
import { REPOSITORY } from '../support/elsewhere.ts'
import { temporaryFolder } from '../support/make-media.ts'
import { type ModelHub, startModelHub } from '../support/model-hub.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { portalCookieFile, portalUrl } from '../support/platforms/portal.ts'
import { finishedTask, type Reply, startServer, type TestServer } from '../support/server.ts'
import { startUpstreamProxy, type UpstreamProxy } from '../support/upstream-proxy.ts'

setDefaultTimeout(180_000)

const folder = temporaryFolder()
const cookiePath = folder.file('cookies.txt')
let site: PlatformSite
let proxy: UpstreamProxy
let hub: ModelHub
let server: TestServer
let key = ''

beforeAll(async () => {
  ;[site, proxy, hub] = await Promise.all([
    startPlatformSite(),
    startUpstreamProxy({ user: 'me', password: 'word-hushhush' }),
    startModelHub(),
  ])
  await Bun.write(cookiePath, portalCookieFile())
  const env = {
    ...site.env,
    EARSHOT_SITE_COOKIES: `videos.example.com=${cookiePath}`,
    EARSHOT_SITE_PROXIES: `videos.example.com=socks5://me:word-hushhush@127.0.0.1:${proxy.port}`,
    EARSHOT_SITE_PAUSE_S: '0',
    EARSHOT_TOOLS_HUB: hub.url,
  }
  server = await startServer({ env, binary: join(REPOSITORY, 'dist/earshot') })
  key = await server.createKey()
})
afterAll(async () => {
  await server.close()
  await Promise.all([site.stop(), proxy.stop(), hub[Symbol.asyncDispose]()])
  folder.remove()
})

async function transcribed(video_url: string): Promise<Reply['body']> {
  const submitted = await server.request('POST', '/v1/transcribe/async', { key, body: { video_url } })
  expect(submitted).toMatchObject({ status: 202 })
  return (await finishedTask(server, key, String(submitted.body.data.check_status_url))).body.data
}

/** Texts of all files of the data folder. */
async function kept(): Promise<string> {
  const names = readdirSync(server.dataDir, { recursive: true }).map(String)
  const files = names.map((name) => join(server.dataDir, name)).filter((path) => statSync(path).isFile())
  const small = files.filter((path) => statSync(path).size < 20_000_000)
  return (await Promise.all(small.map(async (path) => await Bun.file(path).text()))).join('\n')
}

test('what members may see is transcribed, through the proxy, and no secret is left anywhere', async () => {
  const data = await transcribed(portalUrl('members/1'))
  expect(data).toMatchObject({
    task_status: 'completed',
    result: { video_info: { title: 'For members (1)' } },
  })
  const lengths = [site.requests.length, proxy.targets.length]
  expect(lengths[1]).toBeGreaterThan(1)
  const port = /:443=(127\.0\.0\.1:\d+)/.exec(site.env['EARSHOT_HOST_OVERRIDES'] ?? '')?.[1] ?? ''
  expect(new Set(proxy.targets)).toEqual(new Set([port]))
  expect(await Bun.file(cookiePath).text()).toBe(portalCookieFile())
  expect(await kept()).not.toContain('hushhush')
})

test('another site is reached without the proxy', async () => {
  const before = proxy.targets.length
  expect(await transcribed('https://partner.example.net/film')).toMatchObject({ task_status: 'completed' })
  expect(proxy.targets.length).toBe(before)
})

test('captions inside a stream', async () => {
  const body = { video_url: portalUrl('hls/master.m3u8') }
  const reply = await server.request('POST', '/v1/transcript', { key, body })
  expect(reply).toMatchObject({ status: 200 })
  expect(reply.body.data.transcript).toEqual([{ text: 'Hello from a stream', start: 0.2, end: 1.8 }])
})

test('an update is used by the running server at once', async () => {
  const downloader = async (): Promise<string> =>
    String((await server.request('GET', '/v1/health')).body.checks.downloader.message)
  expect(await downloader()).not.toContain('2026.11.20')
  const finds = `cat > /dev/null; echo '{"formats":[{"url":"x"}]}'`
  const script = `#!/bin/sh\ncase "$*" in *--version*) echo 2026.11.20;; *) ${finds};; esac\n`
  const content = new TextEncoder().encode(script)
  const assets = ['yt-dlp', 'yt-dlp_linux', 'yt-dlp_linux_aarch64', 'yt-dlp_macos']
  for (const asset of assets) hub.entries.set(asset, { content })
  const sums = assets.map((asset) => `${sha256(content)}  ${asset}\n`).join('')
  hub.entries.set('SHA2-256SUMS', { content: new TextEncoder().encode(sums) })
  expect(JSON.parse(await server.command('tools', 'update', '--json'))).toMatchObject({
    version: '2026.11.20',
  })
  expect(await downloader()).toContain('2026.11.20')
  const tools = JSON.parse(await server.command('tools', 'list', '--json')) as { in_use: boolean }[]
  expect(tools[0]).toMatchObject({ name: 'yt-dlp', source: 'data folder', in_use: true })
})
