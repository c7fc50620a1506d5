// How yt-dlp is started: its configuration, plug-ins and ffmpeg are kept out of it, its network is the egress proxy, and
// no command line shows a credential.

import { existsSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { type Program, runProgram, startProgram } from '../lib/process.ts'
import { DAY, SECOND } from '../lib/time.ts'
import type { JsRuntimes } from './js-runtime.ts'
import { type Limits, sandboxed } from './sandbox.ts'
import { copyCookies } from './site-cookies.ts'

export type YtdlpConfig = Pick<Config, 'ytdlpPath' | 'dataDir' | 'extraCa' | 'siteCookies'>

/** Where `earshot tools update` puts it. */
export const ownYtdlp = (config: Pick<Config, 'dataDir'>): string => join(config.dataDir, 'tools', 'yt-dlp')

export interface YtdlpPlace {
  /** Who put it there. */
  readonly source: 'EARSHOT_YTDLP' | 'data folder' | 'bundled' | 'system'
  readonly path: string
}

/** All there are; the first one is used: the setting, the operator's own, the one that came along, and the system's. */
export function listYtdlp(config: YtdlpConfig): YtdlpPlace[] {
  const places: YtdlpPlace[] = [
    { source: 'data folder', path: ownYtdlp(config) },
    { source: 'bundled', path: join(dirname(process.execPath), 'tools', 'yt-dlp') },
    { source: 'bundled', path: join(import.meta.dir, '..', '..', '.cache', 'ytdlp', 'yt-dlp') },
  ]
  const system = Bun.which('yt-dlp')
  return [
    ...(config.ytdlpPath === undefined ? [] : [{ source: 'EARSHOT_YTDLP', path: config.ytdlpPath } as const]),
    ...places.filter(({ path }) => existsSync(path)),
    ...(system === null ? [] : [{ source: 'system', path: system } as const]),
  ]
}

/** Asked for each run, so that an update is used at once. */
export const findYtdlp = (config: YtdlpConfig): string | undefined => listYtdlp(config)[0]?.path

export const cacheFolder = (config: YtdlpConfig): string => join(config.dataDir, 'cache', 'yt-dlp')

export interface Run {
  readonly args: readonly string[]
  readonly limits: Limits
  /** Existing folder. */
  readonly cwd: string
  readonly signal: AbortSignal
}

export type StartYtdlp = (run: Run) => Promise<Program>

export const ytdlpLimits = (cpuS: number, fileBytes: number): Limits => ({
  cpuS,
  memoryBytes: 4 * 1_024 ** 3,
  fileBytes,
  network: true,
})

/** Of the program at `path`, remembered until it is another file; undefined when it does not start. */
export async function ytdlpVersion(path: string, signal: AbortSignal): Promise<string | undefined> {
  const { mtimeMs, size } = statSync(path, { throwIfNoEntry: false }) ?? { mtimeMs: 0, size: 0 }
  const known = versions.get(path)
  const identity = `${mtimeMs} ${size}`
  if (known?.identity === identity && known.until > Date.now()) return known.version
  const timed = AbortSignal.any([signal, AbortSignal.timeout(30 * SECOND)])
  const run = runProgram({ command: [path, '--ignore-config', '--version'], signal: timed })
  const result = await run.catch(() => undefined)
  signal.throwIfAborted()
  const version = result?.exitCode === 0 ? result.stdout.trim().slice(0, 100) : undefined
  // A machine that is too busy to start it may have time later.
  const until = version === undefined ? Date.now() + FAILURE_KNOWN_MS : Number.POSITIVE_INFINITY
  versions.set(path, { identity, version, until })
  return version
}

const FAILURE_KNOWN_MS = 30 * SECOND
const versions = new Map<
  string,
  { readonly identity: string; readonly version: string | undefined; readonly until: number }
>()

/** Days since the release with this version, such as 2026.10.26; undefined for other versions. */
export function ageDays(version: string, now: number): number | undefined {
  const [, year, month, day] = /^(\d{4})\.(\d{2})\.(\d{2})/.exec(version) ?? []
  if (year === undefined) return undefined
  return Math.floor((now - Date.UTC(Number(year), Number(month) - 1, Number(day))) / DAY)
}

/** The first release that takes a JavaScript runtime. */
const TAKES_RUNTIMES = '2025.11.12'

/** The function throws `metadata_fetch_failed` when there is no yt-dlp. */
export function createStart(config: YtdlpConfig, proxyUrl: string, runtimes: JsRuntimes): StartYtdlp {
  return async ({ args, limits, cwd, signal }) => {
    const path = findYtdlp(config)
    if (path === undefined) {
      throw new Problem(
        'metadata_fetch_failed',
        'yt-dlp is not installed on this server: run "earshot tools update", or set EARSHOT_YTDLP to its path',
      )
    }
    const version = (await ytdlpVersion(path, signal)) ?? ''
    const runtime = version >= TAKES_RUNTIMES ? await runtimes.find() : undefined
    const cookies = await copyCookies(config, join(config.dataDir, 'cache', 'cookies'))
    try {
      const program = startProgram({
        command: sandboxed([path, '--ignore-config', '--config-locations', '-', ...args], limits),
        stdin: 'pipe',
        cwd,
        env: environment(config),
        signal,
      })
      program.exited.finally(() => cookies?.remove()).catch(() => undefined)
      // The standing options go through stdin: everyone on the machine can read a command line, so it holds no credential.
      // A program that has ended at once does not read; its exit code tells why.
      const options = [
        ...standingOptions(config, proxyUrl),
        ...(cookies ? [`--cookies ${JSON.stringify(cookies.path)}`] : []),
        ...(runtime ? ['--no-js-runtimes', `--js-runtimes ${JSON.stringify(`bun:${runtime.path}`)}`] : []),
      ]
      tell(program, `${options.join('\n')}\n`).catch(() => undefined)
      return program
    } catch (error) {
      cookies?.remove()
      throw error
    }
  }
}

async function tell({ stdin }: Program, text: string): Promise<void> {
  await stdin?.write(text)
  await stdin?.end()
}

function standingOptions(config: YtdlpConfig, proxyUrl: string): string[] {
  return [
    `--proxy ${proxyUrl}`,
    `--cache-dir ${JSON.stringify(cacheFolder(config))}`,
    '--no-update',
    '--socket-timeout 10',
    '--extractor-retries 1',
    '--color never',
    // Nothing else may fetch or convert for it: other programs know neither the proxy nor our limits.
    '--ffmpeg-location /nonexistent',
    '--no-exec',
    ...(config.extraCa === undefined ? [] : ['--compat-options no-certifi']),
  ]
}

function environment(config: YtdlpConfig): Record<string, string> {
  return {
    YTDLP_NO_PLUGINS: '1',
    PYTHONUNBUFFERED: '1',
    PYTHONIOENCODING: 'utf-8',
    ...(config.extraCa === undefined ? {} : { SSL_CERT_FILE: config.extraCa }),
  }
}
