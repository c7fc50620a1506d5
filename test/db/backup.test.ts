// Backups: what was there at one moment comes back whole, or the former content stays untouched.

import { Database } from 'bun:sqlite'
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { create, list } from 'tar'
import { createAccount } from '../../src/accounts/accounts.ts'
import { type BackupOptions, writeBackup } from '../../src/db/backup.ts'
import { databasePath, type Db, openDatabase } from '../../src/db/database.ts'
import { lockDataFolder } from '../../src/db/lock.ts'
import { migrate, SCHEMA_VERSION } from '../../src/db/migrate.ts'
import { restoreBackup } from '../../src/db/restore.ts'
import { Problem } from '../../src/lib/problem.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temp.ts'

let source: TemporaryFolder
let target: TemporaryFolder
let file: string
let options: BackupOptions

beforeEach(() => {
  source = temporaryFolder()
  target = temporaryFolder()
  file = join(target.path, 'backup.tar')
  options = { dataDir: source.path, file, force: false, version: '1.2.3', atMs: 0 }
  source.write('models/use.json', '{"speech":"whisper-tiny"}')
  source.write('models/weights.bin', 'many bytes')
  source.write('spool/task/media', 'media in work')
  open(source.path, (db) => createAccount({ db, now: () => 7 }, 'acme', 'trial'))
})
afterEach(() => {
  source[Symbol.dispose]()
  target[Symbol.dispose]()
})

function open<T>(dataDir: string, work: (db: Db) => T): T {
  const db = openDatabase(databasePath(dataDir))
  migrate(db)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const names = (dataDir: string) =>
  open(dataDir, (db) =>
    db
      .query<{ name: string }, []>('select name from accounts order by id')
      .all()
      .map(({ name }) => name),
  )

async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof Problem) return error.message
  throw error ?? new Error('nothing was refused')
}

const restore = (dataDir: string, force = false) => restoreBackup({ dataDir, file, force })

test('a backup comes back as it was, without models and media in work', async () => {
  const manifest = await writeBackup(options)
  expect(manifest).toMatchObject({ version: '1.2.3', schema_version: SCHEMA_VERSION })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const entries: string[] = []
  await list({ file, onReadEntry: (entry) => entries.push(entry.path) })
  expect(entries.toSorted()).toEqual(['earshot.db', 'manifest.json', 'models/', 'models/use.json'])
  const fresh = join(target.path, 'fresh')
  expect(await restore(fresh)).toEqual(manifest)
  const dump = (dataDir: string) => open(dataDir, (db) => db.query('select * from accounts').all())
  expect(dump(fresh)).toEqual(dump(source.path))
  expect(readFileSync(join(fresh, 'models/use.json'), 'utf8')).toBe('{"speech":"whisper-tiny"}')
  expect(readdirSync(fresh).filter((name) => name.includes('staging'))).toEqual([])
  expect(readdirSync(source.path).filter((name) => name.includes('staging'))).toEqual([])
})

test('taken while another process writes, it holds one moment: no gap, nothing half', async () => {
  const script = join(import.meta.dir, '../support/account-writer.ts')
  const writer = Bun.spawn([process.execPath, script, source.path], { stdout: 'pipe', stderr: 'inherit' })
  await writer.stdout.getReader().read()
  await writeBackup(options)
  writer.kill('SIGKILL')
  await writer.exited
  const fresh = join(target.path, 'fresh')
  await restore(fresh)
  const restored = names(fresh)
  const written = names(source.path)
  expect(restored.length).toBeGreaterThan(20)
  expect(restored).toEqual(written.slice(0, restored.length))
  const keys = open(fresh, (db) => db.query('select count(*) as n from api_keys').get())
  expect(keys).toEqual({ n: restored.length - 1 })
})

