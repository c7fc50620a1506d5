// How yt-dlp is started: its configuration, plug-ins and ffmpeg are kept out of it, its network is the egress proxy, and
// no command line shows a credential.

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { type Program, startProgram } from '../lib/process.ts'
import { type Limits, sandboxed } from './sandbox.ts'

export type YtdlpConfig = Pick<Config, 'ytdlpPath' | 'dataDir' | 'extraCa'>

/** The setting, the operator's own, the one that came with the binary or the checkout, and the system's; in this order. */
export function findYtdlp(config: YtdlpConfig): string | undefined {
  if (config.ytdlpPath !== undefined) return config.ytdlpPath
  const places = [
    join(config.dataDir, 'tools', 'yt-dlp'),
    join(dirname(process.execPath), 'tools', 'yt-dlp'),
    join(import.meta.dir, '..', '..', '.cache', 'ytdlp', 'yt-dlp'),
  ]
  return places.find((path) => existsSync(path)) ?? Bun.which('yt-dlp') ?? undefined
}

export const cacheFolder = (config: YtdlpConfig): string => join(config.dataDir, 'cache', 'yt-dlp')

export interface Run {
  readonly args: readonly string[]
  readonly limits: Limits
  /** Existing folder. */
  readonly cwd: string
  readonly signal: AbortSignal
}

export type StartYtdlp = (run: Run) => Program

export const ytdlpLimits = (cpuS: number, fileBytes: number): Limits => ({
  cpuS,
  memoryBytes: 4 * 1_024 ** 3,
  fileBytes,
  network: true,
})

/** The function throws `metadata_fetch_failed` when there is no yt-dlp. */
export function createStart(config: YtdlpConfig, proxyUrl: string): StartYtdlp {
  return ({ args, limits, cwd, signal }) => {
    const path = findYtdlp(config)
    if (path === undefined) {
      throw new Problem(
        'metadata_fetch_failed',
        'yt-dlp is not installed on this server: install it, or set EARSHOT_YTDLP to its path',
      )
    }
    const program = startProgram({
      command: sandboxed([path, '--ignore-config', '--config-locations', '-', ...args], limits),
      stdin: 'pipe',
      cwd,
      env: environment(config),
      signal,
    })
    // The standing options go through stdin: everyone on the machine can read a command line, so it holds no credential.
    // A program that has ended at once does not read; its exit code tells why.
    tell(program, `${standingOptions(config, proxyUrl).join('\n')}\n`).catch(() => undefined)
    return program
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
