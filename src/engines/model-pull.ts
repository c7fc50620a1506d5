// Fetching one model file from a hub: resumed after any interruption, counted, and never put into place before its
// SHA-256 was checked.

import { mkdir, open, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { readJsonFile, writeJsonFile } from '../lib/json-file.ts'
import { asError, Problem } from '../lib/problem.ts'
import { parser, t } from '../lib/schema.ts'
import { SECOND, sleep } from '../lib/time.ts'
import { hashInto, type Sha256Hasher } from './model-hash.ts'

/** What a hub answered; any status counts as an answer. */
export interface HubAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: ReadableStream<Uint8Array> | null
}

/** What fetches: the guarded fetch of `net` in the product, a plain one in tests. Follows redirects. */
export type HubFetch = (
  url: string,
  init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
) => Promise<HubAnswer>

export interface HubFile {
  readonly url: string
  readonly sizeBytes: number | null
  /** undefined: unknown; the file is then taken as it comes, and never resumed. */
  readonly sha256: string | undefined
}

export interface PullProgress {
  readonly receivedBytes: number
  /** undefined until the hub has said it. */
  readonly totalBytes: number | undefined
}

export interface PullOptions {
  readonly fetch: HubFetch
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: PullProgress) => void) | undefined
  /** The transfer broke off and is tried again after `waitMs`. */
  readonly onRetry?: ((reason: string, waitMs: number) => void) | undefined
  /** Waits before further attempts after a network fault; progress in between starts the list again. */
  readonly retryWaitsMs?: readonly number[]
  /** A transfer that brings nothing for so long counts as broken. */
  readonly stallMs?: number
}

const RETRY_WAITS_MS = [SECOND, 3 * SECOND, 10 * SECOND, 30 * SECOND]
const STALL_MS = 60 * SECOND
/** Also bounds a hub that always gives a little and then breaks off. */
const ATTEMPTS_MAX = 100
/** Left free on the disk beside the file. */
const DISK_RESERVE_BYTES = 64 * 1_048_576

/** Fetches `file` to `target` and returns its SHA-256. Rejects with a Problem that says what to do. */
export async function pullFile(file: HubFile, target: string, options: PullOptions): Promise<string> {
  const waits = options.retryWaitsMs ?? RETRY_WAITS_MS
  await mkdir(dirname(target), { recursive: true })
  let failures = 0
  for (let attempts = 1; ; attempts++) {
    const before = await sizeOf(partialOf(target))
    try {
      const sha256 = await attempt(file, target, options)
      await putIntoPlace(file, target, sha256)
      return sha256
    } catch (error) {
      options.signal?.throwIfAborted()
      if (error instanceof Problem && !error.temporary) throw error
      if ((await sizeOf(partialOf(target))) > before) failures = 0
      const waitMs = waits[failures++]
      if (waitMs === undefined || attempts >= ATTEMPTS_MAX) throw broken(file, error)
      options.onRetry?.(asError(error).message, waitMs)
      await sleep(waitMs, options.signal)
    }
  }
}

function broken(file: HubFile, cause: unknown): Problem {
  return new Problem(
    'upstream_failed',
    `The download of ${file.url} broke off (${asError(cause).message}). Run the same command again: it goes on from where it stopped. Without internet, carry the file in and run "earshot models import FILE".`,
    { cause, temporary: true },
  )
}

const partialOf = (target: string): string => `${target}.partial`
const noteOf = (target: string): string => `${target}.partial.json`

/** What a partial file is a part of: only the same URL and entity is resumed. */
const Note = parser(t.Object({ url: t.String(), etag: t.Union([t.String(), t.Null()]) }))

/** One request. Returns the hash of the whole file, which then is complete in the partial file. */
async function attempt(file: HubFile, target: string, options: PullOptions): Promise<string> {
  const partial = partialOf(target)
  const note = readJsonFile(noteOf(target), Note, { url: '', etag: null })
  const resumable = file.sha256 !== undefined && note.url === file.url
  const have = resumable ? await sizeOf(partial) : 0
  const hasher = new Bun.CryptoHasher('sha256')
  if (have > 0 && have === file.sizeBytes) {
    await hashInto(hasher, partial, { signal: options.signal })
    return hasher.digest('hex')
  }

  // Ends the transfer with the caller's signal, or when nothing has come for `stallMs`.
  const stall = new AbortController()
  const stallMs = options.stallMs ?? STALL_MS
  const watch = setInterval(
    () => {
      if (performance.now() - lastByteAt > stallMs)
        stall.abort(new Error(`nothing came for ${stallMs / SECOND} s`))
    },
    Math.min(SECOND, stallMs),
  )
  let lastByteAt = performance.now()
  try {
    const signal = options.signal ? AbortSignal.any([options.signal, stall.signal]) : stall.signal
    const response = await options.fetch(file.url, { headers: requestHeaders(have, note.etag), signal })
    const { startBytes, totalBytes } = await checkAnswer(file, target, response, have)
    await checkSpace(target, totalBytes === undefined ? undefined : totalBytes - startBytes)
    if (startBytes === 0) writeJsonFile(noteOf(target), { url: file.url, etag: response.headers.get('etag') })
    else await hashInto(hasher, partial, { endBytes: startBytes, signal })
    lastByteAt = performance.now()
    await receive(response, { partial, hasher, startBytes, totalBytes }, (receivedBytes) => {
      lastByteAt = performance.now()
      options.onProgress?.({ receivedBytes, totalBytes })
    })
    return hasher.digest('hex')
  } catch (error) {
    throw stall.signal.aborted ? asError(stall.signal.reason) : error
  } finally {
    clearInterval(watch)
    // Lets go of a body that was not read to its end.
    stall.abort()
  }
}

