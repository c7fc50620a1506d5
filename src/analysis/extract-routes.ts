// POST /extract/video, POST /extract/video/async and its poll: data in the caller's own schema.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { requireTranscriptionCredit } from '../billing/balance.ts'
import { usageBlock } from '../billing/usage-block.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { polledTask, SubmittedTask, taskRecord } from '../jobs/task-record.ts'
import { getVisibleTask } from '../jobs/tasks.ts'
import { t } from '../lib/schema.ts'
import { fetchJob } from '../transcripts/fetch.job.ts'
import { VideoInfoSchema } from '../transcripts/schemas.ts'
import { transcribeJob } from '../transcripts/transcribe.job.ts'
import { webhookStatus } from '../webhooks/deliveries.ts'
import { submitLater, webhookUrl } from '../webhooks/submit.ts'
import { analysed, AnalysedBeside } from './analysed.ts'
import { readExtractionBody } from './body.ts'
import { EngineSchema } from './engine.ts'
import { extractJob } from './extract.job.ts'
import {
  type AnalysisSubmission,
  checkVideoUrl,
  extractionFields,
  extractionRequest,
  submitAnalysis,
  usageFlag,
  videoUrl,
} from './request.ts'
import { parseExtractionSchema } from './schema.ts'
import { ExtractedData } from './schemas.ts'
import { findRun } from './store.ts'

const STATUS_PATH = '/v1/extract/video'
const STAGES = [fetchJob, transcribeJob, extractJob]
const BODY_TYPES = 'The body may also be YAML (application/yaml) or multipart/form-data.'

const fields = {
  video_url: videoUrl,
  ...extractionFields,
  transcribe: t.Optional(
    t.Boolean({ description: 'false: only when there is a transcript already. Default true' }),
  ),
}
const SyncBody = t.Object({ ...fields, include_usage: usageFlag })
const AsyncBody = t.Object({
  ...fields,
  webhook_url: webhookUrl,
})

const Echo = t.Object({
  video_url: t.String(),
  schema: t.Record(t.String(), t.Unknown()),
  what_to_extract: t.Optional(t.String()),
  transcribe: t.Boolean(),
})

export function extractionRoutes(app: App, auth: Guard): readonly Route[] {
  return [extractNow(app, auth), extractLater(app, auth), pollExtraction(app, auth)]
}

function extractNow(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/extract/video',
      tag: 'Extraction',
      summary: 'Extract data from an online video in your own schema, and wait for it',
      description: `For media up to ${app.config.syncMaxMediaS / 60} minutes. ${BODY_TYPES}`,
      auth: auth('extract'),
      body: SyncBody,
      form: SyncBody,
      readBody: readExtractionBody,
      charges: true,
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: ExtractedData,
          video_info: VideoInfoSchema,
          ...AnalysedBeside,
        }),
      },
      errors: ['invalid_schema', 'limit_exceeded', 'video_too_long', 'video_not_found', 'extraction_failed'],
      slow: true,
    },
    async (call) => {
      const submission = submissionOf(app, call.caller.account.id, call.body)
      const { result, videoInfo: video_info, beside } = await analysed(app, submission, call)
      return answer(200, success(result as Record<string, unknown>, { video_info, ...beside }))
    },
  )
}

function extractLater(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/extract/video/async',
      tag: 'Extraction',
      summary: 'Submit an online video for extraction',
      description: `Poll GET /extract/video/{task_id} until task_status is completed or failed. ${BODY_TYPES}`,
      auth: auth('extract'),
      body: AsyncBody,
      form: AsyncBody,
      readBody: readExtractionBody,
      charges: true,
      responses: { 202: SubmittedTask },
      errors: ['invalid_schema', 'limit_exceeded', 'too_many_active_jobs'],
    },
    (call) =>
      submitLater(app, call, STATUS_PATH, (accountId, webhook) =>
        submitAnalysis(app, { ...submissionOf(app, accountId, call.body), isSync: false, webhook }),
      ),
  )
}

function pollExtraction(app: App, auth: Guard): Route {
  return route(
    {
      method: 'GET',
      path: '/extract/video/{task_id}',
      tag: 'Extraction',
      summary: 'State and result of an extraction',
      auth: auth('extract'),
      query: t.Object({ include_usage: usageFlag }),
      responses: {
        200: polledTask(ExtractedData, Echo, {
          data: { video_info: t.Union([VideoInfoSchema, t.Null()]) },
          top: { engine: t.Optional(EngineSchema) },
        }),
      },
      errors: ['task_not_found'],
    },
    ({ caller, params, query }) => {
      const task = getVisibleTask(app, caller.account.id, params.task_id, 'extract_video')
      const run = findRun(app, task.id)
      const record = taskRecord(app, task, STATUS_PATH, webhookStatus(app, task.id))
      const withUsage = query.include_usage === true && task.status === 'completed'
      return answer(
        200,
        success(
          { ...record, video_info: run?.videoInfo ?? null },
          {
            ...(run ? { engine: run.engine } : {}),
            ...(withUsage ? { usage: usageBlock(app, task.id) } : {}),
          },
        ),
      )
    },
  )
}

interface ExtractionBody {
  readonly video_url: string
  readonly schema: unknown
  readonly what_to_extract?: string
  readonly transcribe?: boolean
}

/** Refuses what can be refused without asking anybody, before anything is created. */
function submissionOf(
  app: App,
  accountId: string,
  body: ExtractionBody,
): Omit<AnalysisSubmission, 'isSync' | 'webhook'> {
  const video_url = checkVideoUrl(app, body.video_url)
  const schema = parseExtractionSchema(body.schema)
  requireTranscriptionCredit(app, accountId)
  const request = { video_url, ...extractionRequest(schema, body), transcribe: body.transcribe ?? true }
  return { accountId, jobType: 'extract_video', request, stages: STAGES }
}
