// What is metered, in which units, and what a credit buys of it: plain data, and the arithmetic from quantities to money.
// Integers only. A price is rounded up to the next millionth of a credit once per meter and reference: parts of a task
// are priced as the difference of two totals, so they always add up to the price of the whole.

import type { Conversions, MeterName } from '../lib/conversions.ts'
import { HOUR, SECOND } from '../lib/time.ts'

export const CREDIT_MICROS = 1_000_000

interface Meter {
  /** Units that one credit buys unless EARSHOT_METERS says otherwise. */
  readonly unitsPerCredit: number
  /** What the ledger counts per unit: hours of media are kept in milliseconds. */
  readonly countsPerUnit: number
  /** What it counts per unit that callers measure in: media comes in seconds. */
  readonly countsPerMeasure: number
  /** Shown beside the counter in /usage. */
  readonly unit?: 'hours'
}

export const METERS: Readonly<Record<MeterName, Meter>> = {
  standard_request: { unitsPerCredit: 10_000, countsPerUnit: 1, countsPerMeasure: 1 },
  residential_request: { unitsPerCredit: 200, countsPerUnit: 1, countsPerMeasure: 1 },
  search_request: { unitsPerCredit: 1_000, countsPerUnit: 1, countsPerMeasure: 1 },
  analysis_request: { unitsPerCredit: 100, countsPerUnit: 1, countsPerMeasure: 1 },
  scene_analysis_hour: { unitsPerCredit: 1, countsPerUnit: 1, countsPerMeasure: 1, unit: 'hours' },
  transcription_hour: { unitsPerCredit: 3, countsPerUnit: HOUR, countsPerMeasure: SECOND, unit: 'hours' },
}

/** Tokens that one analysis_request covers; at least one is charged. */
const TOKENS_PER_ANALYSIS = 15_000

/** Tasks stay far below it, and all arithmetic far below 2^53. */
const COUNT_MAX = 1e12

/**
 * What a caller measured (requests, or seconds of media with at most 3 decimals that count) → what the ledger counts.
 * Throws for what is no such quantity: that is a bug, not bad input.
 */
export function countOf(meter: MeterName, quantity: number): number {
  const count = Math.round(quantity * METERS[meter].countsPerMeasure)
  const whole = METERS[meter].countsPerMeasure > 1 || count === quantity
  if (whole && count >= 0 && count <= COUNT_MAX) return count
  throw new RangeError(`${quantity} is not a quantity of ${meter}`)
}

/** Counts as the API shows them: requests, or hours with 6 decimals. */
export function shownQuantity(meter: MeterName, count: number): number {
  return Math.round((count / METERS[meter].countsPerUnit) * 1e6) / 1e6
}

/** Price of `count` in millionths of a credit, rounded up. */
export function priceMicros(conversions: Conversions, meter: MeterName, count: number): number {
  const { unitsPerCredit, countsPerUnit } = METERS[meter]
  const countsPerCredit = BigInt((conversions[meter] ?? unitsPerCredit) * countsPerUnit)
  return Number((BigInt(count) * BigInt(CREDIT_MICROS) + countsPerCredit - 1n) / countsPerCredit)
}

export interface Tokens {
  readonly prompt: number
  readonly completion: number
}

/** analysis_requests for all the tokens of one request together. */
export function analysisRequests({ prompt, completion }: Tokens): number {
  return Math.max(1, Math.ceil((prompt + completion) / TOKENS_PER_ANALYSIS))
}
