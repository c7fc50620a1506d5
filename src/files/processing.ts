// The life of a file once its bytes are there: every change of its status, and the one place where processing is charged,
// paid for and taken back (under `runId`, which a retry changes).

import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import { type EndType, forgetEvents, logEnd, logRestart, type Subject } from '../jobs/event-log.ts'
import { cancelOwned, enqueuePlan, type JobPlan } from '../jobs/queue.ts'
import { refuseOverload } from '../jobs/overload.ts'
import { Problem, problemRecord } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { completeRecognised, type Recognised } from '../transcripts/recognise.ts'
import { deleteTranscript } from '../transcripts/transcripts.ts'
import { keepBlob, releaseBlob } from './blobs.ts'
import { holdProcessing, settleProcessing, takeBackProcessing } from './charges.ts'
import {
  endFile,
  type FileContent,
  findFile,
  insertFile,
  type NewFile,
  removeFile,
  restart,
  setContent,
  setTranscript,
  type StoredFile,
} from './files.ts'
import { releaseStorage } from './quota.ts'
import { discardBlob, discardIncoming } from './storage.ts'

/** Of the job in `process.job.ts`, which imports this file. */
export const PROCESS_PLAN = { kind: 'process_file', lane: 'compute', attempts: 3 } as const

/** Jobs to enqueue with `{ fileId }` when a file has been transcribed. What they work for is the file: it owns them. */
export type Followers = readonly JobPlan[]

/** What came in, flushed, at `path`. */
export interface ReceivedContent extends FileContent {
  readonly path: string
}

/**
 * The file's bytes become content, and its processing begins. Joins the caller's transaction. False when the file was
 * cancelled or deleted while its bytes arrived. Throws `limit_exceeded` when its length can't be paid.
 */
export function beginProcessing(
  app: App,
  fileId: string,
  content: ReceivedContent,
  followers: Followers,
): boolean {
  const file = findFile(app, fileId)
  if (file?.status !== 'pending') return false
  // First what may be refused: a rolled back transaction does not bring renamed bytes back.
  holdProcessing(app, file, content.durationS ?? 0)
  keepContent(app, fileId, content)
  enqueueProcessing(app, { fileId, runId: file.runId, followers })
  return true
}

/** The bytes were taken in, but can't be processed: the file fails, and may be tried again. Joins the transaction. */
export function refuseProcessing(app: App, fileId: string, content: ReceivedContent, problem: Problem): void {
  if (keepContent(app, fileId, content)) failProcessing(app, fileId, problem)
}

function keepContent(
  app: App,
  fileId: string,
  { path, ...content }: ReceivedContent,
): StoredFile | undefined {
  const file = findFile(app, fileId)
  if (file?.status !== 'pending') return undefined
  const { accountId } = file
  keepBlob(app, { accountId, sha256: content.sha256 }, { path, sizeBytes: content.sizeBytes })
  setContent(app, fileId, content)
  releaseStorage(app, fileId)
  // Bytes that were there already have come once too often. Only after the transaction: they may still be needed.
  queueMicrotask(() => {
    if (findFile(app, fileId)?.status !== 'pending') discardIncoming(app, fileId)
  })
  return file
}

/** A new file whose bytes are all there. Joins the caller's transaction. */
export function addFile(app: App, file: NewFile, content: ReceivedContent, followers: Followers): StoredFile {
  insertFile(app, file)
  beginProcessing(app, file.id, content, followers)
  const added = findFile(app, file.id)
  if (!added) throw new Error('a file is there when it was added')
  return added
}

interface Processing {
  readonly fileId: string
  readonly runId: string
  readonly followers: Followers
}

function enqueueProcessing(app: App, { fileId, runId, followers }: Processing): void {
  const after = followers.map(({ kind, lane, attempts }) => ({ kind, lane, attempts }))
  enqueuePlan(app, PROCESS_PLAN, { fileId, runId, after }, { owner: fileId })
  app.signals.fileChanged.emit({ fileId })
}

/** In the job's commit. */
export function completeProcessing(
  app: App,
  file: StoredFile,
  recognised: Recognised,
  followers: Followers,
): void {
  const durationS = recognised.speech.durationMs / 1_000
  if (!endFile(app, file.id, { status: 'completed', durationS })) return
  settleProcessing(app, file, durationS)
  completeRecognised(app, recognised, videoInfoOf(file))
  for (const plan of followers) enqueuePlan(app, plan, { fileId: file.id }, { owner: file.id })
  tellEnd(app, file, 'completed')
  app.signals.fileChanged.emit({ fileId: file.id })
}

/** As those see it who follow its processing. */
export function fileSubject({ id, accountId }: StoredFile): Subject {
  return { id, accountId, jobType: 'file' }
}

