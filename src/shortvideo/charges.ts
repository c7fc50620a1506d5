// What scrapes cost: one request per page fetched (contract, credits and billing, rule 4). One page is held at acceptance,
// the rest is settled at completion.

import type { App } from '../app.ts'
import { balance, requireCredit } from '../billing/balance.ts'
import { priceMicros } from '../billing/meters.ts'
import type { JobType, Task } from '../jobs/tasks.ts'
import type { MeterName } from '../lib/conversions.ts'

/** Searches go through the platform's own pages, which cost more (decisions: a residential request each). */
const METERS = {
  shortvideo_profile: 'standard_request',
  shortvideo_search: 'residential_request',
} as const satisfies Partial<Record<JobType, MeterName>>

export type ScrapeType = keyof typeof METERS

/** Throws Problem `limit_exceeded` when not even one page can be paid. */
export function requirePageCredit(
  app: Pick<App, 'db' | 'now' | 'config'>,
  accountId: string,
  type: ScrapeType,
): void {
  requireCredit(balance(app, accountId), priceMicros(app.config.meters, METERS[type], 1))
}

export function pageCharge({ id, accountId, jobType }: Pick<Task, 'id' | 'accountId' | 'jobType'>): {
  accountId: string
  reference: string
  meter: MeterName
} {
  const meter = jobType === 'shortvideo_search' ? METERS.shortvideo_search : METERS.shortvideo_profile
  return { accountId, reference: id, meter }
}
