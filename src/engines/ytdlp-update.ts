// A new yt-dlp for the data folder: fetched from its releases, compared with their checksums, tried, and only then renamed
// into place. Whatever goes wrong on the way, the one that was in use stays in use.

import { copyFileSync, existsSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Config } from '../config.ts'
import { tryFileLock } from '../lib/file-lock.ts'
import { newId } from '../lib/id.ts'
import { asError, Problem } from '../lib/problem.ts'
import { runProgram } from '../lib/process.ts'
import { SECOND } from '../lib/time.ts'
import { limitedBody } from '../net/limited-body.ts'
import type { HubFetch } from './model-pull.ts'
import { checkYtdlp } from './ytdlp-check.ts'
import { ownYtdlp, ytdlpVersion } from './ytdlp-process.ts'

export interface UpdateOptions {
  readonly fetch: HubFetch
  readonly signal: AbortSignal
  /** Bytes so far, and in all where the server tells. */
  readonly onProgress?: (bytes: number, totalBytes: number | undefined) => void
}

export interface Update {
  readonly path: string
  readonly version: string
  /** What the data folder had before. */
  readonly former: string | undefined
  /** False: it was this one already. */
  readonly changed: boolean
}

export type UpdateConfig = Pick<Config, 'dataDir' | 'toolsHub' | 'offline' | 'extraCa'>

/** The zip has some three megabytes, the ones with a Python of their own some forty. */
const ASSET_BYTES_MAX = 200 * 1_024 ** 2
const SUMS_BYTES_MAX = 1_024 ** 2
const SUMS = 'SHA2-256SUMS'

/** Throws Problems that say what to do, or the signal's reason. */
export async function updateYtdlp(config: UpdateConfig, options: UpdateOptions): Promise<Update> {
  if (config.offline) {
    throw new Problem(
      'invalid_parameter',
      `EARSHOT_OFFLINE is set, so nothing is downloaded. Carry yt-dlp in as ${ownYtdlp(config)}, or set EARSHOT_YTDLP.`,
    )
  }
  return await exclusively(config, async () => {
    const path = ownYtdlp(config)
    const former = existsSync(path) ? await ytdlpVersion(path, options.signal) : undefined
    const asset = await assetForThisMachine(options.signal)
    const expected = checksumOf(asset, await fetchText(`${config.toolsHub}/${SUMS}`, options))
    if (former !== undefined && (await sha256Of(path)) === expected) {
      return { path, version: former, former, changed: false }
    }
    const candidate = `${path}.${newId()}`
    try {
      await download(`${config.toolsHub}/${asset}`, { path: candidate, expected }, options)
      const version = await tried(candidate, config, options.signal)
      putIntoPlace(candidate, path)
      return { path, version, former, changed: true }
    } finally {
      rmSync(candidate, { force: true })
    }
  })
}

/** Brings back the one before the last update, if it still works; the other takes its place. Throws Problems. */
export async function rollBackYtdlp(config: UpdateConfig, signal: AbortSignal): Promise<Update> {
  return await exclusively(config, async () => {
    const path = ownYtdlp(config)
    if (!existsSync(formerOf(path))) {
      throw new Problem('not_found', 'There is no yt-dlp from before an update to go back to.')
    }
    const former = existsSync(path) ? await ytdlpVersion(path, signal) : undefined
    const candidate = `${path}.${newId()}`
    try {
      copyFileSync(formerOf(path), candidate)
      const version = await tried(candidate, config, signal)
      putIntoPlace(candidate, path)
      return { path, version, former, changed: true }
    } finally {
      rmSync(candidate, { force: true })
    }
  })
}

async function tried(candidate: string, config: UpdateConfig, signal: AbortSignal): Promise<string> {
  return await checkYtdlp(candidate, config, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    throw failed(asError(error).message.replace(candidate, 'its new place'))
  })
}

const formerOf = (path: string): string => `${path}.former`

/** At every moment there is a whole program at `path`. */
function putIntoPlace(candidate: string, path: string): void {
  if (existsSync(path)) {
    const kept = `${path}.${newId()}`
    copyFileSync(path, kept)
    renameSync(kept, formerOf(path))
  }
  renameSync(candidate, path)
}

