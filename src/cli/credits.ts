// earshot credits …: purchased credits, and what an account has and has used.

import { type Command, InvalidArgumentError } from 'commander'
import { type AccountsContext, getAccount } from '../accounts/accounts.ts'
import { creditsOf, formatCredits, parseCredits } from '../billing/amount.ts'
import { type Balance, balance, grant } from '../billing/balance.ts'
import { countInPeriod } from '../billing/entries.ts'
import { METERS, shownQuantity } from '../billing/meters.ts'
import { PLAN_TERMS } from '../billing/plans.ts'
import { METER_NAMES } from '../lib/conversions.ts'
import { isoTime } from '../lib/time.ts'
import { withDatabase } from './database.ts'
import { note, print, printJson, printTable } from './output.ts'

export function registerCredits(program: Command): void {
  const credits = program.command('credits').description('grant credits and show what an account has')
  credits
    .command('grant')
    .description('add purchased credits; a negative amount corrects an earlier grant')
    .argument('<account>', 'name or id')
    .argument('<amount>', 'such as 25, 0.5 or -25', creditsValue)
    .option('--note <text>', 'kept with the grant', '')
    .action((account: string, micros: number, options: { note: string }, command: Command) => {
      const has = withDatabase(command, (context) => {
        const { id } = getAccount(context, account)
        grant(context, { accountId: id, micros, note: options.note })
        return balance(context, id)
      })
      note(`Account "${account}" has ${formatCredits(has.purchasedMicros)} purchased credits now.`)
    })
  credits
    .command('show')
    .description('credits left and what was used in the present billing period')
    .argument('<account>', 'name or id')
    .option('--json', 'print JSON')
    .action((account: string, { json }: { json?: true }, command: Command) => {
      const record = withDatabase(command, (context) => recordOf(context, account))
      if (json) printJson(record)
      else show(record)
    })
}

/** Credits as decimal text → millionths, exactly. */
function creditsValue(text: string): number {
  const micros = parseCredits(text)
  if (micros !== undefined && micros !== 0) return micros
  throw new InvalidArgumentError('Write an amount such as 25, 0.5 or -25: at most 9 digits and 6 decimals.')
}

interface CreditsRecord {
  readonly account: string
  readonly plan: string
  readonly billing_period: { readonly start: string; readonly end: string } | null
  readonly credits: {
    readonly monthly_total: number | 'unlimited'
    readonly monthly_remaining: number | 'unlimited'
    readonly purchased: number
  }
  readonly usage: readonly { readonly meter: string; readonly used: number; readonly unit: string }[]
}

function recordOf(context: AccountsContext, nameOrId: string): CreditsRecord {
  const account = getAccount(context, nameOrId)
  const has = balance(context, account.id)
  return {
    account: account.name,
    plan: has.plan,
    billing_period:
      has.plan === 'none' ? null : { start: isoTime(has.period.startAt), end: isoTime(has.period.endAt) },
    credits: {
      monthly_total: monthly(has, has.monthlyTotalMicros),
      monthly_remaining: monthly(has, has.monthlyRemainingMicros),
      purchased: creditsOf(has.purchasedMicros),
    },
    usage: METER_NAMES.map((meter) => ({
      meter,
      used: shownQuantity(meter, countInPeriod(context.db, account.id, meter, has.period.startAt)),
      unit: METERS[meter].unit ?? 'requests',
    })),
  }
}

function monthly({ unlimited }: Balance, micros: number): number | 'unlimited' {
  return unlimited ? 'unlimited' : creditsOf(micros)
}

function show({ account, plan, billing_period: period, credits, usage }: CreditsRecord): void {
  const name = Object.entries(PLAN_TERMS).find(([id]) => id === plan)?.[1].name ?? plan
  print(`Account: ${account} (plan ${name})`)
  print(period ? `Period: ${period.start} to ${period.end}` : 'Period: none, there is no subscription')
  print(`Monthly credits: ${credits.monthly_remaining} of ${credits.monthly_total} left`)
  print(`Purchased credits: ${credits.purchased} left`)
  print('')
  printTable(
    ['METER', 'USED', 'UNIT'],
    usage.map(({ meter, used, unit }) => [meter, String(used), unit]),
  )
}
