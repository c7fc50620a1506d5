// An uploaded recording → its text in the task's result. Resumes behind its last window, like every transcription; the
// transcript itself does not outlive the task.

import { join } from 'node:path'
import type { App } from '../app.ts'
import { defineJob } from '../jobs/job.ts'
import { completeTask, failTask, findTask } from '../jobs/tasks.ts'
import { type Infer, type Parsed, parseOrThrow, parser, t } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { openSpool } from '../media/spool.ts'
import { settleTranscription } from '../transcripts/charges.ts'
import { recognise, type Recognised } from '../transcripts/recognise.ts'
import { deleteTranscript, listTimedSegments } from '../transcripts/transcripts.ts'

/** The one item of such a task, for its charges and events. */
export const ITEM = 1

const TaskRequest = parser(
  t.Object({
    modelId: t.String(),
    language: t.Optional(t.String()),
    translate: t.Boolean(),
    prompt: t.Optional(t.String()),
    temperature: t.Optional(t.Number()),
    durationS: t.Union([t.Number(), t.Null()]),
    /** Somebody follows the segments as they are recognised. */
    stream: t.Boolean(),
  }),
)
/** What the task keeps of the request. */
export type AudioTaskRequest = Parsed<typeof TaskRequest>

const Result = t.Object({
  /** ISO 639-1; null when nothing was said. */
  language: t.Union([t.String(), t.Null()]),
  durationS: t.Number(),
  segments: t.Array(
    t.Object({
      text: t.String(),
      start: t.Number(),
      end: t.Number(),
      words: t.Optional(
        t.Array(t.Object({ text: t.String(), start: t.Number(), end: t.Number(), probability: t.Number() })),
      ),
    }),
  ),
})
const ResultParser = parser(Result)
export type AudioResult = Infer<typeof Result>

export function readAudioResult(value: unknown): AudioResult {
  return parseOrThrow(ResultParser, value, 'the result of an audio task')
}

/** Where the recording of the task lies. */
export function audioPath(app: Pick<App, 'spoolDir'>, taskId: string): string {
  return join(openSpool(app, taskId), 'audio')
}

const audioArgs = parser(t.Object({ taskId: t.String() }))

export const audioJob = defineJob<Parsed<typeof audioArgs>>({
  kind: 'transcribe_audio',
  lane: 'compute',
  attempts: 3,
  timeoutMs: 12 * HOUR,
  args: audioArgs,
  async run(context, app) {
    const task = findTask(app, context.args.taskId)
    if (!task) return undefined
    const { modelId, language, durationS, stream, ...hints } = parseOrThrow(
      TaskRequest,
      task.request,
      'the request of an audio task',
    )
    const recognised = await recognise(context, app, {
      item: 0,
      path: audioPath(app, task.id),
      speechModel: modelId,
      language,
      hints,
      durationS: durationS ?? 0,
      cacheKey: null,
      videoInfo: {},
      followed: stream ? { subject: task, item: ITEM } : undefined,
      onProgress: (share) => context.report(share),
    })
    return () => {
      const result = resultOf(app, recognised)
      settleTranscription(app, task, ITEM, result.durationS)
      completeTask(app, task.id, result)
      deleteTranscript(app, recognised.transcriptId)
    }
  },
  failed: ({ taskId }, problem, app) => failTask(app, taskId, problem),
})

function resultOf(app: App, { transcriptId, speech }: Recognised): AudioResult {
  return {
    language: speech.language,
    durationS: speech.durationMs / 1_000,
    segments: listTimedSegments(app, transcriptId),
  }
}
