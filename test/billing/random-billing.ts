// Random lives of an account and its tasks, played on the real ledger beside a model that only remembers what every task
// should have been billed.

import * as fc from 'fast-check'
import { PLANS, type Plan } from '../../src/accounts/plans.ts'
import { grant, requireTranscriptionCredit } from '../../src/billing/balance.ts'
import { type Charge, charge, hold, revert, settle, waive } from '../../src/billing/ledger.ts'
import { analysisRequests } from '../../src/billing/meters.ts'
import { changePlan } from '../../src/billing/subscription.ts'
import { transaction } from '../../src/db/database.ts'
import type { MeterName } from '../../src/lib/conversions.ts'
import { newId } from '../../src/lib/id.ts'
import { Problem } from '../../src/lib/problem.ts'
import { DAY } from '../../src/lib/time.ts'
import type { TestLedger } from './support.ts'

export type Step =
  | { readonly do: 'submit'; readonly items: number }
  | { readonly do: 'work'; readonly task: number; readonly seconds: number; readonly refuse: boolean }
  | { readonly do: 'complete'; readonly task: number; readonly tokens: number }
  | { readonly do: 'cached'; readonly task: number; readonly seconds: number }
  | { readonly do: 'crash'; readonly task: number; readonly seconds: number }
  | { readonly do: 'retry' | 'fail' | 'cancel' | 'tooLong'; readonly task: number }
  | { readonly do: 'grant'; readonly micros: number }
  | { readonly do: 'plan'; readonly plan: Plan }
  | { readonly do: 'pass'; readonly ms: number }

const task = fc.nat(5)
/** Many tasks fit into the plans, some do not. */
const seconds = fc.oneof(fc.integer({ min: 0, max: 7_200_000 }), fc.integer({ min: 0, max: 200_000_000 }))
const work = { task, seconds: seconds.map((ms) => ms / 1_000) }

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('submit' as const), items: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('work' as const), ...work, refuse: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('complete' as const), task, tokens: fc.nat(90_000) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('cached' as const), ...work }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('crash' as const), ...work }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom('retry', 'fail', 'cancel', 'tooLong' as const), task }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('grant' as const), micros: fc.integer({ min: -4e6, max: 9e6 }) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('plan' as const), plan: fc.constantFrom(...PLANS) }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: -DAY, max: 70 * DAY }) }),
  },
)

export interface ModelTask {
  readonly id: string
  readonly items: number
  state: 'processing' | 'completed' | 'failed'
  /** Meter and part → what should be billed, in the ledger's counts. */
  readonly billed: Map<string, number>
}

export interface Model {
  readonly accountId: string
  readonly tasks: ModelTask[]
  grantedMicros: number
}

/** Plays one step on the ledger and notes in the model what it should have done. */
export function play(ledger: TestLedger, model: Model, one: Step): void {
  if ('task' in one) {
    const open = model.tasks.filter(({ state }) => state === 'processing')
    const chosen = open[one.task % Math.max(1, open.length)]
    if (chosen) playOnTask(ledger, model, chosen, one)
    return
  }
  switch (one.do) {
    case 'submit':
      submit(ledger, model, one.items)
      return
    case 'grant':
      if (succeeds(() => grant(ledger, { accountId: model.accountId, micros: one.micros }))) {
        model.grantedMicros += one.micros
      }
      return
    case 'plan':
      changePlan(ledger, model.accountId, one.plan)
      return
    case 'pass':
      ledger.advance(one.ms)
      return
  }
}

type TaskStep = Extract<Step, { readonly task: number }>

function playOnTask(ledger: TestLedger, model: Model, chosen: ModelTask, one: TaskStep): void {
  const speech = (item: number, quantity: number) =>
    chargeOf(model, chosen, 'transcription_hour', quantity, item)
  switch (one.do) {
    case 'work': {
      const item = one.task % chosen.items
      const shortage = one.refuse ? 'refuse' : 'absorb'
      if (succeeds(() => settle(ledger, speech(item, one.seconds), { shortage })))
        note(chosen, speech(item, one.seconds))
      return
    }
    case 'crash': {
      const crash = () =>
        transaction(ledger.db, () => {
          settle(ledger, speech(0, one.seconds))
          revert(ledger, chosen.id)
          throw new Problem('internal_server_error', 'killed before the commit')
        })
      succeeds(crash)
      return
    }
    case 'cached':
      for (let attempt = 0; attempt < 2; attempt++) waive(ledger, speech(0, one.seconds))
      note(chosen, speech(0, 0))
      return
    case 'complete': {
      const tokens = { prompt: one.tokens, completion: 100 }
      const analysis = chargeOf(model, chosen, 'analysis_request', analysisRequests(tokens))
      for (let attempt = 0; attempt < 2; attempt++) settle(ledger, { ...analysis, tokens })
      note(chosen, analysis)
      chosen.state = 'completed'
      return
    }
    case 'retry':
      // The same job again, from its beginning.
      for (const item of upFront(model, chosen)) hold(ledger, item)
      return
    case 'fail':
    case 'cancel':
    case 'tooLong':
      fail(ledger, chosen, one.do === 'tooLong')
  }
}

function submit(ledger: TestLedger, model: Model, items: number): void {
  const made: ModelTask = { id: newId(), items, state: 'processing', billed: new Map() }
  const accepted = succeeds(() =>
    transaction(ledger.db, () => {
      requireTranscriptionCredit(ledger, model.accountId)
      for (const item of upFront(model, made)) charge(ledger, item)
    }),
  )
  // What was refused stays in the model as a task that must have cost nothing.
  if (!accepted) made.state = 'failed'
  else for (const item of upFront(model, made)) note(made, item)
  model.tasks.push(made)
}

function fail(ledger: TestLedger, chosen: ModelTask, tooLong: boolean): void {
  for (let attempt = 0; attempt < 2; attempt++) {
    revert(ledger, chosen.id, tooLong ? { keep: ['standard_request'] } : {})
  }
  for (const key of chosen.billed.keys()) {
    if (!tooLong || !key.startsWith('standard_request')) chosen.billed.delete(key)
  }
  chosen.state = 'failed'
}

function upFront(model: Model, of: ModelTask): readonly Charge[] {
  return [
    chargeOf(model, of, 'standard_request', 1),
    chargeOf(model, of, 'analysis_request', 1),
    ...Array.from({ length: of.items }, (_, item) => chargeOf(model, of, 'transcription_hour', 60, item)),
  ]
}

function chargeOf(model: Model, of: ModelTask, meter: MeterName, quantity: number, item = 0): Charge {
  return { accountId: model.accountId, reference: of.id, meter, quantity, part: String(item) }
}

function note(of: ModelTask, { meter, quantity, part }: Charge): void {
  const count = meter === 'transcription_hour' ? Math.round(quantity * 1_000) : quantity
  of.billed.set(`${meter} ${part}`, count)
}

/** False when it was refused with a Problem; anything else thrown is a failure of the test. */
function succeeds(work: () => void): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}
