// yt-dlp: what a page holds, and its media on disk. It is given a URL after `--`, a proxy, an empty folder and limits; its
// configuration, plug-ins and ffmpeg are kept out of it. Everything it fetches passes the egress proxy.

import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import type { Program } from '../lib/process.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import { createBriefCache } from './brief-cache.ts'
import { createJsRuntimes, type JsRuntimes } from './js-runtime.ts'
import { createSites, type Sites } from './sites.ts'
import { type ListEvent, type ListOptions, listEntries } from './ytdlp-list.ts'
import { pageWarnings, ytdlpProblem } from './ytdlp-errors.ts'
import {
  cacheFolder,
  createStart,
  findYtdlp,
  type StartYtdlp,
  type YtdlpConfig,
  ytdlpLimits,
  ytdlpVersion,
} from './ytdlp-process.ts'

/** Releases before this one fail on several of the big sites; `doctor` warns. */
export const OLDEST_YTDLP = '2026.01'

/** Sites change every few weeks; beyond this age `doctor` and `/health` ask for an update. */
export const STALE_YTDLP_DAYS = 90

export interface DownloadOptions {
  /** Existing folder that belongs to this download alone. */
  readonly folder: string
  readonly maxBytes: number
  readonly signal: AbortSignal
  /** Bytes so far, and in all where known. */
  readonly onProgress?: (bytes: number, totalBytes: number | undefined) => void
  /** Given up (as a temporary fault) when fewer than 16 KiB come in this time. Default 60 s. */
  readonly stallMs?: number
}

/** Failures are Problems with the contract's codes, or the signal's reason. No process outlives its call. */
export interface Ytdlp {
  /** undefined when there is none, or it does not start. */
  version(options: { signal: AbortSignal }): Promise<{ path: string; version: string } | undefined>
  /**
   * The JSON that `yt-dlp -J` prints for a checked URL: one video, or a playlist of at most `maxItems` entries (those
   * on other pages as `{ _type: 'url', url }`). An item without media has empty `formats`.
   */
  metadata(url: string, options: { signal: AbortSignal; maxItems: number }): Promise<YtdlpMetadata>
  /** Downloads the item whose info JSON lies at `infoPath`, audio alone where the site has it; returns the file's path. */
  download(infoPath: string, options: DownloadOptions): Promise<string>
  /** Downloads the only caption track of the info JSON at `infoPath`; returns the file's path. */
  captions(infoPath: string, options: Pick<DownloadOptions, 'folder' | 'signal'>): Promise<string>
  /** The entries of a profile or channel as they come, page by page. Ending the iteration ends the program. */
  list(url: string, options: ListOptions): AsyncIterable<ListEvent>
}

export interface YtdlpMetadata {
  /** As yt-dlp printed it, an object; its shape is the caller's to check. */
  readonly info: Readonly<Record<string, unknown>>
  /** The problem that yt-dlp's warnings tell of; what to throw when `info` turns out to hold no media. */
  readonly noMedia: Problem
}

const METADATA_TIMEOUT_MS = 3 * MINUTE
const METADATA_BYTES = 32 * 1_024 ** 2
const STALL_MS = 60 * SECOND
const STALL_BYTES = 16_384
const MEDIA_NAME = 'media'
const FILE_SLACK_BYTES = 64 * 1_024 ** 2

/** rtmpdump and ftp would go past the proxy. */
const PROTOCOLS = '[protocol~="^(https?|m3u8_native|m3u8|http_dash_segments)$"]'

