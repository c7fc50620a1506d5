// The shapes of transcripts in answers.

import { t } from '../lib/schema.ts'

export const SegmentSchema = t.Object({
  text: t.String(),
  start: t.Number({ description: 'Seconds' }),
  end: t.Number({ description: 'Seconds' }),
})

export const TranscriptSchema = t.Union([
  t.Array(SegmentSchema),
  t.String({ description: 'With transcript_text' }),
])

const text = t.Optional(t.Union([t.String(), t.Null()]))
const count = t.Optional(t.Union([t.Integer(), t.Null()]))
const texts = t.Optional(t.Union([t.Array(t.String()), t.Null()]))

export const VideoInfoSchema = t.Object(
  {
    title: text,
    description: text,
    thumbnail: text,
    url: text,
    channel: text,
    channel_url: text,
    duration: t.Optional(t.Union([t.Number({ description: 'Seconds' }), t.Null()])),
    views: count,
    likes: count,
    published_date: text,
    category: text,
    selected_language: text,
    keywords: texts,
    available_languages: texts,
    speech_model: text,
  },
  { additionalProperties: true },
)

const CarouselResult = t.Object({
  carousel_info: t.Object({
    total_items: t.Integer(),
    video_count: t.Integer(),
    image_count: t.Integer(),
    transcribed_count: t.Integer(),
    total_duration: t.Number({ description: 'Seconds' }),
  }),
  videos: t.Array(
    t.Object({
      index: t.Integer({ minimum: 1 }),
      status: t.Union([t.Literal('success'), t.Literal('error')]),
      video_info: VideoInfoSchema,
      transcript: t.Union([TranscriptSchema, t.Null()]),
      error: t.Union([t.String(), t.Null()]),
      message: t.Union([t.String(), t.Null()]),
    }),
  ),
})

/** `data` of the synchronous answer and `result` of the task. */
export const TranscriptionResult = t.Union([
  t.Object({ video_info: VideoInfoSchema, transcript: TranscriptSchema }),
  CarouselResult,
])

export const TranscribeEcho = t.Object({
  video_url: t.String(),
  transcript_text: t.Boolean(),
  all_videos: t.Boolean(),
  language: t.Optional(t.String()),
})
