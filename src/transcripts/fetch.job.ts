// URL → what it is → media on disk, or straight to the end when the transcript is known already. The first stage of every
// task about an online video.

import { relative } from 'node:path'
import type { App } from '../app.ts'
import { defineJob, type JobContext } from '../jobs/job.ts'
import { completeTask, failTask, findTask, markStarted, startNextStage, type Task } from '../jobs/tasks.ts'
import { asError, Problem, problemRecord } from '../lib/problem.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { canonicalUrl, withoutItemIndex } from '../media/canonical-url.ts'
import { downloadItem } from '../media/download.ts'
import { isVideoPlatform } from '../media/platforms.ts'
import { type MediaDeps, resolveSource, selectItems, type Source, type SourceItem } from '../media/source.ts'
import { openSpool } from '../media/spool.ts'
import { captionsKeyOf, captionsOfItem, findKnownCaptions, takesCaptions } from './captions-first.ts'
import { saveCaptions } from './captions.ts'
import { chargeMetadata, holdTranscription, waiveMetadata, waiveTranscription } from './charges.ts'
import { findItemIndex, readTaskRequest, type TranscribeRequest } from './request.ts'
import { transcriptionResult } from './result.ts'
import type { FetchedItem } from './stage.ts'
import { FETCHED_PROGRESS, TRANSCRIBE_KIND } from './transcribe.job.ts'
import { cacheKeyText, findCached, findTranscript } from './transcripts.ts'

/** In the cache: what a URL gives that names no item – the only video, or the first one of a carousel. */
const DEFAULT_ITEM = 0

const fetchArgs = parser(t.Object({ taskId: t.String() }))
type Context = JobContext<Parsed<typeof fetchArgs>>

export const fetchJob = defineJob<Parsed<typeof fetchArgs>>({
  kind: 'fetch',
  lane: 'net',
  attempts: 3,
  timeoutMs: 8 * HOUR,
  args: fetchArgs,
  async run(context, app) {
    const task = findTask(app, context.args.taskId)
    if (!task) return undefined
    markStarted(app, task.id)
    const work = await prepare(app, task)
    const known = work.cached(work.index ?? DEFAULT_ITEM)
    if (known !== undefined && !work.request.all_videos) {
      return () => finish(app, task, work.request, [{ index: work.index ?? 1, cachedId: known }])
    }
    const captioned = takesCaptions(task, work.request)
    const knownCaptions = captioned ? findKnownCaptions(app, work.request) : undefined
    if (knownCaptions !== undefined) {
      return () => {
        waiveMetadata(app, task, work.request.video_url)
        goOnWith(app, task, work.index, knownCaptions)
      }
    }
    // Sites that are no video platforms hardly ever have captions: asking them would be in vain.
    const mayHaveCaptions = captioned && isVideoPlatform(new URL(work.request.video_url))
    if (work.request.transcribe === false && !mayHaveCaptions) throw notTranscribed()
    const folder = openSpool(app, task.id)
    const options = { folder, signal: context.signal }
    chargeMetadata(app, task, work.request.video_url)
    const source = await context.step('resolve', () =>
      resolveSource(work.request.video_url, depsOf(app), options),
    )
    const chosen = selectItems(source, { index: work.index, all: work.request.all_videos })
    const [first] = chosen
    if (captioned && first && !isTooLong(app, task, work.request, first)) {
      const found = await context.step('captions', async () => {
        return (await captionsOfItem(app, first, { language: work.request.language, ...options })) ?? null
      })
      if (found) {
        return () => goOnWith(app, task, work.index, saveCaptions(app, captionsKeyOf(work.request), found))
      }
    }
    if (work.request.transcribe === false) throw notTranscribed()
    const items: FetchedItem[] = []
    for (const [position, item] of chosen.entries()) {
      items.push(
        await fetchItem(context, app, { ...work, item, folder, position, source, count: chosen.length }),
      )
    }
    const carousel = work.request.all_videos ? countsOf(source) : undefined
    return () => {
      for (const item of items) chargeItem(app, task, item)
      startNextStage(app, task.id, { items, ...(carousel ? { carousel } : {}) })
    }
  },
  failed: ({ taskId }, problem, app) => failTask(app, taskId, problem),
})

/** The stages behind the transcript begin. */
function goOnWith(app: App, task: Task, index: number | undefined, transcriptId: string): void {
  startNextStage(
    app,
    task.id,
    { transcripts: [{ index: index ?? 1, transcriptId }] },
    { past: TRANSCRIBE_KIND },
  )
}

