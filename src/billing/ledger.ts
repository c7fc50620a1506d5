// Charging, holding, settling, waiving and reverting. Every function joins the caller's transaction (it opens a savepoint
// there, or a transaction where there is none), so money changes together with what it is paid for.
// A charge is known by (reference, meter, part): asking for the same one again changes nothing, so work that runs twice
// is paid once. References are ids that the server made (a task's, or a request's newId()) – never text of a client.

import type { AccountsContext } from '../accounts/accounts.ts'
import { transaction } from '../db/database.ts'
import type { MeterName } from '../lib/conversions.ts'
import { balanceOf, type BillingContext, requireCredit } from './balance.ts'
import { append, entriesOf, type EntryKind, type NewEntry, type StoredEntry } from './entries.ts'
import { countOf, priceMicros, type Tokens } from './meters.ts'
import { alignAllowance, type Subscription, subscriptionOf } from './subscription.ts'
import { givingBack, type Move, payment, sum, tallyOf } from './tally.ts'

export interface Charge {
  readonly accountId: string
  /** Task or request. A reference that was reverted is closed: work that is tried anew needs a new one. */
  readonly reference: string
  readonly meter: MeterName
  /** Requests, or seconds of media for transcription_hour. */
  readonly quantity: number
  /** Tells several charges of one meter and reference apart, such as the items of a carousel. */
  readonly part?: string
  readonly tokens?: Tokens
}

/** Throws Problem `limit_exceeded`, and changes nothing, when the credits do not reach or there is no subscription. */
export function charge(context: BillingContext, item: Charge): void {
  chargeOnce(context, 'charge', item)
}

/** A charge whose true quantity is not known yet: `settle` with the same key corrects it. Throws as `charge` does. */
export function hold(context: BillingContext, item: Charge): void {
  chargeOnce(context, 'hold', item)
}

function chargeOnce(context: BillingContext, kind: 'charge' | 'hold', item: Charge): void {
  transaction(context.db, () => {
    const entries = openEntries(context, item)
    if (partOf(entries, item).length > 0) return
    const subscription = subscriptionOf(context, item.accountId)
    if (subscription.plan === 'none') requireCredit(balanceOf(context, subscription), 0)
    bill(context, { kind, item, entries, subscription, shortage: 'refuse' })
  })
}

export interface SettleOptions {
  /**
   * What happens when more is due than there is. `absorb` (default): the work is done, so the balance pays what it has,
   * down to zero and never below; the row keeps the rest as unpaid, which nobody collects. `refuse`: throws Problem
   * `limit_exceeded` and changes nothing, for when the true quantity is known before the work.
   */
  readonly shortage?: 'absorb' | 'refuse'
}

/** Makes `quantity` (and tokens) the billed ones of this charge, held before or not: tops up or gives back. */
export function settle(context: BillingContext, item: Charge, options: SettleOptions = {}): void {
  transaction(context.db, () => {
    const entries = openEntries(context, item)
    const subscription = subscriptionOf(context, item.accountId)
    bill(context, { kind: 'settlement', item, entries, subscription, shortage: options.shortage ?? 'absorb' })
  })
}

/** Costs nothing (a cache hit): gives back what was held for this charge and notes what was saved. */
export function waive(context: BillingContext, { tokens, ...item }: Charge): void {
  transaction(context.db, () => {
    settle(context, { ...item, quantity: 0 })
    const entries = openEntries(context, item)
    const own = partOf(entries, item)
    if (own.some((entry) => entry.waived)) return
    const before = tallyOf(entries, item.meter)
    const count = countOf(item.meter, item.quantity)
    const total = priceMicros(context.config.meters, item.meter, before.waivedCount + count)
    append(context, item.accountId, {
      kind: 'waiver',
      pool: 'monthly',
      reference: item.reference,
      meter: item.meter,
      part: item.part ?? '',
      step: nextStep(own),
      count,
      waived: true,
      savedMicros: total - before.savedMicros,
      promptTokens: tokens?.prompt ?? 0,
      completionTokens: tokens?.completion ?? 0,
      periodStartAt: subscriptionOf(context, item.accountId).period.startAt,
    })
  })
}

export interface RevertOptions {
  /** Charges of these meters stay: the metadata request of `video_too_long`. */
  readonly keep?: readonly MeterName[]
}

/**
 * Takes back everything charged for the reference, as if it had never been: each pool gets back what it paid. Monthly
 * credits of a period that has ended meanwhile expire at once, like all that were unused at its end. Reverting what is
 * reverted, or was never charged, changes nothing.
 */
export function revert(context: AccountsContext, reference: string, { keep = [] }: RevertOptions = {}): void {
  transaction(context.db, () => {
    const entries = entriesOf(context.db, reference)
    const accountId = entries[0]?.accountId
    if (accountId === undefined) return
    const subscription = subscriptionOf(context, accountId)
    for (const meter of new Set(entries.flatMap((entry) => entry.meter ?? []))) {
      if (!keep.includes(meter)) revertMeter(context, { reference, meter, entries, subscription })
    }
  })
}

