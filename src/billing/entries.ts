// The rows of the ledger. This file alone touches the table ledger: it appends, and it reads sums.
// A balance is the sum of its rows. Each row carries the running sums up to itself, and the database refuses a row whose
// sums are not those before it plus its own amounts, so reading the last row is reading the sum.

import type { AccountsContext } from '../accounts/accounts.ts'
import type { Db } from '../db/database.ts'
import { METER_NAMES, type MeterName } from '../lib/conversions.ts'

export type Pool = 'monthly' | 'purchased' | 'unlimited'

export type EntryKind =
  | 'charge'
  | 'hold'
  | 'settlement'
  | 'waiver'
  | 'revert'
  | 'grant'
  /** Monthly credits given (or taken back with a smaller plan) within a period. */
  | 'allowance'
  /** Monthly credits of an ended period that nobody used. */
  | 'expiry'

export interface Entry {
  readonly kind: EntryKind
  readonly pool: Pool
  /** What it adds to the pool: negative for charges. */
  readonly micros: number
  readonly unpaidMicros: number
  readonly savedMicros: number
  readonly reference: string
  readonly meter: MeterName | undefined
  readonly part: string
  readonly step: number
  readonly count: number
  readonly waived: boolean
  readonly promptTokens: number
  readonly completionTokens: number
  readonly note: string
  readonly periodStartAt: number
}

const EMPTY = {
  micros: 0,
  unpaidMicros: 0,
  savedMicros: 0,
  meter: undefined,
  part: '',
  step: 1,
  count: 0,
  waived: false,
  promptTokens: 0,
  completionTokens: 0,
  note: '',
} as const

/** What is left out is empty. */
export type NewEntry = Omit<Entry, keyof typeof EMPTY> & Partial<Pick<Entry, keyof typeof EMPTY>>

export interface StoredEntry extends Entry {
  readonly accountId: string
}

interface Row {
  readonly account_id: string
  readonly kind: string
  readonly pool: string
  readonly micros: number
  readonly unpaid_micros: number
  readonly saved_micros: number
  readonly reference: string
  readonly meter: string | null
  readonly part: string
  readonly step: number
  readonly quantity: number
  readonly waived: number
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly note: string
  readonly period_start_at: number
}

const COLUMNS = `account_id, kind, pool, micros, unpaid_micros, saved_micros, reference, meter, part, step, quantity,
  waived, prompt_tokens, completion_tokens, note, period_start_at`

export interface Balances {
  readonly monthlyMicros: number
  readonly purchasedMicros: number
}

export function balancesOf(db: Db, accountId: string): Balances {
  const row = db
    .query<{ monthly_after: number; purchased_after: number }, { accountId: string }>(
      `select monthly_after, purchased_after from ledger where account_id = $accountId order by id desc limit 1`,
    )
    .get({ accountId })
  return { monthlyMicros: row?.monthly_after ?? 0, purchasedMicros: row?.purchased_after ?? 0 }
}

/** What the ledger counts of this meter, billed in the period that starts then. */
export function countInPeriod(db: Db, accountId: string, meter: MeterName, periodStartAt: number): number {
  const row = db
    .query<{ meter_after: number }, { accountId: string; meter: string; periodStartAt: number }>(
      `select meter_after from ledger
       where account_id = $accountId and meter = $meter and period_start_at = $periodStartAt
       order by id desc limit 1`,
    )
    .get({ accountId, meter, periodStartAt })
  return row?.meter_after ?? 0
}

/** Monthly credits given for the period so far, less what was taken back. */
export function allowanceOf(db: Db, accountId: string, periodStartAt: number): number {
  const row = db
    .query<{ micros: number }, { accountId: string; periodStartAt: number }>(
      `select coalesce(sum(micros), 0) as micros from ledger
       where account_id = $accountId and period_start_at = $periodStartAt and kind = 'allowance'`,
    )
    .get({ accountId, periodStartAt })
  return row?.micros ?? 0
}

