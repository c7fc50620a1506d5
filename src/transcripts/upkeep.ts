// What time leaves behind: expired tasks, finished jobs, kept answers, transcripts nobody completed, media of ended tasks.

import { type Schedule, defineSchedule } from '../jobs/schedule.ts'
import { pruneIdempotency } from '../http/idempotency.ts'
import { pruneEvents } from '../jobs/event-log.ts'
import { pruneJobs } from '../jobs/queue.ts'
import { listActiveTaskIds, pruneTasks } from '../jobs/tasks.ts'
import { DAY, HOUR, MINUTE } from '../lib/time.ts'
import { sweepSpool } from '../media/spool.ts'
import { pruneIncomplete } from './transcripts.ts'

/** Rows per statement: short transactions, so that requests never wait for the upkeep. */
const BATCH = 500
/** A long recording leaves thousands. */
const EVENTS_BATCH = 5_000
const FINISHED_JOBS_KEPT_MS = DAY
/** Longer than any job may run; a job that is still at work keeps its transcript. */
const INCOMPLETE_KEPT_MS = 7 * DAY

export const pruneSchedule: Schedule = defineSchedule({
  kind: 'prune',
  everyMs: MINUTE,
  async run(app) {
    pruneTasks(app, BATCH)
    pruneEvents(app, EVENTS_BATCH)
    pruneIdempotency(app, BATCH)
    pruneJobs(app, app.now() - FINISHED_JOBS_KEPT_MS, BATCH)
    pruneIncomplete(app, app.now() - INCOMPLETE_KEPT_MS)
  },
})

export const sweepSpoolSchedule: Schedule = defineSchedule({
  kind: 'sweep_spool',
  everyMs: HOUR,
  async run(app) {
    const removed = await sweepSpool(app, () => listActiveTaskIds(app))
    if (removed > 0) app.log.info({ removed }, 'removed media that ended tasks had left')
  },
})
