// One item of a source → its media in the task's spool, or its transcript when that is known already; and what that costs.
// Shared by the first stages of tasks: about a video, and about a post with its videos.

import { relative } from 'node:path'
import type { App } from '../app.ts'
import type { JobContext } from '../jobs/job.ts'
import type { Task } from '../jobs/tasks.ts'
import { asError, Problem, problemRecord } from '../lib/problem.ts'
import { canonicalUrl, withoutItemIndex } from '../media/canonical-url.ts'
import { downloadItem } from '../media/download.ts'
import type { MediaDeps, SourceItem } from '../media/source.ts'
import { holdTranscription, waiveTranscription } from './charges.ts'
import type { FetchedItem } from './stage.ts'
import { FETCHED_PROGRESS } from './transcribe.job.ts'
import { cacheKeyText, findCached, findTranscript } from './transcripts.ts'

/** In the cache: what a URL gives that names no item – the only video, or the first one of a carousel. */
export const DEFAULT_ITEM = 0
export const FETCH_ATTEMPTS = 3

/** Item → the key under which its transcript by the engine that is chosen now is kept. */
export async function itemKeys(
  app: Pick<App, 'engines'>,
  videoUrl: string,
  askedLanguage = '',
): Promise<(item: number) => string> {
  const engine = await app.engines.speechEngine()
  const page = canonicalUrl(withoutItemIndex(videoUrl))
  // An engine that knows one language ignores what the caller names.
  const language = engine.multilingual ? askedLanguage : ''
  return (item) => cacheKeyText({ canonicalUrl: page, item, speechModel: engine.modelId, language })
}

export function mediaDeps(app: App): MediaDeps {
  return { config: app.config, ffmpeg: app.engines.ffmpeg, ytdlp: app.engines.ytdlp, fetcher: app.fetcher }
}

export interface ItemWork {
  readonly item: SourceItem
  /** The task's spool. */
  readonly folder: string
  /** Among the `count` items of the task, from 0. */
  readonly position: number
  readonly count: number
  readonly cacheKey: string
  /** Longest media to accept. */
  readonly maxS?: number
  /** Whether a fault of this item is the task's; else it is noted with the item. */
  readonly spoilsAll: (problem: Problem) => boolean
}

/** Throws what spoils all, what another attempt may mend, and the signal's reason. */
export async function fetchItem(
  context: JobContext<{ readonly taskId: string }>,
  app: App,
  work: ItemWork,
): Promise<FetchedItem> {
  const { item, position, cacheKey } = work
  const base = { index: item.index, videoInfo: { ...item.videoInfo }, cacheKey }
  const cachedId = findCached(app, cacheKey)?.id
  if (cachedId !== undefined) return { ...base, cachedId }
  try {
    return await context.step(`download ${position}`, async () => {
      const media = await downloadItem(item, mediaDeps(app), {
        folder: work.folder,
        signal: context.signal,
        ...(work.maxS === undefined ? {} : { maxS: work.maxS }),
        onProgress: (bytes, total) => {
          const share = total === undefined ? 0.5 : Math.min(1, bytes / Math.max(1, total))
          context.report((FETCHED_PROGRESS * (position + share)) / work.count)
        },
      })
      return { ...base, videoInfo: { ...media.videoInfo }, file: relative(work.folder, media.path) }
    })
  } catch (error) {
    const isOver = context.signal.aborted || !(error instanceof Problem) || work.spoilsAll(error)
    // A fault that may pass is another attempt for the job.
    if (isOver || (error.temporary && context.attempt < FETCH_ATTEMPTS)) throw error
    const { taskId } = context.args
    app.log.info({ err: asError(error), task: taskId, item: item.index }, 'an item could not be fetched')
    return { ...base, error: problemRecord(error) }
  }
}

/** What is to be put into words is paid for before the work begins. */
export function chargeItem(
  app: App,
  task: Pick<Task, 'id' | 'accountId'>,
  { index, cachedId, error, videoInfo }: FetchedItem,
): void {
  if (error) return
  if (cachedId === undefined) holdTranscription(app, task, index, Number(videoInfo['duration'] ?? 0))
  else waiveTranscription(app, task, index, findTranscript(app, cachedId)?.durationS ?? 0)
}