async function exclusively<T>(config: UpdateConfig, work: () => Promise<T>): Promise<T> {
  const path = ownYtdlp(config)
  await mkdir(dirname(path), { recursive: true })
  const lock = tryFileLock(join(dirname(path), '.lock'))
  if (!lock) {
    const message =
      'Another process is updating yt-dlp right now. Wait for it, then look at "earshot tools list".'
    throw new Problem('invalid_parameter', message, { temporary: true })
  }
  try {
    removeLeftovers(path)
    return await work()
  } finally {
    lock.release()
  }
}

/** Of updates that were killed. */
function removeLeftovers(path: string): void {
  const leftover = new RegExp(`^${basename(path)}\\.[0-9a-f]{8}-`)
  for (const name of readdirSync(dirname(path))) {
    if (leftover.test(name)) rmSync(join(dirname(path), name), { force: true })
  }
}

/** The one that needs Python where there is a Python that it can use: it starts in half the time. */
async function assetForThisMachine(signal: AbortSignal): Promise<string> {
  const code = 'import sys; sys.exit(sys.version_info < (3, 10))'
  const timed = AbortSignal.any([signal, AbortSignal.timeout(10 * SECOND)])
  const python = await runProgram({ command: ['python3', '-c', code], signal: timed }).catch(() => undefined)
  signal.throwIfAborted()
  if (python?.exitCode === 0) return 'yt-dlp'
  if (process.platform === 'darwin') return 'yt-dlp_macos'
  return process.arch === 'arm64' ? 'yt-dlp_linux_aarch64' : 'yt-dlp_linux'
}

function checksumOf(asset: string, sums: string): string {
  const lines = sums.split('\n').map((line) => /^([0-9a-f]{64}) [ *](\S+)\s*$/i.exec(line))
  const sum = lines.find((match) => match?.[2] === asset)?.[1]
  if (sum !== undefined) return sum.toLowerCase()
  throw failed(`${SUMS} there has no line for ${asset}`)
}

async function request(url: string, { fetch, signal }: UpdateOptions) {
  const headers = { 'accept-encoding': 'identity' }
  const answer = await fetch(url, { headers, signal })
  if (answer.status === 200 && answer.body) return { headers: answer.headers, body: answer.body }
  await answer.body?.cancel()
  throw failed(`${url} answered ${answer.status}`)
}

async function fetchText(url: string, options: UpdateOptions): Promise<string> {
  const { body } = await request(url, options)
  const chunks: Uint8Array[] = []
  for await (const chunk of limitedBody(body, { maxBytes: SUMS_BYTES_MAX, stallBytes: 1 }, options.signal)) {
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

async function download(
  url: string,
  { path, expected }: { readonly path: string; readonly expected: string },
  options: UpdateOptions,
): Promise<void> {
  const { headers, body } = await request(url, options)
  const length = Number(headers.get('content-length') ?? Number.NaN)
  const totalBytes = Number.isFinite(length) ? length : undefined
  const hasher = new Bun.CryptoHasher('sha256')
  const file = await open(path, 'wx', 0o700)
  let bytes = 0
  try {
    for await (const chunk of limitedBody(body, { maxBytes: ASSET_BYTES_MAX }, options.signal)) {
      await file.writeFile(chunk)
      hasher.update(chunk)
      bytes += chunk.byteLength
      options.onProgress?.(bytes, totalBytes)
    }
    await file.chmod(0o755)
    await file.sync()
  } finally {
    await file.close()
  }
  const got = hasher.digest('hex')
  if (got === expected) return
  throw failed(
    `${url} is not what ${SUMS} promises (${bytes} bytes with SHA-256 ${got} instead of ${expected}); perhaps a release came out just now`,
  )
}

async function sha256Of(path: string): Promise<string> {
  return new Bun.CryptoHasher('sha256').update(await Bun.file(path).bytes()).digest('hex')
}

function failed(reason: string): Problem {
  return new Problem(
    'upstream_failed',
    `yt-dlp was not updated: ${reason}. Nothing was changed. Try again later, or look at EARSHOT_TOOLS_HUB.`,
  )
}
