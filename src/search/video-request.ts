// What POST /search/video takes, what its task keeps of it, and what it answers.

import { EngineSchema } from '../analysis/engine.ts'
import { UsageBlock } from '../billing/usage-block.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, parser, t } from '../lib/schema.ts'

const QUERY_MAX = 2_000
const YEAR_MIN = 1_900
const YEAR_MAX = 9_998
const RESULTS_MAX = 50
const RESULTS_DEFAULT = 10

const year = (description: string) =>
  t.Optional(t.Integer({ description, minimum: YEAR_MIN, maximum: YEAR_MAX, examples: [2024] }))

export const FOCUSES = ['relevance', 'popularity', 'brevity'] as const
export type Focus = (typeof FOCUSES)[number]

export const VideoSearchBody = t.Object({
  query: t.String({ minLength: 1, maxLength: QUERY_MAX, examples: ['when does the ferry leave in winter'] }),
  use_enhanced_search: t.Optional(t.Boolean({ description: 'Also search in other words (default true)' })),
  start_year: year('Earliest year of publication'),
  end_year: year('Latest year of publication'),
  focus: t.Optional(
    t.Union(
      FOCUSES.map((focus) => t.Literal(focus)),
      { description: 'What comes first among what fits: the best (default), the most viewed, the shortest' },
    ),
  ),
  duration: t.Optional(t.Integer({ description: 'Longest duration in seconds', minimum: 1 })),
  max_results: t.Optional(t.Integer({ description: 'Default 10', minimum: 1, maximum: RESULTS_MAX })),
  include_usage: t.Optional(t.Boolean({ description: 'Attach the usage block of this call' })),
})
type Body = Infer<typeof VideoSearchBody>

/** As the task keeps it. */
const VideoSearch = t.Object({
  query: t.String(),
  enhanced: t.Boolean(),
  focus: t.Union(FOCUSES.map((focus) => t.Literal(focus))),
  limit: t.Integer(),
  fromYear: t.Optional(t.Integer()),
  untilYear: t.Optional(t.Integer()),
  durationMaxS: t.Optional(t.Integer()),
})
export type VideoSearch = Infer<typeof VideoSearch>
export const videoSearch = parser(VideoSearch)

/** Throws Problem `invalid_parameter` for years in the wrong order. */
export function videoSearchOf(body: Body): VideoSearch {
  const { start_year: fromYear, end_year: untilYear, duration } = body
  if (fromYear !== undefined && untilYear !== undefined && fromYear > untilYear) {
    throw new Problem('invalid_parameter', '"start_year" must not be later than "end_year".')
  }
  return {
    query: body.query.trim(),
    enhanced: body.use_enhanced_search ?? true,
    focus: body.focus ?? 'relevance',
    limit: body.max_results ?? RESULTS_DEFAULT,
    ...(fromYear === undefined ? {} : { fromYear }),
    ...(untilYear === undefined ? {} : { untilYear }),
    ...(duration === undefined ? {} : { durationMaxS: duration }),
  }
}

const orNull = <S extends Parameters<typeof t.Union>[0][number]>(schema: S) => t.Union([schema, t.Null()])
const text = orNull(t.String())
const Named = t.Object({ name: t.String(), context: t.String() })

export const VideoResult = t.Object({
  title: text,
  url: t.String(),
  description: text,
  thumbnail: text,
  channel: text,
  published_date: text,
  duration: orNull(t.Number()),
  views: orNull(t.Integer()),
  likes: orNull(t.Integer()),
  relevance_score: t.Number({
    minimum: 0,
    maximum: 1,
    description: 'About the probability that this is what was looked for',
  }),
  transcript_summary: text,
  people: t.Array(Named),
  places: t.Array(Named),
  key_subjects: t.Array(t.Object({ name: t.String(), description: t.String() })),
  timestamp: orNull(
    t.Number({ description: 'Seconds at which the best moment begins; null without a transcript' }),
  ),
  relevant_text: orNull(t.String({ description: 'What is said there' })),
  query_relevance: t.String({ description: 'What the video says to the query, or why it is listed' }),
})
export type VideoResult = Infer<typeof VideoResult>

export const VideoSearchData = t.Object({
  query: t.String(),
  results: t.Array(VideoResult),
  total_found: t.Integer({ description: 'Videos that fit, those that are not shown included' }),
  explanation: t.String({ description: 'What was searched, with which models, and what could not be' }),
})
export type VideoSearchData = Infer<typeof VideoSearchData>

export const VideoSearchAnswer = t.Object({
  status: t.Literal('success'),
  data: VideoSearchData,
  engine: EngineSchema,
  usage: t.Optional(UsageBlock),
})

/** What was found before the credits ran out; it is billed. */
export const PartialVideoSearchAnswer = t.Object(
  {
    status: t.Literal('partial'),
    error: t.Literal('limit_exceeded'),
    error_code: t.Literal('insufficient_credits_video_search'),
    message: t.String(),
    data: VideoSearchData,
    engine: EngineSchema,
    usage: t.Optional(UsageBlock),
  },
  { description: 'The credits ran out midway: the results so far, which are billed' },
)
