// earshot keys …: API keys. The text of a new key is the only thing that create and rotate print on stdout.

import type { Command } from 'commander'
import { getAccount, listAccounts } from '../accounts/accounts.ts'
import { keyRecord } from '../accounts/key-record.ts'
import { createKey, listKeys, revokeKey, rotateKey } from '../accounts/keys.ts'
import { formatPermissions, type Permissions } from '../accounts/permissions.ts'
import { withDatabase } from './database.ts'
import { note, print, printJson, printTable } from './output.ts'
import { dateValue, durationValue, permissionsValue } from './values.ts'

interface CreateOptions {
  readonly account: string
  readonly name: string
  readonly permissions: Permissions
  readonly expires?: number
}

export function registerKeys(program: Command): void {
  const keys = program.command('keys').description('make, list, revoke and rotate API keys')
  keys
    .command('create')
    .description('make a key and print it: it cannot be shown again')
    .option('--account <name>', 'account it belongs to', 'default')
    .option('--name <text>', 'what it is for', '')
    .option('--permissions <list>', 'what it may do, separated by ","', permissionsValue, 'all')
    .option('--expires <date>', 'when it ends, such as 2027-01-31', dateValue)
    .action((options: CreateOptions, command: Command) => create(options, command))
  keys
    .command('list')
    .description('all keys, without their text')
    .option('--account <name>', 'of this account only')
    .option('--json', 'print JSON')
    .action((options: { account?: string; json?: true }, command: Command) => list(options, command))
  keys
    .command('revoke <id>')
    .description('end a key at once')
    .action((id: string, _options: object, command: Command) => {
      withDatabase(command, (context) => revokeKey(context, id))
      note(`Revoked key ${id}.`)
    })
  keys
    .command('rotate <id>')
    .description('make a successor of a key and print it; the old one stays valid for a while')
    .option('--grace <duration>', 'how long the old key stays valid', durationValue, durationValue('24h'))
    .action((id: string, { grace }: { grace: number }, command: Command) => {
      print(withDatabase(command, (context) => rotateKey(context, id, grace)).text)
    })
}

function create({ account, name, permissions, expires }: CreateOptions, command: Command): void {
  const { text } = withDatabase(command, (context) =>
    createKey(context, getAccount(context, account).id, { name, permissions, expiresAt: expires }),
  )
  print(text)
}

function list({ account, json }: { account?: string; json?: true }, command: Command): void {
  const { keys, names } = withDatabase(command, (context) => ({
    keys: listKeys(context, account === undefined ? undefined : getAccount(context, account).id),
    names: new Map(listAccounts(context).map(({ id, name }) => [id, name])),
  }))
  const records = keys.map((key) =>
    Object.assign({ account: names.get(key.accountId) ?? '' }, keyRecord(key, Date.now())),
  )
  if (json) {
    printJson(records)
    return
  }
  printTable(
    ['ID', 'ACCOUNT', 'NAME', 'KEY', 'STATE', 'PERMISSIONS', 'CREATED', 'LAST USED', 'EXPIRES'],
    records.map((record) => [
      record.id,
      record.account,
      record.name,
      `…${record.hint}`,
      record.state,
      formatPermissions(record.permissions),
      record.created_at.slice(0, 10),
      record.last_used_at?.slice(0, 16) ?? '',
      record.expires_at?.slice(0, 16) ?? '',
    ]),
  )
}
