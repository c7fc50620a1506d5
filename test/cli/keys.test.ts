// The administration commands as real processes beside an open database.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { findByText } from '../../src/accounts/keys.ts'
import { type Db, databasePath, openDatabase } from '../../src/db/database.ts'
import { earshot } from '../support/earshot.ts'
import { temporaryFolder } from '../support/temp.ts'

const folder = temporaryFolder()
const cwd = folder.path
/** Stays open like that of a running server while the commands work. */
let db: Db

beforeAll(async () => {
  await run('accounts', 'list')
  db = openDatabase(databasePath(join(cwd, 'data')))
})

afterAll(() => {
  db.close()
  folder[Symbol.dispose]()
})

const run = (...args: string[]) => earshot(args, { cwd })
const find = (text: string) => findByText({ db, now: Date.now }, text.trim())

async function listKeys() {
  return JSON.parse((await run('keys', 'list', '--json')).stdout) as Record<string, unknown>[]
}

test('create prints the key and nothing else; the running server knows it at once', async () => {
  const { exitCode, stdout, stderr } = await run('keys', 'create')
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  expect(stdout).toMatch(/^ear_[0-9A-Za-z]{40}\n$/)
  expect(find(stdout)).toMatchObject({ account: { name: 'default' }, key: { permissions: 'all' } })
})

test('create takes account, name, permissions and expiry', async () => {
  await run('accounts', 'create', 'acme', '--plan', 'trial')
  const options = [
    '--account',
    'acme',
    '--name',
    'CI',
    '--permissions',
    'usage,search',
    '--expires',
    '2099-01-31',
  ]
  const { stdout } = await run('keys', 'create', ...options)
  expect(find(stdout)).toMatchObject({
    account: { name: 'acme', plan: 'trial' },
    key: { name: 'CI', permissions: ['search', 'usage'], expiresAt: Date.UTC(2099, 0, 31) },
  })
})

test('create refuses what makes no sense', async () => {
  expect((await run('keys', 'create', '--account', 'nobody')).exitCode).toBe(1)
  expect((await run('keys', 'create', '--expires', '2001-01-01')).exitCode).toBe(1)
  for (const expires of ['tomorrow', '2099-02-31', '2099-13-01']) {
    expect((await run('keys', 'create', '--expires', expires)).exitCode).toBe(2)
  }
  expect((await run('keys', 'create', '--permissions', 'fly')).exitCode).toBe(2)
})

test('list never shows the text of a key', async () => {
  const text = (await run('keys', 'create', '--name', 'shown')).stdout.trim()
  const table = (await run('keys', 'list')).stdout
  expect(table).toContain(`…${text.slice(-4)}`)
  expect(table).not.toContain(text)
  expect(await listKeys()).toContainEqual(expect.objectContaining({ name: 'shown', state: 'active' }))
  expect((await run('keys', 'list', '--account', 'acme')).stdout).not.toContain('shown')
})

test('revoke ends a key at once', async () => {
  const text = (await run('keys', 'create', '--name', 'doomed')).stdout
  const id = find(text)?.key.id ?? ''
  expect((await run('keys', 'revoke', id)).exitCode).toBe(0)
  expect(find(text)).toBeUndefined()
  expect((await run('keys', 'revoke', 'unknown')).exitCode).toBe(1)
})

test('rotate prints only the successor; the old key lasts for the grace', async () => {
  const old = (await run('keys', 'create', '--name', 'old')).stdout
  const id = find(old)?.key.id ?? ''
  const { stdout } = await run('keys', 'rotate', id, '--grace', '1h')
  expect(stdout).toMatch(/^ear_[0-9A-Za-z]{40}\n$/)
  expect(find(stdout)).toMatchObject({ key: { name: 'old' } })
  const leftMs = (find(old)?.key.expiresAt ?? 0) - Date.now()
  expect(leftMs).toBeGreaterThan(3_500_000)
  expect(leftMs).toBeLessThanOrEqual(3_600_000)
})

test('a disabled account is refused with all its keys', async () => {
  await run('accounts', 'create', 'closed')
  const text = (await run('keys', 'create', '--account', 'closed')).stdout
  expect(find(text)).toBeDefined()
  await run('accounts', 'set-plan', 'closed', 'none')
  expect(find(text)?.account.plan).toBe('none')
  await run('accounts', 'disable', 'closed')
  expect(find(text)).toBeUndefined()
  expect((await run('accounts', 'list')).stdout).toContain('closed')
})
