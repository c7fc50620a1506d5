// One scrape of a profile: pages in, matching videos stored page by page, and never a page more than the filters need.

import type { App } from '../app.ts'
import type { JobContext } from '../jobs/job.ts'
import type { Task } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { parser, parseOrThrow } from '../lib/schema.ts'
import { filtersOf, matches } from './filters.ts'
import { profileAddress } from './profile-url.ts'
import { ProfileEcho } from './request.ts'
import { beginRun, savePage } from './results.ts'
import { defineScrape } from './scrape.ts'
import { filterableOf, type Profile, profileOf, videoRecord, type VideoRecord } from './video-record.ts'

const echo = parser(ProfileEcho)

/** Videos that a profile may show before its newest one. */
const PINNED_MAX = 3
/** A profile with more than this is not read to its end. */
const SCANNED_MAX = 20_000

export const profileJob = defineScrape('shortvideo_profile', async (app, task, context) => {
  const { scanned, matched, pages } = await scrape(app, task, context)
  const stats = { videos_scanned: scanned, videos_matched: matched, pages_consumed: pages }
  return { pages, stats: () => stats }
})

interface Scan {
  scanned: number
  matched: number
  pages: number
  profile: Profile | undefined
}

async function scrape(
  app: App,
  task: Task,
  { signal, report }: Pick<JobContext<unknown>, 'signal' | 'report'>,
): Promise<Scan> {
  const request = parseOrThrow(echo, task.request, 'the request of a profile task')
  const filters = filtersOf(dropNulls(request))
  const limit = request.max_posts ?? Infinity
  const attempt = beginRun(app, task.id)
  const scan: Scan = { scanned: 0, matched: 0, pages: 0, profile: undefined }
  const seen = new Set<string>()
  let found: VideoRecord[] = []
  const save = (): void => {
    const items = found.map((item) => ({ sortKey: 0, item }))
    const { scanned, pages, profile: about } = scan
    savePage(app, { taskId: task.id, attempt, scanned, pages, about, items })
    report(limit === Infinity ? 0.5 : Math.min(0.99, scan.matched / limit))
    found = []
  }
  const url = profileAddress(request.profile_url, app.config)
  for await (const event of entriesOf(app, url, signal)) {
    if (event.kind === 'page') scan.pages = event.page
    if (event.kind === 'pause' && scan.pages > 0) save()
    if (event.kind !== 'entry') continue
    const video = videoRecord(event.entry)
    if (!video || seen.has(video.id)) continue
    seen.add(video.id)
    scan.profile ??= profileOf(event.entry)
    const known = filterableOf(event.entry)
    // Newest first, but for pinned ones: once there is an older one, all that follow are older.
    const tooOld = (known.publishedAt ?? Infinity) < (filters.fromAt ?? -Infinity)
    scan.scanned++
    if (matches(filters, known)) {
      scan.matched++
      found.push(video)
    }
    if ((tooOld && scan.scanned > PINNED_MAX) || scan.matched >= limit || scan.scanned >= SCANNED_MAX) break
  }
  scan.pages = Math.max(1, scan.pages)
  save()
  return scan
}

/** A profile without videos is an empty list. */
async function* entriesOf(app: App, url: string, signal: AbortSignal) {
  try {
    yield* app.engines.ytdlp.list(url, { signal, pauseS: app.config.sitePauseS })
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'no_videos_found')) throw error
  }
}

function dropNulls<T extends object>(values: T): { [K in keyof T]: Exclude<T[K], null> } {
  const entries = Object.entries(values).filter(([, value]) => value !== null)
  return Object.fromEntries(entries) as { [K in keyof T]: Exclude<T[K], null> }
}
