// Updates of yt-dlp from a server with the layout of its releases. The releases here are shell scripts; that a real zip
// passes the same test is what test/engines/ytdlp.test.ts and the platforms are for.

import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { createYtdlp } from '../../src/engines/ytdlp.ts'
import { ageDays } from '../../src/engines/ytdlp-process.ts'
import { rollBackYtdlp, type Update, type UpdateConfig, updateYtdlp } from '../../src/engines/ytdlp-update.ts'
import { sha256 } from '../../src/lib/id.ts'
import { Problem } from '../../src/lib/problem.ts'
import { cleanEnv, commandLine } from '../support/earshot.ts'
import { temporaryFolder } from '../support/make-media.ts'
import { type ModelHub, plainFetch, startModelHub } from '../support/model-hub.ts'

setDefaultTimeout(60_000)

const signal = new AbortController().signal
const FINDS = `cat > /dev/null; echo '{"formats":[{"url":"x"}]}'`
const release = (version: string, extraction = FINDS): Uint8Array =>
  new TextEncoder().encode(
    `#!/bin/sh\ncase "$*" in *--version*) echo ${version};; *) ${extraction};; esac\n${'# padding\n'.repeat(2_000)}`,
  )

let folder: ReturnType<typeof temporaryFolder>
let hub: ModelHub
let config: UpdateConfig

beforeEach(async () => {
  folder = temporaryFolder()
  hub = await startModelHub()
  config = { dataDir: folder.path, toolsHub: hub.url, offline: false, extraCa: undefined }
})
afterEach(async () => {
  await hub[Symbol.asyncDispose]()
  folder.remove()
})

/** All assets are the same here: which one is taken depends on the machine. */
const ASSETS = ['yt-dlp', 'yt-dlp_linux', 'yt-dlp_linux_aarch64', 'yt-dlp_macos']

function publish(content: Uint8Array, sum = sha256(content)): void {
  for (const asset of ASSETS) hub.entries.set(asset, { content })
  const sums = ASSETS.map((asset) => `${sum}  ${asset}\n`).join('')
  hub.entries.set('SHA2-256SUMS', { content: new TextEncoder().encode(`${'0'.repeat(64)}  other\n${sums}`) })
}

const update = (): Promise<Update> => updateYtdlp(config, { fetch: plainFetch, signal })
const installed = (): string[] =>
  readdirSync(folder.file('tools')).filter((name) => !name.startsWith('.lock'))

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error: unknown = await work.catch((reason: unknown) => reason)
  if (error instanceof Problem) return error
  throw new Error(`expected a Problem, not ${String(error)}`)
}

test('a new one is used at once, by an engine that runs already; the former one can be brought back', async () => {
  const engine = createYtdlp({ ...config, ytdlpPath: undefined, siteCookies: [] }, 'http://127.0.0.1:9')
  const running = async (): Promise<string | undefined> => (await engine.version({ signal }))?.version
  publish(release('2026.10.01'))
  expect(await update()).toMatchObject({ version: '2026.10.01', former: undefined, changed: true })
  expect(await running()).toBe('2026.10.01')
  publish(release('2026.11.01'))
  expect(await update()).toMatchObject({ version: '2026.11.01', former: '2026.10.01', changed: true })
  expect(await running()).toBe('2026.11.01')
  expect(await update()).toMatchObject({ version: '2026.11.01', changed: false })
  expect(installed().toSorted()).toEqual(['yt-dlp', 'yt-dlp.former'])
  expect(await rollBackYtdlp(config, signal)).toMatchObject({ version: '2026.10.01', former: '2026.11.01' })
  expect(await running()).toBe('2026.10.01')
  expect(await rollBackYtdlp(config, signal)).toMatchObject({ version: '2026.11.01' })
})

