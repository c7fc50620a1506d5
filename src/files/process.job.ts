// An uploaded file → its transcript. Resumes behind its last window, like the transcription of online media.

import type { App } from '../app.ts'
import { defineJob } from '../jobs/job.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { recognise } from '../transcripts/recognise.ts'
import { deleteTranscript } from '../transcripts/transcripts.ts'
import { transaction } from '../db/database.ts'
import { findFile, setTranscript } from './files.ts'
import { FollowersSchema } from './followers.ts'
import { completeProcessing, failProcessing, fileSubject, PROCESS_PLAN, videoInfoOf } from './processing.ts'
import { blobPath } from './storage.ts'

const processArgs = parser(
  t.Object({
    fileId: t.String(),
    runId: t.String(),
    /** Jobs to enqueue when it has been transcribed. */
    after: FollowersSchema,
  }),
)

export const processJob = defineJob<Parsed<typeof processArgs>>({
  ...PROCESS_PLAN,
  timeoutMs: 12 * HOUR,
  args: processArgs,
  async run(context, app) {
    const file = findFile(app, context.args.fileId)
    if (!file || file.sha256 === null || file.runId !== context.args.runId) return undefined
    const { id, accountId, sha256, language, durationS } = file
    const recognised = await recognise(context, app, {
      item: 0,
      path: blobPath(app, { accountId, sha256 }),
      language: language ?? undefined,
      durationS: durationS ?? 0,
      cacheKey: null,
      videoInfo: videoInfoOf(file),
      followed: { subject: fileSubject(file), item: 1 },
      onCreated: (transcriptId) => replaceTranscript(app, id, transcriptId),
      onProgress: (share) => context.report(share),
    })
    return () => completeProcessing(app, file, recognised, context.args.after)
  },
  failed: ({ fileId, runId }, problem, app) => {
    if (findFile(app, fileId)?.runId === runId) failProcessing(app, fileId, problem)
  },
})

/** An attempt that begins anew forgets what the one before had made. */
function replaceTranscript(app: App, fileId: string, transcriptId: string): void {
  transaction(app.db, () => {
    const former = findFile(app, fileId)?.transcriptId
    setTranscript(app, fileId, transcriptId)
    if (former !== undefined && former !== null && former !== transcriptId) deleteTranscript(app, former)
  })
}
