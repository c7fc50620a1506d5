// What an account has, what may be refused for lack of it, and credits that the operator grants.

import type { AccountsContext } from '../accounts/accounts.ts'
import type { Config } from '../config.ts'
import { transaction } from '../db/database.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { formatCredits } from './amount.ts'
import { append, balancesOf } from './entries.ts'
import { countOf, priceMicros } from './meters.ts'
import { PLAN_TERMS } from './plans.ts'
import { type Subscription, subscriptionOf } from './subscription.ts'

/** What pricing needs of the application. */
export interface BillingContext extends AccountsContext {
  readonly config: Pick<Config, 'meters'>
}

export interface Balance extends Subscription {
  /** Nothing is refused; the amounts of monthly credits are 0. */
  readonly unlimited: boolean
  readonly monthlyTotalMicros: number
  readonly monthlyRemainingMicros: number
  readonly purchasedMicros: number
}

export function balance(context: AccountsContext, accountId: string): Balance {
  return balanceOf(context, subscriptionOf(context, accountId))
}

export function balanceOf(context: AccountsContext, subscription: Subscription): Balance {
  const { monthlyMicros, purchasedMicros } = balancesOf(context.db, subscription.accountId)
  const terms = PLAN_TERMS[subscription.plan].monthlyMicros
  return {
    ...subscription,
    unlimited: terms === 'unlimited',
    monthlyTotalMicros: terms === 'unlimited' ? 0 : terms,
    monthlyRemainingMicros: monthlyMicros,
    purchasedMicros,
  }
}

const GATE_S = 60

/** The submit gate: throws Problem `limit_exceeded` unless this much media could be transcribed. Charges nothing. */
export function requireTranscriptionCredit(
  context: BillingContext,
  accountId: string,
  mediaS = GATE_S,
): void {
  const meter = 'transcription_hour'
  const neededMicros = priceMicros(context.config.meters, meter, countOf(meter, mediaS))
  requireCredit(balance(context, accountId), neededMicros)
}

/** Throws Problem `limit_exceeded` when there is less, or no subscription. */
export function requireCredit(has: Balance, neededMicros: number): void {
  if (has.plan === 'none') {
    throw new Problem('limit_exceeded', 'The account has no active subscription. Nothing was charged.')
  }
  const leftMicros = has.monthlyRemainingMicros + has.purchasedMicros
  if (has.unlimited || leftMicros >= neededMicros) return
  throw new Problem(
    'limit_exceeded',
    `This needs ${formatCredits(neededMicros)} credits and the account has ${formatCredits(leftMicros)} left. ` +
      'Nothing was charged. Add credits, or wait for the next billing period (see GET /usage).',
  )
}

export interface Grant {
  readonly accountId: string
  /** Negative: a correction. */
  readonly micros: number
  readonly note?: string
}

const PURCHASED_MAX_MICROS = 1e15

/** Purchased credits. Throws Problem `invalid_parameter` for a correction of more than the account has. */
export function grant(context: AccountsContext, { accountId, micros, note = '' }: Grant): void {
  transaction(context.db, () => {
    const { period } = subscriptionOf(context, accountId)
    const { purchasedMicros } = balancesOf(context.db, accountId)
    const after = purchasedMicros + micros
    if (micros === 0 || after < 0 || after > PURCHASED_MAX_MICROS) {
      throw new Problem(
        'invalid_parameter',
        `The account has ${formatCredits(purchasedMicros)} purchased credits, which cannot change by ` +
          `${formatCredits(micros)}: they must change, and stay between 0 and ${formatCredits(PURCHASED_MAX_MICROS)}.`,
      )
    }
    append(context, accountId, {
      kind: 'grant',
      pool: 'purchased',
      micros,
      reference: `grant:${newId()}`,
      note: note.slice(0, 200),
      periodStartAt: period.startAt,
    })
  })
}
