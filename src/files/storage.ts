// Where uploaded bytes lie on disk. `incoming`: what is still arriving, by upload; `blobs`: content, by account and hash;
// `trash`: what nobody refers to any more. Bytes move between the three by renaming, in the same turn of the event loop
// as the transaction that says so: between turns, a blob on disk always has its row.

import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { App } from '../app.ts'
import { newId } from '../lib/id.ts'
import { asError, isDiskFull, Problem } from '../lib/problem.ts'

export type StorageContext = Pick<App, 'config' | 'log'>

export interface BlobName {
  readonly accountId: string
  /** SHA-256 of the content. */
  readonly sha256: string
}

const folder = ({ config }: StorageContext, ...names: string[]): string =>
  join(config.dataDir, 'files', ...names)

/** Where the bytes of an upload gather. Creates the folder. */
export function incomingPath(app: StorageContext, uploadId: string): string {
  mkdirSync(folder(app, 'incoming'), { recursive: true, mode: 0o700 })
  return folder(app, 'incoming', uploadId)
}

export function blobPath(app: StorageContext, { accountId, sha256 }: BlobName): string {
  return folder(app, 'blobs', accountId, sha256)
}

/** Gives bytes that lie at `path`, flushed, their place as content. */
export function storeBlob(app: StorageContext, name: BlobName, path: string): void {
  const target = blobPath(app, name)
  if (!existsSync(dirname(target))) {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    flushFolder(folder(app, 'blobs'))
  }
  renameSync(path, target)
  flushFolder(dirname(target))
}

/** A rename survives a power cut once its folder is flushed. */
function flushFolder(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Takes content away at once; its bytes are freed in the background. Called right after the transaction that says so. */
export function discardBlob(app: StorageContext, name: BlobName): void {
  discard(app, blobPath(app, name))
}

/** The same for an upload that will not be finished. */
export function discardIncoming(app: StorageContext, uploadId: string): void {
  discard(app, folder(app, 'incoming', uploadId))
}

function discard(app: StorageContext, path: string): void {
  mkdirSync(folder(app, 'trash'), { recursive: true, mode: 0o700 })
  const trash = folder(app, 'trash', newId())
  try {
    renameSync(path, trash)
  } catch (error) {
    // Nothing was there, or the disk fails: then the next sweep finds it.
    app.log.debug({ err: asError(error) }, 'nothing to discard')
    return
  }
  rm(trash, { force: true }).catch((error: unknown) =>
    app.log.warn({ err: asError(error) }, 'could not free storage; the next sweep tries again'),
  )
}

/** Frees what earlier processes could not. */
export async function emptyTrash(app: StorageContext): Promise<void> {
  for (const name of listNames(folder(app, 'trash'))) await rm(folder(app, 'trash', name), { force: true })
}

export function listIncoming(app: StorageContext): string[] {
  return listNames(folder(app, 'incoming'))
}

/** When bytes last arrived; undefined when it has gone meanwhile. */
export async function findIncomingAge(app: StorageContext, uploadId: string): Promise<number | undefined> {
  const found = await stat(folder(app, 'incoming', uploadId)).catch(() => undefined)
  return found?.mtimeMs
}

/** May take long where there are many; a blob can have gone before it is looked at. */
export async function* listBlobs(app: StorageContext): AsyncGenerator<BlobName, void, undefined> {
  for (const accountId of listNames(folder(app, 'blobs'))) {
    for (const sha256 of await readdir(folder(app, 'blobs', accountId))) yield { accountId, sha256 }
  }
}

function listNames(path: string): string[] {
  return existsSync(path) ? readdirSync(path) : []
}

/** A failing disk in the words of the contract; anything else stays what it is. */
export function storageProblem(error: unknown): unknown {
  const { code } = asError(error) as NodeJS.ErrnoException
  if (isDiskFull(error)) {
    return new Problem(
      'system_overload',
      'The disk of this server is full. Nothing was kept. Try again later.',
      {
        cause: error,
      },
    )
  }
  if (code === 'EACCES' || code === 'EROFS' || code === 'EIO') {
    return new Problem('storage_not_configured', 'This server cannot write to its storage.', { cause: error })
  }
  return error
}
