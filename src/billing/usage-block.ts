// The `usage` block of one request or task: its charges, one entry per meter, as they stand. What was reverted is gone.

import type { Db } from '../db/database.ts'
import { METER_NAMES, type MeterName } from '../lib/conversions.ts'
import { type Infer, t } from '../lib/schema.ts'
import { creditsOf } from './amount.ts'
import { entriesOf } from './entries.ts'
import { shownQuantity } from './meters.ts'
import { type Tally, tallyOf } from './tally.ts'

const UsageCharge = t.Object({
  service_type: t.String({ examples: ['standard_request'] }),
  quantity: t.Number({ description: 'Requests, or hours for transcription_hour; waived ones included' }),
  credits: t.Number(),
  waived: t.Boolean({ description: 'Nothing of it was billed' }),
  credits_saved: t.Number(),
  tokens: t.Optional(
    t.Object({ prompt_tokens: t.Integer(), completion_tokens: t.Integer(), total_tokens: t.Integer() }),
  ),
})

export const UsageBlock = t.Object({
  charges: t.Array(UsageCharge),
  total_credits: t.Number(),
  waived: t.Optional(t.Object({ credits_saved: t.Number() })),
})

export type UsageBlock = Infer<typeof UsageBlock>

export function usageBlock({ db }: { readonly db: Db }, reference: string): UsageBlock {
  const entries = entriesOf(db, reference)
  const tallies = METER_NAMES.map((meter) => ({ meter, tally: tallyOf(entries, meter) })).filter(
    ({ tally }) => tally.count > 0 || tally.waivedCount > 0,
  )
  const totalMicros = tallies.reduce((sum, { tally }) => sum + tally.paidMicros, 0)
  const savedMicros = tallies.reduce((sum, { tally }) => sum + tally.savedMicros, 0)
  const someWaived = tallies.some(({ tally }) => tally.waivedCount > 0)
  return {
    charges: tallies.map(({ meter, tally }) => chargeOf(meter, tally)),
    total_credits: creditsOf(totalMicros),
    ...(someWaived ? { waived: { credits_saved: creditsOf(savedMicros) } } : {}),
  }
}

function chargeOf(meter: MeterName, tally: Tally): UsageBlock['charges'][number] {
  const { promptTokens, completionTokens } = tally
  const tokens = {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
  return {
    service_type: meter,
    quantity: shownQuantity(meter, tally.count + tally.waivedCount),
    credits: creditsOf(tally.paidMicros),
    waived: tally.count === 0,
    credits_saved: creditsOf(tally.savedMicros),
    ...(tokens.total_tokens > 0 ? { tokens } : {}),
  }
}
