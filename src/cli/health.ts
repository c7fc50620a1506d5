// earshot health: what a container or a supervisor asks every half minute. It asks the running server, as any client would.

import type { Command } from 'commander'
import { get } from 'node:http'
import type { Config } from '../config.ts'
import { asError, Problem } from '../lib/problem.ts'
import { parseOrThrow, parser, t } from '../lib/schema.ts'
import { SECOND } from '../lib/time.ts'
import { print, printJson } from './output.ts'
import { configOf } from './settings.ts'

const TIMEOUT_MS = 5 * SECOND
const BODY_CHARS_MAX = 1_000_000
/** What stands for every address of this machine is no address to ask. */
const ANY: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

const HEALTH = parser(t.Object({ message: t.String() }))

export function registerHealth(program: Command): void {
  program
    .command('health')
    .description('ask the running server whether it is well; exit code 1 if it does not answer')
    .option('--json', 'print its whole answer')
    .action(async ({ json }: { json?: true }, command: Command) => {
      const answer = await askServer(configOf(command))
      if (json) printJson(answer)
      else print(parseOrThrow(HEALTH, answer, 'the answer of /v1/health').message)
    })
}

async function askServer(config: Config): Promise<unknown> {
  const host = ANY[config.host] ?? config.host
  try {
    const { status, body } = await request(host, config.port)
    if (status === 200) return JSON.parse(body)
    throw new Error(`it answered with HTTP ${status}`)
  } catch (error) {
    throw new Problem(
      'internal_server_error',
      `No healthy server on ${host}:${config.port} (${asError(error).message}). Is it running, and are --host and --port its own?`,
      { cause: error },
    )
  }
}

/** Not by `fetch`, which would ask the proxy that the environment names. */
function request(host: string, port: number): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    get({ host, port, path: '/v1/health', signal }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (text: string) => {
        body += text
        if (body.length > BODY_CHARS_MAX) response.destroy(new Error('its answer is far too long'))
      })
      response.on('end', () => resolve({ status: response.statusCode, body }))
      response.on('error', reject)
    }).on('error', reject)
  })
}
