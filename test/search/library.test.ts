// The index over online videos: one document for all who have a transcript, found only by those; and how an index of an
// earlier version gets there.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createAccount } from '../../src/accounts/accounts.ts'
import { openDatabase, transaction } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { countActiveTasks } from '../../src/jobs/tasks.ts'
import { startVideos } from '../../src/search/channel.job.ts'
import {
  addVideos,
  countVideos,
  endVideo,
  insertChannel,
  listWorkingTasks,
} from '../../src/search/channels.ts'
import { builtinVariants, expandQuery } from '../../src/search/expansion.ts'
import { indexLibrary, sweepLibrary } from '../../src/search/library-index.ts'
import { findVideos } from '../../src/search/rank.ts'
import { searcherOf } from '../../src/search/searcher.ts'
import { hasVideoDocument, listPending } from '../../src/search/store.ts'
import { captionsKey, saveCaptions } from '../../src/transcripts/captions.ts'
import { addToLibrary, listLibrary, listUnindexed, removeFromLibrary } from '../../src/transcripts/library.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { createLlmServer } from '../support/llm-server.ts'

const signal = AbortSignal.timeout(60_000)
let testApp: TestApp
const accounts = { one: '', two: '' }

beforeAll(async () => {
  testApp = await createTestApp()
  accounts.one = createAccount(testApp.app, 'one', 'custom').id
  accounts.two = createAccount(testApp.app, 'two', 'custom').id
})
afterAll(async () => {
  searcherOf(testApp.app).close()
  await testApp.close()
})

const urlOf = (name: string): string => `https://video.example/${name}`

/** A captioned video in the libraries of these accounts. */
function addVideo(name: string, text: string, whose: readonly string[], isOwn = true): string {
  const { app } = testApp
  return transaction(app.db, () => {
    const key = captionsKey(urlOf(name), 0, '')
    const videoInfo = {
      title: name,
      url: urlOf(name),
      duration: 30,
      published_date: '2020-05-05T00:00:00.000Z',
    }
    const segments = [{ text, start: 0, end: 30 }]
    const transcriptId = saveCaptions(app, key, { kind: 'manual', language: 'en', segments, videoInfo })
    for (const accountId of whose) addToLibrary(app, { accountId, cacheKey: key, transcriptId, isOwn })
    return transcriptId
  })
}

const find = async (accountId: string, query: string): Promise<string[]> => {
  const { app } = testApp
  const transcriptIds = listLibrary(app, accountId)
  const { videos } = await findVideos(app, searcherOf(app), { transcriptIds, query, limit: 10 }, signal)
  return videos.map(({ transcriptId }) => transcriptId)
}

test('a transcript is indexed once for all, and found by those who have it', async () => {
  const { app } = testApp
  const shared = addVideo('boats', 'The ferry leaves at six.', [accounts.one, accounts.two])
  const own = addVideo('bread', 'The dough rests overnight.', [accounts.one])
  expect(listUnindexed(app, null, 10)).toEqual([shared, own])
  await indexLibrary(app, null, { signal, budgetMs: 60_000 })
  expect(listUnindexed(app, null, 10)).toEqual([])
  expect(await find(accounts.one, 'dough overnight')).toEqual([own])
  expect(await find(accounts.two, 'dough overnight')).toEqual([])
  expect(await find(accounts.two, 'when does the ferry leave')).toEqual([shared])
})

test('another encoder goes through videos as through files', () => {
  expect(listPending(testApp.app, 'another-model', 10).length).toBe(2)
})

test('a transcript nobody holds leaves the index; one that somebody asked for stays', async () => {
  const { app } = testApp
  const followed = addVideo('stars', 'The rings of Saturn.', [accounts.one], false)
  await indexLibrary(app, accounts.one, { signal, budgetMs: 60_000 })
  const key = { accountId: accounts.one, url: urlOf('boats'), item: 0 }
  expect(removeFromLibrary(app, key)).toBeUndefined()
  expect(removeFromLibrary(app, { ...key, url: urlOf('stars') })).toBe(followed)
  sweepLibrary(app)
  expect(hasVideoDocument(app, followed)).toBe(false)
  expect(await find(accounts.one, 'when does the ferry leave')).toHaveLength(1)
})

test('a newer transcript of the same video takes the place of the former one', async () => {
  const { app } = testApp
  const former = listLibrary(app, accounts.two)
  const newer = addVideo('boats', 'The ferry leaves at seven.', [accounts.two])
  expect(listLibrary(app, accounts.two)).toEqual([newer])
  expect(former).not.toContain(newer)
  expect(listUnindexed(app, accounts.two, 10)).toEqual([newer])
})

