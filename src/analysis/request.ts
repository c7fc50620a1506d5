// Submitting an analysis: what every such endpoint refuses, creates and charges up front.

import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import type { JobPlan } from '../jobs/queue.ts'
import type { JobType, Task } from '../jobs/tasks.ts'
import { t } from '../lib/schema.ts'
import { checkUrl } from '../net/policy.ts'
import { findItemIndex } from '../transcripts/request.ts'
import { type ChosenEndpoint, createTaskWithWebhook } from '../webhooks/choose.ts'
import { holdAnalysis, requireAnalysisCredit } from './charges.ts'

export const usageFlag = t.Optional(t.Boolean({ description: 'Attach the usage block of this call' }))

export const videoUrl = t.String({
  description: 'URL of the video. For carousel posts, ?img_index=N selects one item',
  examples: ['https://example.com/talk.mp4'],
})

export const queryField = t.Optional(
  t.String({ description: 'Question about the content', maxLength: 2_000, examples: ['Who founded it?'] }),
)

/** Of both endpoints that analyse. */
export const analysisFields = {
  query: queryField,
  transcript_text: t.Optional(t.Boolean({ description: 'true: the transcript as one plain-text string' })),
  include_usage: usageFlag,
}

/** What the analysing job reads back of them. */
export function analysisRequest(body: { readonly query?: string; readonly transcript_text?: boolean }): {
  readonly transcript_text: boolean
  readonly query?: string
} {
  const query = body.query?.trim() ?? ''
  return { transcript_text: body.transcript_text ?? false, ...(query === '' ? {} : { query }) }
}

/** What the extracting job reads back, of a body whose schema has been checked. */
export function extractionRequest(
  schema: unknown,
  { what_to_extract: sent }: { readonly what_to_extract?: string },
): { readonly schema: unknown; readonly what_to_extract?: string } {
  const instruction = sent?.trim() ?? ''
  return { schema, ...(instruction === '' ? {} : { what_to_extract: instruction }) }
}

export const extractionFields = {
  schema: t.Unknown({
    description:
      'Map from field name to {type, description}; types String, Number, Integer, Boolean, Object (properties), ' +
      'Array (items) and Enum (enum). At most 10 fields, 3 levels deep.',
    examples: [{ speaker: { type: 'String', description: 'Who speaks' } }],
  }),
  what_to_extract: t.Optional(
    t.String({ description: 'What to look for, in your own words', maxLength: 2_000 }),
  ),
}

export interface AnalysisSubmission {
  readonly accountId: string
  readonly jobType: JobType
  readonly isSync: boolean
  readonly request: Readonly<Record<string, unknown>>
  readonly stages: readonly JobPlan[]
  readonly webhook?: ChosenEndpoint | undefined
}

/** Throws `limit_exceeded`, `too_many_active_jobs` and `system_overload`; then nothing was created. */
export function submitAnalysis(app: App, { webhook, ...task }: AnalysisSubmission): Task {
  requireAnalysisCredit(app, task.accountId)
  return transaction(app.db, () => {
    const created = createTaskWithWebhook(app, task, webhook)
    holdAnalysis(app, created)
    return created
  })
}

/** Refuses what can be refused without asking anybody. The URL as tasks keep it. */
export function checkVideoUrl(app: App, text: string): string {
  const url = text.trim()
  checkUrl(url, app.config)
  findItemIndex(url)
  return url
}