export interface DailyUse {
  /** Of UTC: `2026-01-31`. */
  readonly day: string
  readonly meter: MeterName
  readonly count: number
  /** What it cost, reverts taken off. */
  readonly micros: number
}

/** What was metered since then (epoch ms), by day of the charge and meter, oldest first; days without use are left out. */
export function listDailyUse(db: Db, accountId: string, sinceAt: number): readonly DailyUse[] {
  return db
    .query<
      { day: string; meter: string; count: number; micros: number },
      { accountId: string; sinceAt: number }
    >(
      `select date(created_at / 1000, 'unixepoch') as day, meter, sum(quantity) as count,
         sum(unpaid_micros - micros) as micros
       from ledger
       where account_id = $accountId and meter is not null and waived = 0 and created_at >= $sinceAt
       group by day, meter order by day, meter`,
    )
    .all({ accountId, sinceAt })
    .flatMap(({ meter, ...use }) => {
      const known = METER_NAMES.find((name) => name === meter)
      return known === undefined ? [] : [{ ...use, meter: known }]
    })
}

/** Everything metered for one reference, oldest first: a handful of rows. */
export function entriesOf(db: Db, reference: string): readonly StoredEntry[] {
  return db
    .query<Row, { reference: string }>(
      `select ${COLUMNS} from ledger where reference = $reference and meter is not null order by id`,
    )
    .all({ reference })
    .map(entryOf)
}

function entryOf(row: Row): StoredEntry {
  return {
    accountId: row.account_id,
    kind: row.kind as EntryKind,
    pool: row.pool as Pool,
    micros: row.micros,
    unpaidMicros: row.unpaid_micros,
    savedMicros: row.saved_micros,
    reference: row.reference,
    meter: METER_NAMES.find((name) => name === row.meter),
    part: row.part,
    step: row.step,
    count: row.quantity,
    waived: row.waived === 1,
    promptTokens: row.prompt_tokens,
    completionTokens: row.completion_tokens,
    note: row.note,
    periodStartAt: row.period_start_at,
  }
}

/** Adds a row; the database refuses one that would make a balance negative. In the caller's transaction. */
export function append({ db, now }: AccountsContext, accountId: string, added: NewEntry): void {
  const entry: Entry = { ...EMPTY, ...added }
  const { monthlyMicros, purchasedMicros } = balancesOf(db, accountId)
  const counted =
    entry.meter === undefined ? 0 : countInPeriod(db, accountId, entry.meter, entry.periodStartAt)
  db.query(
    `insert into ledger (${COLUMNS}, created_at, monthly_after, purchased_after, meter_after)
     values ($accountId, $kind, $pool, $micros, $unpaidMicros, $savedMicros, $reference, $meter, $part, $step, $count,
       $waived, $promptTokens, $completionTokens, $note, $periodStartAt, $createdAt, $monthlyAfter, $purchasedAfter,
       $meterAfter)`,
  ).run({
    ...entry,
    meter: entry.meter ?? null,
    waived: entry.waived ? 1 : 0,
    accountId,
    createdAt: now(),
    monthlyAfter: monthlyMicros + (entry.pool === 'monthly' ? entry.micros : 0),
    purchasedAfter: purchasedMicros + (entry.pool === 'purchased' ? entry.micros : 0),
    meterAfter: counted + (entry.waived || entry.meter === undefined ? 0 : entry.count),
  })
}

/** Accounts whose last running sums are not the sums of all their rows: none, unless the file was tampered with. */
export function listDrifted(db: Db): readonly string[] {
  return db
    .query<{ account_id: string }, []>(
      `select account_id from ledger l group by account_id
       having sum(iif(pool = 'monthly', micros, 0)) <>
           (select monthly_after from ledger where account_id = l.account_id order by id desc limit 1)
         or sum(iif(pool = 'purchased', micros, 0)) <>
           (select purchased_after from ledger where account_id = l.account_id order by id desc limit 1)`,
    )
    .all()
    .map((row) => row.account_id)
}
