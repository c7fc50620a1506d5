// URL → what it is → media on disk, or straight to the end when the transcript is known already. The first stage of every
// task about an online video.

import type { App } from '../app.ts'
import { defineJob } from '../jobs/job.ts'
import { completeTask, failTask, findTask, markStarted, startNextStage, type Task } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { isVideoPlatform } from '../media/platforms.ts'
import { resolveSource, selectItems, type Source, type SourceItem } from '../media/source.ts'
import { openSpool } from '../media/spool.ts'
import { captionsKeyOf, captionsOfItem, findKnownCaptions, takesCaptions } from './captions-first.ts'
import { saveCaptions } from './captions.ts'
import { chargeMetadata, waiveMetadata, waiveTranscription } from './charges.ts'
import { chargeItem, DEFAULT_ITEM, FETCH_ATTEMPTS, fetchItem, itemKeys, mediaDeps } from './fetch-item.ts'
import { noteTaskTranscript } from './format-answer.ts'
import { findItemIndex, readTaskRequest, type TranscribeRequest } from './request.ts'
import { keepVideo } from './library.ts'
import { transcriptionResult } from './result.ts'
import type { FetchedItem } from './stage.ts'
import { TRANSCRIBE_KIND } from './transcribe.job.ts'
import { findCached, findTranscript } from './transcripts.ts'

const fetchArgs = parser(t.Object({ taskId: t.String() }))

export const fetchJob = defineJob<Parsed<typeof fetchArgs>>({
  kind: 'fetch',
  lane: 'net',
  attempts: FETCH_ATTEMPTS,
  timeoutMs: 8 * HOUR,
  args: fetchArgs,
  async run(context, app) {
    const task = findTask(app, context.args.taskId)
    if (!task) return undefined
    markStarted(app, task.id)
    const work = await prepare(app, task)
    const known = work.cached(work.index ?? DEFAULT_ITEM)
    if (known !== undefined && !work.request.all_videos) {
      return () => finish(app, work, known)
    }
    const captioned = takesCaptions(task, work.request)
    const knownCaptions = captioned ? findKnownCaptions(app, work.request) : undefined
    if (knownCaptions !== undefined) {
      return () => {
        waiveMetadata(app, task, work.request.video_url)
        goOnWith(app, work, knownCaptions)
      }
    }
    // Sites that are no video platforms hardly ever have captions: asking them would be in vain.
    const mayHaveCaptions = captioned && isVideoPlatform(new URL(work.request.video_url))
    if (work.request.transcribe === false && !mayHaveCaptions) throw notTranscribed()
    const folder = openSpool(app, task.id)
    const options = { folder, signal: context.signal }
    chargeMetadata(app, task, work.request.video_url)
    const source = await context.step('resolve', () =>
      resolveSource(work.request.video_url, mediaDeps(app), options),
    )
    const chosen = selectItems(source, { index: work.index, all: work.request.all_videos })
    const [first] = chosen
    if (captioned && first && !isTooLong(app, task, work.request, first)) {
      const found = await context.step('captions', async () => {
        return (await captionsOfItem(app, first, { language: work.request.language, ...options })) ?? null
      })
      if (found) {
        return () => goOnWith(app, work, saveCaptions(app, captionsKeyOf(work.request), found))
      }
    }
    if (work.request.transcribe === false) throw notTranscribed()
    const items: FetchedItem[] = []
    const limit = task.isSync && work.request.any_length !== true ? app.config.syncMaxMediaS : undefined
    for (const [position, item] of chosen.entries()) {
      const named = source.carousel && (work.request.all_videos || work.index !== undefined)
      items.push(
        await fetchItem(context, app, {
          item,
          folder,
          position,
          count: chosen.length,
          cacheKey: work.keyOf(named ? item.index : DEFAULT_ITEM),
          ...(limit === undefined ? {} : { maxS: limit }),
          // In a carousel one bad item does not spoil the others.
          spoilsAll: () => !work.request.all_videos || !source.carousel,
        }),
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
function goOnWith(app: App, { task, request, index }: Work, transcriptId: string): void {
  keepVideo(app, task, captionsKeyOf(request), transcriptId)
  const transcripts = [{ index: index ?? 1, transcriptId }]
  startNextStage(app, task.id, { transcripts }, { past: TRANSCRIBE_KIND })
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
  const keyOf = await itemKeys(app, request.video_url, request.language)
  const index = findItemIndex(request.video_url)
  return { request, task, index, keyOf, cached: (item) => findCached(app, keyOf(item))?.id }
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

function finish(app: App, work: Work, cachedId: string): void {
  const { task, request, index } = work
  waiveMetadata(app, task, request.video_url)
  waiveTranscription(app, task, index ?? 1, findTranscript(app, cachedId)?.durationS ?? 0)
  keepVideo(app, task, work.keyOf(index ?? DEFAULT_ITEM), cachedId)
  const transcripts = [{ index: index ?? 1, transcriptId: cachedId }]
  if (startNextStage(app, task.id, { transcripts }, { past: TRANSCRIBE_KIND })) return
  noteTaskTranscript(app, task.id, cachedId)
  completeTask(app, task.id, transcriptionResult(app, request, transcripts, undefined))
}
