// How fast the index is filled and searched: embedding and writing per second; p50 and p99 of the search thread at 10,000,
// 100,000 and 500,000 chunks, of one account and of fifty; how long the event loop is held up meanwhile; and how much the
// first look at the signs of many vectors loses. Vectors are made up, in clusters as real ones are.
// `bun scripts/bench/search.ts [CHUNKS…]`

import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { App } from '../../src/app.ts'
import { databasePath, openDatabase, transaction } from '../../src/db/database.ts'
import type { Question } from '../../src/search/lookup.ts'
import { createSearcher, type Searcher } from '../../src/search/searcher.ts'
import { lookups, replaceDocument } from '../../src/search/store.ts'
import { createTestApp } from '../../test/support/app.ts'
import { distractors } from '../../test/support/distractors.ts'

const CHUNKS_PER_FILE = 60
const DIMENSIONS = 512
const CLUSTERS = 500
const SEARCHES = 60
const AT_ONCE = 8
const MODEL = 'made-up'
const signal = AbortSignal.timeout(3_600_000)
const counts = process.argv.slice(2).map(Number)

let state = 12_345
function random(): number {
  state = (state * 48_271) % 2_147_483_647
  return state / 2_147_483_647 - 0.5
}

const centres = Array.from({ length: CLUSTERS }, () => Float32Array.from({ length: DIMENSIONS }, random))

function vector(): Float32Array {
  const centre = centres[Math.floor((random() + 0.5) * CLUSTERS)] ?? new Float32Array(DIMENSIONS)
  const raw = centre.map((value) => value + 0.8 * random())
  const length = Math.sqrt(raw.reduce((sum, value) => sum + value * value, 0))
  return raw.map((value) => value / length)
}

const TEXTS = distractors(2_000)
const QUERIES = [
  'heavy loan for the wooden boat',
  'when does the ferry leave',
  'Paola and the castle',
  'chop an onion',
]

function fill(app: App, chunks: number, accounts: number): void {
  app.db.run('pragma foreign_keys = off')
  const files = Math.ceil(chunks / CHUNKS_PER_FILE)
  for (let file = 0; file < files; file++) {
    const texts = Array.from({ length: CHUNKS_PER_FILE }, (_, at) => ({
      startMs: at * 30_000,
      endMs: (at + 1) * 30_000,
      text: TEXTS[(file * 17 + at * 31) % TEXTS.length] ?? '',
    }))
    const document = {
      accountId: `account-${file % accounts}`,
      fileId: `file-${file}`,
      transcriptId: `file-${file}`,
      language: 'en',
      chunks: texts,
    }
    transaction(app.db, () => replaceDocument(app, document, { modelId: MODEL, vectors: texts.map(vector) }))
  }
}

function question(at: number, accounts: number): Question {
  const similarity = { fusion: 'sum', unrelated: 0, same: 1 } as const
  return {
    accountId: `account-${at % accounts}`,
    fileIds: null,
    query: QUERIES[at % QUERIES.length] ?? '',
    near: { modelId: MODEL, vector: vector(), similarity },
    limit: 50,
  }
}

const quantile = (values: readonly number[], share: number): string =>
  (values.toSorted((a, b) => a - b)[Math.floor(share * (values.length - 1))] ?? 0).toFixed(1)

async function measure(searcher: Searcher, accounts: number): Promise<string> {
  for (let at = 0; at < 4; at++) await searcher.search(question(at, accounts), signal)
  const alone: number[] = []
  for (let at = 0; at < SEARCHES; at++) {
    const startedAt = performance.now()
    await searcher.search(question(at, accounts), signal)
    alone.push(performance.now() - startedAt)
  }
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  for (let round = 0; round < 3; round++) {
    const asked = Array.from({ length: AT_ONCE }, (_, at) => searcher.search(question(at, accounts), signal))
    await Promise.all(asked)
  }
  delay.disable()
  const held = (delay.percentile(99) / 1e6).toFixed(1)
  return `p50 ${quantile(alone, 0.5)} ms, p99 ${quantile(alone, 0.99)} ms; event loop p99 ${held} ms with ${AT_ONCE} at once`
}

/** Of the true ten nearest, the share that the first look lets through. */
function recallOfSigns(app: App): string {
  const db = openDatabase(databasePath(app.config.dataDir))
  db.loadExtension(app.engines.native.path('vec0.so'))
  const [exact, coarse] = [1e9, 0].map((exactMax) => lookups(db, { exactMax, coarse: 1_000 }))
  const scope = { accountId: 'account-0', fileIds: null }
  let kept = 0
  for (let at = 0; at < 10; at++) {
    const near = { modelId: MODEL, vector: vector() }
    const truth = new Set(exact?.byVector(scope, near, 10).map(({ id }) => id))
    kept += coarse?.byVector(scope, near, 10).filter(({ id }) => truth.has(id)).length ?? 0
  }
  db.close()
  return `${kept} % of the ten nearest`
}

async function measureIndexing(app: App): Promise<void> {
  const embedder = await app.engines.embedder()
  const texts = TEXTS.slice(0, 200)
  await embedder.embed(texts.slice(0, 5), 'passage', signal)
  const startedAt = performance.now()
  await embedder.embed(texts, 'passage', signal)
  const perSecond = (texts.length / (performance.now() - startedAt)) * 1_000
  console.log(`${embedder.modelId}: ${perSecond.toFixed(0)} chunks embedded a second`)
}

const first = await createTestApp()
await measureIndexing(first.app)
await first.close()
for (const count of counts.length > 0 ? counts : [10_000, 100_000, 500_000]) {
  for (const accounts of [1, 50]) {
    const testApp = await createTestApp()
    const startedAt = performance.now()
    fill(testApp.app, count, accounts)
    const perSecond = (count / (performance.now() - startedAt)) * 1_000
    const searcher = createSearcher(testApp.app)
    const figures = await measure(searcher, accounts)
    const signs = accounts === 1 ? `; signs keep ${recallOfSigns(testApp.app)}` : ''
    console.log(
      `${count} chunks, ${accounts} account${accounts === 1 ? '' : 's'}: ${figures}; written ${perSecond.toFixed(0)}/s${signs}`,
    )
    searcher.close()
    await testApp.close()
  }
}
