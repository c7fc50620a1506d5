// What time leaves behind: uploads that nobody goes on with, bytes without a record, records without work.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createFirstAccount } from '../../src/accounts/accounts.ts'
import { transaction } from '../../src/db/database.ts'
import { findFile, insertFile, type StoredFile } from '../../src/files/files.ts'
import { defaultNamespace } from '../../src/files/namespaces.ts'
import { beginProcessing } from '../../src/files/processing.ts'
import { incomingPath } from '../../src/files/storage.ts'
import { recoverFiles, sweepFilesSchedule } from '../../src/files/upkeep.ts'
import { createRunner } from '../../src/jobs/runner.ts'
import { cancelOwned, enqueue } from '../../src/jobs/queue.ts'
import { newId, sha256 } from '../../src/lib/id.ts'
import { DAY, HOUR } from '../../src/lib/time.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

let testApp: TestApp
let accountId: string

beforeEach(async () => {
  testApp = await createTestApp()
  accountId = createFirstAccount(testApp.app)?.id ?? ''
})
afterEach(() => testApp.close())

function pendingFile(content = 'bytes'): StoredFile {
  const { app } = testApp
  const id = newId()
  writeFileSync(incomingPath(app, id), content)
  const namespaceIds = [defaultNamespace(app, accountId).id]
  return insertFile(app, { id, accountId, name: 'a.wav', sizeBytes: 100, language: null, namespaceIds })
}

function processingFile(): StoredFile {
  const { app } = testApp
  const file = pendingFile(newId())
  const path = incomingPath(app, file.id)
  const content = {
    path,
    sha256: sha256(file.id),
    sizeBytes: 36,
    mediaType: 'audio/wav',
    durationS: 1,
    originalAt: null,
  }
  transaction(app.db, () => beginProcessing(app, file.id, content, []))
  return file
}

/** Runs the hourly sweep as the server does. */
async function sweep(): Promise<void> {
  const { app } = testApp
  const { job } = sweepFilesSchedule([])
  const runner = createRunner(app, { jobs: [job], lanes: { net: 1, compute: 0, webhooks: 0 } })
  enqueue(app, job, {})
  await runner.drain()
  await runner.stop(0)
}

const folder = (name: string): string => join(testApp.app.config.dataDir, 'files', name)
const names = (name: string): string[] => (existsSync(folder(name)) ? readdirSync(folder(name)) : [])

test('an upload without a new byte for a day is forgotten; a younger one stays', async () => {
  const old = pendingFile()
  testApp.advance(DAY - HOUR)
  const young = pendingFile()
  testApp.advance(HOUR + 1)
  await sweep()
  expect(findFile(testApp.app, old.id)).toBeUndefined()
  expect(findFile(testApp.app, young.id)?.status).toBe('pending')
  expect(names('incoming')).toEqual([young.id])
  expect(names('trash')).toEqual([])
})

test('bytes that no upload owns go after an hour, and content without a record at once', async () => {
  const { app } = testApp
  const [fresh, stale] = [newId(), newId()]
  for (const id of [fresh, stale]) writeFileSync(incomingPath(app, id), 'x')
  const longAgoS = Date.now() / 1_000 - 2 * 3_600
  utimesSync(incomingPath(app, stale), longAgoS, longAgoS)
  const kept = processingFile()
  const blobs = join(folder('blobs'), accountId)
  mkdirSync(blobs, { recursive: true })
  writeFileSync(join(blobs, sha256('nobody')), 'x')
  await sweep()
  expect(names('incoming')).toEqual([fresh])
  expect(readdirSync(blobs)).toEqual([findFile(app, kept.id)?.sha256 ?? ''])
})

test('a file in processing that has lost its job fails, so that it can be retried', async () => {
  const { app } = testApp
  const [lost, busy] = [processingFile(), processingFile()]
  cancelOwned(app, lost.id)
  await sweep()
  expect(findFile(app, lost.id)).toMatchObject({ status: 'failed', errorCode: 'transcription_failed' })
  expect(findFile(app, busy.id)).toMatchObject({ status: 'processing' })
})

test('at start nothing of a request that died stays, and resumable uploads do', () => {
  const { app } = testApp
  const died = newId()
  writeFileSync(incomingPath(app, died), 'half')
  app.db.run(`insert into storage_reservations values ('${died}', '${accountId}', 5, 0)`)
  const resumable = pendingFile()
  app.db.run(`insert into storage_reservations values ('${resumable.id}', '${accountId}', 100, 0)`)
  recoverFiles(app, [])
  expect(names('incoming')).toEqual([resumable.id])
  expect(app.db.query('select id from storage_reservations').all()).toEqual([{ id: resumable.id }])
})
