// What an analysis costs (contract, credits and billing, rule 1): one analysis_request up front, topped up at the end to
// what its tokens come to. The request for metadata and the transcription are charged by the stages before.

import type { App } from '../app.ts'
import { balance, requireCredit } from '../billing/balance.ts'
import { hold, settle, waive } from '../billing/ledger.ts'
import { analysisRequests, priceMicros, type Tokens } from '../billing/meters.ts'
import type { Task } from '../jobs/tasks.ts'

const meter = 'analysis_request'

type Payer = Pick<Task, 'id' | 'accountId'>

/** Before anything is created. Throws `limit_exceeded`. */
export function requireAnalysisCredit(app: App, accountId: string): void {
  requireCredit(balance(app, accountId), priceMicros(app.config.meters, meter, 1))
}

/** In the transaction that creates the task. Throws `limit_exceeded`. */
export function holdAnalysis(app: App, { id, accountId }: Payer): void {
  hold(app, { accountId, reference: id, meter, quantity: 1 })
}

/** In the commit that completes the task: all that its models read and wrote, as one entry. */
export function settleAnalysis(app: App, { id, accountId }: Payer, tokens: Tokens): void {
  settle(app, { accountId, reference: id, meter, quantity: analysisRequests(tokens), tokens })
}

/** The summary was known: `tokens` are those that it took when it was made. */
export function waiveAnalysis(app: App, { id, accountId }: Payer, tokens: Tokens): void {
  waive(app, { accountId, reference: id, meter, quantity: analysisRequests(tokens) })
}
