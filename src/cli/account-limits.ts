// earshot accounts limits NAME: shows and changes what an account may do beyond, or below, what everybody may.

import { type Command, InvalidArgumentError } from 'commander'
import { getAccount } from '../accounts/accounts.ts'
import { type AccountLimits, findLimits, type LimitChanges, setLimits } from '../accounts/limits.ts'
import { asError } from '../lib/problem.ts'
import { formatRates, parseRates, type Rates } from '../lib/rates.ts'
import { withDatabase } from './database.ts'
import { note, print, printJson } from './output.ts'
import { wholeNumberValue } from './values.ts'

const STORAGE_BYTES_MAX = 2 ** 50
const ACTIVE_JOBS_MAX = 100_000

/** A value that takes a limit of its own back. (Commander does not let null through.) */
type OrDefault<T> = T | 'default'

const orDefault =
  <T>(read: (text: string) => T) =>
  (text: string): OrDefault<T> =>
    text === 'default' ? text : read(text)

interface Options {
  readonly storageBytes?: OrDefault<number>
  readonly activeJobs?: OrDefault<number>
  readonly rate?: OrDefault<Rates>
  readonly json?: true
}

export function registerAccountLimits(accounts: Command): void {
  accounts
    .command('limits <name>')
    .description('show the limits of an account, or set its own; "default" takes one back')
    .option('--storage-bytes <n>', 'bytes that its files may take', orDefault(storageBytesValue))
    .option('--active-jobs <n>', 'async jobs at a time', orDefault(wholeNumberValue(1, ACTIVE_JOBS_MAX)))
    .option('--rate <list>', '"off", or such as POST /transcribe=100,GET /files=500', orDefault(ratesValue))
    .option('--json', 'print JSON')
    .action((name: string, options: Options, command: Command) => limits(name, options, command))
}

const storageBytesValue = wholeNumberValue(0, STORAGE_BYTES_MAX)

function ratesValue(text: string): Rates {
  try {
    return parseRates(text)
  } catch (error) {
    throw new InvalidArgumentError(`The list ${asError(error).message}.`)
  }
}

function limits(name: string, { storageBytes, activeJobs, rate, json }: Options, command: Command): void {
  const changes: LimitChanges = {
    ...(storageBytes === undefined ? {} : { storageBytes: ownOf(storageBytes) }),
    ...(activeJobs === undefined ? {} : { activeJobs: ownOf(activeJobs) }),
    ...(rate === undefined ? {} : { rates: ownOf(rate) }),
  }
  const changed = Object.keys(changes).length > 0
  const found = withDatabase(command, (context) => {
    const { id } = getAccount(context, name)
    return changed ? setLimits(context, id, changes) : findLimits(context, id)
  })
  if (json) printJson(recordOf(found))
  else if (changed) note(`Account "${name}" has these limits of its own now: ${textOf(found)}.`)
  else print(textOf(found))
}

function ownOf<T>(value: OrDefault<T>): T | null {
  return value === 'default' ? null : value
}

function recordOf({ storageBytes, activeJobs, rates }: AccountLimits) {
  return { storage_bytes: storageBytes ?? null, active_jobs: activeJobs ?? null, rates: rates ?? null }
}

function textOf({ storageBytes, activeJobs, rates }: AccountLimits): string {
  return [
    `storage bytes ${storageBytes ?? 'default'}`,
    `active jobs ${activeJobs ?? 'default'}`,
    `rates ${rates === undefined || formatRates(rates) === '' ? 'default' : formatRates(rates)}`,
  ].join(', ')
}
