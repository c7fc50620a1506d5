// POST /search/video: the library of the account and, while it can be reached, the video platform.

import type { Guard } from '../accounts/guard.ts'
import { submitAnalysis } from '../analysis/request.ts'
import type { App } from '../app.ts'
import { usageBlock } from '../billing/usage-block.ts'
import { type Answer, answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { completedTask } from '../jobs/tasks.ts'
import type { Infer } from '../lib/schema.ts'
import {
  PartialVideoSearchAnswer,
  VideoSearchAnswer,
  VideoSearchBody,
  videoSearchOf,
} from './video-request.ts'
import { videoSearchJob, type VideoSearchResult } from './videos.job.ts'

export function videoSearchRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/search/video',
      tag: 'Search',
      summary: 'Find online videos by what is said in them, on the platform and in the library',
      description:
        'The library are the videos that the account has had transcribed, and those of its indexed channels. Captions ' +
        'of what the platform finds are fetched within half a minute and stay in the library. Nothing found: nothing billed.',
      auth: auth('search'),
      body: VideoSearchBody,
      charges: true,
      responses: { 200: VideoSearchAnswer, 402: PartialVideoSearchAnswer },
      errors: ['limit_exceeded', 'system_overload'],
      slow: true,
    },
    async ({
      body,
      caller,
      signal,
      trail,
    }): Promise<Answer<Infer<typeof VideoSearchAnswer> | Infer<typeof PartialVideoSearchAnswer>>> => {
      const task = submitAnalysis(app, {
        accountId: caller.account.id,
        jobType: 'search_video',
        isSync: true,
        request: videoSearchOf(body),
        stages: [videoSearchJob],
      })
      trail.taskId = task.id
      const ended = await completedTask(app, task.id, signal)
      // As the job has completed it.
      const { data, engine, partial } = ended.result as VideoSearchResult
      const usage = body.include_usage ? { usage: usageBlock(app, task.id) } : {}
      if (!partial) return answer(200, success(data, { engine, ...usage }))
      return answer(402, {
        status: 'partial',
        error: 'limit_exceeded',
        error_code: 'insufficient_credits_video_search',
        message:
          'The credits ran out before the transcripts of all videos could be fetched; these are the results so far. ' +
          'Add credits, or wait for the next billing period (see GET /usage).',
        data,
        engine,
        ...usage,
      })
    },
  )
}
