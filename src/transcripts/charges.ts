// What a transcription costs (contract, credits and billing): one request for the metadata of the page, and the hours of
// media that are put into words. A known transcript costs nothing; its entry says what was saved.

import type { App } from '../app.ts'
import { charge, hold, settle, waive } from '../billing/ledger.ts'
import { findTask, type Task } from '../jobs/tasks.ts'
import { isVideoPlatform } from '../media/platforms.ts'

type Payer = Pick<Task, 'id' | 'accountId'>

/**
 * Stays charged when the media turns out too long for the synchronous form. Throws `limit_exceeded`. Called while the job
 * runs: a task that was discarded meanwhile is not charged, because nobody would take that back.
 */
export function chargeMetadata(app: App, task: Payer, videoUrl: string): void {
  if (findTask(app, task.id)?.status !== 'processing') return
  charge(app, { ...payment(task), meter: metadataMeter(videoUrl), quantity: 1 })
}

/** The transcript became known between two attempts: the request of the first is given back. */
export function waiveMetadata(app: App, task: Payer, videoUrl: string): void {
  settle(app, { ...payment(task), meter: metadataMeter(videoUrl), quantity: 0 })
}

/** What asking the site of this URL costs. */
export function metadataMeter(videoUrl: string): 'residential_request' | 'standard_request' {
  return isVideoPlatform(new URL(videoUrl)) ? 'residential_request' : 'standard_request'
}

/** Before the work, as soon as the length is known. Throws `limit_exceeded`. */
export function holdTranscription(app: App, task: Payer, item: number, durationS: number): void {
  hold(app, { ...payment(task), meter: 'transcription_hour', quantity: durationS, part: String(item) })
}

/** After the work: what was really put into words. 0 for an item that failed. */
export function settleTranscription(app: App, task: Payer, item: number, durationS: number): void {
  settle(app, { ...payment(task), meter: 'transcription_hour', quantity: durationS, part: String(item) })
}

/** The transcript was known already. */
export function waiveTranscription(app: App, task: Payer, item: number, durationS: number): void {
  waive(app, { ...payment(task), meter: 'transcription_hour', quantity: durationS, part: String(item) })
}

function payment({ id, accountId }: Payer): { accountId: string; reference: string } {
  return { accountId, reference: id }
}
