// All SQL of the index: what the server writes, and what it reads in passing. The search itself reads in its worker
// through `lookups` below, on a connection of its own. Owns every table whose name begins with `search_`.

import type { App } from '../app.ts'
import type { Db } from '../db/database.ts'
import type { Stretch } from './chunks.ts'
import type { VocabularyTerm } from './spelling.ts'

type Context = Pick<App, 'db' | 'now'>

export interface NewDocument {
  /** Null, like `fileId`: the document of an online video, which everybody finds who has its transcript in the library. */
  readonly accountId: string | null
  readonly fileId: string | null
  readonly transcriptId: string
  readonly language: string | null
  readonly chunks: readonly Stretch[]
}

/** What a model made of a document: one unit vector per chunk in their order, or null where it does not understand it. */
export interface DocumentVectors {
  readonly modelId: string
  readonly vectors: readonly Float32Array[] | null
}

/** Puts the document in the place of the former one of the file, or of the online video's transcript. Joins the caller's transaction. */
export function replaceDocument(app: Context, document: NewDocument, made: DocumentVectors): void {
  const { accountId, fileId, transcriptId, language, chunks } = document
  if (fileId === null) removeVideoDocument(app, transcriptId)
  else removeDocument(app, fileId)
  const inserted = app.db
    .query<{ id: number }, [Record<string, string | number | null>]>(
      `insert into search_documents (account_id, file_id, transcript_id, language, chunk_count, indexed_at)
       values ($accountId, $fileId, $transcriptId, $language, $chunkCount, $now) returning id`,
    )
    .get({ accountId, fileId, transcriptId, language, chunkCount: chunks.length, now: app.now() })
  if (!inserted) throw new Error('an insert returns what it inserted')
  const insert = app.db.query(
    `insert into search_chunks (document_id, start_ms, end_ms, text) values ($documentId, $startMs, $endMs, $text)`,
  )
  for (const { startMs, endMs, text } of chunks) {
    insert.run({ documentId: inserted.id, startMs: Math.round(startMs), endMs: Math.round(endMs), text })
  }
  addVectors(app, inserted.id, made)
}

/** Joins the caller's transaction. The rows of its chunks go with it, and triggers take their words along. */
export function removeDocument({ db }: Pick<App, 'db'>, fileId: string): void {
  db.query('delete from search_documents where file_id = $fileId').run({ fileId })
}

/** As `removeDocument`, for the transcript of an online video. */
export function removeVideoDocument({ db }: Pick<App, 'db'>, transcriptId: string): void {
  db.query('delete from search_documents where transcript_id = $transcriptId and account_id is null').run({
    transcriptId,
  })
}

export function hasVideoDocument({ db }: Pick<App, 'db'>, transcriptId: string): boolean {
  const row = db
    .query<{ id: number }, [{ transcriptId: string }]>(
      'select id from search_documents where transcript_id = $transcriptId and account_id is null',
    )
    .get({ transcriptId })
  return row !== null
}

/** Transcripts of online videos that are in the index, in order, from behind `after`. */
export function listVideoDocuments({ db }: Pick<App, 'db'>, after: string, limit: number): string[] {
  return db
    .query<{ transcript_id: string }, [{ after: string; limit: number }]>(
      `select transcript_id from search_documents where account_id is null and transcript_id > $after
       order by transcript_id limit $limit`,
    )
    .all({ after, limit })
    .map((row) => row.transcript_id)
}

/** Does nothing when the document is gone or has changed. Joins the caller's transaction. */
export function addVectors({ db }: Pick<App, 'db'>, documentId: number, made: DocumentVectors): void {
  const { modelId, vectors } = made
  const chunkIds = listChunks({ db }, documentId).map(({ id }) => id)
  if (chunkIds.length === 0 || (vectors && vectors.length !== chunkIds.length)) {
    if (vectors && vectors.length > 0) return
  }
  const { changes } = db
    .query(
      `insert into search_embeddings (document_id, model_id)
       select id, $modelId from search_documents where id = $documentId on conflict do nothing`,
    )
    .run({ documentId, modelId })
  if (changes === 0 || !vectors) return
  const insert = db.query(
    `insert into search_vectors (document_id, model_id, chunk_id, signs, embedding)
     values ($documentId, $modelId, $chunkId, $signs, $embedding)`,
  )
  for (const [index, vector] of vectors.entries()) {
    const chunkId = chunkIds[index]
    if (chunkId === undefined) continue
    insert.run({ documentId, modelId, chunkId, signs: signsOf(vector), embedding: bytesOf(vector) })
  }
}

export interface PendingDocument {
  readonly id: number
  readonly language: string | null
}

/** Some documents that the model has not been through, the newest first. */
export function listPending({ db }: Pick<App, 'db'>, modelId: string, limit: number): PendingDocument[] {
  return db
    .query<PendingDocument, [{ modelId: string; limit: number }]>(
      `select id, language from search_documents d
       where not exists (select 1 from search_embeddings e where e.document_id = d.id and e.model_id = $modelId)
       order by id desc limit $limit`,
    )
    .all({ modelId, limit })
}

