// Candidates and the library → one list, best first: the relevance of what is said, or of title and description where
// that is higher or all there is. Then the caller's focus decides among what fits.

import type { App } from '../app.ts'
import { asError } from '../lib/problem.ts'
import { listLibrary } from '../transcripts/library.ts'
import { findTranscript } from '../transcripts/transcripts.ts'
import { factsOf, type VideoFacts } from './candidates.ts'
import { findVideos, type FoundVideos, RELEVANCE_MIN } from './rank.ts'
import { searcherOf } from './searcher.ts'
import { relevanceOf } from './text-relevance.ts'
import type { Focus, VideoSearch } from './video-request.ts'
import type { Fetched } from './video-transcripts.ts'

/** Videos of the library that one wording finds. */
const LIBRARY_MAX = 50
/** What was found in other words is worth a little less. */
const VARIANT_WEIGHT = 0.9
/** Measured by the best: only what fits at least so well is put in order by views or length. */
const FOCUS_SHARE_MIN = 0.4

export interface RankedVideo {
  readonly facts: VideoFacts
  readonly relevance: number
  /** Undefined: there is none. */
  readonly transcriptId: string | undefined
  /** Seconds, of the best moment first; empty where what is said does not fit. */
  readonly timestamps: readonly number[]
  readonly text: string | undefined
}

export interface RankedVideos {
  readonly videos: readonly RankedVideo[]
  readonly explanation: string
}

export interface RankInput {
  readonly accountId: string
  readonly search: VideoSearch
  readonly variants: readonly string[]
  readonly fetched: readonly Fetched[]
}

export async function rankVideos(
  app: App,
  { accountId, search, variants, fetched }: RankInput,
  signal: AbortSignal,
): Promise<RankedVideos> {
  const searcher = searcherOf(app)
  const { query, fromYear, untilYear, durationMaxS } = search
  const transcriptIds = listLibrary(app, accountId, {
    fromAt: fromYear === undefined ? undefined : Date.UTC(fromYear, 0),
    untilAt: untilYear === undefined ? undefined : Date.UTC(untilYear + 1, 0),
    durationMaxS,
  })
  const first = await findVideos(app, searcher, { transcriptIds, query, limit: LIBRARY_MAX }, signal)
  const others: FoundVideos[] = []
  for (const variant of variants) {
    others.push(
      await findVideos(app, searcher, { transcriptIds, query: variant, limit: LIBRARY_MAX }, signal),
    )
  }
  const said = new Map<string, FoundVideos['videos'][number]>()
  for (const [position, { videos }] of [first, ...others].entries()) {
    for (const video of videos) {
      const relevance = video.relevance * (position === 0 ? 1 : VARIANT_WEIGHT)
      if (relevance < RELEVANCE_MIN || relevance <= (said.get(video.transcriptId)?.relevance ?? 0)) continue
      said.set(video.transcriptId, { ...video, relevance })
    }
  }
  const allowed = new Set(transcriptIds)
  const candidates = fetched.filter((item) => fits(item, search, allowed))
  const listed = await withTitles(app, query, candidates, said, signal)
  const taken = new Set(listed.flatMap(({ transcriptId }) => transcriptId ?? []))
  const fromLibrary = [...said.values()].flatMap((found) => {
    const transcript = taken.has(found.transcriptId) ? undefined : findTranscript(app, found.transcriptId)
    return transcript ? [{ ...found, facts: factsOf(transcript.videoInfo), text: found.text }] : []
  })
  const videos = inOrder([...listed, ...fromLibrary], search.focus)
  return { videos, explanation: first.explanation }
}

/** The filters, on what is known: a transcript that is in the library has passed them there. */
function fits(
  { transcriptId, facts, candidate }: Fetched,
  search: VideoSearch,
  allowed: ReadonlySet<string>,
): boolean {
  if (transcriptId !== undefined) return allowed.has(transcriptId)
  return passes({ ...facts, aboutAt: candidate.aboutAt }, search)
}

/** `slackYears`: for dates that are only known about. A date or length that is not known fits no limit. */
export function passes(
  {
    published_date,
    aboutAt,
    duration,
  }: Pick<VideoFacts, 'published_date' | 'duration'> & { aboutAt: number | undefined },
  { fromYear, untilYear, durationMaxS }: VideoSearch,
  slackYears = 0,
): boolean {
  const at = published_date === null ? aboutAt : Date.parse(published_date)
  const ofYear = at === undefined || Number.isNaN(at) ? undefined : new Date(at).getUTCFullYear()
  if (fromYear !== undefined && (ofYear ?? -Infinity) + slackYears < fromYear) return false
  if (untilYear !== undefined && (ofYear ?? Infinity) - slackYears > untilYear) return false
  return durationMaxS === undefined || (duration ?? Infinity) <= durationMaxS
}

type Said = ReadonlyMap<string, FoundVideos['videos'][number]>

async function withTitles(
  app: App,
  query: string,
  candidates: readonly Fetched[],
  said: Said,
  signal: AbortSignal,
): Promise<RankedVideo[]> {
  const texts = candidates.map(({ facts }) => `${facts.title ?? ''}. ${facts.description ?? ''}`)
  const byTitle = await relevanceOf(app, query, texts, signal).catch((error: unknown) => {
    signal.throwIfAborted()
    app.log.warn({ err: asError(error) }, 'titles could not be compared')
    return []
  })
  return candidates.map(({ facts, transcriptId, candidate }, index) => {
    const found = transcriptId === undefined ? undefined : said.get(transcriptId)
    const transcript = transcriptId === undefined ? undefined : findTranscript(app, transcriptId)
    const known = transcript ? factsOf(transcript.videoInfo) : facts
    const relevance = Math.max(found?.relevance ?? 0, byTitle[index] ?? 0)
    return {
      facts: { ...known, url: known.url === '' ? candidate.key : known.url },
      relevance: Math.round(relevance * 1_000) / 1_000,
      transcriptId,
      timestamps: found?.timestamps ?? [],
      text: found?.text,
    }
  })
}

/** By relevance; with another focus, what fits well by that, and the rest behind it. */
function inOrder(videos: readonly RankedVideo[], focus: Focus): RankedVideo[] {
  const ordered = videos.toSorted((a, b) => b.relevance - a.relevance)
  if (focus === 'relevance') return ordered
  const least = (ordered[0]?.relevance ?? 0) * FOCUS_SHARE_MIN
  const good = ordered.filter(({ relevance }) => relevance >= least)
  const rest = ordered.slice(good.length)
  const key = ({ facts }: RankedVideo): number =>
    focus === 'popularity' ? -(facts.views ?? -1) : (facts.duration ?? Number.MAX_VALUE)
  return [...good.toSorted((a, b) => key(a) - key(b)), ...rest]
}
