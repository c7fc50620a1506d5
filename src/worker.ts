// Every job kind and every schedule of the product, on one screen.

import { analyzeJob } from './analysis/analyze.job.ts'
import { extractJob } from './analysis/extract.job.ts'
import type { App } from './app.ts'
import { finishUploadJob } from './files/finish.job.ts'
import { processJob } from './files/process.job.ts'
import { recoverFiles, sweepFilesSchedule } from './files/upkeep.ts'
import { registerQueueMetrics } from './jobs/metrics.ts'
import { createRunner, type Runner } from './jobs/runner.ts'
import { startSchedules } from './jobs/schedule.ts'
import { discardSyncTasks } from './jobs/tasks.ts'
import { removeSpool } from './media/spool.ts'
import { CHANNEL_JOBS, checkChannelsSchedule } from './search/channel.job.ts'
import { audioJob } from './openai/audio.job.ts'
import { indexJob } from './search/index.job.ts'
import { indexLibrarySchedule, sweepLibrarySchedule } from './search/library-index.ts'
import { reembedSchedule } from './search/reembed.job.ts'
import { videoSearchJob } from './search/videos.job.ts'
import { AFTER_TRANSCRIPTION } from './server.ts'
import { profileJob } from './shortvideo/profile.job.ts'
import { searchJob } from './shortvideo/search.job.ts'
import { fetchPostJob } from './statement/fetch-post.job.ts'
import { statementJob } from './statement/statement.job.ts'
import { fetchJob } from './transcripts/fetch.job.ts'
import { transcribeJob } from './transcripts/transcribe.job.ts'
import { pruneSchedule, sweepSpoolSchedule } from './transcripts/upkeep.ts'
import { deliverJob } from './webhooks/deliver.job.ts'
import { pruneDeliveriesSchedule } from './webhooks/upkeep.ts'

const SCHEDULES = [
  pruneSchedule,
  sweepSpoolSchedule,
  pruneDeliveriesSchedule,
  sweepFilesSchedule(AFTER_TRANSCRIPTION),
  reembedSchedule,
  indexLibrarySchedule,
  sweepLibrarySchedule,
  checkChannelsSchedule,
]
const JOBS = [
  fetchJob,
  transcribeJob,
  audioJob,
  analyzeJob,
  extractJob,
  deliverJob,
  finishUploadJob,
  processJob,
  indexJob,
  videoSearchJob,
  ...CHANNEL_JOBS,
  profileJob,
  searchJob,
  fetchPostJob,
  statementJob,
  ...SCHEDULES.map((schedule) => schedule.job),
]

/**
 * `net`, `lists` and `searches` jobs wait for others; `compute` jobs keep all cores busy, so one at a time is fastest for everybody; a webhook may
 * hang until its time-out, so a few bad receivers must not hold up the rest.
 */
const LANES = { net: 4, lists: 4, searches: 4, compute: 1, analysis: 4, webhooks: 16 }

export interface Worker extends Pick<Runner, 'drain' | 'stop'> {
  /** The caller holds the data folder's lock. */
  start(): void
}

export function createWorker(app: App): Worker {
  const runner = createRunner(app, { jobs: JOBS, lanes: LANES })
  registerQueueMetrics(app)
  const unlisten = app.signals.taskFinished.listen(({ taskId }) => {
    removeSpool(app, taskId).catch((error: unknown) =>
      app.log.warn({ err: error, task: taskId }, 'could not remove media'),
    )
  })
  return {
    start() {
      discardSyncTasks(app)
      recoverFiles(app, AFTER_TRANSCRIPTION)
      startSchedules(app, SCHEDULES)
      runner.start()
    },
    drain: () => runner.drain(),
    async stop(graceMs) {
      await runner.stop(graceMs)
      unlisten()
    },
  }
}
