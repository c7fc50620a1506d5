// POST /analyze/video: summary, people, places, key subjects, and the answer to a question.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { t } from '../lib/schema.ts'
import { fetchJob } from '../transcripts/fetch.job.ts'
import { transcribeJob } from '../transcripts/transcribe.job.ts'
import { analysed, AnalysedBeside } from './analysed.ts'
import { analyzeJob } from './analyze.job.ts'
import { analysisFields, analysisRequest, checkVideoUrl, videoUrl } from './request.ts'
import { VideoAnalysis } from './schemas.ts'

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
        ...analysisFields,
      }),
      charges: true,
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: VideoAnalysis,
          ...AnalysedBeside,
        }),
      },
      errors: ['limit_exceeded', 'video_not_found', 'metadata_fetch_failed', 'extraction_failed'],
      slow: true,
    },
    async (call) => {
      const { body } = call
      const submission = {
        accountId: call.caller.account.id,
        jobType: 'analyze_video',
        request: {
          video_url: checkVideoUrl(app, body.video_url),
          any_length: true,
          ...analysisRequest(body),
        },
        stages: STAGES,
      } as const
      const { result, beside } = await analysed(app, submission, call)
      return answer(200, success(result as VideoAnalysis, beside))
    },
  )
}
