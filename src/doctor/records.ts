// The parts that look at what is written down: ledger, webhooks, job queue.

import type { App } from '../app.ts'
import { listDrifted } from '../billing/entries.ts'
import { oldestDue, queueDepths } from '../jobs/queue.ts'
import { isoTime, MINUTE } from '../lib/time.ts'
import { listDisabledEndpoints } from '../webhooks/endpoints.ts'
import { failed, type Finding, ok, type Part, warning } from './finding.ts'

export const RECORD_PARTS: readonly Part[] = [
  { name: 'credits', required: true, examine: examineLedger },
  { name: 'webhooks', required: false, examine: examineWebhooks },
  { name: 'job queue', required: false, examine: examineQueue },
]

function examineLedger(app: App): Finding {
  const drifted = listDrifted(app.db)
  if (drifted.length === 0) return ok('every balance is the sum of its ledger')
  return failed(`the ledger does not add up for ${drifted.join(', ')}: restore a backup and report this`)
}

function examineWebhooks(app: App): Finding {
  const disabled = listDisabledEndpoints(app)
  if (disabled.length === 0) return ok('no default endpoint is switched off')
  const names = disabled.map(({ account, disabledAt }) => `${account} (since ${isoTime(disabledAt)})`)
  const advice = 'mend the receiver, then: earshot webhooks enable --account NAME'
  return warning(`switched off after failing for days: ${names.join(', ')}; ${advice}`)
}

const LONG_WAIT_MS = 10 * MINUTE

function examineQueue(app: App): Finding {
  const depths = queueDepths(app).map(({ lane, state, count }) => `${count} ${state} in ${lane}`)
  const waits = oldestDue(app).map(({ runAt }) => app.now() - runAt)
  const longestMs = Math.max(0, ...waits)
  const text = depths.length === 0 ? 'empty' : depths.join(', ')
  if (longestMs < LONG_WAIT_MS) return ok(text)
  const minutes = Math.round(longestMs / MINUTE)
  return warning(
    `${text}; the oldest waits for ${minutes} minutes: is the server running, and is it fast enough?`,
  )
}
