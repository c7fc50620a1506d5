// POST /transcribe, POST /transcribe/async and its poll.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { requireTranscriptionCredit } from '../billing/balance.ts'
import { UsageBlock, usageBlock } from '../billing/usage-block.ts'
import { transaction } from '../db/database.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { polledTask, SubmittedTask, taskRecord } from '../jobs/task-record.ts'
import { completedTask, getVisibleTask, type Task } from '../jobs/tasks.ts'
import { type Infer, t } from '../lib/schema.ts'
import { checkUrl } from '../net/policy.ts'
import { type ChosenEndpoint, createTaskWithWebhook } from '../webhooks/choose.ts'
import { webhookStatus } from '../webhooks/deliveries.ts'
import { submitLater, webhookUrl } from '../webhooks/submit.ts'
import { fetchJob } from './fetch.job.ts'
import { fileFormatOf, FORMAT_TYPES, formatFlag, formattedTask, refuseSeveral } from './format-answer.ts'
import { findItemIndex, requestOf, TranscribeFields, type TranscribeRequest } from './request.ts'
import { TranscribeEcho, TranscriptionResult } from './schemas.ts'
import { transcribeJob } from './transcribe.job.ts'

const STATUS_PATH = '/v1/transcribe'
const STAGES = [fetchJob, transcribeJob]

const usageFlag = t.Optional(t.Boolean({ description: 'Attach the usage block of this call' }))

export function transcriptionRoutes(app: App, auth: Guard): readonly Route[] {
  return [transcribeNow(app, auth), transcribeLater(app, auth), pollTranscription(app, auth)]
}

function transcribeNow(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/transcribe',
      tag: 'Transcription',
      summary: 'Transcribe an online video and wait for the transcript',
      description: `For media up to ${app.config.syncMaxMediaS / 60} minutes; use /transcribe/async for longer ones.`,
      auth: auth('transcribe'),
      body: t.Object({ ...TranscribeFields, include_usage: usageFlag, format: formatFlag }),
      charges: true,
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: TranscriptionResult,
          usage: t.Optional(UsageBlock),
        }),
      },
      texts: FORMAT_TYPES,
      errors: ['limit_exceeded', 'video_too_long', 'video_not_found', 'transcription_failed'],
      slow: true,
    },
    async ({ body, caller, signal, trail }) => {
      const format = fileFormatOf(body.format)
      refuseSeveral(format, body.all_videos)
      const task = submit(app, { accountId: caller.account.id, request: requestOf(body), isSync: true })
      trail.taskId = task.id
      const ended = await completedTask(app, task.id, signal)
      if (format !== undefined) return formattedTask(app, ended, format)
      const usage = body.include_usage ? { usage: usageBlock(app, task.id) } : {}
      return answer(200, success(ended.result as Infer<typeof TranscriptionResult>, usage))
    },
  )
}

function transcribeLater(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/transcribe/async',
      tag: 'Transcription',
      summary: 'Submit an online video for transcription',
      description: 'Poll GET /transcribe/{task_id} until task_status is completed or failed.',
      auth: auth('transcribe'),
      body: t.Object({ ...TranscribeFields, webhook_url: webhookUrl }),
      charges: true,
      responses: { 202: SubmittedTask },
      errors: ['limit_exceeded', 'too_many_active_jobs'],
    },
    (call) =>
      submitLater(app, call, STATUS_PATH, (accountId, webhook) =>
        submit(app, { accountId, request: requestOf(call.body), isSync: false, webhook }),
      ),
  )
}

function pollTranscription(app: App, auth: Guard): Route {
  return route(
    {
      method: 'GET',
      path: '/transcribe/{task_id}',
      tag: 'Transcription',
      summary: 'State and result of a transcription',
      auth: auth('transcribe'),
      query: t.Object({ include_usage: usageFlag, format: formatFlag }),
      responses: { 200: polledTask(TranscriptionResult, TranscribeEcho) },
      texts: FORMAT_TYPES,
      errors: ['task_not_found'],
    },
    ({ caller, params, query }) => {
      const task = getVisibleTask(app, caller.account.id, params.task_id, 'transcribe')
      const format = fileFormatOf(query.format)
      if (format !== undefined && task.status === 'completed') return formattedTask(app, task, format)
      const usage =
        query.include_usage && task.status === 'completed' ? { usage: usageBlock(app, task.id) } : {}
      return answer(200, success(taskRecord(app, task, STATUS_PATH, webhookStatus(app, task.id)), usage))
    },
  )
}

interface Submission {
  readonly accountId: string
  readonly request: TranscribeRequest
  readonly isSync: boolean
  readonly webhook?: ChosenEndpoint | undefined
}

/** Refuses what can be refused without asking anybody, before anything is created. */
function submit(app: App, { accountId, request, isSync, webhook }: Submission): Task {
  checkUrl(request.video_url, app.config)
  findItemIndex(request.video_url)
  requireTranscriptionCredit(app, accountId)
  const task = { accountId, jobType: 'transcribe', isSync, request, stages: STAGES } as const
  return transaction(app.db, () => createTaskWithWebhook(app, task, webhook))
}
