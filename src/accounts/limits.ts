// Custom limits of an account, which win over settings and plan. This file alone touches the table account_limits.

import { type EndpointRates, formatRates, parseRates, type Rates } from '../lib/rates.ts'
import type { AccountsContext } from './accounts.ts'

/** Undefined: nothing of its own. */
export interface AccountLimits {
  readonly storageBytes: number | undefined
  readonly activeJobs: number | undefined
  /** By endpoint, requests per minute; `off`: none of its requests are limited. */
  readonly rates: Rates | undefined
}

interface Row {
  readonly storage_bytes: number | null
  readonly active_jobs: number | null
  readonly rates: string | null
}

const NONE: AccountLimits = { storageBytes: undefined, activeJobs: undefined, rates: undefined }

/** Asked for every request, so that a change counts at once: one look-up by primary key. */
export function findLimits({ db }: Pick<AccountsContext, 'db'>, accountId: string): AccountLimits {
  const row = db
    .query<Row, { accountId: string }>(
      'select storage_bytes, active_jobs, rates from account_limits where account_id = $accountId',
    )
    .get({ accountId })
  if (!row) return NONE
  return {
    storageBytes: row.storage_bytes ?? undefined,
    activeJobs: row.active_jobs ?? undefined,
    rates: row.rates === null ? undefined : parseRates(row.rates),
  }
}

/** Each given limit replaces the one before; `null` takes it back. The others stay. */
export interface LimitChanges {
  readonly storageBytes?: number | null
  readonly activeJobs?: number | null
  readonly rates?: Rates | null
}

export function setLimits(
  { db }: Pick<AccountsContext, 'db'>,
  accountId: string,
  changes: LimitChanges,
): AccountLimits {
  const before = findLimits({ db }, accountId)
  const limits: AccountLimits = {
    storageBytes: changed(changes.storageBytes, before.storageBytes),
    activeJobs: changed(changes.activeJobs, before.activeJobs),
    rates: changed(changes.rates, before.rates),
  }
  db.query(
    `insert or replace into account_limits (account_id, storage_bytes, active_jobs, rates)
     values ($accountId, $storageBytes, $activeJobs, $rates)`,
  ).run({
    accountId,
    storageBytes: limits.storageBytes ?? null,
    activeJobs: limits.activeJobs ?? null,
    rates: limits.rates === undefined ? null : formatRates(limits.rates),
  })
  return limits
}

function changed<T>(change: T | null | undefined, before: T | undefined): T | undefined {
  return change === undefined ? before : (change ?? undefined)
}

/** Requests per minute that anybody gets at an endpoint, from the contract; the settings and an account may differ. */
export const ENDPOINT_RATES: EndpointRates = {
  'GET /health': 300,
  'GET /usage': 300,
  'POST /transcript': 200,
  'GET /files': 200,
  'GET /file/{file_id}': 200,
  'POST /analyze/video': 30,
  'POST /analyze/file': 30,
  'POST /transcribe': 20,
  'POST /search/video': 10,
  'POST /search/file': 10,
  'POST /upload/file': 3,
  // Each is a piece of one upload, whose size the client's network decides.
  'PATCH /upload/resumable/{file_id}': 1_200,
  // Messages of a protocol; what tools do is counted where they do it.
  'POST /mcp': 600,
}

/** Endpoints that the table does not name. */
const OTHER_READS = 200
const OTHER_WRITES = 60

/** Polling is free: GET on one task has no limit, and no ban reaches it. */
export function isTaskPoll(endpoint: string): boolean {
  return /^GET .*\/\{task_id\}$/.test(endpoint)
}

/** Requests per minute; undefined: unlimited. `sources`: the most particular first. */
export function rateOf(endpoint: string, sources: readonly (Rates | undefined)[]): number | undefined {
  if (isTaskPoll(endpoint)) return undefined
  for (const rates of sources) {
    if (rates === 'off') return undefined
    const rate = rates?.[endpoint]
    if (rate !== undefined) return rate
  }
  return ENDPOINT_RATES[endpoint] ?? (endpoint.startsWith('GET ') ? OTHER_READS : OTHER_WRITES)
}
