// earshot accounts …: who owns keys, tasks and files.

import type { Command } from 'commander'
import {
  type AccountRecord,
  accountRecord,
  createAccount,
  disableAccount,
  listAccounts,
} from '../accounts/accounts.ts'
import { type Plan, PLANS } from '../accounts/plans.ts'
import { changePlan } from '../billing/subscription.ts'
import { registerAccountLimits } from './account-limits.ts'
import { withDatabase } from './database.ts'
import { note, print, printJson, printTable } from './output.ts'
import { planValue } from './values.ts'

export function registerAccounts(program: Command): void {
  const accounts = program.command('accounts').description('create, list and change accounts')
  accounts
    .command('create <name>')
    .description('make an account and print its id')
    .option('--plan <plan>', `one of ${PLANS.join(', ')}`, planValue, 'custom')
    .action((name: string, { plan }: { plan: Plan }, command: Command) => {
      print(withDatabase(command, (context) => createAccount(context, name, plan)).id)
      note(`Created account "${name}" (plan ${plan}). Its first key: earshot keys create --account "${name}"`)
    })
  accounts
    .command('list')
    .description('all accounts')
    .option('--json', 'print JSON')
    .action(({ json }: { json?: true }, command: Command) => {
      const records = withDatabase(command, listAccounts).map(accountRecord)
      if (json) printJson(records)
      else printAccounts(records)
    })
  accounts
    .command('set-plan')
    .description('change the plan; "none" ends the subscription')
    .argument('<name>', 'name or id')
    .argument('<plan>', `one of ${PLANS.join(', ')}`, planValue)
    .action((name: string, plan: Plan, _options: object, command: Command) => {
      withDatabase(command, (context) => changePlan(context, name, plan))
      note(`Account "${name}" has the plan ${plan} now.`)
    })
  accounts
    .command('disable <name>')
    .description('refuse its keys from now on; what already runs, finishes')
    .action((name: string, _options: object, command: Command) => {
      withDatabase(command, (context) => disableAccount(context, name))
      note(`Disabled account "${name}".`)
    })
  registerAccountLimits(accounts)
}

function printAccounts(records: readonly AccountRecord[]): void {
  printTable(
    ['ID', 'NAME', 'PLAN', 'CREATED', 'DISABLED'],
    records.map((record) => [
      record.id,
      record.name,
      record.plan,
      record.created_at.slice(0, 10),
      record.disabled_at?.slice(0, 10) ?? '',
    ]),
  )
}
