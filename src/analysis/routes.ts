// POST /analyze/video: summary, people, places, key subjects, and the answer to a question.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { UsageBlock, usageBlock } from '../billing/usage-block.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { completedTask } from '../jobs/tasks.ts'
import { t } from '../lib/schema.ts'
import { fetchJob } from '../transcripts/fetch.job.ts'
import { transcribeJob } from '../transcripts/transcribe.job.ts'
import { analyzeJob } from './analyze.job.ts'
import { EngineSchema } from './engine.ts'
import { checkVideoUrl, queryField, submitAnalysis, usageFlag, videoUrl } from './request.ts'
import { VideoAnalysis } from './schemas.ts'
import { findRun } from './store.ts'

const STAGES = [fetchJob, transcribeJob, analyzeJob]

export function analysisRoutes(app: App, auth: Guard): readonly Route[] {
  return [analyzeVideo(app, auth)]
}

function analyzeVideo(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/analyze/video',
      tag: 'Analysis',
      summary: 'Summary, people, places and subjects of an online video, and the answer to a question',
      description:
        'Media may be of any length; what has not been transcribed yet is transcribed first, which takes its time. ' +
        'Summaries and transcripts are cached, answers are not.',
      auth: auth('analyze'),
      body: t.Object({
        video_url: videoUrl,
        query: queryField,
        transcript_text: t.Optional(
          t.Boolean({ description: 'true: the transcript as one plain-text string' }),
        ),
        include_usage: usageFlag,
      }),
      charges: true,
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: VideoAnalysis,
          engine: t.Optional(EngineSchema),
          usage: t.Optional(UsageBlock),
        }),
      },
      errors: ['limit_exceeded', 'video_not_found', 'metadata_fetch_failed', 'extraction_failed'],
      slow: true,
    },
    async ({ body, caller, signal, trail }) => {
      const query = body.query?.trim() ?? ''
      const task = submitAnalysis(app, {
        accountId: caller.account.id,
        jobType: 'analyze_video',
        isSync: true,
        request: {
          video_url: checkVideoUrl(app, body.video_url),
          transcript_text: body.transcript_text ?? false,
          any_length: true,
          ...(query === '' ? {} : { query }),
        },
        stages: STAGES,
      })
      trail.taskId = task.id
      const { result } = await completedTask(app, task.id, signal)
      const engine = findRun(app, task.id)?.engine
      return answer(
        200,
        success(result as VideoAnalysis, {
          ...(engine ? { engine } : {}),
          ...(body.include_usage ? { usage: usageBlock(app, task.id) } : {}),
        }),
      )
    },
  )
}
