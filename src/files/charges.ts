// What putting a file into words costs: the hours of its media, under the id of the run, which every retry has anew.

import type { App } from '../app.ts'
import { hold, revert, settle } from '../billing/ledger.ts'
import type { StoredFile } from './files.ts'

const meter = 'transcription_hour'

type Payer = Pick<StoredFile, 'accountId' | 'runId'>

/** In the transaction that starts the processing. Throws `limit_exceeded`. */
export function holdProcessing(app: App, { accountId, runId }: Payer, durationS: number): void {
  hold(app, { accountId, reference: runId, meter, quantity: durationS })
}

export function settleProcessing(app: App, { accountId, runId }: Payer, durationS: number): void {
  settle(app, { accountId, reference: runId, meter, quantity: durationS })
}

/** It failed, or was cancelled or deleted before its end. */
export function takeBackProcessing(app: App, { runId }: Payer): void {
  revert(app, runId)
}
