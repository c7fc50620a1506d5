// POST /post/statement, POST /post/statement/async and its poll: the analysis of what a social post claims.

import type { Guard } from '../accounts/guard.ts'
import { analysed, AnalysedBeside } from '../analysis/analysed.ts'
import { type EngineInfo, EngineSchema } from '../analysis/engine.ts'
import { type AnalysisSubmission, submitAnalysis, usageFlag } from '../analysis/request.ts'
import { findRun } from '../analysis/store.ts'
import type { App } from '../app.ts'
import { requireTranscriptionCredit } from '../billing/balance.ts'
import { usageBlock } from '../billing/usage-block.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { polledTask, SubmittedTask, taskRecord } from '../jobs/task-record.ts'
import { getVisibleTask, type Task } from '../jobs/tasks.ts'
import { t } from '../lib/schema.ts'
import { transcribeJob } from '../transcripts/transcribe.job.ts'
import { webhookStatus } from '../webhooks/deliveries.ts'
import { submitLater, webhookUrl } from '../webhooks/submit.ts'
import { fetchPostJob } from './fetch-post.job.ts'
import { postIdOf } from './post-id.ts'
import { PostInfo, StatementData } from './result.ts'
import { statementJob } from './statement.job.ts'

const STATUS_PATH = '/v1/post/statement'
const STAGES = [fetchPostJob, transcribeJob, statementJob]
const TAG = 'Posts'
const REFUSALS = ['invalid_url', 'unsupported_url', 'unsupported_platform', 'limit_exceeded'] as const

const postId = t.String({
  description: 'Number of a post on X, as text, or its URL',
  maxLength: 2_048,
  examples: ['1234567890123456789'],
})
const beside = { engine: t.Optional(EngineSchema), post_info: t.Optional(PostInfo) }

export function statementRoutes(app: App, auth: Guard): readonly Route[] {
  return [stateNow(app, auth), stateLater(app, auth), pollStatement(app, auth)]
}

function stateNow(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/post/statement',
      tag: TAG,
      summary: 'What a social post claims: statement, topics, entities and five axes',
      description:
        'Videos of the post, and of the post it quotes, are transcribed; each may be up to ' +
        `${app.config.syncMaxMediaS / 60} minutes long, longer ones take /post/statement/async. The axes are ` +
        'judged by the text of the post alone. A post that cannot be had is a 502.',
      auth: auth('statement'),
      body: t.Object({ post_id: postId, include_usage: usageFlag }),
      charges: true,
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: StatementData,
          post_info: PostInfo,
          ...AnalysedBeside,
        }),
      },
      errors: [...REFUSALS, 'video_too_long', 'extraction_failed', 'upstream_failed'],
      slow: true,
    },
    async (call) => {
      const submission = submissionOf(app, call.caller.account.id, call.body.post_id)
      const { result, videoInfo, beside: own } = await analysed(app, submission, call)
      // As the statement's job wrote them.
      return answer(200, success(result as StatementData, { post_info: videoInfo as PostInfo, ...own }))
    },
  )
}

function stateLater(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/post/statement/async',
      tag: TAG,
      summary: 'Submit a social post for the analysis of its claim',
      description: 'For posts with videos of any length. Poll GET /post/statement/{task_id}.',
      auth: auth('statement'),
      body: t.Object({ post_id: postId, webhook_url: webhookUrl }),
      charges: true,
      responses: { 202: SubmittedTask },
      errors: [...REFUSALS, 'too_many_active_jobs'],
    },
    (call) =>
      submitLater(app, call, STATUS_PATH, (accountId, webhook) =>
        submitAnalysis(app, {
          ...submissionOf(app, accountId, call.body.post_id),
          isSync: false,
          webhook,
        }),
      ),
  )
}

function pollStatement(app: App, auth: Guard): Route {
  return route(
    {
      method: 'GET',
      path: '/post/statement/{task_id}',
      tag: TAG,
      summary: 'State and result of a claim analysis',
      auth: auth('statement'),
      query: t.Object({ include_usage: usageFlag }),
      responses: {
        200: polledTask(StatementData, t.Object({ post_id: t.String() }), { top: beside }),
      },
      errors: ['task_not_found'],
    },
    ({ caller, params, query }) => {
      const task = getVisibleTask(app, caller.account.id, params.task_id, 'post_statement')
      const record = taskRecord(app, task, STATUS_PATH, webhookStatus(app, task.id))
      const withUsage = query.include_usage === true && task.status === 'completed'
      const usage = withUsage ? { usage: usageBlock(app, task.id) } : {}
      return answer(200, success(record, { ...besideOf(app, task), ...usage }))
    },
  )
}

/** What stands beside `data` once the task is complete. */
function besideOf(app: App, { id }: Task): { engine?: EngineInfo; post_info?: PostInfo } {
  const run = findRun(app, id)
  // As the statement's job wrote it.
  return run ? { engine: run.engine, post_info: run.videoInfo as PostInfo } : {}
}

/** Refuses what can be refused without asking anybody, before anything is created. */
function submissionOf(app: App, accountId: string, postId: string): Omit<AnalysisSubmission, 'isSync'> {
  postIdOf(postId, app.config)
  requireTranscriptionCredit(app, accountId)
  return { accountId, jobType: 'post_statement', request: { post_id: postId.trim() }, stages: STAGES }
}
