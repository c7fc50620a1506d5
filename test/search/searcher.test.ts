// The search thread, and what happens to the index when the model changes.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { makeTinyReranker, TINY_RERANKER } from '../../scripts/tiny-models/cross-encoder.ts'
import { makeTinyE5, TINY_E5 } from '../../scripts/tiny-models/e5.ts'
import { createAccount } from '../../src/accounts/accounts.ts'
import { transaction } from '../../src/db/database.ts'
import { USE_LITE_MODEL_ID } from '../../src/engines/model-catalogue.ts'
import { findFile, insertFile } from '../../src/files/files.ts'
import { findFiles } from '../../src/search/rank.ts'
import { embedChunks } from '../../src/search/index.job.ts'
import { reembed } from '../../src/search/reembed.job.ts'
import { createSearcher, type Searcher } from '../../src/search/searcher.ts'
import {
  coverageOf,
  listChunks,
  listPending,
  removeDocument,
  replaceDocument,
} from '../../src/search/store.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { distractors } from '../support/distractors.ts'
import { temporaryFolder } from '../support/temp.ts'

const signal = AbortSignal.timeout(120_000)
const models = temporaryFolder()
let testApp: TestApp
let searcher: Searcher

beforeAll(async () => {
  makeTinyE5(join(models.path, 'e5'))
  makeTinyReranker(join(models.path, 'reranker'))
  testApp = await createTestApp({ EARSHOT_MODELS: models.path })
  searcher = createSearcher(testApp.app)
  ACCOUNT = createAccount(testApp.app, 'one', 'custom').id
  OTHER = createAccount(testApp.app, 'two', 'custom').id
})

afterAll(async () => {
  searcher.close()
  await testApp.close()
  models[Symbol.dispose]()
})

let ACCOUNT = ''
let OTHER = ''

/** A document of a file that is there, but without bytes. */
async function add(
  fileId: string,
  texts: readonly string[],
  language: string | null = 'en',
  accountId = ACCOUNT,
) {
  const { app } = testApp
  const chunks = texts.map((text, index) => ({ startMs: index * 30_000, endMs: (index + 1) * 30_000, text }))
  const made = await embedChunks(await app.engines.embedder(), chunks, language, signal)
  transaction(app.db, () => {
    const file = { id: fileId, accountId, name: fileId, sizeBytes: 1, language, namespaceIds: [] }
    if (!findFile(app, fileId)) insertFile(app, file)
    replaceDocument(app, { accountId, fileId, transcriptId: fileId, language, chunks }, made)
  })
}

const find = async (query: string, accountId = ACCOUNT, fileIds?: readonly string[]) =>
  findFiles(testApp.app, searcher, { accountId, query, fileIds }, signal)

