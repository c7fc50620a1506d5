// What the rows of one reference add up to for one meter, and how a price is divided over pools. Pure functions.

import type { MeterName } from '../lib/conversions.ts'
import type { Balance } from './balance.ts'
import type { Entry, Pool, StoredEntry } from './entries.ts'

/** One row to be: what changes in one pool and period. */
export interface Move {
  readonly pool: Pool
  readonly periodStartAt: number
  readonly micros: number
  readonly unpaidMicros: number
  readonly count: number
}

/** What a pool still bears of the charges made in one period. */
interface Draw {
  readonly pool: Pool
  readonly periodStartAt: number
  micros: number
  count: number
}

export interface Tally {
  /** Billed, without what was waived. */
  readonly count: number
  /** Paid by the pools plus unpaid. */
  readonly pricedMicros: number
  readonly paidMicros: number
  readonly unpaidMicros: number
  readonly draws: readonly Draw[]
  readonly waivedCount: number
  readonly savedMicros: number
  readonly promptTokens: number
  readonly completionTokens: number
}

type Amount = 'micros' | 'unpaidMicros' | 'savedMicros' | 'count' | 'promptTokens' | 'completionTokens'

export function sum(entries: readonly Entry[], amount: Amount): number {
  return entries.reduce((total, entry) => total + entry[amount], 0)
}

export function tallyOf(entries: readonly StoredEntry[], meter: MeterName): Tally {
  const own = entries.filter((entry) => entry.meter === meter)
  const billed = own.filter((entry) => !entry.waived)
  const waived = own.filter((entry) => entry.waived)
  const paidMicros = 0 - sum(billed, 'micros')
  const unpaidMicros = sum(billed, 'unpaidMicros')
  return {
    count: sum(billed, 'count'),
    pricedMicros: paidMicros + unpaidMicros,
    paidMicros,
    unpaidMicros,
    draws: drawsOf(billed),
    waivedCount: sum(waived, 'count'),
    savedMicros: sum(waived, 'savedMicros'),
    promptTokens: sum(own, 'promptTokens'),
    completionTokens: sum(own, 'completionTokens'),
  }
}

function drawsOf(billed: readonly StoredEntry[]): Draw[] {
  const draws = new Map<string, Draw>()
  for (const { pool, periodStartAt, micros, count } of billed) {
    const key = `${pool} ${periodStartAt}`
    const draw = draws.get(key) ?? { pool, periodStartAt, micros: 0, count: 0 }
    draw.micros -= micros
    draw.count += count
    draws.set(key, draw)
  }
  return [...draws.values()].toSorted(
    (a, b) => b.periodStartAt - a.periodStartAt || POOLS.indexOf(a.pool) - POOLS.indexOf(b.pool),
  )
}

/** The reverse of the order in which they pay: what was taken last is given back first. */
const POOLS: readonly Pool[] = ['unlimited', 'purchased', 'monthly']

/** Monthly credits first, then purchased ones; what neither holds is unpaid. The first row carries the count. */
export function payment(has: Balance, micros: number, count: number): readonly Move[] {
  const periodStartAt = has.period.startAt
  if (has.unlimited) return [{ pool: 'unlimited', periodStartAt, micros: -micros, unpaidMicros: 0, count }]
  const monthly = Math.min(micros, has.monthlyRemainingMicros)
  const purchased = Math.min(micros - monthly, has.purchasedMicros)
  const unpaidMicros = micros - monthly - purchased
  const fromMonthly: Move = { pool: 'monthly', periodStartAt, micros: -monthly, unpaidMicros, count }
  const fromPurchased: Move = { ...fromMonthly, pool: 'purchased', micros: -purchased }
  if (purchased === 0) return [fromMonthly]
  if (monthly === 0) return [fromPurchased]
  return [fromMonthly, { ...fromPurchased, unpaidMicros: 0, count: 0 }]
}

/** Gives back to the pools that paid, newest period first: first what nobody paid, then purchased, then monthly. */
export function givingBack(tally: Tally, micros: number, count: number): readonly Move[] {
  const fromUnpaid = Math.min(micros, tally.unpaidMicros)
  const back = new Map<string, Move>()
  let microsLeft = micros - fromUnpaid
  for (const { pool, periodStartAt, micros: drawn } of tally.draws) {
    const share = Math.min(microsLeft, Math.max(0, drawn))
    microsLeft -= share
    if (share > 0) {
      back.set(`${pool} ${periodStartAt}`, { pool, periodStartAt, micros: share, unpaidMicros: 0, count: 0 })
    }
  }
  let countLeft = count
  for (const { pool, periodStartAt, count: counted } of tally.draws) {
    const share = Math.min(countLeft, Math.max(0, counted))
    countLeft -= share
    const key = `${pool} ${periodStartAt}`
    const move = back.get(key) ?? { pool, periodStartAt, micros: 0, unpaidMicros: 0, count: 0 }
    if (share > 0) back.set(key, { ...move, count: -share })
  }
  const [first, ...rest] = back.values()
  const bearer = first ?? tally.draws[0]
  if (fromUnpaid === 0 || !bearer) return [...back.values()]
  return [
    {
      micros: 0,
      count: 0,
      ...first,
      pool: bearer.pool,
      periodStartAt: bearer.periodStartAt,
      unpaidMicros: -fromUnpaid,
    },
    ...rest,
  ]
}
