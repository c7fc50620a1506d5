// POST /shortvideo/search and its poll.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { UsageBlock } from '../billing/usage-block.ts'
import { noBrowser } from '../engines/browser.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { getVisibleTask } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { chooseEndpoint } from '../webhooks/choose.ts'
import { requirePageCredit } from './charges.ts'
import { filtersOf } from './filters.ts'
import { pollHead, PollHead, PollQuery, PollTail, pollTail, pollUsage, resultPage } from './poll.ts'
import { findRun } from './results.ts'
import { createScrape, type ScrapeRoutesOptions, SubmittedTail } from './scrape.ts'
import { SearchItem } from './search-item.ts'
import { searchJob, searchStats } from './search.job.ts'
import { SearchBody, SearchEcho, searchEcho } from './search-request.ts'

const STATUS_PATH = '/v1/shortvideo/search'

const { sort_by: sortBy, published_within: publishedWithin, ...Asked } = SearchEcho.properties

const Submitted = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    task_id: t.String({ format: 'uuid' }),
    task_status: t.Literal('processing'),
    ...Asked,
    ...SubmittedTail,
  }),
})

const Polled = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    ...PollHead,
    ...Asked,
    check_status_url: t.String(),
    stats: t.Object({
      pages_fetched: t.Integer(),
      results_count: t.Integer(),
      next_search_cursor: t.Union([t.String({ description: 'Where the platform would go on' }), t.Null()]),
      sort_by: sortBy,
      published_within: publishedWithin,
    }),
    results: t.Array(SearchItem, { description: 'Empty until the task has completed' }),
    ...PollTail,
  }),
  usage: t.Optional(UsageBlock),
})

export function searchRoutes(app: App, auth: Guard, options: ScrapeRoutesOptions): readonly Route[] {
  return [submitSearch(app, auth), pollSearch(app, auth, options)]
}

function submitSearch(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/shortvideo/search',
      tag: 'Short video',
      summary: 'Search short videos by keyword',
      description:
        'Poll GET /shortvideo/search/{task_id}. Needs a browser on the server. Newest first unless sort_by is given.',
      auth: auth('shortvideo'),
      body: SearchBody,
      charges: true,
      responses: { 202: Submitted },
      errors: ['limit_exceeded', 'too_many_active_jobs', 'unsupported_platform'],
    },
    ({ body, caller, commit, trail }) => {
      const accountId = caller.account.id
      const request = searchEcho(body)
      if (request.query.length < 2)
        throw new Problem('invalid_parameter', '"query" must have at least 2 characters.')
      filtersOf(body)
      if (app.engines.browser.path === undefined) throw noBrowser()
      const webhook = chooseEndpoint(app, accountId, body.webhook_url)
      requirePageCredit(app, accountId, 'shortvideo_search')
      return commit(() => {
        const { taskId, tail } = createScrape(app, {
          jobType: 'shortvideo_search',
          accountId,
          request,
          job: searchJob,
          webhook,
          statusPath: STATUS_PATH,
        })
        trail.taskId = taskId
        return answer(
          202,
          success({ task_id: taskId, task_status: 'processing' as const, ...asked(request), ...tail }),
        )
      })
    },
  )
}

function asked({ query, max_results, parallel_search_slices, filters }: SearchEcho) {
  return { query, max_results, parallel_search_slices, filters }
}

function pollSearch(app: App, auth: Guard, { publicUrl }: ScrapeRoutesOptions): Route {
  return route(
    {
      method: 'GET',
      path: '/shortvideo/search/{task_id}',
      tag: 'Short video',
      summary: 'State and results of a search task',
      auth: auth('shortvideo'),
      query: PollQuery,
      responses: { 200: Polled },
      errors: ['invalid_cursor', 'task_not_found'],
    },
    ({ caller, params, query }) => {
      const task = getVisibleTask(app, caller.account.id, params.task_id, 'shortvideo_search')
      const page = resultPage(app, task, query)
      const run = findRun(app, task.id)
      const cursor = cursorOf(run?.about)
      const data = {
        ...pollHead(task),
        ...asked(task.request as SearchEcho),
        check_status_url: `${STATUS_PATH}/${task.id}`,
        stats: searchStats(app, task, { pages: run?.pages ?? 0, cursor }),
        results: page.items as SearchItem[],
        pagination: page.pagination,
        ...pollTail(app, task, publicUrl()),
      }
      return answer(200, success(data, pollUsage(app, task, query)))
    },
  )
}

function cursorOf(about: unknown): string | null {
  const cursor =
    typeof about === 'object' && about !== null && 'next_search_cursor' in about
      ? about.next_search_cursor
      : null
  return typeof cursor === 'string' ? cursor : null
}
