// earshot webhooks …: the default endpoint of an account, its signing secret, and the log of deliveries.
// Private addresses count as the settings given to this command say (--trusted-hosts), so give it the server's.

import type { Command } from 'commander'
import { getAccount } from '../accounts/accounts.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { isoTime, MINUTE } from '../lib/time.ts'
import { createEgress } from '../net/egress.ts'
import { createFetcher } from '../net/fetch.ts'
import { type Delivery, deliveryRecord, listDeliveries } from '../webhooks/deliveries.ts'
import {
  clearDefaultUrl,
  type Endpoint,
  type EndpointsContext,
  enableEndpoint,
  endpointRecord,
  getEndpoint,
  rotateSecret,
  setDefaultUrl,
} from '../webhooks/endpoints.ts'
import { replayDelivery, sendTest } from '../webhooks/replay.ts'
import type { SendContext } from '../webhooks/send.ts'
import { withDatabase, withDatabaseAsync } from './database.ts'
import { note, print, printJson, printTable } from './output.ts'
import { configOf } from './settings.ts'
import { durationValue, wholeNumberValue } from './values.ts'

interface Options {
  readonly account: string
  readonly json?: true
}

interface ListOptions extends Options {
  readonly limit: number
  readonly before?: string
}

export function registerWebhooks(program: Command): void {
  const webhooks = program.command('webhooks').description('where finished jobs are told, and what was sent')
  registerSettings(webhooks)
  registerSending(webhooks)
}

function registerSettings(webhooks: Command): void {
  ofAccount(webhooks.command('show'))
    .description('the default endpoint, its state and the signing secret')
    .option('--json', 'print JSON')
    .action((options: Options, command: Command) => show(options, command))
  ofAccount(webhooks.command('set-default <url>'))
    .description('tell jobs that name no webhook_url to this URL; an endpoint set anew is switched on')
    .action((url: string, options: Options, command: Command) => {
      change(options, command, (context, accountId) => setDefaultUrl(context, accountId, url))
      note(`Jobs of account ${options.account} are told to ${url} from now on.`)
    })
  ofAccount(webhooks.command('clear'))
    .description('have no default endpoint; the secret stays')
    .action((options: Options, command: Command) => {
      change(options, command, clearDefaultUrl)
      note(`Account ${options.account} has no default webhook endpoint now.`)
    })
  ofAccount(webhooks.command('enable'))
    .description('switch the default endpoint on again after it was switched off')
    .action((options: Options, command: Command) => {
      change(options, command, enableEndpoint)
      note(`The default webhook endpoint of account ${options.account} is switched on.`)
    })
  ofAccount(webhooks.command('rotate-secret'))
    .description('make a new signing secret and print it; for a while both sign')
    .option('--overlap <duration>', 'how long the old secret signs too', durationValue, durationValue('24h'))
    .action((options: Options & { overlap: number }, command: Command) => {
      const rotate = (context: EndpointsContext, accountId: string): Endpoint =>
        rotateSecret(context, accountId, options.overlap)
      print(change(options, command, rotate).secret)
    })
}

function registerSending(webhooks: Command): void {
  ofAccount(webhooks.command('test'))
    .description('send a signed test event to the default endpoint, once, and print the answer')
    .option('--url <url>', 'send it there instead')
    .option('--json', 'print JSON')
    .action((options: Options & { url?: string }, command: Command) =>
      sendOnce(options, command, (context, accountId, signal) =>
        sendTest(context, accountId, { url: options.url, signal }),
      ),
    )
  ofAccount(webhooks.command('deliveries'))
    .description('what was sent, newest first')
    .option('--limit <n>', 'how many', wholeNumberValue(1, 1_000), 20)
    .option('--before <id>', 'only those before this delivery')
    .option('--json', 'print JSON')
    .action((options: ListOptions, command: Command) => deliveries(options, command))
  ofAccount(webhooks.command('replay <id>'))
    .description('send a delivery once more, with the same bytes and the same delivery id')
    .option('--json', 'print JSON')
    .action((id: string, options: Options, command: Command) =>
      sendOnce(options, command, (context, accountId, signal) =>
        replayDelivery(context, accountId, id, signal),
      ),
    )
}

function ofAccount(command: Command): Command {
  return command.option('--account <name>', 'account it belongs to', 'default')
}

function change(
  { account }: Options,
  command: Command,
  work: (context: EndpointsContext, accountId: string) => Endpoint,
): Endpoint {
  const config = configOf(command)
  return withDatabase(command, ({ db, now }) =>
    work({ db, now, config, log: silentLog() }, getAccount({ db }, account).id),
  )
}

function show(options: Options, command: Command): void {
  const endpoint = change(options, command, getEndpoint)
  const record = endpointRecord(endpoint, Date.now())
  if (options.json) {
    printJson({ account: options.account, ...record, secret: endpoint.secret })
    return
  }
  printTable(
    ['ACCOUNT', 'DEFAULT URL', 'STATE', 'FAILURES', 'SECRET'],
    [[options.account, endpoint.url ?? '', record.state, String(endpoint.failuresInRow), endpoint.secret]],
  )
  if (record.previous_secret_until !== null) {
    note(`The former secret signs too until ${record.previous_secret_until}.`)
  }
  if (endpoint.disabledAt !== null) {
    note(`Switched off at ${isoTime(endpoint.disabledAt)}: ${endpoint.disabledReason ?? ''}`)
    note('Once the receiver works (earshot webhooks test), switch it on: earshot webhooks enable')
  }
}

function deliveries({ account, json, limit, before }: ListOptions, command: Command): void {
  const records = withDatabase(command, ({ db }) =>
    listDeliveries({ db }, getAccount({ db }, account).id, { limit, before }),
  )
  if (json) {
    printJson(records.map(deliveryRecord))
    return
  }
  printTable(
    ['ID', 'CREATED', 'EVENT', 'TASK', 'STATE', 'ATTEMPTS', 'HTTP', 'ERROR', 'REPLAY OF'],
    records.map((delivery) => [
      delivery.id,
      isoTime(delivery.createdAt).slice(0, 19),
      delivery.eventType ?? '',
      delivery.taskId,
      delivery.state,
      String(delivery.attempts),
      delivery.responseStatus === null ? '' : String(delivery.responseStatus),
      delivery.lastError ?? '',
      delivery.replayOf ?? '',
    ]),
  )
}

/** Prints the answer; one that is no acknowledgement makes the command fail. */
async function sendOnce(
  { account, json }: Options,
  command: Command,
  work: (context: SendContext, accountId: string, signal: AbortSignal) => Promise<Delivery>,
): Promise<void> {
  const config = configOf(command)
  const log = silentLog()
  const egress = await createEgress({ ...config, log })
  try {
    const fetcher = createFetcher(egress, config)
    const delivery = await withDatabaseAsync(command, ({ db, now }) => {
      const context = { db, now, config, log, fetcher }
      return work(context, getAccount({ db }, account).id, AbortSignal.timeout(10 * MINUTE))
    })
    if (json) printJson(deliveryRecord(delivery))
    else print(`${delivery.state} ${delivery.lastError ?? `HTTP ${delivery.responseStatus}`}`)
    if (delivery.state !== 'delivered') {
      throw new Problem('upstream_failed', 'The receiver did not acknowledge the delivery with a 2xx answer.')
    }
  } finally {
    await egress.close()
  }
}
