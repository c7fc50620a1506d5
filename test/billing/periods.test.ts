// Billing periods over decades, and what an account has when one ends.

import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { balance, grant } from '../../src/billing/balance.ts'
import { countInPeriod, listDrifted } from '../../src/billing/entries.ts'
import { charge, hold, revert, settle } from '../../src/billing/ledger.ts'
import { periodAt } from '../../src/billing/periods.ts'
import { changePlan } from '../../src/billing/subscription.ts'
import { newId } from '../../src/lib/id.ts'
import { DAY } from '../../src/lib/time.ts'
import { createTestLedger } from './support.ts'

const CREDIT = 1_000_000
const YEARS_20 = 20 * 366 * DAY
const iso = (atMs: number): string => new Date(atMs).toISOString()

/** The starts of the first `count` periods. */
function startsFrom(anchor: string, count: number): string[] {
  const starts = []
  let at = Date.parse(anchor)
  for (let index = 0; index < count; index++) {
    const period = periodAt(Date.parse(anchor), at)
    starts.push(iso(period.startAt).slice(0, 10))
    at = period.endAt
  }
  return starts
}

describe('periods', () => {
  test('the 31st falls on the last day of shorter months and comes back', () => {
    expect(startsFrom('2027-12-31T23:59:59.999Z', 6)).toEqual([
      '2027-12-31',
      '2028-01-31',
      '2028-02-29',
      '2028-03-31',
      '2028-04-30',
      '2028-05-31',
    ])
  })

  test('29 February comes back in leap years', () => {
    expect(startsFrom('2028-02-29T00:00:00Z', 13)[12]).toBe('2029-02-28')
    expect(startsFrom('2028-02-29T00:00:00Z', 49)[48]).toBe('2032-02-29')
  })

  test('any instant of 20 years is in exactly the period that an independent calendar says', () => {
    const anchors = fc.date({ min: new Date('2024-01-01'), max: new Date('2032-01-01'), noInvalidDate: true })
    const property = fc.property(anchors, fc.integer({ min: 0, max: YEARS_20 }), (anchor, laterMs) => {
      const at = anchor.getTime() + laterMs
      const { startAt, endAt } = periodAt(anchor.getTime(), at)
      expect(startAt <= at && at < endAt).toBe(true)
      expect(periodAt(anchor.getTime(), endAt).startAt).toBe(endAt)
      expect(periodAt(anchor.getTime(), startAt)).toEqual({ startAt, endAt })
      for (const edge of [startAt, endAt]) expect(isReturn(anchor, new Date(edge))).toBe(true)
      const days = (endAt - startAt) / DAY
      expect(days >= 28 && days <= 31 && Number.isInteger(days)).toBe(true)
    })
    fc.assert(property, { numRuns: 5_000 })
  })

  test('every period of 20 years follows the one before without gap', () => {
    for (const day of ['01', '15', '28', '29', '30', '31']) {
      const starts = startsFrom(`2028-01-${day}T06:30:00Z`, 240)
      expect(new Set(starts.map((start) => start.slice(0, 7))).size).toBe(240)
    }
  })
})

/** Same time of day, and the anchor's day or, where the month lacks it, the month's last one. */
function isReturn(anchor: Date, edge: Date): boolean {
  const next = new Date(edge.getTime() + DAY)
  const isLastDay = next.getUTCMonth() !== edge.getUTCMonth()
  const sameDay = edge.getUTCDate() === anchor.getUTCDate()
  const clipped = isLastDay && edge.getUTCDate() < anchor.getUTCDate()
  return edge.toISOString().slice(10) === anchor.toISOString().slice(10) && (sameDay || clipped)
}

function setUp(plan: 'trial' | 'tier2' | 'tier3' | 'custom' | 'none' = 'trial') {
  const ledger = createTestLedger()
  const accountId = ledger.account(plan)
  const left = () => balance(ledger, accountId)
  const use = (credits: number, reference = newId()) => {
    charge(ledger, { accountId, reference, meter: 'scene_analysis_hour', quantity: credits })
    return reference
  }
  const rows = (kind: string) =>
    ledger.db
      .query<{ micros: number; period_start_at: number }, [string]>(
        'select micros, period_start_at from ledger where kind = ? order by id',
      )
      .all(kind)
  return { ledger, accountId, left, use, rows }
}

