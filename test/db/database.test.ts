// What the database promises: migrations once, one server per folder.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, transaction } from '../../src/db/database.ts'
import { DataFolderInUse, lockDataFolder } from '../../src/db/lock.ts'
import { migrate, SCHEMA_VERSION, schemaVersion } from '../../src/db/migrate.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'earshot-db-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('migrating twice changes nothing the second time', () => {
  const db = openDatabase(join(folder, 'a.db'))
  migrate(db)
  expect(schemaVersion(db)).toBe(SCHEMA_VERSION)
  migrate(db)
  expect(db.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  expect(db.query('pragma foreign_key_check').all()).toEqual([])
  db.close()
})

test('a database of a newer version is refused, untouched', () => {
  const db = openDatabase(join(folder, 'a.db'))
  db.run(`pragma user_version = ${SCHEMA_VERSION + 1}`)
  expect(() => migrate(db)).toThrow(/newer Earshot/)
  db.close()
})

test('a transaction that throws leaves nothing behind', () => {
  const db = openDatabase(':memory:')
  db.run('create table a (n integer) strict')
  expect(() =>
    transaction(db, () => {
      db.run('insert into a values (1)')
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(db.query('select n from a').all()).toEqual([])
  db.close()
})

test('a second process is refused with the number of the first, and let in when that one is gone', async () => {
  const script = `
    import { lockDataFolder } from ${JSON.stringify(join(import.meta.dir, '../../src/db/lock.ts'))}
    lockDataFolder(${JSON.stringify(folder)})
    console.log('locked')
    setInterval(() => {}, 1000)`
  const other = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  try {
    await other.stdout.getReader().read()
    expect(() => lockDataFolder(folder)).toThrow(DataFolderInUse)
    expect(() => lockDataFolder(folder)).toThrow(`in use by process ${other.pid}`)
  } finally {
    other.kill('SIGKILL')
    await other.exited
  }
  lockDataFolder(folder).release()
})
