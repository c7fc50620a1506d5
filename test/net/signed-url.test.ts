// Links that work without a key until their time is over.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Db, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { Problem } from '../../src/lib/problem.ts'
import { checkSignedUrl, signUrl } from '../../src/net/signed-url.ts'

let db: Db
let atMs = Date.UTC(2026, 0, 1)
const now = (): number => atMs

beforeAll(() => {
  db = openDatabase(':memory:')
  migrate(db)
})
afterAll(() => db.close())

test('a link holds until it expires, for its path alone, and for every process with the same database', () => {
  const url = signUrl(
    { db, now },
    { base: 'https://ear.test', path: '/files/x/content', expiresAt: atMs + 60_000 },
  )
  expect(url).toMatch(/^https:\/\/ear\.test\/files\/x\/content\?expires=\d+&signature=[\w-]{43}$/)
  const check = (text: string): void => checkSignedUrl({ db, now }, new URL(text))
  check(url)
  check(url.replace('https://ear.test', 'http://10.0.0.1:8787'))
  for (const other of [url.replace('/x/', '/y/'), url.replace(/expires=\d/, 'expires=9'), `${url}x`]) {
    expect(() => check(other)).toThrow(Problem)
  }
  atMs += 59_999
  check(url)
  atMs += 1
  expect(() => check(url)).toThrow('expired')
})
