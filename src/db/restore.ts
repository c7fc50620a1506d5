// Puts a backup in place: everything is unpacked and verified first, then the database changes over in one rename.
// Whatever goes wrong before that rename leaves the folder's former content as it was.

import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { extract } from 'tar'
import { asError, Problem } from '../lib/problem.ts'
import {
  DATABASE_NAME,
  DURABLE,
  fileSha256,
  flush,
  type Manifest,
  MANIFEST_NAME,
  ManifestParser,
} from './backup.ts'
import { databasePath } from './database.ts'
import { DataFolderInUse, lockDataFolder } from './lock.ts'
import { SCHEMA_VERSION, schemaVersion } from './migrate.ts'

export interface RestoreOptions {
  readonly dataDir: string
  readonly file: string
  /** Replace the database that is there. */
  readonly force: boolean
}

/** Throws Problem when the folder is in use or holds a database (without `force`), or the file is no good backup. */
export async function restoreBackup({ dataDir, file, force }: RestoreOptions): Promise<Manifest> {
  if (!existsSync(file)) throw new Problem('not_found', `There is no file ${file}.`)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const lock = lockOrRefuse(dataDir)
  const staging = join(dataDir, 'restore.staging')
  try {
    if (existsSync(databasePath(dataDir)) && !force) {
      throw new Problem(
        'invalid_parameter',
        `${dataDir} holds a database already. Choose another folder with --data, or replace it with --force.`,
      )
    }
    rmSync(staging, { recursive: true, force: true })
    mkdirSync(staging, { mode: 0o700 })
    await unpack(file, staging)
    const manifest = await verify(file, staging)
    changeOver(staging, dataDir)
    return manifest
  } finally {
    rmSync(staging, { recursive: true, force: true })
    lock.release()
  }
}

function lockOrRefuse(dataDir: string): ReturnType<typeof lockDataFolder> {
  try {
    return lockDataFolder(dataDir)
  } catch (cause) {
    if (cause instanceof DataFolderInUse) throw new Problem('invalid_parameter', cause.message, { cause })
    throw cause
  }
}

async function unpack(file: string, staging: string): Promise<void> {
  try {
    await extract({
      file,
      cwd: staging,
      strict: true,
      preserveOwner: false,
      filter: (path, entry) =>
        isOurs(path) && 'type' in entry && (entry.type === 'File' || entry.type === 'Directory'),
    })
  } catch (cause) {
    throw notGood(file, asError(cause).message, cause)
  }
}

function isOurs(path: string): boolean {
  const name = normalize(path).replace(/\/$/, '')
  return [MANIFEST_NAME, DATABASE_NAME, ...DURABLE].some(
    (known) => name === known || name.startsWith(`${known}/`) || known.startsWith(`${name}/`),
  )
}

function notGood(file: string, why: string, cause?: unknown): Problem {
  return new Problem('invalid_parameter', `${file} is no backup that can be restored: ${why}`, { cause })
}

async function verify(file: string, staging: string): Promise<Manifest> {
  const manifest = readManifest(file, staging)
  if (manifest.schema_version > SCHEMA_VERSION) {
    throw notGood(file, `it was written by a newer Earshot (${manifest.version}). Update this one first.`)
  }
  const path = join(staging, DATABASE_NAME)
  if (!existsSync(path) || (await fileSha256(path)) !== manifest.database_sha256) {
    throw notGood(file, 'its database is missing, cut off or changed.')
  }
  const fault = findFault(path, manifest.schema_version)
  if (fault !== undefined) throw notGood(file, fault)
  return manifest
}

function readManifest(file: string, staging: string): Manifest {
  let value: unknown
  try {
    value = JSON.parse(readFileSync(join(staging, MANIFEST_NAME), 'utf8'))
  } catch (cause) {
    throw notGood(file, 'it has no manifest.', cause)
  }
  const parsed = ManifestParser.parse(value)
  if (parsed.ok) return parsed.value
  throw notGood(file, 'its manifest is not of a known form.')
}

function findFault(path: string, version: number): string | undefined {
  const db = new Database(path, { readonly: true, strict: true })
  try {
    const [row] = db.query<{ integrity_check: string }, []>('pragma integrity_check(1)').all()
    if (row?.integrity_check !== 'ok') return `its database is damaged: ${row?.integrity_check}`
    if (db.query('pragma foreign_key_check').get() !== null)
      return 'its database refers to rows that are not there.'
    return schemaVersion(db) === version ? undefined : 'its manifest does not match its database.'
  } catch (error) {
    return `its database cannot be read: ${asError(error).message}`
  } finally {
    db.close()
  }
}

/** Files first, then the database: until its rename, nothing names them. Left-over files of before do no harm. */
function changeOver(staging: string, dataDir: string): void {
  for (const name of DURABLE) moveTree(join(staging, name), join(dataDir, name))
  const restored = join(staging, DATABASE_NAME)
  flush(restored)
  const current = databasePath(dataDir)
  if (existsSync(current)) endLog(current)
  // Logs that a damaged database left would be read into the new one.
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(current + suffix, { force: true })
  renameSync(restored, current)
  flush(dataDir)
}

function moveTree(from: string, to: string): void {
  const stat = statSync(from, { throwIfNoEntry: false })
  if (!stat) return
  if (stat.isDirectory()) {
    for (const name of readdirSync(from)) moveTree(join(from, name), join(to, name))
    return
  }
  mkdirSync(dirname(to), { recursive: true })
  flush(from)
  renameSync(from, to)
}

/** Writes the log of the former database back into it, so that it is whole should this process end before the rename. */
function endLog(path: string): void {
  let mode: string | undefined
  try {
    const db = new Database(path, { readwrite: true, create: false })
    try {
      mode = db.query<{ journal_mode: string }, []>('pragma journal_mode = delete').get()?.journal_mode
    } finally {
      db.close()
    }
  } catch (error) {
    if (isBusy(error)) mode = 'wal'
    // Otherwise it is damaged, which is why it is being replaced.
  }
  if (mode === 'wal') {
    throw new Problem(
      'invalid_parameter',
      'Another earshot command works on this folder. Try again when it has ended.',
    )
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}