interface MeterRevert {
  readonly reference: string
  readonly meter: MeterName
  readonly entries: readonly StoredEntry[]
  readonly subscription: Subscription
}

function revertMeter(context: AccountsContext, work: MeterRevert): void {
  const { reference, meter, entries, subscription } = work
  const tally = tallyOf(entries, meter)
  const part = ''
  const step = nextStep(entries.filter((entry) => entry.meter === meter && entry.part === part))
  const base = { kind: 'revert', reference, meter, part, step } as const
  if (tally.waivedCount !== 0 || tally.savedMicros !== 0) {
    append(context, subscription.accountId, {
      ...base,
      pool: 'monthly',
      waived: true,
      count: -tally.waivedCount,
      savedMicros: -tally.savedMicros,
      periodStartAt: subscription.period.startAt,
    })
  }
  const tokens = { prompt: -tally.promptTokens, completion: -tally.completionTokens }
  write(context, { base, tokens, subscription }, givingBack(tally, tally.pricedMicros, tally.count))
}

interface Bill {
  readonly kind: EntryKind
  readonly item: Charge
  readonly entries: readonly StoredEntry[]
  readonly subscription: Subscription
  readonly shortage: 'absorb' | 'refuse'
}

function bill(context: BillingContext, { kind, item, entries, subscription, shortage }: Bill): void {
  const { reference, meter, part = '' } = item
  const all = partOf(entries, item)
  const own = all.filter((entry) => !entry.waived)
  const count = countOf(meter, item.quantity) - sum(own, 'count')
  const tokens = {
    prompt: (item.tokens?.prompt ?? 0) - sum(own, 'promptTokens'),
    completion: (item.tokens?.completion ?? 0) - sum(own, 'completionTokens'),
  }
  if (count === 0 && tokens.prompt === 0 && tokens.completion === 0) return
  const tally = tallyOf(entries, meter)
  const dueMicros = priceMicros(context.config.meters, meter, tally.count + count) - tally.pricedMicros
  const work = { base: { kind, reference, meter, part, step: nextStep(all) }, tokens, subscription }
  if (count < 0) {
    write(context, work, givingBack(tally, Math.max(0, -dueMicros), -count))
    return
  }
  // A price that fell because the settings changed between hold and settlement gives nothing back.
  const micros = count === 0 ? 0 : Math.max(0, dueMicros)
  const has = balanceOf(context, subscription)
  if (shortage === 'refuse') requireCredit(has, micros)
  write(context, work, payment(has, micros, count))
}

interface Writing {
  readonly base: Pick<Required<NewEntry>, 'kind' | 'reference' | 'meter' | 'part' | 'step'>
  /** Go into the first row. */
  readonly tokens: Tokens
  readonly subscription: Subscription
}

function write(context: AccountsContext, work: Writing, moves: readonly Move[]): void {
  const { base, tokens, subscription } = work
  for (const [index, move] of moves.entries()) {
    const counted = index === 0 ? { promptTokens: tokens.prompt, completionTokens: tokens.completion } : {}
    append(context, subscription.accountId, { ...base, ...move, ...counted })
    if (move.pool === 'monthly' && move.micros > 0) {
      boundMonthly(context, subscription, { ...move, reference: base.reference })
    }
  }
}

/** Monthly credits that came back count only as far as an account that had never spent them would have them now. */
function boundMonthly(
  context: AccountsContext,
  subscription: Subscription,
  { micros, periodStartAt, reference }: Move & { readonly reference: string },
): void {
  if (periodStartAt === subscription.period.startAt) {
    alignAllowance(context, subscription)
    return
  }
  append(context, subscription.accountId, {
    kind: 'expiry',
    pool: 'monthly',
    reference,
    micros: -micros,
    periodStartAt,
  })
}

function openEntries(
  context: AccountsContext,
  { accountId, reference }: Pick<Charge, 'accountId' | 'reference'>,
): readonly StoredEntry[] {
  const entries = entriesOf(context.db, reference)
  if (entries.some((entry) => entry.accountId !== accountId)) {
    throw new Error(`the reference ${reference} belongs to another account`)
  }
  if (entries.some((entry) => entry.kind === 'revert')) {
    throw new Error(
      `the charges of ${reference} were reverted; work that is tried anew needs a new reference`,
    )
  }
  return entries
}

function partOf(
  entries: readonly StoredEntry[],
  { meter, part = '' }: Pick<Charge, 'meter' | 'part'>,
): readonly StoredEntry[] {
  return entries.filter((entry) => entry.meter === meter && entry.part === part)
}

function nextStep(entries: readonly StoredEntry[]): number {
  return 1 + Math.max(0, ...entries.map((entry) => entry.step))
}
