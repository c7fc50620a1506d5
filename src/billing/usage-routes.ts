// GET /usage: what the account has, what it used in this billing period, and what it may store.

import type { Guard } from '../accounts/guard.ts'
import { findLimits } from '../accounts/limits.ts'
import type { AccountsContext } from '../accounts/accounts.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { METER_NAMES, type MeterName } from '../lib/conversions.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, type Schema, t } from '../lib/schema.ts'
import { isoTime } from '../lib/time.ts'
import { creditsOf } from './amount.ts'
import { type Balance, balance } from './balance.ts'
import { countInPeriod } from './entries.ts'
import { METERS, shownQuantity } from './meters.ts'
import { type Limit, PLAN_TERMS } from './plans.ts'

/** What other parts of the product know of an account. */
export interface UsageSources {
  storageUsedBytes(accountId: string): number
  channelsUsed(accountId: string): number
}

const orUnlimited = <S extends Schema>(schema: S) => t.Union([schema, t.Literal('unlimited')])
const instant = t.String({ format: 'date-time' })
const percentage = t.Number({ description: '0 to 100; 0 where there is no limit' })
const counter = t.Object({ used: t.Number(), unit: t.Optional(t.String()) })

const Usage = t.Object({
  usage_period: t.Object({ start: instant, end: instant }),
  billing_period: t.Object({ start: instant, end: instant, interval: t.Literal('month') }),
  subscription: t.Object({
    plan_id: t.String(),
    plan_name: t.String(),
    interval: t.Literal('month'),
    status: t.Literal('active'),
    cancel_at_period_end: t.Boolean(),
  }),
  credits: t.Object({
    monthly_total: orUnlimited(t.Number()),
    monthly_remaining: orUnlimited(t.Number()),
    purchased: t.Number(),
  }),
  usage: t.Record(t.Union(METER_NAMES.map((name) => t.Literal(name))), counter, {
    description: 'Counters of the period; informational, not caps',
  }),
  channels_indexed: t.Object({
    used: t.Integer(),
    limit: orUnlimited(t.Integer()),
    remaining: orUnlimited(t.Integer()),
    percentage,
  }),
  storage: t.Object({
    used_bytes: t.Integer(),
    limit_bytes: orUnlimited(t.Integer()),
    remaining_bytes: orUnlimited(t.Integer()),
    used_formatted: t.String(),
    limit_formatted: t.String(),
    remaining_formatted: t.String(),
    percentage,
  }),
  generated_at: instant,
})

export function usageRoutes(app: AccountsContext, auth: Guard, sources: UsageSources): readonly Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/usage',
        tag: 'Account',
        summary: 'Credits, usage of the billing period, and storage',
        auth: auth('usage'),
        responses: { 200: t.Object({ status: t.Literal('success'), data: Usage }) },
        errors: ['no_subscription'],
      },
      ({ caller }) => answer(200, success(usageOf(app, caller.account.id, sources))),
    ),
  ]
}

export type UsageData = Infer<typeof Usage>

function usageOf(app: AccountsContext, accountId: string, sources: UsageSources): UsageData {
  const has = balance(app, accountId)
  if (has.plan === 'none') {
    throw new Problem(
      'no_subscription',
      'The account has no active subscription. Ask the operator for a plan.',
    )
  }
  const terms = PLAN_TERMS[has.plan]
  const period = { start: isoTime(has.period.startAt), end: isoTime(has.period.endAt) }
  return {
    usage_period: period,
    billing_period: { ...period, interval: 'month' },
    subscription: {
      plan_id: has.plan,
      plan_name: terms.name,
      interval: 'month',
      status: 'active',
      cancel_at_period_end: false,
    },
    credits: creditsLeft(has),
    usage: countersOf(app, has),
    channels_indexed: shareOf(sources.channelsUsed(accountId), terms.channels),
    storage: storageOf(sources.storageUsedBytes(accountId), storageLimit(app, has)),
    generated_at: isoTime(app.now()),
  }
}

function creditsLeft(has: Balance): Infer<typeof Usage>['credits'] {
  return {
    monthly_total: has.unlimited ? 'unlimited' : creditsOf(has.monthlyTotalMicros),
    monthly_remaining: has.unlimited ? 'unlimited' : creditsOf(has.monthlyRemainingMicros),
    purchased: creditsOf(has.purchasedMicros),
  }
}

function countersOf(
  { db }: Pick<AccountsContext, 'db'>,
  { accountId, period }: Balance,
): Infer<typeof Usage>['usage'] {
  const entryOf = (meter: MeterName) => {
    const used = shownQuantity(meter, countInPeriod(db, accountId, meter, period.startAt))
    const { unit } = METERS[meter]
    return [meter, unit === undefined ? { used } : { used, unit }] as const
  }
  return Object.fromEntries(METER_NAMES.map(entryOf)) as Infer<typeof Usage>['usage']
}

/** Bytes that files of the account may take in all: its own limit, or else that of its plan. */
export function storageLimit(
  app: Pick<AccountsContext, 'db'>,
  { accountId, plan }: Pick<Balance, 'accountId' | 'plan'>,
): Limit {
  return findLimits(app, accountId).storageBytes ?? PLAN_TERMS[plan].storageBytes
}

interface Share {
  readonly used: number
  readonly limit: Limit
  readonly remaining: Limit
  readonly percentage: number
}

/** Two decimals; more than 100 when a smaller plan came later. */
function shareOf(used: number, limit: Limit): Share {
  if (limit === 'unlimited') return { used, limit, remaining: limit, percentage: 0 }
  const percent = limit === 0 ? (used === 0 ? 0 : 100) : Math.round((used / limit) * 10_000) / 100
  return { used, limit, remaining: Math.max(0, limit - used), percentage: percent }
}

function storageOf(usedBytes: number, limitBytes: Limit): Infer<typeof Usage>['storage'] {
  const { used, limit, remaining, percentage: percent } = shareOf(usedBytes, limitBytes)
  return {
    used_bytes: used,
    limit_bytes: limit,
    remaining_bytes: remaining,
    used_formatted: formatBytes(used),
    limit_formatted: formatBytes(limit),
    remaining_formatted: formatBytes(remaining),
    percentage: percent,
  }
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB']

/** `50 GB`, `1.5 MB`, `0 bytes`: powers of 1024, at most two decimals. */
export function formatBytes(bytes: Limit): string {
  if (bytes === 'unlimited') return bytes
  const power = UNITS.findIndex((_, index) => bytes < 1_024 ** (index + 1))
  const index = power < 0 ? UNITS.length - 1 : power
  return `${Math.round((bytes / 1_024 ** index) * 100) / 100} ${UNITS[index]}`
}
