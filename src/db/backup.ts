// A consistent copy of everything durable in one file, while the server runs: a tar with the database as it was at one
// moment, the files beside it that must outlive the machine, and a manifest. Models, media in work and caches stay out.

import { Database } from 'bun:sqlite'
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
} from 'node:fs'
import { lstatSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { create } from 'tar'
import { tryFileLock } from '../lib/file-lock.ts'
import { asError, Problem } from '../lib/problem.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { isoTime } from '../lib/time.ts'
import { databasePath } from './database.ts'
import { schemaVersion } from './migrate.ts'

/**
 * Files and folders beside the database, relative to the data folder. Whatever stores something that cannot be had again
 * adds it here. Two rules make the copy consistent: a file never changes once it has its name, and it has its name
 * before a row names it and until no row does.
 */
export const DURABLE: readonly string[] = ['models/use.json', 'models/pins.json', 'files/blobs']

export const MANIFEST_NAME = 'manifest.json'
export const DATABASE_NAME = 'earshot.db'

export const ManifestParser = parser(
  t.Object({
    format: t.Literal('earshot-backup-1'),
    created_at: t.String(),
    /** Of the Earshot that wrote it. */
    version: t.String(),
    schema_version: t.Integer({ minimum: 1 }),
    database_sha256: t.String(),
  }),
)
export type Manifest = Parsed<typeof ManifestParser>

export interface BackupOptions {
  readonly dataDir: string
  readonly file: string
  /** Replace an existing file. */
  readonly force: boolean
  readonly version: string
  readonly atMs: number
}

/** Appears under its name only when it is whole. Readable by its owner alone: it holds signing secrets. */
export async function writeBackup(options: BackupOptions): Promise<Manifest> {
  const { dataDir, file } = options
  if (!existsSync(databasePath(dataDir))) {
    throw new Problem(
      'not_found',
      `There is no Earshot database in ${dataDir}. Choose the folder with --data.`,
    )
  }
  if (existsSync(file) && !options.force) {
    throw new Problem(
      'invalid_parameter',
      `${file} exists already. Choose another name, or replace it with --force.`,
    )
  }
  const lock = tryFileLock(join(dataDir, 'backup.lock'))
  if (!lock) throw new Problem('invalid_parameter', 'Another backup of this data folder is under way.')
  // In the data folder, so that links suffice for all that lies beside the database.
  const staging = join(dataDir, 'backup.staging')
  try {
    rmSync(staging, { recursive: true, force: true })
    mkdirSync(staging, { mode: 0o700 })
    const manifest = await stage(options, staging)
    await pack(staging, file)
    return manifest
  } catch (cause) {
    if (cause instanceof Problem) throw cause
    throw new Problem('internal_server_error', `The backup failed: ${asError(cause).message}`, { cause })
  } finally {
    rmSync(staging, { recursive: true, force: true })
    lock.release()
  }
}

async function stage({ dataDir, version, atMs }: BackupOptions, staging: string): Promise<Manifest> {
  const copyPath = join(staging, DATABASE_NAME)
  // Before and after: a file that a row of the copy names was there at one of the two.
  linkDurable(dataDir, staging)
  const source = new Database(databasePath(dataDir), { readwrite: true, create: false, strict: true })
  try {
    source.run('pragma busy_timeout = 10000')
    source.query('vacuum into $copyPath').run({ copyPath })
  } finally {
    source.close()
  }
  linkDurable(dataDir, staging)
  const manifest: Manifest = {
    format: 'earshot-backup-1',
    created_at: isoTime(atMs),
    version,
    schema_version: checkCopy(copyPath),
    database_sha256: await fileSha256(copyPath),
  }
  writeFileSync(join(staging, MANIFEST_NAME), `${JSON.stringify(manifest, undefined, 2)}\n`)
  return manifest
}

function linkDurable(dataDir: string, staging: string): void {
  for (const name of DURABLE) linkTree(join(dataDir, name), join(staging, name))
}

/** What vanishes meanwhile, or is there already, is no error. */
function linkTree(from: string, to: string): void {
  const stat = lstatSync(from, { throwIfNoEntry: false })
  if (stat?.isDirectory()) {
    for (const name of readdirSync(from)) linkTree(join(from, name), join(to, name))
  } else if (stat?.isFile() && !existsSync(to)) {
    mkdirSync(dirname(to), { recursive: true })
    try {
      linkSync(from, to)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
      // Some file systems have no links.
      copyFileSync(from, to)
    }
  }
}

/** A backup that cannot be restored is none. Returns the schema version. */
function checkCopy(path: string): number {
  const copy = new Database(path, { readonly: true, strict: true })
  try {
    const [fault] = copy.query<{ quick_check: string }, []>('pragma quick_check(1)').all()
    if (fault?.quick_check === 'ok') return schemaVersion(copy)
    throw new Problem(
      'internal_server_error',
      `The database is damaged (${fault?.quick_check}); nothing was written. Restore an earlier backup.`,
    )
  } finally {
    copy.close()
  }
}

async function pack(staging: string, file: string): Promise<void> {
  const partial = `${file}.partial`
  try {
    // The manifest first, so that reading can stop there.
    const others = readdirSync(staging).filter((name) => name !== MANIFEST_NAME)
    await create({ file: partial, cwd: staging, portable: true, strict: true }, [MANIFEST_NAME, ...others])
    chmodSync(partial, 0o600)
    flush(partial)
    renameSync(partial, file)
    flush(dirname(file))
  } finally {
    rmSync(partial, { force: true })
  }
}

/** Makes sure that a file, or the names in a folder, survive a power cut. */
export function flush(path: string): void {
  const handle = openSync(path, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

export async function fileSha256(path: string): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  for await (const chunk of Bun.file(path).stream()) hasher.update(chunk)
  return hasher.digest('hex')
}