/** What other models made. At most `limit` documents at a time; returns how many there were. */
export function removeOtherVectors({ db }: Pick<App, 'db'>, modelId: string, limit: number): number {
  const documents = db
    .query<{ id: number; model_id: string }, [{ modelId: string; limit: number }]>(
      `select document_id as id, model_id from search_embeddings where model_id <> $modelId limit $limit`,
    )
    .all({ modelId, limit })
  for (const { id, model_id: other } of documents) {
    db.query('delete from search_vectors where document_id = $id and model_id = $other').run({ id, other })
    db.query('delete from search_embeddings where document_id = $id and model_id = $other').run({ id, other })
  }
  return documents.length
}

export interface Coverage {
  readonly documents: number
  readonly chunks: number
  /** Model id → documents that it has been through, most first. */
  readonly models: ReadonlyMap<string, number>
}

/** What there is to search in: all files of the account, or those of the videos that are in the index. */
export function coverageOf({ db }: Pick<App, 'db'>, scope: SearchScope): Coverage {
  const { condition, parameters } = scoped(scope)
  const size = db
    .query<{ documents: number; chunks: number }, [ScopeParameters]>(
      `select count(*) as documents, coalesce(sum(chunk_count), 0) as chunks from search_documents d where ${condition}`,
    )
    .get(parameters)
  const models = db
    .query<{ model_id: string; n: number }, [ScopeParameters]>(
      `select model_id, count(*) as n from search_embeddings
       where document_id in (select d.id from search_documents d where ${condition})
       group by model_id order by n desc`,
    )
    .all(parameters)
  return {
    documents: size?.documents ?? 0,
    chunks: size?.chunks ?? 0,
    models: new Map(models.map((row) => [row.model_id, row.n])),
  }
}

export function listFileIds({ db }: Pick<App, 'db'>, accountId: string): string[] {
  return db
    .query<{ file_id: string }, [{ accountId: string }]>(
      'select file_id from search_documents where account_id = $accountId',
    )
    .all({ accountId })
    .map((row) => row.file_id)
}

export interface StoredChunk extends Stretch {
  readonly id: number
}

export function listChunks({ db }: Pick<App, 'db'>, documentId: number): StoredChunk[] {
  return db
    .query<StoredChunk, [{ documentId: number }]>(
      `select id, start_ms as startMs, end_ms as endMs, text from search_chunks
       where document_id = $documentId order by id`,
    )
    .all({ documentId })
}

/** One bit per number: set where it is positive. Whole bytes, the first number in the lowest bit. */
export function signsOf(vector: Float32Array): Uint8Array {
  const signs = new Uint8Array(Math.ceil(vector.length / 8))
  for (const [index, value] of vector.entries()) {
    if (value > 0) signs[index >> 3] = (signs[index >> 3] ?? 0) | (1 << (index & 7))
  }
  return signs
}

export function bytesOf(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}

/** What a search may find. */
export type SearchScope =
  /** Files of an account: these, or with null all of them. */
  | { readonly accountId: string; readonly fileIds: readonly string[] | null }
  /** Online videos, by transcript: the caller says which ones the account may see. */
  | { readonly transcriptIds: readonly string[] }

/** The same parameters in both conditions, so that one statement's code serves both. */
type ScopeParameters = {
  readonly accountId: string | null
  /** JSON array. */
  readonly ids: string | null
}

const FILES = `d.account_id = $accountId and ($ids is null or d.file_id in (select value from json_each($ids)))`
const VIDEOS = `d.account_id is null and $accountId is null
  and d.transcript_id in (select value from json_each($ids))`

function scoped(scope: SearchScope): { readonly condition: string; readonly parameters: ScopeParameters } {
  if ('transcriptIds' in scope) {
    return {
      condition: VIDEOS,
      parameters: { accountId: null, ids: JSON.stringify(scope.transcriptIds) },
    }
  }
  const { accountId, fileIds } = scope
  return {
    condition: FILES,
    parameters: { accountId, ids: fileIds === null ? null : JSON.stringify(fileIds) },
  }
}

export interface Lookups {
  /** Chunks that match an FTS5 query, best first by bm25. */
  byWords(scope: SearchScope, match: string, limit: number): number[]
  /** Chunks whose vectors are closest, closest first. Above `exactMax` chunks a first look at the signs decides which. */
  byVector(
    scope: SearchScope,
    near: Nearness,
    limit: number,
  ): { readonly id: number; readonly cosine: number }[]
  /** Cosines of given chunks, where they have a vector. */
  cosines(ids: readonly number[], near: Nearness): Map<number, number>
  chunks(ids: readonly number[]): FoundChunk[]
  /** Terms of the index from `from` up to but not including `to`. */
  terms(from: string, to: string): Iterable<VocabularyTerm>
  term(term: string): VocabularyTerm | undefined
  /** About how many chunks the index holds. */
  size(): number
}

