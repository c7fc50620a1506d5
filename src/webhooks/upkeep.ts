// How long the log of deliveries is kept: long enough to find and replay what a receiver missed over a holiday.

import { defineSchedule, type Schedule } from '../jobs/schedule.ts'
import { DAY, MINUTE } from '../lib/time.ts'
import { pruneDeliveries } from './deliveries.ts'

const KEPT_MS = 14 * DAY
/** Rows per run: a short transaction, so that requests never wait for the upkeep. */
const BATCH = 500

export const pruneDeliveriesSchedule: Schedule = defineSchedule({
  kind: 'prune_deliveries',
  everyMs: 5 * MINUTE,
  async run(app) {
    pruneDeliveries(app, app.now() - KEPT_MS, BATCH)
  },
})