describe('a backup', () => {
  test('replaces a file only by force', async () => {
    target.write('backup.tar', 'precious')
    expect(await refusal(writeBackup(options))).toContain('--force')
    expect(readFileSync(file, 'utf8')).toBe('precious')
    await writeBackup({ ...options, force: true })
    expect((await restore(join(target.path, 'fresh'))).version).toBe('1.2.3')
  })

  test('needs a database', async () => {
    expect(await refusal(writeBackup({ ...options, dataDir: target.path }))).toContain('no Earshot database')
  })

  test('that cannot be written leaves nothing', async () => {
    const nowhere = join(target.path, 'missing', 'backup.tar')
    expect(await refusal(writeBackup({ ...options, file: nowhere }))).toContain('ENOENT')
    expect(readdirSync(target.path)).toEqual([])
  })
})

describe('restoring', () => {
  test('is refused while a server runs on the folder', async () => {
    await writeBackup(options)
    const lock = lockDataFolder(source.path)
    expect(await refusal(restore(source.path, true))).toContain(`in use by process ${process.pid}`)
    lock.release()
    await restore(source.path, true)
  })

  test('replaces a database only by force, and then all of it, its log included', async () => {
    await writeBackup(options)
    expect(await refusal(restore(source.path))).toContain('--force')
    // A process that dies leaves a log beside the database; it must not be read into the restored one.
    const crashed = join(target.path, 'crashed')
    const db = open(source.path, () => openDatabase(databasePath(source.path)))
    db.run('pragma wal_autocheckpoint = 0')
    createAccount({ db, now: () => 8 }, 'later', 'trial')
    for (const suffix of ['', '-wal', '-shm']) {
      target.write(`crashed/earshot.db${suffix}`, readFileSync(databasePath(source.path) + suffix))
    }
    db.close()
    expect(names(source.path)).toEqual(['acme', 'later'])
    await restore(crashed, true)
    expect(existsSync(`${databasePath(crashed)}-wal`)).toBe(false)
    expect(names(crashed)).toEqual(['acme'])
  })

  test('mends a folder whose database is damaged', async () => {
    await writeBackup(options)
    target.write('broken/earshot.db', 'not a database at all')
    target.write('broken/earshot.db-wal', 'nor its log')
    await restore(join(target.path, 'broken'), true)
    expect(names(join(target.path, 'broken'))).toEqual(['acme'])
  })

  test('refuses what is cut off, changed or something else, and touches nothing', async () => {
    await writeBackup(options)
    const whole = readFileSync(file)
    const changed = Buffer.from(whole)
    const at = changed.indexOf('acme')
    changed.write('evil', at)
    const bad: (readonly [string, Uint8Array | string])[] = [
      ['cut off', whole.subarray(0, whole.length / 2)],
      ['changed', changed],
      ['something else', 'hello'],
      ['nothing', ''],
    ]
    for (const [what, bytes] of bad) {
      writeFileSync(file, bytes)
      expect(`${what}: ${await refusal(restore(source.path, true))}`).toContain(
        'is no backup that can be restored',
      )
      expect(names(source.path)).toEqual(['acme'])
    }
    expect(
      await refusal(restoreBackup({ dataDir: source.path, file: 'missing.tar', force: true })),
    ).toContain('no file')
  })

  test('refuses the backup of a newer Earshot', async () => {
    const db = new Database(databasePath(source.path))
    db.run(`pragma user_version = ${SCHEMA_VERSION + 1}`)
    db.close()
    await writeBackup(options)
    expect(await refusal(restore(join(target.path, 'fresh')))).toContain('newer Earshot')
  })

  test('takes nothing from an archive that does not belong there', async () => {
    await writeBackup(options)
    const crooked = temporaryFolder()
    await Bun.spawn(['tar', '-xf', file, '-C', crooked.path]).exited
    crooked.write('extra/file', 'x')
    crooked.write('models/program', 'x')
    symlinkSync('/etc', join(crooked.path, 'models/link'))
    await create({ file, cwd: crooked.path }, readdirSync(crooked.path))
    crooked[Symbol.dispose]()
    const fresh = join(target.path, 'fresh')
    await restore(fresh)
    expect(existsSync(join(fresh, 'extra'))).toBe(false)
    expect(readdirSync(join(fresh, 'models'))).toEqual(['use.json'])
  })
})
