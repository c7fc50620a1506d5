// Fetched media → transcripts, and with them the end of the task. `recognise.ts` does the work on each item.

import { join } from 'node:path'
import type { App } from '../app.ts'
import { defineJob, type JobContext } from '../jobs/job.ts'
import {
  completeTask,
  countLaterStages,
  failTask,
  findTask,
  startNextStage,
  type Task,
} from '../jobs/tasks.ts'
import { Problem, type ProblemRecord, problemRecord } from '../lib/problem.ts'
import type { Parsed } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { openSpool } from '../media/spool.ts'
import { settleTranscription } from './charges.ts'
import { noteTaskTranscript } from './format-answer.ts'
import { keepVideo } from './library.ts'
import { completeRecognised, recognise, type Recognised } from './recognise.ts'
import { findLanguage, readTaskRequest } from './request.ts'
import { type ItemOutcome, transcriptionResult } from './result.ts'
import { type FetchedItem, transcribeArgs } from './stage.ts'

/** The fetch stage reports the part before. */
export const FETCHED_PROGRESS = 0.1
/** What is left for the stages behind this one, if there are any. */
const LATER_PROGRESS = 0.2
/** Share of the speech from which on the stages behind this one get ready. */
const PREPARE_FROM = 0.8
export const TRANSCRIBE_KIND = 'transcribe'

type Args = Parsed<typeof transcribeArgs>

interface Finished extends Recognised {
  readonly item: FetchedItem
}

type Outcome = Finished | { readonly item: FetchedItem; readonly error: ProblemRecord }

export const transcribeJob = defineJob<Args>({
  kind: TRANSCRIBE_KIND,
  lane: 'compute',
  attempts: 3,
  timeoutMs: 12 * HOUR,
  args: transcribeArgs,
  async run(context, app) {
    const task = findTask(app, context.args.taskId)
    if (!task) return undefined
    const language = findLanguage(task.request)
    const outcomes: (Outcome | undefined)[] = []
    for (const [position, item] of context.args.items.entries()) {
      outcomes.push(await transcribeItem(context, app, { task, language, position, item }))
    }
    return () => commit(app, task, context.args, outcomes)
  },
  failed: ({ taskId }, problem, app) => failTask(app, taskId, problem),
})

interface Work {
  readonly task: Task
  readonly language: string | undefined
  readonly position: number
  readonly item: FetchedItem
}

/** Undefined for items whose transcript was cached. */
async function transcribeItem(context: JobContext<Args>, app: App, work: Work): Promise<Outcome | undefined> {
  const { item, position } = work
  if (item.error) return { item, error: item.error }
  const { file } = item
  if (file === undefined) return undefined
  const followed = countLaterStages(app, context.args.taskId) > 0
  const ownShare = 1 - FETCHED_PROGRESS - (followed ? LATER_PROGRESS : 0)
  let prepared = !followed
  try {
    return await context.step(`item ${position}`, async () => {
      const recognised = await recognise(context, app, {
        item: position,
        path: join(openSpool(app, context.args.taskId), file),
        language: work.language,
        durationS: Number(item.videoInfo['duration'] ?? 0),
        cacheKey: item.cacheKey,
        videoInfo: item.videoInfo,
        followed: work.task.isSync ? undefined : { subject: work.task, item: item.index },
        onProgress(share) {
          const done = (position + share) / context.args.items.length
          context.report(FETCHED_PROGRESS + ownShare * done)
          if (prepared || done < PREPARE_FROM) return
          prepared = true
          // Whoever needs it tells what fails.
          app.engines.prepareAnalysis(context.signal).catch(() => undefined)
        },
      })
      return { ...recognised, item }
    })
  } catch (error) {
    // In a carousel one bad item does not spoil the others; a fault that may pass is another attempt for the job.
    const spoilsAll = !context.args.carousel || !(error instanceof Problem) || error.temporary
    if (spoilsAll || context.signal.aborted) throw error
    return { item, error: problemRecord(error) }
  }
}

function commit(
  app: App,
  task: Task,
  { taskId, items, carousel, handed = {} }: Args,
  outcomes: readonly (Outcome | undefined)[],
): void {
  const results: ItemOutcome[] = []
  for (const [position, item] of items.entries()) {
    const outcome = outcomes[position]
    if (outcome && 'error' in outcome) {
      settleTranscription(app, task, item.index, 0)
      results.push({ index: item.index, error: outcome.error, videoInfo: item.videoInfo })
    } else {
      if (outcome) complete(app, task, outcome)
      const transcriptId = outcome?.transcriptId ?? item.cachedId ?? ''
      keepVideo(app, task, item.cacheKey, transcriptId)
      results.push({ index: item.index, transcriptId })
    }
  }
  if (startNextStage(app, taskId, { ...handed, transcripts: results })) return
  const [only] = results
  if (only && 'transcriptId' in only && !carousel) noteTaskTranscript(app, taskId, only.transcriptId)
  completeTask(app, taskId, transcriptionResult(app, readTaskRequest(task.request), results, carousel))
}

function complete(app: App, task: Task, { item, ...recognised }: Finished): void {
  settleTranscription(app, task, item.index, recognised.speech.durationMs / 1_000)
  completeRecognised(app, recognised, item.videoInfo)
}
