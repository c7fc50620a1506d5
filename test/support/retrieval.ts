// The retrieval set of test/search/quality in an index, and how well each way of searching finds what was looked for.

import type { App } from '../../src/app.ts'
import { databasePath, openDatabase, transaction } from '../../src/db/database.ts'
import type { Embedder } from '../../src/engines/embedder.ts'
import { type Findings, search } from '../../src/search/lookup.ts'
import { createStems } from '../../src/search/stems.ts'
import { lookups, replaceDocument } from '../../src/search/store.ts'
import passages from '../search/quality/passages.json' with { type: 'json' }
import queries from '../search/quality/queries.json' with { type: 'json' }
import { distractors } from './distractors.ts'

export const KINDS = ['paraphrase', 'phrase', 'name', 'typo', 'question'] as const
export type Kind = (typeof KINDS)[number]
export const WAYS = ['words', 'vectors', 'fused'] as const
export type Way = (typeof WAYS)[number]

/** `tuning`: every second query, the half that numbers may be fitted on. */
export type Half = 'all' | 'tuning' | 'rest'

export interface Measured {
  readonly recall1: number
  readonly recall5: number
  /** Mean of 1 / place. */
  readonly reciprocal: number
  readonly queries: number
}

export interface Retrieval {
  measure(way: Way, half?: Half, kind?: Kind): Measured
  /** What a query for nothing in the set finds first. */
  readonly unanswerable: readonly Findings[]
  /** For each query its findings, best first, and the passage it looks for. */
  readonly fused: readonly {
    readonly findings: Findings
    readonly answer: string
    readonly tuning: boolean
  }[]
}

interface Ranked {
  readonly kind: string
  readonly tuning: boolean
  /** From 0; undefined when it was not found at all. */
  readonly places: Readonly<Record<Way, number | undefined>>
}

const ACCOUNT = 'retrieval'
const LIMIT = 100

/** Embeds everything, which takes about 10 ms a passage. */
export async function createRetrieval(app: App, distractorCount: number): Promise<Retrieval> {
  const signal = AbortSignal.timeout(600_000)
  const embedder = await app.engines.embedder()
  // The documents belong to no real files.
  app.db.run('pragma foreign_keys = off')
  await fill(app, embedder, [
    ...passages,
    ...distractors(distractorCount).map((text, index) => ({ id: `distractor-${index}`, text })),
  ])
  const db = openDatabase(databasePath(app.config.dataDir))
  db.loadExtension(app.engines.native.path('vec0.so'))
  const index = lookups(db, { exactMax: 20_000, coarse: 1_000 })
  const stems = createStems()
  const vectors = await embedder.embed(
    queries.map(({ query }) => query),
    'query',
    signal,
  )
  const ask = (at: number, way: Way): Findings => {
    const vector = vectors[at]
    if (!vector) throw new Error('every query has a vector')
    return search(index, stems, {
      accountId: ACCOUNT,
      fileIds: null,
      // Nothing to look for by words.
      query: way === 'vectors' ? '' : (queries[at]?.query ?? ''),
      near: way === 'words' ? null : { modelId: embedder.modelId, vector, similarity: embedder.similarity },
      limit: LIMIT,
    })
  }
  const answered = queries.map(({ kind, answer }, at) => ({ kind, answer, at, tuning: at % 2 === 0 }))
  const withAnswer = answered.filter(({ answer }) => answer !== null)
  const fused = withAnswer.map(({ at, answer, tuning }) => ({
    findings: ask(at, 'fused'),
    answer: answer ?? '',
    tuning,
  }))
  const ranked = withAnswer.map(({ at, kind, answer, tuning }, number): Ranked => {
    const placeIn = (findings: Findings | undefined): number | undefined => {
      const place = findings?.hits.findIndex(({ fileId }) => fileId === answer) ?? -1
      return place < 0 ? undefined : place
    }
    const places = {
      words: placeIn(ask(at, 'words')),
      vectors: placeIn(ask(at, 'vectors')),
      fused: placeIn(fused[number]?.findings),
    }
    return { kind, tuning, places }
  })
  const unanswerable = answered.filter(({ answer }) => answer === null).map(({ at }) => ask(at, 'fused'))
  db.close()
  return { unanswerable, fused, measure: measureOf(ranked) }
}

function measureOf(ranked: readonly Ranked[]): Retrieval['measure'] {
  return (way, half = 'all', kind) => {
    const wanted = ranked.filter(
      (item) =>
        (kind === undefined || item.kind === kind) && (half === 'all' || item.tuning === (half === 'tuning')),
    )
    const places = wanted.map(({ places }) => places[way])
    const share = (top: number): number =>
      places.filter((place) => place !== undefined && place < top).length / wanted.length
    const sum = places.reduce<number>(
      (total, place) => total + (place === undefined ? 0 : 1 / (place + 1)),
      0,
    )
    return { recall1: share(1), recall5: share(5), reciprocal: sum / wanted.length, queries: wanted.length }
  }
}

async function fill(
  app: App,
  embedder: Embedder,
  texts: readonly { readonly id: string; readonly text: string }[],
): Promise<void> {
  const vectors = await embedder.embed(
    texts.map(({ text }) => text),
    'passage',
    AbortSignal.timeout(600_000),
  )
  transaction(app.db, () => {
    for (const [index, { id, text }] of texts.entries()) {
      const vector = vectors[index]
      if (!vector) continue
      const chunks = [{ startMs: 0, endMs: 30_000, text }]
      const document = { accountId: ACCOUNT, fileId: id, transcriptId: id, language: 'en', chunks }
      replaceDocument(app, document, { modelId: embedder.modelId, vectors: [vector] })
    }
  })
}
