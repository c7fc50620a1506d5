// A query → the files or online videos in which somebody spoke about it, best first, with the moments: candidates from the search thread,
// put in order by a reranker where one is installed, then grouped.

import type { App } from '../app.ts'
import type { Embedder } from '../engines/embedder.ts'
import type { Reranker } from '../engines/reranker.ts'
import { asError, Problem } from '../lib/problem.ts'
import { explain, type Method } from './explanation.ts'
import { descending } from './fusion.ts'
import { understands } from './language.ts'
import type { Findings, Hit } from './lookup.ts'
import { locate } from './moments.ts'
import type { Searcher } from './searcher.ts'
import { type Coverage, coverageOf, type SearchScope } from './store.ts'

/** What less is likely to be about it is not shown. */
export const RELEVANCE_MIN = 0.1
const HITS_MAX = 200
const RERANKED_MAX = 24
export const FILES_MAX = 20
const TIMESTAMPS_MAX = 5
/** A further moment of a file is shown when it is at least so relevant, measured by the file's best. */
const MOMENT_SHARE_MIN = 0.5

export interface Search {
  readonly accountId: string
  readonly query: string
  /** Files that may be found; undefined: all of the account. */
  readonly fileIds?: readonly string[] | undefined
}

interface Found {
  readonly transcriptId: string
  readonly relevance: number
  /** Seconds, of the best moment first. */
  readonly timestamps: readonly number[]
  /** The best chunk. */
  readonly text: string
}

export interface FoundFile extends Found {
  readonly fileId: string
}

interface Outcome {
  /** All that are relevant, those that are not shown included. */
  readonly totalFound: number
  readonly explanation: string
  /** Undefined: by words alone. */
  readonly modelId: string | undefined
}

export interface FoundFiles extends Outcome {
  /** Best first, at most 20. */
  readonly files: readonly FoundFile[]
}

export interface FoundVideos extends Outcome {
  /** Best first. */
  readonly videos: readonly Found[]
}

export async function findFiles(
  app: App,
  searcher: Searcher,
  { accountId, query, fileIds }: Search,
  signal: AbortSignal,
): Promise<FoundFiles> {
  const scope = { accountId, fileIds: fileIds ?? null }
  const { found, ...outcome } = await find(app, searcher, { scope, query, limit: FILES_MAX }, signal)
  return {
    ...outcome,
    files: found.flatMap(({ fileId, ...item }) => (fileId === null ? [] : [{ ...item, fileId }])),
  }
}

/** Among the online videos with these transcripts. */
export async function findVideos(
  app: App,
  searcher: Searcher,
  { transcriptIds, query, limit }: { transcriptIds: readonly string[]; query: string; limit: number },
  signal: AbortSignal,
): Promise<FoundVideos> {
  const { found, ...outcome } = await find(app, searcher, { scope: { transcriptIds }, query, limit }, signal)
  return { ...outcome, videos: found }
}

interface Task {
  readonly scope: SearchScope
  readonly query: string
  /** Files or videos that are shown. */
  readonly limit: number
}

async function find(
  app: App,
  searcher: Searcher,
  { scope, query, limit }: Task,
  signal: AbortSignal,
): Promise<Outcome & { readonly found: readonly (Found & { readonly fileId: string | null })[] }> {
  const coverage = coverageOf(app, scope)
  const sources = sourcesOf(scope)
  const { embedder, note } = await chooseEmbedder(app, { coverage, query, sources }, signal)
  const [vector] = embedder ? await embedder.embed([query], 'query', signal) : []
  const near =
    embedder && vector ? { modelId: embedder.modelId, similarity: embedder.similarity, vector } : null
  const findings = await searcher.search({ ...scope, query, near, limit: HITS_MAX }, signal)
  const { hits, rerankedBy } = await rerank(app, query, findings, signal)
  const relevant = group(hits.filter(({ relevance }) => relevance >= RELEVANCE_MIN))
  const shown = relevant.slice(0, limit)
  const moments = await locate(app, { query, vector, embedder, hits: shown.flat() }, signal)
  return {
    found: shown.map((own) => foundIn(own, moments)),
    totalFound: relevant.length,
    explanation: explain(
      // Anew: files may have come in since.
      { coverage: coverageOf(app, scope), embedder, note, rerankedBy, sources },
      findings,
      'fileIds' in scope ? scope.fileIds?.length : undefined,
    ),
    modelId: embedder?.modelId,
  }
}

