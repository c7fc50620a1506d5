// `format` in requests: the transcript as a file of its own instead of the JSON envelope, once it is complete. Owns the
// table `task_transcripts`.

import type { App } from '../app.ts'
import { type Answer, textAnswer } from '../http/envelope.ts'
import type { Task } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { type FileFormat, type FormattedTranscript, formatTranscript, MEDIA_TYPES } from './formats.ts'
import { findTranscript, listTimedSegments, type Segment } from './transcripts.ts'

/** Of bodies and queries. */
export const formatFlag = t.Optional(
  t.Union([t.Literal('json'), t.Literal('text'), t.Literal('srt'), t.Literal('vtt'), t.Literal('tsv')], {
    description:
      'Another form than the JSON envelope, with a content type of its own, once the transcript is complete: plain text, ' +
      'subtitles (two lines of at most 42 columns), or tab-separated values',
  }),
)

/** What such an answer may be, for `texts` of a route. */
export const FORMAT_TYPES = Object.values(MEDIA_TYPES)

/** Undefined for the envelope. */
export function fileFormatOf(format: string | undefined): FileFormat | undefined {
  return Object.keys(MEDIA_TYPES).find((name): name is FileFormat => name === format)
}

export function formattedAnswer(format: FileFormat, transcript: FormattedTranscript): Answer<never> {
  return textAnswer(`${MEDIA_TYPES[format]}; charset=utf-8`, formatTranscript(format, transcript))
}

export function formattedTranscript(
  app: Pick<App, 'db'>,
  transcriptId: string,
): FormattedTranscript | undefined {
  const transcript = findTranscript(app, transcriptId)
  return transcript && { videoInfo: transcript.videoInfo, segments: listTimedSegments(app, transcriptId) }
}

/** In the transaction that completes a task with one transcript. */
export function noteTaskTranscript(app: Pick<App, 'db'>, taskId: string, transcriptId: string): void {
  app.db
    .query('insert or replace into task_transcripts (task_id, transcript_id) values ($taskId, $transcriptId)')
    .run({ taskId, transcriptId })
}

function findTaskTranscript({ db }: Pick<App, 'db'>, taskId: string): string | undefined {
  const row = db
    .query<{ transcript_id: string }, [{ taskId: string }]>(
      'select transcript_id from task_transcripts where task_id = $taskId',
    )
    .get({ taskId })
  return row?.transcript_id
}

/** Of a completed transcription. Throws Problem `invalid_parameter` for all videos of a post, which are no one transcript. */
export function formattedTask(app: Pick<App, 'db'>, task: Task, format: FileFormat): Answer<never> {
  const transcriptId = findTaskTranscript(app, task.id)
  const transcript = transcriptId === undefined ? undefined : formattedTranscript(app, transcriptId)
  return formattedAnswer(format, transcript ?? transcriptOfResult(task.result, format))
}

/** A task of a former version, or whose transcript is gone: what its result says. */
function transcriptOfResult(result: unknown, format: FileFormat): FormattedTranscript {
  const { transcript, video_info: videoInfo } = (result ?? {}) as {
    readonly transcript?: readonly Segment[] | string
    readonly video_info?: Readonly<Record<string, unknown>>
  }
  if (Array.isArray(transcript))
    return { videoInfo: videoInfo ?? {}, segments: transcript as readonly Segment[] }
  if (typeof transcript === 'string' && format === 'text') {
    return { videoInfo: videoInfo ?? {}, segments: [{ text: transcript, start: 0, end: 0 }] }
  }
  throw severalVideos(format)
}

/** Throws Problem `invalid_parameter`. */
export function refuseSeveral(format: FileFormat | undefined, allVideos: boolean | undefined): void {
  if (format !== undefined && allVideos === true) throw severalVideos(format)
}

function severalVideos(format: FileFormat): Problem {
  return new Problem(
    'invalid_parameter',
    `"format" ${format} is for one transcript, and this is not one. Leave out "format", or ask for one video.`,
  )
}
