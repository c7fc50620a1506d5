// Whatever happens to an account, in whatever order: the ledger adds up, nothing is paid twice, and failure is free.
// On failure fast-check prints the seed and the shortest sequence of steps; TEST_SEED plays it again, TEST_RUNS plays more.

import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { PLANS } from '../../src/accounts/plans.ts'
import { type Balance, balance } from '../../src/billing/balance.ts'
import { countInPeriod, listDrifted } from '../../src/billing/entries.ts'
import { CREDIT_MICROS } from '../../src/billing/meters.ts'
import { usageBlock } from '../../src/billing/usage-block.ts'
import { METER_NAMES } from '../../src/lib/conversions.ts'
import { type Model, type ModelTask, play, step } from './random-billing.ts'
import { createTestLedger, type TestLedger } from './support.ts'

const RUNS = Number(process.env['TEST_RUNS'] ?? 2_000)
const SEED = Number(process.env['TEST_SEED'] ?? Date.now() % 2 ** 31)

/** Written here once more, in other units than the product's: counts per credit. */
const COUNTS_PER_CREDIT: Readonly<Record<string, number>> = {
  standard_request: 10_000,
  analysis_request: 100,
  transcription_hour: 10_800_000,
}

interface Row {
  readonly reference: string
  readonly kind: string
  readonly pool: string
  readonly meter: string | null
  readonly micros: number
  readonly unpaid: number
  readonly count: number
  readonly waived: number
  readonly period: number
}

function rowsOf({ db }: TestLedger, accountId: string): readonly Row[] {
  return db
    .query<Row, [string]>(
      `select reference, kind, pool, meter, micros, unpaid_micros as unpaid, quantity as count, waived,
         period_start_at as period from ledger where account_id = ?`,
    )
    .all(accountId)
}

const total = (rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0)

/** Millions of comparisons: an `expect` for each would take longer than the ledger. */
function must(holds: boolean, what: string, ...values: readonly number[]): void {
  if (!holds) throw new Error(`${what}: ${values.join(', ')}`)
}

function mustEqual(what: string, found: number, wanted: number): void {
  must(found === wanted, `${what} (found, wanted)`, found, wanted)
}

function checkBalance(rows: readonly Row[], has: Balance, model: Model): void {
  const monthly = rows.filter(({ pool }) => pool === 'monthly')
  const purchased = rows.filter(({ pool }) => pool === 'purchased')
  const grants = rows.filter(({ kind }) => kind === 'grant')
  const monthlyMicros = total(monthly, (row) => row.micros)
  const purchasedMicros = total(purchased, (row) => row.micros)
  mustEqual('monthly credits', has.monthlyRemainingMicros, monthlyMicros)
  mustEqual('purchased credits', has.purchasedMicros, purchasedMicros)
  must(monthlyMicros >= 0 && purchasedMicros >= 0, 'negative balance', monthlyMicros, purchasedMicros)
  const inPeriod = monthly.filter(({ period, meter }) => period === has.period.startAt && meter !== null)
  const usedMicros = -total(inPeriod, (row) => row.micros)
  mustEqual('plan less use', monthlyMicros, Math.max(0, has.monthlyTotalMicros - usedMicros))
  mustEqual(
    'grants',
    total(grants, (row) => row.micros),
    model.grantedMicros,
  )
}

/** Returns what the task has paid. */
function checkTask(rows: readonly Row[], { state, billed }: ModelTask): number {
  let paidMicros = 0
  for (const [meter, countsPerCredit] of Object.entries(COUNTS_PER_CREDIT)) {
    const ofMeter = rows.filter((row) => row.meter === meter && row.waived === 0)
    let count = 0
    for (const [key, quantity] of billed) count += key.startsWith(meter) ? quantity : 0
    const paid = 0 - total(ofMeter, (row) => row.micros)
    const unpaid = total(ofMeter, (row) => row.unpaid)
    mustEqual(
      meter,
      total(ofMeter, (row) => row.count),
      count,
    )
    const exact = (count * CREDIT_MICROS) / countsPerCredit
    const roundedUp = paid + unpaid - exact
    must(roundedUp > -1e-6 && roundedUp < 1, `price of ${meter}`, paid, unpaid, exact)
    must(paid >= 0 && unpaid >= 0, `negative price of ${meter}`, paid, unpaid)
    paidMicros += paid
  }
  must(state !== 'failed' || paidMicros === 0 || paidMicros === 100, 'a failed task paid', paidMicros)
  return paidMicros
}

function checkCounters(ledger: TestLedger, rows: readonly Row[], has: Balance): void {
  for (const meter of METER_NAMES) {
    const shown = countInPeriod(ledger.db, has.accountId, meter, has.period.startAt)
    const counted = rows.filter((row) => row.meter === meter && row.waived === 0)
    const inPeriod = counted.filter((row) => row.period === has.period.startAt)
    mustEqual(
      `counter of ${meter}`,
      shown,
      total(inPeriod, (row) => row.count),
    )
  }
}

function check(ledger: TestLedger, model: Model): void {
  const has = balance(ledger, model.accountId)
  const rows = rowsOf(ledger, model.accountId)
  const byReference = Map.groupBy(rows, (row) => row.reference)
  checkBalance(rows, has, model)
  checkCounters(ledger, rows, has)
  for (const task of model.tasks) {
    const paidMicros = checkTask(byReference.get(task.id) ?? [], task)
    mustEqual('usage block', usageBlock(ledger, task.id).total_credits, paidMicros / CREDIT_MICROS)
  }
}

test(`${RUNS} random lives of accounts (seed ${SEED})`, () => {
  const ledger = createTestLedger()
  const lives = fc.property(
    fc.constantFrom(...PLANS),
    fc.array(step, { minLength: 1, maxLength: 25, size: 'max' }),
    (plan, steps) => {
      const model: Model = { accountId: ledger.account(plan), tasks: [], grantedMicros: 0 }
      for (const one of steps) {
        play(ledger, model, one)
        check(ledger, model)
      }
    },
  )
  fc.assert(lives, { numRuns: RUNS, seed: SEED })
  expect(listDrifted(ledger.db)).toEqual([])
}, 120_000)