const sourcesOf = (scope: SearchScope): Method['sources'] =>
  'transcriptIds' in scope ? ['video of the library', 'videos of the library'] : ['file', 'files']

/**
 * The chosen encoder, once it has been through all documents of the account; until then the one that has been through
 * most. None when it does not understand the query.
 */
async function chooseEmbedder(
  app: App,
  { coverage, query, sources }: { coverage: Coverage; query: string; sources: Method['sources'] },
  signal: AbortSignal,
): Promise<Pick<Method, 'embedder' | 'note'>> {
  let chosen: Embedder
  try {
    chosen = await app.engines.embedder()
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    app.log.warn({ err: error }, 'search by words alone')
    return { embedder: undefined, note: 'The sentence encoder can not be used, so only words were compared.' }
  }
  const done = coverage.models.get(chosen.modelId) ?? 0
  const [formerId, formerDone = 0] = [...coverage.models].find(([id]) => id !== chosen.modelId) ?? []
  const former =
    done < coverage.documents && formerDone > done && formerId !== undefined
      ? await app.engines.findEmbedder(formerId)
      : undefined
  const embedder = former ?? chosen
  const progress =
    done < coverage.documents
      ? `${coverage.documents - done} of ${coverage.documents} ${sources[1]} are still to be prepared for ${chosen.modelId}.`
      : undefined
  if (await understands(embedder, query, null, signal)) return { embedder, note: progress }
  const languages = embedder.languages.join(', ')
  return {
    embedder: undefined,
    note: `${embedder.modelId} understands ${languages} only, which the query does not seem to be in: only words were compared.`,
  }
}

async function rerank(
  app: App,
  query: string,
  { hits }: Findings,
  signal: AbortSignal,
): Promise<{ readonly hits: readonly Hit[]; readonly rerankedBy: string | undefined }> {
  const first = hits.slice(0, RERANKED_MAX)
  if (first.length < 2) return { hits, rerankedBy: undefined }
  try {
    const reranker: Reranker | undefined = await app.engines.findReranker()
    if (!reranker) return { hits, rerankedBy: undefined }
    const scores = await reranker.score(
      query,
      first.map(({ text }) => text),
      signal,
    )
    const reordered = first
      .map((hit, index) => ({ hit, relevance: scores[index] ?? 0 }))
      .toSorted((a, b) => b.relevance - a.relevance)
    const ordered = [...reordered.map(({ hit }) => hit), ...hits.slice(RERANKED_MAX)]
    const relevances = descending([
      ...reordered.map(({ hit, relevance }) => ({ id: hit.id, relevance })),
      ...hits.slice(RERANKED_MAX),
    ])
    const reranked = ordered.map(({ id, fileId, transcriptId, startMs, endMs, text }, index) => {
      const relevance = relevances[index]?.relevance ?? 0
      return { id, fileId, transcriptId, startMs, endMs, text, relevance }
    })
    return { hits: reranked, rerankedBy: reranker.modelId }
  } catch (error) {
    signal.throwIfAborted()
    // A search without the last touch is better than none.
    app.log.warn({ err: asError(error) }, 'could not rerank')
    return { hits, rerankedBy: undefined }
  }
}

/** Hits by file or video, in the order of their best hit; of each those worth showing. */
function group(hits: readonly Hit[]): Hit[][] {
  const sources = new Map<string, Hit[]>()
  for (const hit of hits) {
    const source = hit.fileId ?? hit.transcriptId
    const own = sources.get(source) ?? []
    sources.set(source, own)
    const best = own[0]?.relevance ?? hit.relevance
    if (own.length < TIMESTAMPS_MAX && hit.relevance >= best * MOMENT_SHARE_MIN) own.push(hit)
  }
  return [...sources.values()]
}

function foundIn(hits: readonly Hit[], moments: ReadonlyMap<number, number>): Found & Pick<Hit, 'fileId'> {
  const [best] = hits
  if (!best) throw new Error('whatever was found was found by a hit')
  // Overlapping chunks may point to the same sentence.
  const timestamps = [...new Set(hits.map(({ id, startMs }) => (moments.get(id) ?? startMs) / 1_000))]
  return {
    fileId: best.fileId,
    transcriptId: best.transcriptId,
    relevance: Math.round(best.relevance * 1_000) / 1_000,
    timestamps,
    text: best.text,
  }
}
