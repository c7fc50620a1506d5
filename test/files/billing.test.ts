// What uploaded files cost: the hours of their media, held when processing starts, settled at its end, never twice.

import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import type { App } from '../../src/app.ts'
import { balance } from '../../src/billing/balance.ts'
import { charge } from '../../src/billing/ledger.ts'
import { transaction } from '../../src/db/database.ts'
import {
  beginProcessing,
  cancelFile,
  deleteFile,
  refuseProcessing,
  retryFile,
} from '../../src/files/processing.ts'
import { findFile, insertFile, type StoredFile } from '../../src/files/files.ts'
import { incomingPath } from '../../src/files/storage.ts'
import { newId, sha256 } from '../../src/lib/id.ts'
import { Problem } from '../../src/lib/problem.ts'
import { createWorker, type Worker } from '../../src/worker.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { makeTone, temporaryFolder } from '../support/make-media.ts'

const SECONDS = 3
const TRIAL_MICROS = 5_000_000
const COST_MICROS = Math.ceil((SECONDS / 3_600 / 3) * 1e6)

const media = temporaryFolder()
let support: TestApp
let app: App
let worker: Worker
let accountId: string

beforeAll(() => void makeTone(media.file('tone.wav'), SECONDS))
afterAll(() => media.remove())
beforeEach(async () => {
  support = await createTestApp()
  app = support.app
  worker = createWorker(app)
  accountId = createAccount(app, 'client', 'trial').id
})
afterEach(() => support.close())

const spentMicros = (): number => TRIAL_MICROS - balance(app, accountId).monthlyRemainingMicros

/** A file whose bytes have arrived; `start` says what becomes of it. */
async function arrived(
  start: (fileId: string, content: Parameters<typeof beginProcessing>[2]) => void,
): Promise<StoredFile> {
  const id = newId()
  const bytes = await Bun.file(media.file('tone.wav')).bytes()
  insertFile(app, {
    id,
    accountId,
    name: 'tone.wav',
    sizeBytes: bytes.byteLength,
    language: null,
    namespaceIds: [],
  })
  const path = incomingPath(app, id)
  await Bun.write(path, bytes)
  start(id, {
    path,
    sha256: sha256(bytes),
    sizeBytes: bytes.byteLength,
    mediaType: 'audio/wav',
    durationS: SECONDS,
    originalAt: null,
  })
  return look(id)
}

function look(id: string): StoredFile {
  const file = findFile(app, id)
  if (!file) throw new Error('the file is gone')
  return file
}

const begun = (): Promise<StoredFile> => arrived((id, content) => void beginProcessing(app, id, content, []))

test('a file is paid for once, when processing starts, and stays paid when it is deleted afterwards', async () => {
  const file = await begun()
  expect(spentMicros()).toBe(COST_MICROS)
  await worker.drain()
  expect(look(file.id).status).toBe('completed')
  expect(spentMicros()).toBe(COST_MICROS)
  deleteFile(app, look(file.id))
  expect(spentMicros()).toBe(COST_MICROS)
})

test('cancelled or deleted before its end it costs nothing, and a retry is paid anew', async () => {
  const file = await begun()
  cancelFile(app, file)
  expect(spentMicros()).toBe(0)
  retryFile(app, look(file.id), [])
  expect(spentMicros()).toBe(COST_MICROS)
  deleteFile(app, look(file.id))
  expect(spentMicros()).toBe(0)
})

test('what can not be paid is not begun', async () => {
  charge(app, { accountId, reference: newId(), meter: 'standard_request', quantity: 49_999 })
  const file = await arrived((id, content) => {
    const begin = (): void => transaction(app.db, () => void beginProcessing(app, id, content, []))
    expect(begin).toThrow(Problem)
    refuseProcessing(app, id, content, new Problem('limit_exceeded', 'Not enough credits.'))
  })
  expect(file).toMatchObject({ status: 'failed', errorCode: 'limit_exceeded' })
  expect(() => retryFile(app, file, [])).toThrow(/credit/)
  expect(look(file.id).status).toBe('failed')
})
