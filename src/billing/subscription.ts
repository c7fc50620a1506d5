// Which plan and billing period an account is in. Periods roll over when somebody next looks, each exactly once, however
// long nobody did: what is left of the monthly credits expires by a row, and the new ones come by a row.
// Always true afterwards: monthly credits left = what the plan gives − what this period has used, and never below 0.
// This file alone touches the table billing_periods.

import {
  type Account,
  type AccountsContext,
  findAccount,
  setPlan as storePlan,
} from '../accounts/accounts.ts'
import type { Plan } from '../accounts/plans.ts'
import { type Db, transaction } from '../db/database.ts'
import { allowanceOf, append, balancesOf } from './entries.ts'
import { type Period, periodAt } from './periods.ts'
import { PLAN_TERMS } from './plans.ts'

export interface Subscription {
  readonly accountId: string
  readonly plan: Plan
  readonly period: Period
}

interface Row {
  readonly number: number
  readonly plan: string
  readonly anchor_at: number
  readonly start_at: number
  readonly end_at: number
}

/** Up to date. Writes (in the caller's transaction, or one of its own) only when something has changed. */
export function subscriptionOf(context: AccountsContext, accountId: string): Subscription {
  return currentOf(context, accountId) ?? transaction(context.db, () => catchUp(context, accountId))
}

/**
 * `accounts set-plan`. Within a period an upgrade adds the difference at once; a downgrade leaves what the smaller plan
 * gives, less what the period has used. `none` ends the subscription and takes the monthly credits; purchased ones stay
 * until there is a plan again. A plan after `none` is a new subscription, whose periods count from now.
 */
export function changePlan(context: AccountsContext, nameOrId: string, plan: Plan): Account {
  return transaction(context.db, () => {
    const account = storePlan(context, nameOrId, plan)
    subscriptionOf(context, account.id)
    return account
  })
}

function currentOf(context: AccountsContext, accountId: string): Subscription | undefined {
  const { plan } = accountOf(context, accountId)
  const last = lastRow(context.db, accountId)
  if (!last || last.plan !== plan || isOver(last, context.now())) return undefined
  return { accountId, plan, period: { startAt: last.start_at, endAt: last.end_at } }
}

/** Without a subscription nothing is given anew, so its last period stays open. */
function isOver(last: Row, now: number): boolean {
  return last.plan !== 'none' && now >= last.end_at
}

function catchUp(context: AccountsContext, accountId: string): Subscription {
  const current = currentOf(context, accountId)
  if (current) return current
  const account = accountOf(context, accountId)
  const last = lastRow(context.db, accountId)
  // A clock that was set back must not open a period before the last one.
  const now = Math.max(context.now(), last?.start_at ?? account.createdAt)
  const opened = last ? periodAfter(last, account.plan, now) : firstPeriod(account, now)
  if (last && opened.startAt !== last.start_at) expire(context, accountId, last)
  insertRow(context, accountId, { number: (last?.number ?? 0) + 1, plan: account.plan, opened })
  const subscription = { accountId, plan: account.plan, period: opened }
  alignAllowance(context, subscription)
  return subscription
}

interface Opened extends Period {
  readonly anchorAt: number
}

function firstPeriod({ createdAt }: Account, now: number): Opened {
  return { anchorAt: createdAt, ...periodAt(createdAt, now) }
}

function periodAfter(last: Row, plan: Plan, now: number): Opened {
  const isNew = last.plan === 'none' && plan !== 'none'
  const anchorAt = isNew ? now : last.anchor_at
  return { anchorAt, ...periodAt(anchorAt, now) }
}

function expire(context: AccountsContext, accountId: string, ended: Row): void {
  const { monthlyMicros } = balancesOf(context.db, accountId)
  if (monthlyMicros === 0) return
  append(context, accountId, {
    kind: 'expiry',
    pool: 'monthly',
    micros: -monthlyMicros,
    reference: `period:${ended.start_at}`,
    periodStartAt: ended.start_at,
  })
}

/** Gives or takes what makes the monthly credits those of the plan less those used; see the head of this file. */
export function alignAllowance(context: AccountsContext, { accountId, plan, period }: Subscription): void {
  const { monthlyMicros } = balancesOf(context.db, accountId)
  const usedMicros = allowanceOf(context.db, accountId, period.startAt) - monthlyMicros
  const terms = PLAN_TERMS[plan].monthlyMicros
  const left = Math.max(0, (terms === 'unlimited' ? 0 : terms) - usedMicros)
  if (left === monthlyMicros) return
  append(context, accountId, {
    kind: 'allowance',
    pool: 'monthly',
    micros: left - monthlyMicros,
    reference: `period:${period.startAt}`,
    note: plan,
    periodStartAt: period.startAt,
  })
}

function accountOf(context: AccountsContext, accountId: string): Account {
  const account = findAccount(context, accountId)
  if (!account) throw new Error(`no account ${accountId} to bill`)
  return account
}

function lastRow(db: Db, accountId: string): Row | null {
  return db
    .query<Row, { accountId: string }>(
      `select number, plan, anchor_at, start_at, end_at from billing_periods
       where account_id = $accountId order by number desc limit 1`,
    )
    .get({ accountId })
}

interface NewRow {
  readonly number: number
  readonly plan: Plan
  readonly opened: Opened
}

function insertRow(context: AccountsContext, accountId: string, { number, plan, opened }: NewRow): void {
  context.db
    .query(
      `insert into billing_periods (account_id, number, plan, anchor_at, start_at, end_at, created_at)
       values ($accountId, $number, $plan, $anchorAt, $startAt, $endAt, $createdAt)`,
    )
    .run({ accountId, number, plan, ...opened, createdAt: context.now() })
}
