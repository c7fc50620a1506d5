// What the video platform's own search finds for a query and its variants. Whatever it answers, late, broken or hostile,
// becomes a short list of plain records and a sentence about what went wrong.

import type { App } from '../app.ts'
import { asError, Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { canonicalUrl } from '../media/canonical-url.ts'
import { asYtdlpInfo, videoInfoOf } from '../media/video-info.ts'
import { checkUrl } from '../net/policy.ts'

/** Of one query. */
const FOUND_MAX = 15
/** Of all queries together, those first that more of them found, and found earlier. */
const CANDIDATES_MAX = 15
const TIMEOUT_MS = 12 * SECOND
/** From reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). */
const RANK_CONSTANT = 60

/** Every field of the answer that a list of results may know; null where it does not. */
export interface VideoFacts {
  readonly title: string | null
  readonly url: string
  readonly description: string | null
  readonly thumbnail: string | null
  readonly channel: string | null
  readonly published_date: string | null
  readonly duration: number | null
  readonly views: number | null
  readonly likes: number | null
}

export interface Candidate {
  /** Canonical: two spellings of one video are one candidate. */
  readonly key: string
  readonly facts: VideoFacts
  /** Epoch ms, as the site's "3 years ago" tells it. */
  readonly aboutAt: number | undefined
}

export interface Candidates {
  /** Best first. */
  readonly candidates: readonly Candidate[]
  /** Why the platform was not, or not fully, asked; a sentence. */
  readonly note: string | undefined
}

/** Rejects with the signal's reason only. */
export async function searchPlatform(
  app: App,
  queries: readonly string[],
  signal: AbortSignal,
  timeoutMs = TIMEOUT_MS,
): Promise<Candidates> {
  if (app.config.offline) {
    return { candidates: [], note: 'This server is offline, so only the library was searched.' }
  }
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const lists = await Promise.allSettled(queries.map((query) => searchOnce(app, query, inTime)))
  signal.throwIfAborted()
  const scores = new Map<string, { candidate: Candidate; score: number }>()
  for (const list of lists) {
    for (const [rank, candidate] of (list.status === 'fulfilled' ? list.value : []).entries()) {
      const score = (scores.get(candidate.key)?.score ?? 0) + 1 / (RANK_CONSTANT + rank)
      scores.set(candidate.key, { candidate, score })
    }
  }
  const best = [...scores.values()].toSorted((a, b) => b.score - a.score)
  const failure = lists.find((list) => list.status === 'rejected')
  if (failure) app.log.info({ err: asError(failure.reason) }, 'the platform could not be searched')
  return {
    candidates: best.slice(0, CANDIDATES_MAX).map(({ candidate }) => candidate),
    note: failure && best.length === 0 ? noteOf(failure.reason, inTime) : undefined,
  }
}

function noteOf(reason: unknown, inTime: AbortSignal): string {
  const why = inTime.aborted ? 'did not answer in time' : 'could not be asked'
  const temporary = reason instanceof Problem && reason.temporary ? '; try again later' : ''
  return `The video platform ${why}, so only the library was searched${temporary}.`
}

async function searchOnce(app: App, query: string, signal: AbortSignal): Promise<Candidate[]> {
  const found: Candidate[] = []
  // The prefix says what to search; whatever follows it is text.
  const address = `ytsearch${FOUND_MAX}:${query}`
  try {
    for await (const event of app.engines.ytdlp.list(address, {
      signal,
      pauseS: 0,
      approximateDates: true,
    })) {
      const candidate = event.kind === 'entry' ? candidateOf(app, event.entry) : undefined
      if (candidate) found.push(candidate)
      if (found.length >= FOUND_MAX) break
    }
  } catch (error) {
    if (error instanceof Problem && error.code === 'no_videos_found') return []
    // What came before it broke off is still good.
    if (found.length === 0) throw error
  }
  return found
}

const ON_PLATFORM = /^https:\/\/www\.youtube\.com\/watch\?v=[\w-]{11}$/

function candidateOf(app: App, entry: Readonly<Record<string, unknown>>): Candidate | undefined {
  const info = asYtdlpInfo(entry)
  if (!info || typeof info.url !== 'string' || info.is_live === true) return undefined
  if (info.live_status === 'is_live' || info.live_status === 'is_upcoming') return undefined
  try {
    const key = canonicalUrl(checkUrl(info.url, app.config).href)
    if (!ON_PLATFORM.test(key)) return undefined
    const about = videoInfoOf(info, key)
    const aboutAt = about.published_date === null ? undefined : Date.parse(about.published_date)
    // A date that was made from "3 years ago" is not shown as if it were known.
    return { key, aboutAt, facts: factsOf({ ...about, published_date: null }) }
  } catch {
    return undefined
  }
}

/** From a `video_info`, such as transcripts keep it. */
export function factsOf(info: Readonly<Record<string, unknown>> | VideoFacts): VideoFacts {
  const known: Readonly<Record<string, unknown>> = { ...info }
  const text = (name: string): string | null => (typeof known[name] === 'string' ? known[name] : null)
  const number = (name: string): number | null => (typeof known[name] === 'number' ? known[name] : null)
  return {
    title: text('title'),
    url: text('url') ?? '',
    description: text('description'),
    thumbnail: text('thumbnail'),
    channel: text('channel'),
    published_date: text('published_date'),
    duration: number('duration'),
    views: number('views'),
    likes: number('likes'),
  }
}
