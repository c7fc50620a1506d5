// Candidates of a search → transcripts in the account's library: those that are known, and captions fetched now, a few at
// a time, within a budget. Each is paid for in the transaction that keeps it; a slow or hostile one is left behind.

import type { App } from '../app.ts'
import { balance, requireCredit } from '../billing/balance.ts'
import { charge, waive } from '../billing/ledger.ts'
import { priceMicros } from '../billing/meters.ts'
import { transaction } from '../db/database.ts'
import { findTask, type Task } from '../jobs/tasks.ts'
import { createGate } from '../lib/gate.ts'
import { asError, Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { resolveSource } from '../media/source.ts'
import { withRequestFolder } from '../media/spool.ts'
import {
  type Captions,
  captionsKey,
  findCachedCaptions,
  findCaptions,
  saveCaptions,
} from '../transcripts/captions.ts'
import { metadataMeter } from '../transcripts/charges.ts'
import { addToLibrary, findInLibrary } from '../transcripts/library.ts'
import { cacheKeyText, findCached } from '../transcripts/transcripts.ts'
import type { Candidate, VideoFacts } from './candidates.ts'
import { factsOf } from './candidates.ts'
import { indexTranscript } from './library-index.ts'

/** Of all candidates together: fetching, cutting and embedding. */
const BUDGET_MS = 20 * SECOND
/** Of one candidate. */
const ONE_MS = 12 * SECOND
const AT_ONCE = 3

export interface Fetched {
  readonly candidate: Candidate
  /** Undefined: it has no captions, or they could not be had in time. */
  readonly transcriptId: string | undefined
  /** As the page itself tells it, where it was asked. */
  readonly facts: VideoFacts
}

export interface FetchedAll {
  /** In the order of the candidates. */
  readonly fetched: readonly Fetched[]
  /** The credits did not reach for all. */
  readonly outOfCredits: boolean
}

/** Rejects with the signal's reason only. */
export async function fetchTranscripts(
  app: App,
  task: Task,
  candidates: readonly Candidate[],
  signal: AbortSignal,
  budgetMs = BUDGET_MS,
): Promise<FetchedAll> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)])
  const gate = createGate(AT_ONCE)
  const model = (await app.engines.speechEngine()).modelId
  let outOfCredits = false
  const fetched = await Promise.all(
    candidates.map(async (candidate): Promise<Fetched> => {
      const none: Fetched = { candidate, transcriptId: undefined, facts: candidate.facts }
      const known = takeKnown(app, task, candidate, model)
      try {
        if (known !== undefined) {
          await index(app, known, inTime)
          return { ...none, transcriptId: known }
        }
        return await gate.run(async () => {
          if (outOfCredits) return none
          requireOne(app, task, candidate)
          return takeCaptions(app, task, candidate, AbortSignal.any([inTime, AbortSignal.timeout(ONE_MS)]))
        }, inTime)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof Problem && error.code === 'limit_exceeded') outOfCredits = true
        else app.log.info({ err: asError(error), url: candidate.key }, 'a candidate was left behind')
        return { ...none, transcriptId: known }
      }
    }),
  )
  return { fetched, outOfCredits }
}

/** What anybody has had transcribed, or what captions were fetched of it before, costs nothing. */
function takeKnown(app: App, task: Task, { key: url }: Candidate, speechModel: string): string | undefined {
  const { accountId } = task
  const own = findInLibrary(app, { accountId, url, item: 0 })
  if (own !== undefined) return own
  const heard = findCached(app, cacheKeyText({ canonicalUrl: url, item: 0, speechModel, language: '' }))
  const transcriptId = (findCachedCaptions(app, captionsKey(url, 0, '')) ?? heard)?.id
  if (transcriptId === undefined) return undefined
  transaction(app.db, () => {
    if (findTask(app, task.id)?.status !== 'processing') return
    waive(app, paymentOf(task, url))
    addToLibrary(app, { accountId, cacheKey: captionsKey(url, 0, ''), transcriptId, isOwn: true })
  })
  return transcriptId
}

function paymentOf(task: Task, url: string) {
  const meter = metadataMeter(url)
  return { accountId: task.accountId, reference: task.id, meter, quantity: 1, part: url }
}

function requireOne(app: App, task: Task, { key }: Candidate): void {
  requireCredit(balance(app, task.accountId), priceMicros(app.config.meters, metadataMeter(key), 1))
}

async function takeCaptions(
  app: App,
  task: Task,
  candidate: Candidate,
  signal: AbortSignal,
): Promise<Fetched> {
  const { key } = candidate
  const { captions, facts } = await fetchCaptions(app, key, signal)
  if (!captions) return { candidate, transcriptId: undefined, facts }
  const transcriptId = transaction(app.db, () => {
    // Nobody would take back what is charged for a task that was discarded meanwhile.
    if (findTask(app, task.id)?.status !== 'processing') return undefined
    const cacheKey = captionsKey(key, 0, '')
    // Another search may have been faster.
    const known = findCachedCaptions(app, cacheKey)
    if (known) waive(app, paymentOf(task, key))
    else charge(app, paymentOf(task, key))
    const id = known?.id ?? saveCaptions(app, cacheKey, captions)
    addToLibrary(app, { accountId: task.accountId, cacheKey, transcriptId: id, isOwn: true })
    return id
  })
  if (transcriptId !== undefined) await index(app, transcriptId, signal)
  return { candidate, transcriptId, facts }
}

/** What is not indexed in time is later; it is then found by the next search. */
async function index(app: App, transcriptId: string, signal: AbortSignal): Promise<void> {
  try {
    const write = await indexTranscript(app, transcriptId, signal)
    transaction(app.db, write)
  } catch (error) {
    app.log.info({ err: asError(error), transcript: transcriptId }, 'a transcript is to be indexed later')
  }
}

interface Page {
  readonly captions: Captions | undefined
  readonly facts: VideoFacts
}

function fetchCaptions(app: App, url: string, signal: AbortSignal): Promise<Page> {
  const { engines, config, fetcher } = app
  const deps = { config, ffmpeg: engines.ffmpeg, ytdlp: engines.ytdlp, fetcher }
  return withRequestFolder(app, async (folder) => {
    const source = await resolveSource(url, deps, { folder, signal })
    const [item] = source.items
    const facts = factsOf({ ...source.videoInfo })
    if (item?.way.via !== 'info') return { captions: undefined, facts }
    const info: unknown = await Bun.file(item.way.infoPath).json()
    const videoInfo = { ...item.videoInfo }
    const wanted = { info, videoInfo, language: undefined, folder, signal }
    return { captions: await findCaptions(engines.ytdlp, wanted), facts }
  })
}