test('an index that an earlier version made keeps its documents, words and vectors', () => {
  const folder = join(import.meta.dir, '../../src/db/migrations')
  const db = openDatabase(':memory:')
  const earlier = readdirSync(folder)
    .filter((name) => name < '015')
    .toSorted()
  for (const name of earlier) db.run(readFileSync(join(folder, name), 'utf8'))
  db.run(`pragma user_version = ${earlier.length}`)
  db.run(`insert into accounts values ('a', 'a', 'custom', 0, null)`)
  db.run(`insert into files (id, account_id, name, size_bytes, status, run_id, created_at, updated_at)
    values ('f', 'a', 'f', 1, 'completed', 'r', 0, 0)`)
  db.run(`insert into search_documents (id, account_id, file_id, transcript_id, chunk_count, indexed_at)
    values (7, 'a', 'f', 't', 1, 0)`)
  db.run(
    `insert into search_chunks (id, document_id, start_ms, end_ms, text) values (9, 7, 0, 1, 'a green boat')`,
  )
  db.run(`insert into search_embeddings values (7, 'm')`)
  db.run(
    `insert into search_vectors (document_id, model_id, chunk_id, signs, embedding) values (7, 'm', 9, x'01', x'00')`,
  )
  migrate(db)
  const count = (sql: string): unknown => db.query(sql).values()[0]?.[0]
  expect(count(`select rowid from search_words where search_words match 'boats'`)).toBe(9)
  expect(count('select count(*) from search_vectors where document_id = 7 and chunk_id = 9')).toBe(1)
  // What hangs on a document still goes with it.
  db.run(`delete from files where id = 'f'`)
  expect(count('select count(*) from search_chunks')).toBe(0)
  expect(count('select count(*) from search_vectors')).toBe(0)
  expect(count(`select count(*) from search_words where search_words match 'boats'`)).toBe(0)
  expect(db.query('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
  db.close()
})

test('channels of one account share two places, the newest finds first', () => {
  const { app } = testApp
  const base = { accountId: accounts.one, platform: 'YouTube', maxVideos: 30, listens: true }
  const working = (id: string): number => countVideos(app, id).working
  transaction(app.db, () => {
    const first = insertChannel(app, { ...base, url: 'https://www.youtube.com/@first' }).id
    const second = insertChannel(app, { ...base, url: 'https://www.youtube.com/@second' }).id
    addVideos(
      app,
      first,
      ['a', 'b', 'c'].map((id) => ({ url: urlOf(id), title: null })),
    )
    startVideos(app, accounts.one)
    expect([working(first), working(second)]).toEqual([2, 0])
    testApp.advance(1_000)
    addVideos(app, second, [{ url: urlOf('d'), title: null }])
    startVideos(app, accounts.one)
    expect([working(first), working(second)]).toEqual([2, 0])
    const [ended = ''] = listWorkingTasks(app, first)
    endVideo(app, ended, { state: 'indexed', error: null })
    startVideos(app, accounts.one)
    expect([working(first), working(second)]).toEqual([1, 1])
    expect(countActiveTasks(app, accounts.one)).toBe(0)
  })
})

test('a language model writes other queries; one that fails leaves it to the synonyms', async () => {
  const model = createLlmServer('sensible', 'prose')
  const other = await createTestApp({ EARSHOT_LLM_URL: model.url, EARSHOT_LLM_MODEL: 'big' })
  try {
    model.say({
      queries: ['winter  ferry timetable', 'When does the SHIP leave?', 'boats to the island', 'a fourth'],
    })
    const { variants, tokens } = await expandQuery(other.app, 'when does the ship leave', signal)
    expect(variants).toEqual(['winter ferry timetable', 'boats to the island'])
    expect(tokens.prompt + tokens.completion).toBeGreaterThan(0)
    // What somebody looks for is data to the model.
    expect(model.requests[0]?.user).toContain('<data>when does the ship leave</data>')
    const failed = await expandQuery(other.app, 'when does the ship leave', signal)
    expect(failed).toEqual({ variants: ['boat leave'], tokens: { prompt: 0, completion: 0 } })
  } finally {
    await other.close()
    await model.close()
  }
})

test('the built-in expansion replaces a word, or leaves out what says nothing', () => {
  expect(builtinVariants('when does the ship leave')).toEqual(['boat leave'])
  expect(builtinVariants('what is the meaning of gratitude')).toEqual(['meaning gratitude'])
})
