// The end of a resumable upload: all bytes are there, now they are hashed, looked at and become the file's content. Done
// within the last request, or, where that broke off or the server died, by a job.

import { open, stat } from 'node:fs/promises'
import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import { defineJob } from '../jobs/job.ts'
import { enqueue } from '../jobs/queue.ts'
import { Problem } from '../lib/problem.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { DAY, HOUR } from '../lib/time.ts'
import { findFile, type StoredFile } from './files.ts'
import { FollowersSchema } from './followers.ts'
import {
  beginProcessing,
  failProcessing,
  type Followers,
  type ReceivedContent,
  refuseProcessing,
} from './processing.ts'
import { inspect } from './receive.ts'
import { discardIncoming, incomingPath, storageProblem } from './storage.ts'
import { releaseStorage } from './quota.ts'

/** A resumable upload to which no byte came for so long is forgotten. */
export const UPLOAD_EXPIRY_MS = DAY

const BLOCK_BYTES = 1_048_576

const finishArgs = parser(
  t.Object({
    fileId: t.String(),
    after: FollowersSchema,
  }),
)

export const finishUploadJob = defineJob<Parsed<typeof finishArgs>>({
  kind: 'finish_upload',
  lane: 'net',
  attempts: 3,
  timeoutMs: HOUR,
  args: finishArgs,
  async run({ args, signal }, app) {
    const content = await examine(app, args.fileId, signal)
    return content && (() => begin(app, args.fileId, content, args.after))
  },
  /** Nobody is there to be told: the file stays, without bytes, and says why. */
  failed({ fileId }, problem, app) {
    if (findFile(app, fileId)?.status !== 'pending') return
    failProcessing(app, fileId, problem)
    releaseStorage(app, fileId)
    discardIncoming(app, fileId)
  },
})

/** Once per upload at a time. Does nothing while bytes are missing. */
export function enqueueComplete(app: App, file: StoredFile, followers: Followers): void {
  if (Bun.file(incomingPath(app, file.id)).size !== file.sizeBytes) return
  const after = followers.map(({ kind, lane, attempts }) => ({ kind, lane, attempts }))
  const options = { owner: file.id, uniqueKey: `finish_upload:${file.id}` }
  enqueue(app, finishUploadJob, { fileId: file.id, after }, options)
}

/** Within the last request. Problem `invalid_parameter` for what is not accepted; then the caller deletes the file. */
export async function finishUpload(
  app: App,
  fileId: string,
  followers: Followers,
  signal: AbortSignal,
): Promise<void> {
  const content = await examine(app, fileId, signal)
  if (content) transaction(app.db, () => begin(app, fileId, content, followers))
}

/** All bytes have come, and nobody can send them again: what can't be paid now is kept, and can be tried again later. */
function begin(app: App, fileId: string, content: ReceivedContent, followers: Followers): void {
  try {
    transaction(app.db, () => void beginProcessing(app, fileId, content, followers))
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'limit_exceeded') throw error
    refuseProcessing(app, fileId, content, error)
  }
}

/** Undefined when the file is no longer pending: cancelled, deleted, or finished by somebody else. */
async function examine(
  app: App,
  fileId: string,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof inspect>> | undefined> {
  if (findFile(app, fileId)?.status !== 'pending') return undefined
  const path = incomingPath(app, fileId)
  try {
    const { size: sizeBytes } = await stat(path)
    return await inspect(app, { path, sizeBytes, sha256: await hashFile(path, signal) }, signal)
  } catch (error) {
    if (findFile(app, fileId)?.status !== 'pending') return undefined
    throw storageProblem(error)
  }
}

/** SHA-256 of a file of any size; flushes it to disk, too. */
async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  const handle = await open(path, 'r+')
  try {
    const block = Buffer.alloc(BLOCK_BYTES)
    for (;;) {
      signal.throwIfAborted()
      const { bytesRead } = await handle.read(block, 0, BLOCK_BYTES)
      if (bytesRead === 0) break
      hasher.update(block.subarray(0, bytesRead))
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return hasher.digest('hex')
}