describe('the former one stays when', () => {
  beforeEach(async () => {
    publish(release('2026.10.01'))
    await update()
  })
  const next = release('2026.11.01')
  const faults: Readonly<Record<string, readonly [() => void, string]>> = {
    'the checksum is another': [() => publish(next, sha256('else')), 'SHA-256'],
    'the download breaks off': [
      () => {
        publish(next)
        for (const asset of ASSETS) hub.entries.set(asset, { content: next, cuts: [9_000] })
      },
      '',
    ],
    'there is no checksum for it': [
      () => hub.entries.set('SHA2-256SUMS', { content: new TextEncoder().encode('<html>') }),
      'no line for yt-dlp',
    ],
    'there is no such release': [
      () => hub.entries.set('SHA2-256SUMS', { content: next, status: 404 }),
      '404',
    ],
    'the new one does not start': [
      () => publish(new TextEncoder().encode('#!/bin/sh\nexit 3\n')),
      'does not start',
    ],
    'the new one calls itself strangely': [() => publish(release('nightly')), 'its version is "nightly"'],
    'the new one refuses our options': [
      () => publish(release('2026.11.01', 'echo "ERROR: no such option" >&2; exit 2')),
      'no such option',
    ],
    'the new one finds nothing': [
      () => publish(release('2026.11.01', `cat > /dev/null; echo '{"formats":[]}'`)),
      'finds no video',
    ],
  }
  for (const [name, [spoil, message]] of Object.entries(faults)) {
    test(name, async () => {
      spoil()
      expect((await problemOf(update())).message).toContain(message)
      expect(installed()).toEqual(['yt-dlp'])
      publish(release('2026.10.01'))
      expect(await update()).toMatchObject({ version: '2026.10.01', changed: false })
    })
  }
})

const assetAsked = async (): Promise<void> => {
  while (!hub.requests.some(({ path, sentBytes }) => path !== 'SHA2-256SUMS' && sentBytes > 0))
    await Bun.sleep(5)
}

function hold(content: Uint8Array, holdAfter: number | undefined): void {
  for (const asset of ASSETS) hub.entries.set(asset, { content, holdAfter })
}

test('of two updates at once, the second is told to wait', async () => {
  const content = release('2026.11.01')
  publish(content)
  hold(content, 9_000)
  const leave = new AbortController()
  const first = updateYtdlp(config, { fetch: plainFetch, signal: leave.signal })
  await assetAsked()
  expect((await problemOf(update())).message).toContain('Another process is updating')
  leave.abort(new Error('left'))
  await expect(first).rejects.toThrow('left')
  hold(content, undefined)
  expect(await update()).toMatchObject({ version: '2026.11.01' })
})

test('kill -9 in the middle of the command leaves the former one, and the next update clears up', async () => {
  publish(release('2026.10.01'))
  await update()
  const content = release('2026.11.01')
  publish(content)
  hold(content, 9_000)
  const before = hub.requests.length
  const env = cleanEnv({ EARSHOT_DATA: folder.path, EARSHOT_TOOLS_HUB: hub.url })
  const child = Bun.spawn(commandLine(['tools', 'update']), { env, stdout: 'ignore', stderr: 'ignore' })
  while (!hub.requests.slice(before).some(({ path }) => path !== 'SHA2-256SUMS')) await Bun.sleep(10)
  while (installed().length === 1) await Bun.sleep(10)
  child.kill('SIGKILL')
  await child.exited
  expect(installed().length).toBe(2)
  expect(existsSync(folder.file('tools/yt-dlp'))).toBe(true)
  hold(content, undefined)
  expect(await update()).toMatchObject({ version: '2026.11.01', former: '2026.10.01' })
  expect(installed().toSorted()).toEqual(['yt-dlp', 'yt-dlp.former'])
})

test('EARSHOT_OFFLINE refuses before anything is asked for', async () => {
  config = { ...config, offline: true }
  expect((await problemOf(update())).message).toContain('EARSHOT_OFFLINE')
  expect(hub.requests).toEqual([])
})

test('the age of a release is in its version', () => {
  const now = Date.UTC(2026, 10, 21)
  expect(ageDays('2026.10.26', now)).toBe(26)
  expect(ageDays('2026.08.22.232815', now)).toBe(91)
  expect(ageDays('unknown', now)).toBeUndefined()
})
