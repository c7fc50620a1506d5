// What crashes, cut connections and time leave behind. At start everything of the former process is put in order; later
// only what has been quiet for so long that nobody can be at work on it.

import type { App } from '../app.ts'
import { defineSchedule, type Schedule } from '../jobs/schedule.ts'
import { listBusyOwners } from '../jobs/queue.ts'
import { transaction } from '../db/database.ts'
import { Problem } from '../lib/problem.ts'
import { HOUR } from '../lib/time.ts'
import { hasBlob } from './blobs.ts'
import { findFile, listUnfinished } from './files.ts'
import { deleteFile, failProcessing, type Followers } from './processing.ts'
import { releaseStorageExcept } from './quota.ts'
import { enqueueComplete, UPLOAD_EXPIRY_MS } from './finish.job.ts'
import {
  discardBlob,
  discardIncoming,
  emptyTrash,
  findIncomingAge,
  listBlobs,
  listIncoming,
} from './storage.ts'

/** Longer than an upload may stall, and than looking at its content may take. */
const QUIET_MS = HOUR

/**
 * At start, before the first request: nothing of the former process is under way any more. What needs time (looking
 * through the blobs) goes on in the background.
 */
export function recoverFiles(app: App, followers: Followers): void {
  const pending = listUnfinished(app, 'pending')
  const resumable = new Set(pending.map(({ id }) => id))
  releaseStorageExcept(app, [...resumable])
  for (const uploadId of listIncoming(app)) {
    if (!resumable.has(uploadId)) discardIncoming(app, uploadId)
  }
  for (const file of pending) enqueueComplete(app, file, followers)
  failStuck(app)
  removeOrphans(app).catch((error: unknown) => app.log.warn({ err: error }, 'could not sweep the storage'))
}

export function sweepFilesSchedule(followers: Followers): Schedule {
  return defineSchedule({
    kind: 'sweep_files',
    everyMs: HOUR,
    async run(app) {
      for (const file of listUnfinished(app, 'pending', app.now() - UPLOAD_EXPIRY_MS)) deleteFile(app, file)
      for (const file of listUnfinished(app, 'pending', app.now() - QUIET_MS)) {
        enqueueComplete(app, file, followers)
      }
      failStuck(app)
      await removeAbandoned(app)
      await removeOrphans(app)
    },
  })
}

/** A file in processing has a job; where that was lost, somebody can at least try again. */
function failStuck(app: App): void {
  const busy = new Set(listBusyOwners(app))
  for (const { id } of listUnfinished(app, 'processing')) {
    if (busy.has(id)) continue
    app.log.warn({ file: id }, 'a file was in processing without work under way')
    transaction(app.db, () => failProcessing(app, id, interrupted()))
  }
}

function interrupted(): Problem {
  return new Problem('transcription_failed', 'Processing was interrupted. Retry it.')
}

/** Bytes of uploads whose request has ended without cleaning up. The age is the disk's, so it goes by the real clock. */
async function removeAbandoned(app: App): Promise<void> {
  for (const uploadId of listIncoming(app)) {
    const writtenAt = await findIncomingAge(app, uploadId)
    if (writtenAt === undefined || Date.now() - writtenAt < QUIET_MS) continue
    if (findFile(app, uploadId)?.status !== 'pending') discardIncoming(app, uploadId)
  }
}

/** Content without a row: a crash came between the two, or the transaction was rolled back. */
async function removeOrphans(app: App): Promise<void> {
  for await (const name of listBlobs(app)) {
    // Asked and done in one turn of the event loop, in which nobody can store the same bytes.
    if (!hasBlob(app, name)) discardBlob(app, name)
  }
  await emptyTrash(app)
}
