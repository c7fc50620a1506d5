// One keyword search: pages in as the slices bring them, matching videos stored page by page.

import type { App } from '../app.ts'
import type { JobContext } from '../jobs/job.ts'
import type { Task } from '../jobs/tasks.ts'
import { parser, parseOrThrow } from '../lib/schema.ts'
import { filtersOf, matches } from './filters.ts'
import { beginRun, countItems, savePage } from './results.ts'
import { defineScrape } from './scrape.ts'
import { filterableItem, type SearchItem, searchItemOf } from './search-item.ts'
import { searchPages } from './search-pages.ts'
import { publishedFrom, SearchEcho, searchFilters } from './search-request.ts'

const echo = parser(SearchEcho)

/** A search without max_results ends here. */
const PAGES_MAX = 50
const PLACES_PER_PAGE = 1_000

export const searchJob = defineScrape('shortvideo_search', async (app, task, context) => {
  const found = await search(app, task, context)
  return { pages: found.pages, stats: () => searchStats(app, task, found) }
})

export interface SearchProgress {
  readonly pages: number
  readonly cursor: string | null
}

export interface SearchStats {
  readonly pages_fetched: number
  readonly results_count: number
  readonly next_search_cursor: string | null
  readonly sort_by: SearchEcho['sort_by']
  readonly published_within: SearchEcho['published_within']
}

export function searchStats(
  app: Pick<App, 'db'>,
  task: Task,
  { pages, cursor }: SearchProgress,
): SearchStats {
  const { sort_by, published_within } = parseOrThrow(echo, task.request, 'the request of a search task')
  const results_count = countItems(app, task.id)
  return { pages_fetched: pages, results_count, next_search_cursor: cursor, sort_by, published_within }
}

async function search(
  app: App,
  task: Task,
  { signal, report }: Pick<JobContext<unknown>, 'signal' | 'report'>,
): Promise<SearchProgress> {
  const request = parseOrThrow(echo, task.request, 'the request of a search task')
  const filters = filtersOf(searchFilters(request))
  const within = publishedFrom(request.published_within, task.createdAt)
  const limit = request.max_results === 0 ? Infinity : request.max_results
  const attempt = beginRun(app, task.id)
  const seen = new Set<string>()
  let [pages, scanned, matched, furthest] = [0, 0, 0, -1]
  let cursor: string | null = null
  await searchPages(app.engines.browser, {
    query: request.query,
    slices: request.parallel_search_slices,
    pagesMax: PAGES_MAX,
    pauseS: app.config.sitePauseS,
    signal,
    onPage(page, index) {
      pages++
      const items: { sortKey: number; item: SearchItem }[] = []
      for (const [place, raw] of page.items.entries()) {
        const item = searchItemOf(raw)
        if (!item || seen.has(item.id)) continue
        seen.add(item.id)
        scanned++
        const tooOld = item.timestamp !== null && item.timestamp * 1_000 < within
        if (matched >= limit || tooOld || !matches(filters, filterableItem(item))) continue
        matched++
        items.push({ item, sortKey: sortKey(request.sort_by, item, index * PLACES_PER_PAGE + place) })
      }
      if (index > furthest) {
        furthest = index
        cursor = page.hasMore && page.cursor !== undefined ? String(page.cursor) : null
      }
      const about = { next_search_cursor: cursor }
      savePage(app, { taskId: task.id, attempt, scanned, pages, about, items })
      report(Math.min(0.99, limit === Infinity ? pages / PAGES_MAX : matched / limit))
      return matched < limit
    },
  })
  return { pages, cursor }
}

/** Results are shown in ascending order of it. Newest first unless something else was asked for. */
function sortKey(sortBy: SearchEcho['sort_by'], { timestamp, stats }: SearchItem, place: number): number {
  if (sortBy === 'relevance') return place
  return sortBy === 'most_liked' ? -(stats.likes ?? -1) : -(timestamp ?? -1)
}