describe('the index', () => {
  test('finds by meaning and by words, grouped by file with the best moments', async () => {
    await add('boats', [
      'The tide comes in twice a day, so the boats only get out of the harbour early in the morning.',
      'My grandmother kept a bakery with a wood fired oven and sold rye bread to the sailors.',
    ])
    await add('dough', ['Leave the dough under a damp towel until it has doubled in size.'])
    const { files, totalFound, modelId } = await find('when can the ships leave the port')
    expect(modelId).toBe(USE_LITE_MODEL_ID)
    expect(files[0]).toMatchObject({ fileId: 'boats', timestamps: [0] })
    expect(totalFound).toBeGreaterThanOrEqual(1)
    const bread = await find('rye bread')
    expect(bread.files[0]).toMatchObject({ fileId: 'boats', timestamps: [30] })
  })

  test('replaces a document as a whole, words and vectors too', async () => {
    await add('dough', ['Nothing about baking any more, only chess openings.'])
    const { files } = await find('damp towel')
    expect(files.filter(({ text }) => text.includes('towel'))).toEqual([])
    expect((await find('chess openings')).files[0]?.fileId).toBe('dough')
    transaction(testApp.app.db, () => removeDocument(testApp.app, 'dough'))
    expect((await find('chess openings')).files.map(({ fileId }) => fileId)).not.toContain('dough')
    const { db } = testApp.app
    expect(db.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    expect(() =>
      db.run(`insert into search_words (search_words, rank) values ('integrity-check', 1)`),
    ).not.toThrow()
  })

  test('keeps accounts and given files apart', async () => {
    await add('secret', ['The harbour master keeps the keys under the mat.'], 'en', OTHER)
    const own = await find('harbour master keys')
    expect(own.files.map(({ fileId }) => fileId)).not.toContain('secret')
    expect((await find('harbour master keys', OTHER)).files[0]?.fileId).toBe('secret')
    expect((await find('harbour', ACCOUNT, [])).files).toEqual([])
    // Nor does a slip tell the words of others.
    expect((await find('mastre keys')).explanation).not.toContain('master')
    expect((await find('mastre keys', OTHER)).explanation).toContain('Nobody says "mastre"')
  })

  test('makes no vectors of a language that the model does not understand, and finds its words', async () => {
    await add('deutsch', ['Die Fähre nach Fehmarn fährt im Winter nur noch einmal am Tag.'], 'de')
    expect(coverageOf(testApp.app, { accountId: ACCOUNT, fileIds: null }).models.get(USE_LITE_MODEL_ID)).toBe(
      2,
    )
    const { files, explanation, modelId } = await find('die Fähre nach Fehmarn im Winter')
    expect(files[0]?.fileId).toBe('deutsch')
    expect(modelId).toBeUndefined()
    expect(explanation).toContain('only words were compared')
    expect((await find('fahre fehmarn')).files[0]?.fileId).toBe('deutsch')
  })
})

describe('the search thread', () => {
  test('answers many at the same time without holding up the event loop', async () => {
    await add('many', distractors(300))
    const vector = (await (await testApp.app.engines.embedder()).embed(['boat'], 'query', signal))[0]
    if (!vector) throw new Error('a query has a vector')
    const question = {
      accountId: ACCOUNT,
      fileIds: null,
      query: 'loaf in the oven',
      near: {
        modelId: USE_LITE_MODEL_ID,
        vector,
        similarity: { fusion: 'sum', unrelated: 0, same: 1 } as const,
      },
      limit: 50,
    }
    await searcher.search(question, signal)
    const delay = monitorEventLoopDelay({ resolution: 5 })
    delay.enable()
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => searcher.search(question, signal)),
    )
    delay.disable()
    expect(new Set(answers.map(({ hits }) => hits[0]?.id)).size).toBe(1)
    expect(answers[0]?.hits[0]?.text).toContain('oven')
    // One search takes about 10 ms; a hundred in the way would take a second.
    expect(delay.percentile(99) / 1e6).toBeLessThan(250)
  }, 60_000)

  test('refuses when too many wait, and forgets those who leave', async () => {
    const question = { accountId: ACCOUNT, fileIds: null, query: 'oven', near: null, limit: 5 }
    const abort = new AbortController()
    const asked = Array.from({ length: 256 }, async () =>
      searcher.search(question, abort.signal).catch((error: unknown) => error),
    )
    const refused = await searcher.search(question, signal).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'system_overload' })
    abort.abort(new Error('left'))
    const ends = await Promise.all(asked)
    expect(ends.some((end) => end instanceof Error && end.message === 'left')).toBe(true)
    expect((await searcher.search(question, signal)).hits.length).toBeGreaterThan(0)
  })
})

describe('another model', () => {
  test('takes over when everything has been embedded anew; until then the former one answers', async () => {
    const { app } = testApp
    await app.engines.models.use(TINY_E5.id)
    const before = await find('when can the ships leave the port')
    expect(before.modelId).toBe(USE_LITE_MODEL_ID)
    expect(before.files.map(({ fileId }) => fileId)).toContain('boats')
    expect(before.explanation).toMatch(/3 of 3 files are still to be prepared for tiny-e5/)
    expect(listPending(app, TINY_E5.id, 10)).toHaveLength(4)
    await reembed(app, signal)
    expect(listPending(app, TINY_E5.id, 10)).toEqual([])
    const after = await find('harbour tide')
    expect(after.modelId).toBe(TINY_E5.id)
    expect(after.files[0]?.fileId).toBe('boats')
    expect([...coverageOf(app, { accountId: ACCOUNT, fileIds: null }).models]).toEqual([[TINY_E5.id, 3]])
  }, 60_000)

  test('a turn that was cut off goes on where it was', async () => {
    const { app } = testApp
    app.engines.models.clearUse('embedding')
    const abort = new AbortController()
    abort.abort(new Error('shutting down'))
    expect(await reembed(app, abort.signal).catch((error: unknown) => error)).toMatchObject({
      message: 'shutting down',
    })
    expect(coverageOf(app, { accountId: ACCOUNT, fileIds: null }).models.get(TINY_E5.id)).toBe(3)
    await reembed(app, signal)
    expect([...coverageOf(app, { accountId: ACCOUNT, fileIds: null }).models.keys()]).toEqual([
      USE_LITE_MODEL_ID,
    ])
  }, 60_000)
})

test('a reranker puts the best in its own order, and its score is the relevance', async () => {
  const { app } = testApp
  await add('storm', ['the storm in the winter', 'a doctor in the school garden'])
  await app.engines.models.use(TINY_RERANKER.id)
  const { files, explanation } = await find('doctor garden')
  expect(files[0]).toMatchObject({ fileId: 'storm', timestamps: [30] })
  expect(files[0]?.relevance).toBeGreaterThan(0.5)
  expect(explanation).toContain(`put the best in order with ${TINY_RERANKER.id}`)
  app.engines.models.clearUse('rerank')
})

test('a long document is cut along its chunks, which stay in order', async () => {
  await add('long', distractors(50))
  const { db } = testApp.app
  const id = listPending(testApp.app, 'no-such-model', 1)[0]?.id ?? 0
  expect(listChunks({ db }, id).map(({ startMs }) => startMs)).toEqual(
    Array.from({ length: 50 }, (_, at) => at * 30_000),
  )
})
