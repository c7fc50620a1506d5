// Accounts and keys on a real database with a clock that the test moves.

import { beforeEach, describe, expect, test } from 'bun:test'
import {
  createAccount,
  createFirstAccount,
  disableAccount,
  getAccount,
  listAccounts,
  setPlan,
} from '../../src/accounts/accounts.ts'
import { createKey, findByText, listKeys, revokeKey, rotateKey } from '../../src/accounts/keys.ts'
import { parsePermissions } from '../../src/accounts/permissions.ts'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { HOUR, MINUTE, SECOND } from '../../src/lib/time.ts'

let db: Db
let atMs = 0
const context = {
  get db() {
    return db
  },
  now: () => atMs,
}
const plain = { name: 'test', permissions: 'all', expiresAt: undefined } as const

beforeEach(() => {
  db = openDatabase(':memory:')
  migrate(db)
  atMs = Date.UTC(2026, 0, 1)
})

describe('accounts', () => {
  test('the first start makes one account, later ones none', () => {
    expect(createFirstAccount(context)).toMatchObject({ name: 'default', plan: 'custom' })
    expect(createFirstAccount(context)).toBeUndefined()
    expect(listAccounts(context)).toHaveLength(1)
  })

  test('are found by name and by id', () => {
    const account = createAccount(context, 'acme', 'trial')
    expect(getAccount(context, 'acme')).toEqual(account)
    expect(getAccount(context, account.id)).toEqual(account)
    expect(() => getAccount(context, 'nobody')).toThrow('no account "nobody"')
  })

  test('have unique, plain names', () => {
    createAccount(context, 'acme', 'trial')
    expect(() => createAccount(context, 'acme', 'tier2')).toThrow('already an account')
    for (const name of ['', ' ', ' a', 'x'.repeat(65), 'a\nb', '\u001B[0m']) {
      expect(() => createAccount(context, name, 'trial')).toThrow('letters, digits')
    }
  })

  test('change plans', () => {
    createAccount(context, 'acme', 'trial')
    setPlan(context, 'acme', 'none')
    expect(getAccount(context, 'acme').plan).toBe('none')
  })
})

describe('a key', () => {
  test('is found by its text and stored only as a hash', () => {
    const account = createAccount(context, 'acme', 'trial')
    const { key, text } = createKey(context, account.id, plain)
    expect(text).toMatch(/^ear_[0-9A-Za-z]{40}$/)
    expect(findByText(context, text)).toMatchObject({ account, key: { id: key.id } })
    expect(JSON.stringify(db.query('select * from api_keys').all())).not.toContain(text.slice(4))
    expect(listKeys(context, account.id)).toMatchObject([{ hint: text.slice(-4) }])
  })

  test('of wrong text is not found', () => {
    const account = createAccount(context, 'acme', 'trial')
    const { text } = createKey(context, account.id, plain)
    for (const wrong of [
      '',
      'ear_',
      text.slice(0, -1),
      `${text}0`,
      text.toLowerCase(),
      `${text.slice(0, -1)}-`,
    ]) {
      expect(findByText(context, wrong)).toBeUndefined()
    }
  })

  test('ends when it is revoked, expired, or its account disabled', () => {
    const account = createAccount(context, 'acme', 'trial')
    const revoked = createKey(context, account.id, plain)
    const expiring = createKey(context, account.id, { ...plain, expiresAt: atMs + HOUR })
    const other = createKey(context, account.id, plain)
    revokeKey(context, revoked.key.id)
    expect(findByText(context, revoked.text)).toBeUndefined()
    expect(findByText(context, expiring.text)).toBeDefined()
    atMs += HOUR
    expect(findByText(context, expiring.text)).toBeUndefined()
    expect(findByText(context, other.text)).toBeDefined()
    disableAccount(context, 'acme')
    expect(findByText(context, other.text)).toBeUndefined()
  })

  test('rotates: both work during the grace, then only the new one', () => {
    const account = createAccount(context, 'acme', 'trial')
    const options = { ...plain, permissions: ['usage'], expiresAt: atMs + 48 * HOUR } as const
    const old = createKey(context, account.id, options)
    const fresh = rotateKey(context, old.key.id, 24 * HOUR)
    expect(fresh.key).toMatchObject({ permissions: ['usage'], expiresAt: atMs + 48 * HOUR })
    expect(findByText(context, old.text)).toBeDefined()
    expect(findByText(context, fresh.text)).toBeDefined()
    atMs += 24 * HOUR
    expect(findByText(context, old.text)).toBeUndefined()
    expect(findByText(context, fresh.text)).toBeDefined()
    expect(() => rotateKey(context, old.key.id, HOUR)).toThrow('revoked or expired')
  })

  test('rotating never prolongs a key', () => {
    const account = createAccount(context, 'acme', 'trial')
    const old = createKey(context, account.id, { ...plain, expiresAt: atMs + HOUR })
    rotateKey(context, old.key.id, 24 * HOUR)
    atMs += HOUR
    expect(findByText(context, old.text)).toBeUndefined()
  })

  test('notes its last use at most once a minute', () => {
    const account = createAccount(context, 'acme', 'trial')
    const { text } = createKey(context, account.id, plain)
    const lastUsedAt = () => listKeys(context)[0]?.lastUsedAt
    const startMs = atMs
    findByText(context, text)
    atMs += 59 * SECOND
    findByText(context, text)
    expect(lastUsedAt()).toBe(startMs)
    atMs = startMs + MINUTE
    findByText(context, text)
    expect(lastUsedAt()).toBe(startMs + MINUTE)
  })

  test('cannot be created expired', () => {
    const account = createAccount(context, 'acme', 'trial')
    expect(() => createKey(context, account.id, { ...plain, expiresAt: atMs })).toThrow('future')
  })
})

test('permissions are read strictly', () => {
  expect(parsePermissions('all')).toBe('all')
  expect(parsePermissions('usage, transcribe')).toEqual(['transcribe', 'usage'])
  expect(parsePermissions('transcribe,fly')).toBeUndefined()
  expect(parsePermissions('')).toBeUndefined()
})
