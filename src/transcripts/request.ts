// What the transcription endpoints take, and what the jobs read back from the task.

import type { Task } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, parseOrThrow, parser, t } from '../lib/schema.ts'

export const TranscribeFields = {
  video_url: t.String({
    description: 'URL of the video. For carousel posts, ?img_index=N selects one item',
    examples: ['https://example.com/talk.mp4'],
  }),
  transcript_text: t.Optional(t.Boolean({ description: 'true: the transcript as one plain-text string' })),
  all_videos: t.Optional(t.Boolean({ description: 'Carousel posts only: transcribe all videos' })),
  language: t.Optional(
    t.String({
      description: 'ISO 639-1 code of the spoken language; detected when absent',
      pattern: '^[A-Za-z]{2}$',
      examples: ['en'],
    }),
  ),
}

/** As a task keeps it, whatever else its later stages find there: the echo of the contract, plus the language. */
const TaskRequest = t.Object({
  video_url: t.String(),
  transcript_text: t.Optional(t.Boolean()),
  all_videos: t.Optional(t.Boolean()),
  language: t.Optional(t.String()),
  /** False: only what is known already; nothing is put into words. */
  transcribe: t.Optional(t.Boolean()),
  /** Although the request is synchronous. */
  any_length: t.Optional(t.Boolean()),
})

export type TranscribeRequest = Infer<typeof TaskRequest> & {
  readonly transcript_text: boolean
  readonly all_videos: boolean
}

const taskRequest = parser(TaskRequest)

interface Body {
  readonly video_url: string
  readonly transcript_text?: boolean
  readonly all_videos?: boolean
  readonly language?: string
}

export function requestOf(body: Body): TranscribeRequest {
  return {
    video_url: body.video_url.trim(),
    transcript_text: body.transcript_text ?? false,
    all_videos: body.all_videos ?? false,
    ...(body.language === undefined ? {} : { language: body.language.toLowerCase() }),
  }
}

export function readTaskRequest(request: unknown): TranscribeRequest {
  const read = parseOrThrow(taskRequest, request, 'the request of a task about a video')
  return { ...read, transcript_text: read.transcript_text ?? false, all_videos: read.all_videos ?? false }
}

/** What the caller of any kind of task says is spoken; undefined when nothing. */
export function findLanguage(request: Task['request']): string | undefined {
  const { language } = request
  return typeof language === 'string' ? language : undefined
}

/** `?img_index=N` of a carousel post's URL: 1-based; undefined when absent. Throws `invalid_parameter`. */
export function findItemIndex(url: string): number | undefined {
  const text = URL.parse(url)?.searchParams.get('img_index')
  if (text === null || text === undefined) return undefined
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text)
  throw new Problem('invalid_parameter', 'img_index in video_url must be a whole number from 1.')
}