function tellEnd(app: App, file: StoredFile, type: EndType, problem?: Problem): void {
  logEnd(app, fileSubject(file), {
    type,
    error: problem && problemRecord(problem),
    expiresAt: app.now() + app.config.taskRetentionS * SECOND,
  })
}

/** As the transcript of a file keeps it. */
export function videoInfoOf(file: StoredFile): Record<string, unknown> {
  return { title: file.name, ...(file.durationS === null ? {} : { duration: file.durationS }) }
}

/** In the transaction that fails the job. */
export function failProcessing(app: App, fileId: string, problem: Problem): void {
  const file = findFile(app, fileId)
  if (!file || !endFile(app, fileId, { status: 'failed', problem })) return
  takeBackProcessing(app, file)
  forgetTranscript(app, fileId)
  tellEnd(app, file, 'failed', problem)
  app.signals.fileChanged.emit({ fileId })
}

/** Throws Problem `invalid_parameter` unless the file is pending or processing. */
export function cancelFile(app: App, file: StoredFile): void {
  const { id } = file
  transaction(app.db, () => {
    if (!endFile(app, id, { status: 'cancelled' })) {
      throw new Problem('invalid_parameter', 'Only a file that is pending or processing can be cancelled.')
    }
    cancelOwned(app, id)
    takeBackProcessing(app, file)
    releaseStorage(app, id)
    forgetTranscript(app, id)
    tellEnd(app, file, 'cancelled')
  })
  discardIncoming(app, id)
  app.signals.fileChanged.emit({ fileId: id })
}

/** Throws Problem `invalid_parameter` unless it failed or was cancelled with all its bytes. `limit_exceeded` too. */
export function retryFile(app: App, file: StoredFile, followers: Followers): void {
  if (file.status !== 'failed' && file.status !== 'cancelled') {
    throw new Problem('invalid_parameter', 'Only a file that failed or was cancelled can be processed again.')
  }
  if (file.sha256 === null) {
    throw new Problem('invalid_parameter', 'The upload of this file was never completed. Upload it again.')
  }
  refuseOverload(app)
  transaction(app.db, () => {
    forgetTranscript(app, file.id)
    const runId = restart(app, file.id)
    if (runId === undefined) return
    forgetEvents(app, file.id)
    logRestart(app, fileSubject(file))
    holdProcessing(app, { accountId: file.accountId, runId }, file.durationS ?? 0)
    enqueueProcessing(app, { fileId: file.id, runId, followers })
  })
}

/** Everything of it: row, transcript, work under way, and the bytes if no other file has the same. Done work stays paid. */
export function deleteFile(app: App, { id, accountId, sha256 }: StoredFile): void {
  const isLast = transaction(app.db, () => {
    cancelOwned(app, id)
    const file = findFile(app, id)
    if (file?.status === 'processing') takeBackProcessing(app, file)
    releaseStorage(app, id)
    forgetTranscript(app, id)
    // Nothing of what was said stays; whoever follows the file learns that it is over.
    forgetEvents(app, id)
    if (file && isInWork(file)) tellEnd(app, file, 'cancelled')
    removeFile(app, id)
    return file !== undefined && sha256 !== null && releaseBlob(app, { accountId, sha256 })
  })
  // In the same turn of the event loop: nobody can have stored the same bytes anew.
  if (isLast && sha256 !== null) discardBlob(app, { accountId, sha256 })
  discardIncoming(app, id)
  app.signals.fileChanged.emit({ fileId: id })
}

function forgetTranscript(app: App, fileId: string): void {
  const transcriptId = findFile(app, fileId)?.transcriptId
  if (transcriptId === undefined || transcriptId === null) return
  setTranscript(app, fileId, null)
  deleteTranscript(app, transcriptId)
}

function isInWork(file: StoredFile | undefined): boolean {
  return file?.status === 'pending' || file?.status === 'processing'
}

export interface WaitOptions {
  readonly signal: AbortSignal
  readonly waitMs: number
}

/** Waits until the file is no longer in work: the file, also when the time ran out; undefined when it was deleted. */
export async function waitForFile(
  app: Pick<App, 'db' | 'signals'>,
  fileId: string,
  { signal, waitMs }: WaitOptions,
): Promise<StoredFile | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const look = (): boolean => !isInWork(findFile(app, fileId))
  const unlisten = app.signals.fileChanged.listen((event) => {
    if (event.fileId === fileId && look()) resolve()
  })
  const timer = setTimeout(resolve, waitMs)
  const giveUp = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    signal.throwIfAborted()
    if (!look()) await promise
    return findFile(app, fileId)
  } finally {
    clearTimeout(timer)
    unlisten()
    signal.removeEventListener('abort', giveUp)
  }
}
