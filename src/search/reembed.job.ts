// When another sentence encoder is chosen, everything in the index is embedded anew in the background. The vectors of the
// former one answer until an account's last document has new ones; only then are they removed.

import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import type { Embedder } from '../engines/embedder.ts'
import { defineSchedule } from '../jobs/schedule.ts'
import { MINUTE } from '../lib/time.ts'
import { embedChunks } from './index.job.ts'
import { addVectors, listChunks, listPending, type PendingDocument, removeOtherVectors } from './store.ts'

const DOCUMENTS_TOGETHER = 20
/** A turn of the schedule ends after so long; the next goes on. */
const TURN_MS = 5 * MINUTE

export const reembedSchedule = defineSchedule({
  kind: 'reembed',
  everyMs: MINUTE,
  run: (app, signal) => reembed(app, signal),
})

/** Resolves when everything has vectors of the chosen model, or its turn is over. */
export async function reembed(app: App, signal: AbortSignal): Promise<void> {
  const until = performance.now() + TURN_MS
  const embedder = await app.engines.embedder()
  while (performance.now() < until) {
    const documents = listPending(app, embedder.modelId, DOCUMENTS_TOGETHER)
    if (documents.length === 0) {
      const removed = transaction(app.db, () => removeOtherVectors(app, embedder.modelId, DOCUMENTS_TOGETHER))
      if (removed === 0) return
      continue
    }
    for (const document of documents) await reembedOne(app, embedder, document, signal)
  }
}

async function reembedOne(
  app: App,
  embedder: Embedder,
  { id, language }: PendingDocument,
  signal: AbortSignal,
): Promise<void> {
  const made = await embedChunks(embedder, listChunks(app, id), language, signal)
  transaction(app.db, () => addVectors(app, id, made))
}