export function createYtdlp(
  config: YtdlpConfig,
  proxyUrl: string,
  sites: Sites = createSites({ pauseS: 0 }),
  runtimes: JsRuntimes = createJsRuntimes(config),
): Ytdlp {
  const cache = createBriefCache<YtdlpMetadata>()
  const start = createStart(config, proxyUrl, runtimes)
  return {
    async version({ signal }) {
      const path = findYtdlp(config)
      if (path === undefined) return undefined
      const version = await ytdlpVersion(path, signal)
      return version === undefined ? undefined : { path, version }
    },

    metadata(url, options) {
      const known = cache.find(`${options.maxItems} ${url}`)
      if (known) return Promise.resolve(known)
      return sites
        .run(url, () => metadata(start, cacheFolder(config), url, options), options.signal)
        .then((found) => {
          cache.keep(`${options.maxItems} ${url}`, found)
          return found
        })
    },

    download: (infoPath, options) => download(start, infoPath, options),
    captions: (infoPath, options) => downloadCaptions(start, infoPath, options),
    async *list(url, options) {
      await mkdir(cacheFolder(config), { recursive: true })
      yield* listEntries(start, cacheFolder(config), url, options)
    },
  }
}

async function metadata(
  start: StartYtdlp,
  cwd: string,
  url: string,
  { signal, maxItems }: { readonly signal: AbortSignal; readonly maxItems: number },
): Promise<YtdlpMetadata> {
  const late = AbortSignal.timeout(METADATA_TIMEOUT_MS)
  const timed = AbortSignal.any([signal, late])
  await mkdir(cwd, { recursive: true })
  const args = ['--dump-single-json', '--no-playlist', '--flat-playlist', '--ignore-no-formats-error']
  // Some extractors look for captions only when they are to be written.
  args.push('--write-subs', '--playlist-items', `1:${maxItems}`, '--', url)
  try {
    const program = await start({ args, limits: ytdlpLimits(300, 64 * 1_024 ** 2), cwd, signal: timed })
    const stdout = await readAll(program, METADATA_BYTES)
    const exitCode = await program.exited
    timed.throwIfAborted()
    const stderr = program.stderrTail()
    const info = exitCode === 0 ? parseObject(stdout) : undefined
    if (info === undefined) throw ytdlpProblem(stderr, `The media at ${url}`)
    const none = { code: 'no_videos_found', message: 'holds no video or audio' } as const
    const noMedia = ytdlpProblem(pageWarnings(stderr), `The page at ${url}`, none)
    // Its formats tell whether a site that limits visitors has let this one pass.
    if (noMedia.retryAfterS !== undefined && isEmpty(info['formats'])) throw noMedia
    return { info, noMedia }
  } catch (error) {
    signal.throwIfAborted()
    if (late.aborted) throw ytdlpProblem('ERROR: timed out', `The media at ${url}`)
    throw error
  }
}

const isEmpty = (formats: unknown): boolean => Array.isArray(formats) && formats.length === 0

async function download(start: StartYtdlp, infoPath: string, options: DownloadOptions): Promise<string> {
  const { folder, maxBytes, signal } = options
  const stalled = new AbortController()
  const args = ['--load-info-json', infoPath, '--format', formatSelector(), '--format-sort', 'res:360']
  args.push(
    '--max-filesize',
    String(maxBytes),
    '--output',
    MEDIA_NAME,
    ...DOWNLOAD_OPTIONS,
    '--progress-template',
    PROGRESS,
  )
  const both = AbortSignal.any([signal, stalled.signal])
  try {
    // The last line of defence: the limit itself is watched in the progress.
    const limits = ytdlpLimits(4 * 3_600, maxBytes + FILE_SLACK_BYTES)
    const program = await start({ args, limits, cwd: folder, signal: both })
    const tooLarge = await followProgress(program, options, () => stalled.abort())
    const exitCode = await program.exited
    both.throwIfAborted()
    const path = join(folder, MEDIA_NAME)
    const size = await stat(path).then(
      (entry) => entry.size,
      () => 0,
    )
    const stderr = program.stderrTail()
    if (tooLarge) throw ytdlpProblem('ERROR: File too large', 'The media')
    // Skipped items end with exit code 0 and nothing on disk.
    if (exitCode !== 0 || size === 0) throw ytdlpProblem(stderr, 'The media')
    if (size > maxBytes) throw ytdlpProblem('ERROR: File too large', 'The media')
    return path
  } catch (error) {
    await empty(folder)
    signal.throwIfAborted()
    if (stalled.signal.aborted) throw ytdlpProblem('ERROR: download timed out', 'The media')
    throw error
  }
}

