// POST /shortvideo/profile and its poll.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { UsageBlock } from '../billing/usage-block.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { getVisibleTask } from '../jobs/tasks.ts'
import { t } from '../lib/schema.ts'
import { chooseEndpoint } from '../webhooks/choose.ts'
import { requirePageCredit } from './charges.ts'
import { filtersOf } from './filters.ts'
import { pollHead, PollHead, PollQuery, PollTail, pollTail, pollUsage, resultPage } from './poll.ts'
import { profileJob } from './profile.job.ts'
import { profileAddress } from './profile-url.ts'
import { ProfileBody, type ProfileEcho, profileEcho, ProfileFilters } from './request.ts'
import { findRun } from './results.ts'
import { createScrape, type ScrapeRoutesOptions, SubmittedTail } from './scrape.ts'
import { Profile, VideoRecord } from './video-record.ts'

const STATUS_PATH = '/v1/shortvideo/profile'

const Submitted = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    task_id: t.String({ format: 'uuid' }),
    task_status: t.Literal('processing'),
    profile_url: t.String(),
    ...SubmittedTail,
  }),
})

const Polled = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    ...PollHead,
    profile_url: t.String(),
    profile: t.Union([Profile, t.Null()]),
    filters: ProfileFilters,
    stats: t.Object({
      videos_scanned: t.Integer(),
      videos_matched: t.Integer(),
      pages_consumed: t.Integer(),
    }),
    videos: t.Array(VideoRecord, { description: 'Empty until the task has completed' }),
    ...PollTail,
  }),
  usage: t.Optional(UsageBlock),
})

export function profileRoutes(app: App, auth: Guard, options: ScrapeRoutesOptions): readonly Route[] {
  return [submitProfile(app, auth), pollProfile(app, auth, options)]
}

function submitProfile(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/shortvideo/profile',
      tag: 'Short video',
      summary: 'List the videos of a short-video profile',
      description:
        'Poll GET /shortvideo/profile/{task_id}. max_posts and after_datetime end the fetching early.',
      auth: auth('shortvideo'),
      body: ProfileBody,
      charges: true,
      responses: { 202: Submitted },
      errors: ['invalid_url', 'unsupported_platform', 'limit_exceeded', 'too_many_active_jobs'],
    },
    ({ body, caller, commit, trail }) => {
      const accountId = caller.account.id
      const request = profileEcho(body)
      profileAddress(request.profile_url, app.config)
      filtersOf(body)
      const webhook = chooseEndpoint(app, accountId, body.webhook_url)
      requirePageCredit(app, accountId, 'shortvideo_profile')
      return commit(() => {
        const { taskId, tail } = createScrape(app, {
          jobType: 'shortvideo_profile',
          accountId,
          request,
          job: profileJob,
          webhook,
          statusPath: STATUS_PATH,
        })
        trail.taskId = taskId
        const { profile_url } = request
        return answer(
          202,
          success({ task_id: taskId, task_status: 'processing' as const, profile_url, ...tail }),
        )
      })
    },
  )
}

function pollProfile(app: App, auth: Guard, { publicUrl }: ScrapeRoutesOptions): Route {
  return route(
    {
      method: 'GET',
      path: '/shortvideo/profile/{task_id}',
      tag: 'Short video',
      summary: 'State and results of a profile task',
      auth: auth('shortvideo'),
      query: PollQuery,
      responses: { 200: Polled },
      errors: ['invalid_cursor', 'task_not_found'],
    },
    ({ caller, params, query }) => {
      const task = getVisibleTask(app, caller.account.id, params.task_id, 'shortvideo_profile')
      const { profile_url, ...filters } = task.request as ProfileEcho
      const page = resultPage(app, task, query)
      const run = findRun(app, task.id)
      const completed = task.status === 'completed'
      const data = {
        ...pollHead(task),
        profile_url,
        profile: completed ? ((run?.about ?? null) as Profile | null) : null,
        filters,
        stats: {
          videos_scanned: run?.scanned ?? 0,
          videos_matched: run?.matched ?? 0,
          pages_consumed: run?.pages ?? 0,
        },
        videos: page.items as VideoRecord[],
        pagination: page.pagination,
        ...pollTail(app, task, publicUrl()),
      }
      return answer(200, success(data, pollUsage(app, task, query)))
    },
  )
}