describe('the end of a period', () => {
  test('unused monthly credits expire by a row, new ones come by a row, purchased ones stay', () => {
    const { ledger, accountId, left, use, rows } = setUp()
    grant(ledger, { accountId, micros: 3 * CREDIT })
    use(2)
    ledger.at('2026-02-28T11:59:59.999Z')
    expect(left().monthlyRemainingMicros).toBe(3 * CREDIT)
    ledger.at('2026-02-28T12:00:00Z')
    expect(left()).toMatchObject({ monthlyRemainingMicros: 5 * CREDIT, purchasedMicros: 3 * CREDIT })
    expect(rows('expiry')).toEqual([
      { micros: -3 * CREDIT, period_start_at: Date.parse('2026-01-31T12:00:00Z') },
    ])
    expect(rows('allowance').map(({ micros }) => micros)).toEqual([5 * CREDIT, 5 * CREDIT])
    left()
    expect(rows('allowance')).toHaveLength(2)
  })

  test('a server that was off for years gives one allowance, in the right period', () => {
    const { ledger, left, rows } = setUp()
    left()
    ledger.at('2030-03-15T00:00:00Z')
    expect(iso(left().period.startAt)).toBe('2030-02-28T12:00:00.000Z')
    expect(iso(left().period.endAt)).toBe('2030-03-31T12:00:00.000Z')
    expect(rows('allowance')).toHaveLength(2)
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
  })

  test('a clock that goes back opens nothing', () => {
    const { ledger, left, use, rows } = setUp()
    ledger.at('2026-06-01T00:00:00Z')
    use(1)
    ledger.at('2026-04-01T00:00:00Z')
    expect(left().monthlyRemainingMicros).toBe(4 * CREDIT)
    expect(rows('allowance')).toHaveLength(1)
  })

  test('what fails afterwards costs nothing and gives nothing extra', () => {
    const { ledger, accountId, left } = setUp()
    grant(ledger, { accountId, micros: 2 * CREDIT })
    const reference = newId()
    const item = { accountId, reference, meter: 'scene_analysis_hour', quantity: 6 } as const
    hold(ledger, item)
    const before = left().period.startAt
    ledger.at('2026-03-05T00:00:00Z')
    expect(left()).toMatchObject({ monthlyRemainingMicros: 5 * CREDIT, purchasedMicros: CREDIT })
    revert(ledger, reference)
    expect(left()).toMatchObject({ monthlyRemainingMicros: 5 * CREDIT, purchasedMicros: 2 * CREDIT })
    expect(countInPeriod(ledger.db, accountId, item.meter, before)).toBe(0)
    expect(countInPeriod(ledger.db, accountId, item.meter, left().period.startAt)).toBe(0)
    expect(listDrifted(ledger.db)).toEqual([])
  })

  test('a hold of the old period that is settled in the new one pays the rest from the new one', () => {
    const { ledger, accountId, left } = setUp()
    const item = { accountId, reference: newId(), meter: 'scene_analysis_hour' } as const
    hold(ledger, { ...item, quantity: 2 })
    const before = left().period.startAt
    ledger.at('2026-03-05T00:00:00Z')
    settle(ledger, { ...item, quantity: 3 })
    expect(left().monthlyRemainingMicros).toBe(4 * CREDIT)
    settle(ledger, { ...item, quantity: 1 })
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
    expect(countInPeriod(ledger.db, accountId, item.meter, before)).toBe(1)
  })
})

describe('a change of plan', () => {
  test('upgrading adds the difference at once, in the same period', () => {
    const { ledger, accountId, left, use } = setUp('tier2')
    use(10)
    const { period } = left()
    ledger.advance(5 * DAY)
    changePlan(ledger, accountId, 'tier3')
    expect(left()).toMatchObject({
      monthlyTotalMicros: 80 * CREDIT,
      monthlyRemainingMicros: 70 * CREDIT,
      period,
    })
  })

  test('downgrading leaves the smaller plan less what was used; there and back changes nothing', () => {
    const { ledger, accountId, left, use } = setUp('tier3')
    use(20)
    changePlan(ledger, accountId, 'tier2')
    expect(left().monthlyRemainingMicros).toBe(0)
    changePlan(ledger, accountId, 'trial')
    changePlan(ledger, accountId, 'tier3')
    expect(left().monthlyRemainingMicros).toBe(60 * CREDIT)
  })

  test('what fails after a downgrade comes back only as far as the smaller plan reaches', () => {
    const { ledger, accountId, left, use } = setUp('tier3')
    const failing = use(60)
    use(10)
    changePlan(ledger, accountId, 'tier2')
    revert(ledger, failing)
    expect(left().monthlyRemainingMicros).toBe(5 * CREDIT)
  })

  test('an unlimited plan spends nothing, and a limited one after it starts full', () => {
    const { ledger, accountId, left, use } = setUp('custom')
    const failing = use(1_000)
    changePlan(ledger, accountId, 'tier2')
    expect(left()).toMatchObject({ unlimited: false, monthlyRemainingMicros: 15 * CREDIT })
    revert(ledger, failing)
    expect(left().monthlyRemainingMicros).toBe(15 * CREDIT)
  })

  test('none takes the monthly credits and keeps the purchased ones; a new subscription starts a new period', () => {
    const { ledger, accountId, left, use } = setUp('tier2')
    grant(ledger, { accountId, micros: CREDIT })
    use(5)
    changePlan(ledger, accountId, 'none')
    expect(left()).toMatchObject({ plan: 'none', monthlyRemainingMicros: 0, purchasedMicros: CREDIT })
    ledger.at('2026-05-10T08:00:00Z')
    changePlan(ledger, accountId, 'tier2')
    expect(left()).toMatchObject({ monthlyRemainingMicros: 15 * CREDIT, purchasedMicros: CREDIT })
    expect(iso(left().period.endAt)).toBe('2026-06-10T08:00:00.000Z')
  })

  test('is noticed also when only the account was changed', () => {
    const { ledger, accountId, left } = setUp('trial')
    left()
    ledger.db.run("update accounts set plan = 'tier3' where id = ?", [accountId])
    expect(left().monthlyRemainingMicros).toBe(80 * CREDIT)
  })
})
