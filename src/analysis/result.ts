// What an analysis found, as the API shows it: segments by index become times and texts.

import type { Answer } from '../engines/extractive/types.ts'
import type { Segment } from '../transcripts/transcripts.ts'
import type { Summary } from './engine.ts'
import type { TranscriptAnalysis } from './schemas.ts'

const NO_ANSWER = 'The transcript does not answer this question.'

/** `answer` is given when there was a question. */
export function transcriptAnalysis(
  segments: readonly Segment[],
  summary: Summary,
  answer: Answer | undefined,
): TranscriptAnalysis {
  const best = segments[answer ? answer.bestSegmentIndex : summary.bestSegmentIndex]
  return {
    summary: summary.summary,
    people: summary.people.map(({ name, context }) => ({ name, context })),
    places: summary.places.map(({ name, context }) => ({ name, context })),
    key_subjects: summary.keySubjects.map(({ name, description, importance }) => ({
      name,
      description,
      importance,
    })),
    timestamp: best?.start ?? null,
    relevant_text: best?.text ?? null,
    ...(answer ? { query_answer: queryAnswer(segments, answer) } : {}),
  }
}

function queryAnswer(
  segments: readonly Segment[],
  answer: Answer,
): NonNullable<TranscriptAnalysis['query_answer']> {
  if (!answer.found) return { answer: NO_ANSWER, best_segment_index: -1, relevant_segments: [] }
  return {
    answer: answer.answer,
    best_segment_index: answer.bestSegmentIndex,
    relevant_segments: answer.relevantSegmentIndexes.flatMap((index) => segments[index]?.text ?? []),
  }
}

/** Every field of the contract, null where it is not known. */
const VIDEO_FIELDS = [
  'title',
  'description',
  'thumbnail',
  'url',
  'channel',
  'channel_url',
  'duration',
  'views',
  'likes',
  'published_date',
  'category',
  'selected_language',
  'keywords',
  'available_languages',
] as const

export function fullVideoInfo(videoInfo: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const unknown = Object.fromEntries(VIDEO_FIELDS.map((name) => [name, null]))
  return { ...unknown, ...videoInfo }
}
