// Where the tus protocol (https://tus.io/protocols/resumable-upload) meets our files: an upload is a `pending` file whose
// bytes gather in `incoming`. The length of that file on disk is the offset, also after a crash.

import { constants, open, stat, writeFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { DataStore, ERRORS, type Locker, type RequestRelease, Upload } from '@tus/utils'
import type { App } from '../app.ts'
import { SECOND, sleep } from '../lib/time.ts'
import { STALL_BYTES, STALL_MS } from '../net/limited-body.ts'
import { findFile, touchFile } from './files.ts'
import { UPLOAD_EXPIRY_MS } from './finish.job.ts'
import { deleteFile } from './processing.ts'
import { incomingPath, storageProblem } from './storage.ts'

/** The rows come and go elsewhere; this moves bytes and says how many there are. */
export function createUploadStore(app: App): DataStore {
  const store = new DataStore()
  store.extensions = ['creation', 'creation-with-upload', 'termination', 'expiration']
  return Object.assign(store, {
    getExpiration: () => UPLOAD_EXPIRY_MS,
    async create(upload: Upload): Promise<Upload> {
      await writeFile(incomingPath(app, upload.id), '', { flag: 'wx', mode: 0o600 })
      return upload
    },
    async remove(id: string): Promise<void> {
      const file = findFile(app, id)
      if (file) deleteFile(app, file)
    },
    write: (stream: Readable, id: string, offset: number) => append(app, stream, { id, offset }),
    getUpload: (id: string) => describe(app, id),
  })
}

/** What has arrived of the upload. Throws the protocol's 404 and 410. */
async function describe(app: App, id: string): Promise<Upload> {
  const file = findFile(app, id)
  if (!file) throw ERRORS.FILE_NOT_FOUND
  const isPending = file.status === 'pending'
  // Cancelled, or refused by content.
  if (!isPending && file.sha256 === null) throw ERRORS.FILE_NO_LONGER_EXISTS
  const found = isPending ? await stat(incomingPath(app, id)).catch(() => undefined) : undefined
  return new Upload({
    id,
    size: file.sizeBytes,
    offset: isPending ? (found?.size ?? 0) : file.sizeBytes,
    metadata: { filename: file.name },
    // The protocol's implementation counts the expiry from here: from the last bytes, then.
    creation_date: new Date(isPending ? file.updatedAt : app.now()).toISOString(),
  })
}

/** Adds to the bytes that are there; what came before a break stays. Ends when the file is cancelled or deleted. */
async function append(
  app: App,
  stream: Readable,
  { id, offset }: { readonly id: string; readonly offset: number },
): Promise<number> {
  const guard = watch(app, stream, id)
  let position = offset
  try {
    // Made anew where it is missing: a backup holds no bytes of unfinished uploads.
    const handle = await open(incomingPath(app, id), constants.O_WRONLY | constants.O_CREAT, 0o600)
    try {
      for await (const chunk of stream) {
        let rest: Uint8Array = chunk
        guard.arrived(rest.byteLength)
        while (rest.byteLength > 0) {
          const { bytesWritten } = await handle.write(rest, 0, rest.byteLength, position)
          position += bytesWritten
          rest = rest.subarray(bytesWritten)
        }
      }
    } finally {
      await handle.sync()
      await handle.close()
    }
  } catch (error) {
    if (findFile(app, id)?.status !== 'pending') throw ERRORS.FILE_NO_LONGER_EXISTS
    throw storageProblem(error)
  } finally {
    guard.stop()
    touchFile(app, id)
  }
  return position
}

/** Ends the stream when nobody wants its bytes any more, and when they come too slowly. */
function watch(app: App, stream: Readable, id: string): { arrived(bytes: number): void; stop(): void } {
  let arrivedBytes = 0
  const unlisten = app.signals.fileChanged.listen(({ fileId }) => {
    if (fileId === id && findFile(app, id)?.status !== 'pending')
      stream.destroy(new Error('not wanted any more'))
  })
  const timer = setInterval(() => {
    if (arrivedBytes < STALL_BYTES) stream.destroy(new Error('the bytes came too slowly'))
    arrivedBytes = 0
  }, STALL_MS)
  return {
    arrived(bytes) {
      arrivedBytes += bytes
    },
    stop() {
      clearInterval(timer)
      unlisten()
    },
  }
}

const LOCK_WAIT_MS = 30 * SECOND

interface Held {
  readonly cancel: RequestRelease
  readonly released: Promise<void>
  readonly release: () => void
}

/** One request per upload. A client that lost its connection comes back before we notice: then the former gives way. */
export function createUploadLocker(): Locker {
  const held = new Map<string, Held>()
  return {
    newLock(id) {
      let own: Held | undefined
      return {
        async lock(signal, cancel) {
          const late = AbortSignal.any([signal, AbortSignal.timeout(LOCK_WAIT_MS)])
          for (let holder = held.get(id); holder; holder = held.get(id)) {
            await holder.cancel()
            await Promise.race([holder.released, sleep(LOCK_WAIT_MS, late)]).catch(() => undefined)
            if (late.aborted) throw ERRORS.ERR_LOCK_TIMEOUT
          }
          const { promise, resolve } = Promise.withResolvers<void>()
          own = { cancel, released: promise, release: resolve }
          held.set(id, own)
        },
        async unlock() {
          if (own && held.get(id) === own) held.delete(id)
          own?.release()
        },
      }
    },
  }
}
