// POST /shortvideo/profile and its poll.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { hold } from '../billing/ledger.ts'
import { UsageBlock, usageBlock } from '../billing/usage-block.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { getVisibleTask, type Task } from '../jobs/tasks.ts'
import { type Infer, t } from '../lib/schema.ts'
import { isoTime } from '../lib/time.ts'
import { chooseEndpoint, createTaskWithWebhook } from '../webhooks/choose.ts'
import { pageCharge, requirePageCredit } from './charges.ts'
import { expiryOf, scrapeExpiry } from './expiry.ts'
import { filtersOf } from './filters.ts'
import { PollQuery, PollTail, pollTail, resultPage } from './poll.ts'
import { profileJob } from './profile.job.ts'
import { profileAddress } from './profile-url.ts'
import { ProfileBody, type ProfileEcho, profileEcho, ProfileFilters } from './request.ts'
import { findRun } from './results.ts'
import { Profile, VideoRecord } from './video-record.ts'

const STATUS_PATH = '/v1/shortvideo/profile'

const Submitted = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    task_id: t.String({ format: 'uuid' }),
    task_status: t.Literal('processing'),
    profile_url: t.String(),
    expires_at: t.String({ format: 'date-time' }),
    check_status_url: t.String({ description: 'Relative path to poll' }),
    webhook_url: t.Union([t.String(), t.Null()]),
    message: t.String(),
  }),
})

const Polled = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    task_id: t.String({ format: 'uuid' }),
    task_status: t.Union([t.Literal('processing'), t.Literal('completed'), t.Literal('failed')]),
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

export interface ShortVideoOptions {
  /** Base of links; asked per answer. */
  readonly publicUrl: () => string
}

export function profileRoutes(app: App, auth: Guard, options: ShortVideoOptions): readonly Route[] {
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
        const jobType = 'shortvideo_profile'
        const base = { accountId, jobType, isSync: false, request, stages: [profileJob] } as const
        const task = createTaskWithWebhook(app, { ...base, expiresAt: scrapeExpiry(app) }, webhook)
        hold(app, { ...pageCharge(task), quantity: 1 })
        trail.taskId = task.id
        return answer(202, success(submitted(app, task, request, webhook?.url ?? null)))
      })
    },
  )
}

function submitted(
  app: App,
  task: Task,
  { profile_url }: ProfileEcho,
  webhookUrl: string | null,
): Infer<typeof Submitted>['data'] {
  const path = `${STATUS_PATH}/${task.id}`
  return {
    task_id: task.id,
    task_status: 'processing',
    profile_url,
    expires_at: isoTime(expiryOf(app, task)),
    check_status_url: path,
    webhook_url: webhookUrl,
    message: `Accepted. Poll ${path} every few seconds until task_status is completed or failed.`,
  }
}

function pollProfile(app: App, auth: Guard, { publicUrl }: ShortVideoOptions): Route {
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
        task_id: task.id,
        task_status: task.status,
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
      const usage = query.include_usage && completed ? { usage: usageBlock(app, task.id) } : {}
      return answer(200, success(data, usage))
    },
  )
}