export interface Nearness {
  readonly modelId: string
  readonly vector: Float32Array
}

export interface FoundChunk extends Stretch {
  readonly id: number
  /** Null in an online video. */
  readonly fileId: string | null
  readonly transcriptId: string
}

export interface LookupOptions {
  readonly exactMax: number
  /** How many the first look lets through. */
  readonly coarse: number
}

/** For the search worker. `db` has loaded sqlite-vec. */
export function lookups(db: Db, { exactMax, coarse }: LookupOptions): Lookups {
  const files = scopedQueries(db, FILES)
  const videos = scopedQueries(db, VIDEOS)
  const queriesOf = (scope: SearchScope): ScopedQueries => ('transcriptIds' in scope ? videos : files)
  const given = db.query<
    Near,
    [Omit<NearParameters, keyof ScopeParameters | 'limit'> & { readonly ids: string }]
  >(
    `select v.chunk_id as id, vec_distance_cosine(v.embedding, $vector) as distance
     from json_each($ids) j cross join search_chunks c on c.id = j.value
     cross join search_vectors v on v.document_id = c.document_id and v.model_id = $modelId and v.chunk_id = c.id`,
  )
  const found = db.query<FoundChunk, [{ readonly ids: string }]>(
    `select c.id, d.file_id as fileId, d.transcript_id as transcriptId, c.start_ms as startMs, c.end_ms as endMs, c.text
     from search_chunks c join search_documents d on d.id = c.document_id
     where c.id in (select value from json_each($ids))`,
  )
  const range = db.query<VocabularyTerm, [{ readonly from: string; readonly to: string }]>(
    'select term, doc as chunks from search_vocabulary where term >= $from and term < $to',
  )
  const one = db.query<VocabularyTerm, [{ readonly term: string }]>(
    'select term, doc as chunks from search_vocabulary where term = $term',
  )
  const last = db.query<{ last: number | null }, []>('select max(id) as last from search_chunks')

  return {
    byWords: (scope, match, limit) =>
      queriesOf(scope)
        .words.all({ ...scoped(scope).parameters, match, limit })
        .map(({ id }) => id),
    byVector(scope, { modelId, vector }, limit) {
      const { size, exact, signed } = queriesOf(scope)
      const within = scoped(scope).parameters
      const parameters = { ...within, modelId, vector: bytesOf(vector), limit }
      const rows =
        (size.get(within)?.chunks ?? 0) <= exactMax
          ? exact.all(parameters)
          : signed.all({ ...parameters, signs: signsOf(vector), coarse })
      return rows.map(({ id, distance }) => ({ id, cosine: 1 - distance }))
    },
    cosines(ids, { modelId, vector }) {
      const rows = given.all({ ids: JSON.stringify(ids), modelId, vector: bytesOf(vector) })
      return new Map(rows.map(({ id, distance }) => [id, 1 - distance]))
    },
    chunks: (ids) => found.all({ ids: JSON.stringify(ids) }),
    terms: (from, to) => range.iterate({ from, to }),
    term: (term) => one.get({ term }) ?? undefined,
    size: () => last.get()?.last ?? 0,
  }
}

/** What is looked up within a scope; `condition` is one of the two above. */
function scopedQueries(db: Db, condition: typeof FILES | typeof VIDEOS) {
  return {
    size: db.query<{ chunks: number }, [ScopeParameters]>(
      `select coalesce(sum(chunk_count), 0) as chunks from search_documents d where ${condition}`,
    ),
    exact: db.query<Near, [NearParameters]>(
      `select v.chunk_id as id, vec_distance_cosine(v.embedding, $vector) as distance
       from search_documents d cross join search_vectors v on v.document_id = d.id and v.model_id = $modelId
       where ${condition} order by distance limit $limit`,
    ),
    signed: db.query<Near, [NearParameters & { readonly signs: Uint8Array; readonly coarse: number }]>(
      `select v.chunk_id as id, vec_distance_cosine(v.embedding, $vector) as distance
       from search_vectors v
       where v.id in (
         select v.id from search_documents d cross join search_vectors v indexed by search_vectors_signs
           on v.document_id = d.id and v.model_id = $modelId
         where ${condition} order by vec_distance_hamming(vec_bit(v.signs), vec_bit($signs)) limit $coarse)
       order by distance limit $limit`,
    ),
    words: db.query<{ id: number }, [ScopeParameters & { readonly match: string; readonly limit: number }]>(
      `select w.rowid as id from search_words w
       join search_chunks c on c.id = w.rowid join search_documents d on d.id = c.document_id
       where search_words match $match and ${condition} order by w.rank limit $limit`,
    ),
  }
}
type ScopedQueries = ReturnType<typeof scopedQueries>

interface Near {
  readonly id: number
  readonly distance: number
}

type NearParameters = ScopeParameters & {
  readonly modelId: string
  readonly vector: Uint8Array
  readonly limit: number
}
