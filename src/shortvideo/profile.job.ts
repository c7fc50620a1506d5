// One scrape of a profile: pages in, matching videos stored page by page, and never a page more than the filters need.
// An attempt that ends early leaves nothing that counts: the next one begins anew, and only what the last one fetched
// is billed.

import type { App } from '../app.ts'
import { settle } from '../billing/ledger.ts'
import { defineJob } from '../jobs/job.ts'
import { completeTask, failTask, findTask, markStarted, type Task } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { type Parsed, parser, parseOrThrow, t } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { pageCharge } from './charges.ts'
import { withinExpiry } from './expiry.ts'
import { filtersOf, matches } from './filters.ts'
import { profileAddress } from './profile-url.ts'
import { ProfileEcho } from './request.ts'
import { beginRun, savePage } from './results.ts'
import { filterableOf, type Profile, profileOf, videoRecord, type VideoRecord } from './video-record.ts'

const args = parser(t.Object({ taskId: t.String() }))
const echo = parser(ProfileEcho)

/** Videos that a profile may show before its newest one. */
const PINNED_MAX = 3
/** A profile with more than this is not read to its end. */
const SCANNED_MAX = 20_000

export const profileJob = defineJob<Parsed<typeof args>>({
  kind: 'shortvideo_profile',
  lane: 'lists',
  attempts: 3,
  timeoutMs: HOUR,
  args,
  async run(context, app) {
    const task = findTask(app, context.args.taskId)
    if (task?.status !== 'processing') return undefined
    markStarted(app, task.id)
    const { scanned, matched, pages } = await withinExpiry(app, task, context.signal, (signal) =>
      scrape(app, task, signal, context.report),
    )
    return () => {
      settle(app, { ...pageCharge(task), quantity: pages })
      const stats = { videos_scanned: scanned, videos_matched: matched, pages_consumed: pages }
      completeTask(app, task.id, { stats })
    }
  },
  failed: ({ taskId }, problem, app) => failTask(app, taskId, problem),
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
  signal: AbortSignal,
  report: (progress: number) => void,
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
