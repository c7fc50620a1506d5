// The index over online videos: each transcript that is in somebody's library has one document, shared by all who have it.
// What is added to a library is taken in within a minute, and at once when its account searches.

import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import { defineSchedule } from '../jobs/schedule.ts'
import { asError } from '../lib/problem.ts'
import { HOUR, MINUTE } from '../lib/time.ts'
import { listUnheld, listUnindexed, markIndexed } from '../transcripts/library.ts'
import { findTranscript } from '../transcripts/transcripts.ts'
import { prepareDocument } from './index.job.ts'
import { hasVideoDocument, listVideoDocuments, removeVideoDocument, replaceDocument } from './store.ts'

const TOGETHER = 50
/** A turn of the schedule ends after so long; the next goes on. */
const TURN_MS = 5 * MINUTE

export const indexLibrarySchedule = defineSchedule({
  kind: 'index_library',
  everyMs: MINUTE,
  run: (app, signal) => indexLibrary(app, null, { signal, budgetMs: TURN_MS }),
})

export const sweepLibrarySchedule = defineSchedule({
  kind: 'sweep_library',
  everyMs: HOUR,
  run: (app) => Promise.resolve(sweepLibrary(app)),
})

/**
 * Takes in what is new, of one account or of all, for as long as the budget lasts. What cannot be taken in is tried again
 * the next time. Rejects with the signal's reason only.
 */
export async function indexLibrary(
  app: App,
  accountId: string | null,
  { signal, budgetMs }: { readonly signal: AbortSignal; readonly budgetMs: number },
): Promise<void> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)])
  const failed = new Set<string>()
  for (;;) {
    const pending = listUnindexed(app, accountId, failed.size + TOGETHER).filter((id) => !failed.has(id))
    if (pending.length === 0) return
    for (const transcriptId of pending) {
      try {
        const write = await indexTranscript(app, transcriptId, inTime)
        transaction(app.db, write)
      } catch (error) {
        signal.throwIfAborted()
        if (inTime.aborted) return
        failed.add(transcriptId)
        app.log.warn({ err: asError(error), transcript: transcriptId }, 'a video could not be indexed')
      }
    }
  }
}

/** The slow part; what it returns writes the document, unless there is one. */
export async function indexTranscript(
  app: App,
  transcriptId: string,
  signal: AbortSignal,
): Promise<() => void> {
  const transcript = hasVideoDocument(app, transcriptId) ? undefined : findTranscript(app, transcriptId)
  if (!transcript) return () => markIndexed(app, transcriptId)
  const { document, made } = await prepareDocument(app, transcript, { signal })
  return () => {
    if (!hasVideoDocument(app, transcriptId)) {
      replaceDocument(app, { ...document, accountId: null, fileId: null }, made)
    }
    markIndexed(app, transcriptId)
  }
}

/** Documents of transcripts that nobody has in a library any more. */
export function sweepLibrary(app: App): void {
  let after = ''
  for (;;) {
    const page = listVideoDocuments(app, after, TOGETHER)
    const last = page.at(-1)
    if (last === undefined) return
    transaction(app.db, () => {
      for (const transcriptId of listUnheld(app, page)) removeVideoDocument(app, transcriptId)
    })
    after = last
  }
}