const CAPTIONS_TIMEOUT_MS = MINUTE
const CAPTIONS_BYTES = 16 * 1_024 ** 2

async function downloadCaptions(
  start: StartYtdlp,
  infoPath: string,
  { folder, signal }: Pick<DownloadOptions, 'folder' | 'signal'>,
): Promise<string> {
  const late = AbortSignal.timeout(CAPTIONS_TIMEOUT_MS)
  const args = ['--load-info-json', infoPath, '--skip-download', '--ignore-no-formats-error', '--write-subs']
  args.push('--sub-langs', 'all', '--output', MEDIA_NAME, ...DOWNLOAD_OPTIONS)
  args.push('--progress-template', 'download:')
  const limits = ytdlpLimits(300, CAPTIONS_BYTES)
  try {
    const both = AbortSignal.any([signal, late])
    const program = await start({ args, limits, cwd: folder, signal: both })
    await readAll(program, 1_024 ** 2)
    await program.exited
    both.throwIfAborted()
    const name = (await readdir(folder)).find((entry) => entry.startsWith(`${MEDIA_NAME}.`))
    // A track that can't be had is a mere warning to yt-dlp.
    if (name === undefined || name.endsWith('.part')) throw ytdlpProblem(program.stderrTail(), 'The captions')
    return join(folder, name)
  } catch (error) {
    await empty(folder)
    signal.throwIfAborted()
    if (late.aborted) throw ytdlpProblem('ERROR: timed out', 'The captions')
    throw error
  }
}

function formatSelector(): string {
  // Audio alone, else a small video with sound, else whatever moves: the probe then says that it has no audio.
  return `ba${PROTOCOLS}/b${PROTOCOLS}/bv*${PROTOCOLS}`
}

const DOWNLOAD_OPTIONS = (
  '--progress --newline --fixup never --no-mtime --no-continue --no-simulate --retries 3 --fragment-retries 3 ' +
  '--abort-on-unavailable-fragments --downloader m3u8:native --match-filters !is_live'
).split(' ')
const PROGRESS =
  'download:%(progress.downloaded_bytes)s %(progress.total_bytes,progress.total_bytes_estimate)s'

async function readAll(program: Program, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of program.stdout) {
    size += chunk.byteLength
    chunks.push(chunk)
    if (size <= maxBytes) continue
    program.kill()
    throw new Problem(
      'metadata_fetch_failed',
      `The description of the media is larger than ${maxBytes} bytes`,
    )
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads stdout to its end: true when the media turned out too large. `onStall`: too little came for too long. */
async function followProgress(
  program: Program,
  options: DownloadOptions,
  onStall: () => void,
): Promise<boolean> {
  const { stallMs = STALL_MS, onProgress, maxBytes } = options
  let bytes = 0
  let bytesAtLastCheck = -STALL_BYTES
  let tooLarge = false
  const watch = setInterval(() => {
    if (bytes - bytesAtLastCheck < STALL_BYTES) onStall()
    bytesAtLastCheck = bytes
  }, stallMs)
  const onLine = (line: string): void => {
    const match = /^(\d+) ([\d.]+|NA)/.exec(line)
    bytes = Math.max(bytes, Number(match?.[1] ?? 0))
    if (/larger than max-filesize/.test(line) || bytes > maxBytes) tooLarge = true
    else if (match) onProgress?.(bytes, match[2] === 'NA' ? undefined : Math.round(Number(match[2])))
  }
  try {
    let rest = ''
    const decoder = new TextDecoder()
    for await (const chunk of program.stdout) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split(/[\r\n]+/)
      // A line without end is not ours to keep.
      rest = (lines.pop() ?? '').slice(-1_000)
      lines.forEach(onLine)
      if (tooLarge) program.kill()
    }
    onLine(rest)
    return tooLarge
  } finally {
    clearInterval(watch)
  }
}

function parseObject(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

async function empty(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names) {
    if (name.startsWith(MEDIA_NAME)) await rm(join(folder, name), { recursive: true, force: true })
  }
}
