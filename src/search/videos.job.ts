// One search of online videos: other words for the query → the platform's list and the library → transcripts of what is
// new → one ranking → a look at the best. Its task is that of a synchronous request: whoever asked waits, and what is
// interrupted costs nothing.

import { analyseFound, type FoundAnalyses, type FoundAnalysis } from '../analysis/found.ts'
import { sumTokens } from '../analysis/engine.ts'
import { settleAnalysis } from '../analysis/charges.ts'
import type { App } from '../app.ts'
import { revert } from '../billing/ledger.ts'
import { defineJob } from '../jobs/job.ts'
import { completeTask, failTask, findTask, markStarted, type Task } from '../jobs/tasks.ts'
import { type Parsed, parser, parseOrThrow, t } from '../lib/schema.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import { listSegments } from '../transcripts/transcripts.ts'
import { searchPlatform } from './candidates.ts'
import { type Expansion, expandQuery } from './expansion.ts'
import { indexLibrary } from './library-index.ts'
import { passes, rankVideos, type RankedVideo } from './video-rank.ts'
import { type VideoResult, type VideoSearch, type VideoSearchData, videoSearch } from './video-request.ts'
import { fetchTranscripts } from './video-transcripts.ts'

/** For what was transcribed since the library was last taken in. */
const INDEX_BUDGET_MS = 8 * SECOND
/** The site's "3 years ago" may be a year off. */
const DATE_SLACK_YEARS = 1
/** Of what is quoted from the best moment on. */
const MOMENT_WORDS = 25
const NOT_EXPANDED: Expansion = { variants: [], tokens: { prompt: 0, completion: 0 } }

const args = parser(t.Object({ taskId: t.String() }))

export interface VideoSearchResult {
  readonly data: VideoSearchData
  readonly engine: FoundAnalyses['engine']
  /** The credits ran out before everything was fetched. */
  readonly partial: boolean
}

export const videoSearchJob = defineJob<Parsed<typeof args>>({
  kind: 'search_video',
  lane: 'searches',
  attempts: 1,
  timeoutMs: 3 * MINUTE,
  args,
  async run({ args: { taskId }, signal }, app) {
    const task = findTask(app, taskId)
    if (task?.status !== 'processing') return undefined
    markStarted(app, taskId)
    const search = parseOrThrow(videoSearch, task.request, 'the request of a video search')
    const { result, tokens } = await searchVideos(app, { task, search }, signal)
    return () => {
      // Nothing found: nothing billed.
      if (result.data.results.length === 0) revert(app, taskId)
      else settleAnalysis(app, task, tokens)
      completeTask(app, taskId, result)
    }
  },
  failed: ({ taskId }, problem, app) => failTask(app, taskId, problem),
})

async function searchVideos(
  app: App,
  { task, search }: { readonly task: Task; readonly search: VideoSearch },
  signal: AbortSignal,
) {
  const { accountId } = task
  const [expansion] = await Promise.all([
    search.enhanced ? expandQuery(app, search.query, signal) : NOT_EXPANDED,
    indexLibrary(app, accountId, { signal, budgetMs: INDEX_BUDGET_MS }),
  ])
  const { candidates, note } = await searchPlatform(app, [search.query, ...expansion.variants], signal)
  const wanted = candidates.filter(({ facts, aboutAt }) =>
    passes({ ...facts, aboutAt }, search, DATE_SLACK_YEARS),
  )
  const { fetched, outOfCredits } = await fetchTranscripts(app, task, wanted, signal)
  const ranked = await rankVideos(app, { accountId, search, variants: expansion.variants, fetched }, signal)
  const shown = ranked.videos.slice(0, search.limit)
  const looked = await analyseFound(app, shown.map(foundOf), { query: search.query, signal })
  const captioned = fetched.filter(({ transcriptId }) => transcriptId !== undefined).length
  const explanation = [
    note ??
      `Of ${wanted.length} videos that the video platform named, ${captioned} could be searched for what is said.`,
    ...expansion.variants.map((variant) => `Also looked for "${variant}".`),
    ranked.explanation,
    ...(shown.length === 0 ? [] : [looked.explanation]),
    ...(outOfCredits ? ['The credits did not reach for the transcripts of all.'] : []),
  ].join(' ')
  const results = shown.map((video, index) => resultOf(app, video, looked.analyses[index]))
  const data = { query: search.query, results, total_found: ranked.videos.length, explanation }
  const result: VideoSearchResult = { data, engine: looked.engine, partial: outOfCredits }
  return { result, tokens: sumTokens(expansion.tokens, looked.tokens) }
}

/** Without a transcript there is nothing to look at. */
function foundOf({ transcriptId, timestamps }: RankedVideo) {
  return { transcriptId: transcriptId ?? '', timestamps }
}

function resultOf(
  app: App,
  { facts, relevance, timestamps, text, transcriptId }: RankedVideo,
  analysis: FoundAnalysis | undefined,
): VideoResult {
  const summary = analysis?.summary
  return {
    ...facts,
    relevance_score: relevance,
    transcript_summary: summary?.summary ?? null,
    people: [...(summary?.people ?? [])],
    places: [...(summary?.places ?? [])],
    key_subjects: (summary?.keySubjects ?? []).map(({ name, description }) => ({ name, description })),
    timestamp: timestamps[0] ?? null,
    relevant_text: momentText(app, transcriptId, timestamps[0]) ?? text ?? null,
    query_relevance: analysis?.answer ?? reasonOf(timestamps[0], transcriptId),
  }
}

/** What is said from that moment on, in whole segments. */
function momentText(app: App, transcriptId: string | undefined, atS: number | undefined): string | undefined {
  if (transcriptId === undefined || atS === undefined) return undefined
  const said: string[] = []
  let words = 0
  for (const { start, text } of listSegments(app, transcriptId)) {
    if (start < atS) continue
    said.push(text.trim())
    words += text.split(/\s+/u).length
    if (words >= MOMENT_WORDS) break
  }
  return said.length === 0 ? undefined : said.join(' ')
}

function reasonOf(atS: number | undefined, transcriptId: string | undefined): string {
  if (atS !== undefined) return `Something that fits the query is said ${Math.floor(atS)} seconds in.`
  if (transcriptId !== undefined)
    return 'Listed for its title or description: the transcript does not fit as well.'
  return 'Listed for its title or description: there is no transcript of it.'
}
