// Use by day and meter, for the charts of the console. Balance and storage are those of GET /v1/usage.

import { refuseWithout, type SessionGuards } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { creditsOf } from '../billing/amount.ts'
import { listDailyUse } from '../billing/entries.ts'
import { METERS, shownQuantity } from '../billing/meters.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { METER_NAMES } from '../lib/conversions.ts'
import { type Infer, t } from '../lib/schema.ts'
import { DAY, isoTime } from '../lib/time.ts'
import { CONSOLE, wrapped } from './spec.ts'

const DAYS_MAX = 366

const Daily = t.Object({
  days: t.Array(t.String({ description: 'Every day of the range, oldest first, UTC' })),
  meters: t.Array(
    t.Object({
      meter: t.String(),
      unit: t.Union([t.Literal('hours'), t.Literal('requests')]),
      quantity: t.Number({ description: 'Of all days together' }),
      credits: t.Number(),
      by_day: t.Array(t.Object({ quantity: t.Number(), credits: t.Number() })),
    }),
  ),
})

export type DailyUseData = Infer<typeof Daily>

export function dailyUseRoute(app: App, { signedIn }: SessionGuards): Route {
  return route(
    {
      ...CONSOLE,
      method: 'GET',
      path: '/usage/days',
      summary: 'Use by day and meter; meters without use are left out',
      auth: signedIn,
      query: t.Object({ days: t.Optional(t.Integer({ minimum: 1, maximum: DAYS_MAX })) }),
      responses: { 200: wrapped(Daily) },
    },
    ({ caller, query }) => {
      refuseWithout('usage', caller)
      return answer(200, success(dailyUse(app, caller.account.id, query.days ?? 30)))
    },
  )
}

function dailyUse(app: App, accountId: string, count: number): DailyUseData {
  const today = Math.floor(app.now() / DAY) * DAY
  const first = today - (count - 1) * DAY
  const days = Array.from({ length: count }, (_, index) => isoTime(first + index * DAY).slice(0, 10))
  const use = listDailyUse(app.db, accountId, first)
  const meters = METER_NAMES.flatMap((meter) => {
    const own = new Map(use.filter((entry) => entry.meter === meter).map((entry) => [entry.day, entry]))
    if (own.size === 0) return []
    const shown = (counted: number, micros: number) => ({
      quantity: shownQuantity(meter, counted),
      credits: creditsOf(micros),
    })
    const sum = (amount: 'count' | 'micros'): number =>
      own.values().reduce((total, entry) => total + entry[amount], 0)
    const by_day = days.map((day) => shown(own.get(day)?.count ?? 0, own.get(day)?.micros ?? 0))
    const unit = METERS[meter].unit ?? ('requests' as const)
    return [{ meter, unit, ...shown(sum('count'), sum('micros')), by_day }]
  })
  return { days, meters }
}