/** RFC 9110 §13.1.5: only a strong validator may be used with If-Range; the hash guards the other case. */
function requestHeaders(have: number, etag: string | null): Record<string, string> {
  const plain = { 'accept-encoding': 'identity' }
  if (have === 0) return plain
  const strong = etag !== null && !etag.startsWith('W/')
  return { ...plain, range: `bytes=${have}-`, ...(strong ? { 'if-range': etag } : {}) }
}

interface Answer {
  /** Where the body starts in the file: the end of what is there already, or 0. */
  readonly startBytes: number
  readonly totalBytes: number | undefined
}

async function checkAnswer(
  file: HubFile,
  target: string,
  response: HubAnswer,
  have: number,
): Promise<Answer> {
  if (response.status === 416) {
    await discardPartial(target)
    throw new Error('the hub has a shorter file than the part already here')
  }
  if (response.status !== 200 && response.status !== 206) throw refused(file, response.status)
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get('content-range') ?? '')
  if (response.status === 206 && Number(range?.[1]) !== have) {
    await discardPartial(target)
    throw new Error('the hub answered with another part than the one asked for')
  }
  const total = response.status === 206 ? range?.[2] : response.headers.get('content-length')
  const totalBytes = /^\d+$/.test(total ?? '') ? Number(total) : undefined
  if (file.sizeBytes !== null && totalBytes !== undefined && totalBytes !== file.sizeBytes) {
    await discardPartial(target)
    throw new Problem(
      'upstream_failed',
      `${file.url} has ${totalBytes} bytes where the catalogue expects ${file.sizeBytes}: this is another file. Nothing was kept. Check EARSHOT_MODEL_HUB.`,
    )
  }
  return {
    startBytes: response.status === 206 ? have : 0,
    totalBytes: totalBytes ?? file.sizeBytes ?? undefined,
  }
}

function refused(file: HubFile, status: number): Problem {
  if (status === 401 || status === 403) {
    return new Problem(
      'access_denied',
      `The hub refuses ${file.url} (status ${status}): it may want a login or an accepted licence. Download the file in a browser and run "earshot models import FILE".`,
    )
  }
  if (status === 404 || status === 410) {
    return new Problem(
      'not_found',
      `The hub has no ${file.url} (status ${status}). Check EARSHOT_MODEL_HUB; if the mirror lacks the file, get it elsewhere and run "earshot models import FILE".`,
    )
  }
  const temporary = status >= 500 || status === 429 || status === 408
  return new Problem('upstream_failed', `The hub answers ${file.url} with status ${status}.`, { temporary })
}

interface Reception extends Answer {
  readonly partial: string
  readonly hasher: Sha256Hasher
}

/** Appends the body to the partial file. Throws when it ends early or goes on too long. */
async function receive(
  response: HubAnswer,
  { partial, hasher, startBytes, totalBytes }: Reception,
  onBytes: (receivedBytes: number) => void,
): Promise<void> {
  const output = await open(partial, startBytes === 0 ? 'w' : 'r+')
  try {
    await output.truncate(startBytes)
    let position = startBytes
    for await (const chunk of response.body ?? []) {
      if (totalBytes !== undefined && position + chunk.byteLength > totalBytes) {
        throw new Error(`the hub sent more than the ${totalBytes} bytes it promised`)
      }
      // A file handle may write less than asked for.
      for (let done = 0; done < chunk.byteLength; ) {
        const { bytesWritten } = await output.write(chunk, done, chunk.byteLength - done, position + done)
        done += bytesWritten
      }
      hasher.update(chunk)
      position += chunk.byteLength
      onBytes(position)
    }
    if (totalBytes !== undefined && position < totalBytes) {
      throw new Error(`the connection ended after ${position} of ${totalBytes} bytes`)
    }
    await output.sync()
  } finally {
    await output.close()
  }
}

async function putIntoPlace(file: HubFile, target: string, sha256: string): Promise<void> {
  if (file.sha256 !== undefined && sha256 !== file.sha256) {
    await discardPartial(target)
    throw new Problem(
      'upstream_failed',
      `${file.url} is not the expected file: SHA-256 expected ${file.sha256}, got ${sha256}. The download was deleted. Try again, or another EARSHOT_MODEL_HUB.`,
    )
  }
  await rename(partialOf(target), target)
  await rm(noteOf(target), { force: true })
}

async function discardPartial(target: string): Promise<void> {
  await rm(partialOf(target), { force: true })
  await rm(noteOf(target), { force: true })
}

/** Throws a Problem when the disk of `target` cannot take `neededBytes` more. */
export async function checkSpace(target: string, neededBytes: number | undefined): Promise<void> {
  if (neededBytes === undefined) return
  const disk = await statfs(dirname(target))
  const freeBytes = disk.bavail * disk.bsize
  if (freeBytes >= neededBytes + DISK_RESERVE_BYTES) return
  throw new Problem(
    'storage_quota_exceeded',
    `${dirname(target)} has ${freeBytes} bytes free; ${neededBytes + DISK_RESERVE_BYTES} are needed. Free some space or set EARSHOT_DATA to another disk.`,
  )
}

async function sizeOf(path: string): Promise<number> {
  return await stat(path).then(
    (info) => info.size,
    () => 0,
  )
}
