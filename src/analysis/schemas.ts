// The shapes of analyses in answers.

import { type Infer, t } from '../lib/schema.ts'
import { TranscriptSchema, VideoInfoSchema } from '../transcripts/schemas.ts'

const NamedWithContext = t.Object({
  name: t.String(),
  context: t.String({ description: 'What the transcript says about it' }),
})

const QueryAnswer = t.Object({
  answer: t.String({ description: 'Says so when the transcript does not answer the question' }),
  best_segment_index: t.Integer({
    description: 'Index in the transcript’s segments; -1 when there is no answer',
  }),
  relevant_segments: t.Array(t.String({ description: 'Text of a segment, the best first' })),
})

export const TranscriptAnalysis = t.Object({
  summary: t.String(),
  people: t.Array(NamedWithContext),
  places: t.Array(NamedWithContext),
  key_subjects: t.Array(t.Object({ name: t.String(), description: t.String(), importance: t.String() })),
  timestamp: t.Union([
    t.Number({ description: 'Seconds: where the answer (or without a query the summary) comes from' }),
    t.Null(),
  ]),
  relevant_text: t.Union([t.String({ description: 'What is said there' }), t.Null()]),
  query_answer: t.Optional(QueryAnswer),
})
export type TranscriptAnalysis = Infer<typeof TranscriptAnalysis>

export const VideoAnalysis = t.Object({
  video_info: VideoInfoSchema,
  transcript: TranscriptSchema,
  transcript_analysis: TranscriptAnalysis,
})
export type VideoAnalysis = Infer<typeof VideoAnalysis>

export const ExtractedData = t.Record(t.String(), t.Unknown(), {
  description: 'One key per field of the schema; null, or an empty list, where the transcript says nothing',
})