/** The limit of synchronous requests holds with captions too; whoever downloads refuses what is beyond it. */
function isTooLong(app: App, task: Task, request: TranscribeRequest, { durationS = 0 }: SourceItem): boolean {
  return task.isSync && request.any_length !== true && durationS > app.config.syncMaxMediaS
}

interface Work {
  readonly request: TranscribeRequest
  readonly task: Task
  readonly index: number | undefined
  keyOf(item: number): string
  /** Id of the item's cached transcript. */
  cached(item: number): string | undefined
}

async function prepare(app: App, task: Task): Promise<Work> {
  const request = readTaskRequest(task.request)
  const engine = await app.engines.speechEngine()
  const page = canonicalUrl(withoutItemIndex(request.video_url))
  // An engine that knows one language ignores what the caller names.
  const language = engine.multilingual ? (request.language ?? '') : ''
  const keyOf = (item: number): string =>
    cacheKeyText({ canonicalUrl: page, item, speechModel: engine.modelId, language })
  const index = findItemIndex(request.video_url)
  return { request, task, index, keyOf, cached: (item) => findCached(app, keyOf(item))?.id }
}

function depsOf(app: App): MediaDeps {
  return { config: app.config, ffmpeg: app.engines.ffmpeg, ytdlp: app.engines.ytdlp, fetcher: app.fetcher }
}

interface ItemWork extends Work {
  readonly item: SourceItem
  readonly folder: string
  readonly position: number
  readonly count: number
  readonly source: Source
}

async function fetchItem(context: Context, app: App, work: ItemWork): Promise<FetchedItem> {
  const { item, position } = work
  const named = work.source.carousel && (work.request.all_videos || work.index !== undefined)
  const cacheItem = named ? item.index : DEFAULT_ITEM
  const base = { index: item.index, videoInfo: { ...item.videoInfo }, cacheKey: work.keyOf(cacheItem) }
  const cachedId = work.cached(cacheItem)
  if (cachedId !== undefined) return { ...base, cachedId }
  try {
    return await context.step(`download ${position}`, async () => {
      const media = await downloadItem(item, depsOf(app), {
        folder: work.folder,
        signal: context.signal,
        ...(work.task.isSync && work.request.any_length !== true ? { maxS: app.config.syncMaxMediaS } : {}),
        onProgress: (bytes, total) => {
          const share = total === undefined ? 0.5 : Math.min(1, bytes / Math.max(1, total))
          context.report((FETCHED_PROGRESS * (position + share)) / work.count)
        },
      })
      return { ...base, videoInfo: { ...media.videoInfo }, file: relative(work.folder, media.path) }
    })
  } catch (error) {
    // In a carousel one bad item does not spoil the others; a fault that may pass is another attempt for the job.
    const spoilsAll = !work.request.all_videos || !work.source.carousel
    if (spoilsAll || context.signal.aborted || !(error instanceof Problem) || isWorthRetrying(error, context))
      throw error
    app.log.info(
      { err: asError(error), task: work.task.id, item: item.index },
      'an item could not be fetched',
    )
    return { ...base, error: problemRecord(error) }
  }
}

function isWorthRetrying(problem: Problem, context: Context): boolean {
  return problem.temporary && context.attempt < fetchJob.attempts
}

function countsOf({
  carousel,
}: Source): { totalItems: number; videoCount: number; imageCount: number } | undefined {
  return (
    carousel && {
      totalItems: carousel.total_items,
      videoCount: carousel.video_count,
      imageCount: carousel.image_count,
    }
  )
}

function notTranscribed(): Problem {
  return new Problem(
    'transcript_not_available',
    'There is no transcript of this video yet, and "transcribe" is false. Leave it out, or transcribe the video first.',
  )
}

interface CachedItem {
  readonly index: number
  readonly cachedId: string
}

/** What is to be put into words is paid for before the work begins. */
function chargeItem(app: App, task: Task, { index, cachedId, error, videoInfo }: FetchedItem): void {
  if (error) return
  if (cachedId === undefined) holdTranscription(app, task, index, Number(videoInfo['duration'] ?? 0))
  else waiveTranscription(app, task, index, findTranscript(app, cachedId)?.durationS ?? 0)
}

function finish(app: App, task: Task, request: TranscribeRequest, cached: readonly CachedItem[]): void {
  waiveMetadata(app, task, request.video_url)
  for (const { index, cachedId } of cached) {
    waiveTranscription(app, task, index, findTranscript(app, cachedId)?.durationS ?? 0)
  }
  const transcripts = cached.map(({ index, cachedId }) => ({ index, transcriptId: cachedId }))
  if (startNextStage(app, task.id, { transcripts }, { past: TRANSCRIBE_KIND })) return
  completeTask(app, task.id, transcriptionResult(app, request, transcripts, undefined))
}
