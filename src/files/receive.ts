// Bytes from a client → a flushed file on disk that was hashed, counted and looked at. Memory stays constant, storage is
// reserved before the bytes are written, and whatever goes wrong, nothing of it stays.

import { open } from 'node:fs/promises'
import type { Account } from '../accounts/accounts.ts'
import type { App } from '../app.ts'
import { Problem } from '../lib/problem.ts'
import { ACCEPTED_FORMATS, mediaTypeOf } from './media-type.ts'
import type { ReceivedContent } from './processing.ts'
import { releaseStorage, reserveStorage } from './quota.ts'
import { discardIncoming, incomingPath, storageProblem } from './storage.ts'

/** Where the length is not announced, storage is reserved in steps of this. */
const RESERVED_STEP_BYTES = 67_108_864

export interface Incoming {
  /** Names the bytes on disk and the reservation; the file's id-to-be. */
  readonly uploadId: string
  readonly account: Pick<Account, 'id' | 'plan'>
  /** At most so many bytes will come; undefined when the client did not say. */
  readonly announcedBytes: number | undefined
  /** How much of what is announced may be something else than content. */
  readonly overheadBytes: number
  readonly signal: AbortSignal
}

/** What `receive` wrote. */
export interface Written {
  readonly path: string
  readonly sizeBytes: number
  readonly sha256: string
}

/**
 * Reserves storage for an upload before its bytes come. Problems: `input_too_large`, `storage_quota_exceeded`. Whoever
 * calls it calls `dismiss` in the end, unless the bytes became a file.
 */
export function expectBytes(
  app: App,
  { uploadId, account, announcedBytes, overheadBytes }: Incoming,
): number {
  const least = Math.max(1, (announcedBytes ?? 0) - overheadBytes)
  if (least > app.config.maxUploadBytes) throw tooLarge(app)
  const wantedBytes = Math.min(announcedBytes ?? RESERVED_STEP_BYTES, app.config.maxUploadBytes)
  return reserveStorage(app, { id: uploadId, account }, { neededBytes: least, wantedBytes })
}

export function tooLarge({ config }: Pick<App, 'config'>): Problem {
  return new Problem(
    'input_too_large',
    `The file is larger than the ${config.maxUploadBytes} bytes that this server accepts.`,
  )
}

/** Removes what an upload left that did not become a file. */
export function dismiss(app: App, uploadId: string): void {
  releaseStorage(app, uploadId)
  discardIncoming(app, uploadId)
}

/** Writes the content down. `reservedBytes`: from `expectBytes`. Problems as there, and for a failing disk. */
export async function receive(
  app: App,
  incoming: Incoming,
  content: AsyncIterable<Uint8Array>,
  reservedBytes: number,
): Promise<Written> {
  const path = incomingPath(app, incoming.uploadId)
  const hasher = new Bun.CryptoHasher('sha256')
  let sizeBytes = 0
  let reserved = reservedBytes
  try {
    const handle = await open(path, 'wx', 0o600)
    try {
      for await (const chunk of content) {
        incoming.signal.throwIfAborted()
        sizeBytes += chunk.byteLength
        if (sizeBytes > app.config.maxUploadBytes) throw tooLarge(app)
        if (sizeBytes > reserved) reserved = grow(app, incoming, sizeBytes)
        hasher.update(chunk)
        await writeWhole(handle, chunk)
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw storageProblem(error)
  }
  if (sizeBytes === 0) throw new Problem('invalid_parameter', 'The file is empty.')
  return { path, sizeBytes, sha256: hasher.digest('hex') }
}

function grow(app: App, { uploadId, account }: Incoming, neededBytes: number): number {
  const wantedBytes = Math.min(neededBytes + RESERVED_STEP_BYTES, app.config.maxUploadBytes)
  return reserveStorage(app, { id: uploadId, account }, { neededBytes, wantedBytes })
}

async function writeWhole(
  handle: { write(chunk: Uint8Array): Promise<{ bytesWritten: number }> },
  chunk: Uint8Array,
): Promise<void> {
  for (let rest = chunk; rest.byteLength > 0; ) {
    const { bytesWritten } = await handle.write(rest)
    rest = rest.subarray(bytesWritten)
  }
}

/** What an endpoint accepts beside the containers that files may have. */
export interface MoreFormats {
  /** Media type by ffmpeg's name of the container. */
  readonly types: Readonly<Record<string, string>>
  /** For people: everything that is accepted. */
  readonly names: string
}

/** Decides by content what it is. Problem `invalid_parameter` for what is none of the accepted formats. */
export async function inspect(
  app: App,
  written: Written,
  signal: AbortSignal,
  more: MoreFormats = { types: {}, names: ACCEPTED_FORMATS },
): Promise<ReceivedContent> {
  const probe = await app.engines.ffmpeg.probe(written.path, { signal }).catch((error: unknown) => {
    // Without a cause it is not the file's fault: ffprobe itself is missing.
    if (!(error instanceof Problem) || error.cause === undefined) throw error
    throw notAccepted(more, error)
  })
  const [container = ''] = probe.formatNames
  const mediaType = (await mediaTypeOf(written.path, probe)) ?? more.types[container]
  if (mediaType === undefined) throw notAccepted(more)
  return {
    ...written,
    mediaType,
    durationS: probe.durationS ?? null,
    originalAt: probe.createdAt ?? null,
  }
}

function notAccepted({ names }: MoreFormats, cause?: unknown): Problem {
  return new Problem('invalid_parameter', `The content of "file" is not ${names}, or it is damaged.`, {
    field: 'file',
    ...(cause === undefined ? {} : { cause }),
  })
}
