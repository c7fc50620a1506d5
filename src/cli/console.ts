// earshot console …: the operator's password for the console.

import type { Command } from 'commander'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { setPassword } from '../accounts/sign-in.ts'
import { Problem } from '../lib/problem.ts'
import { withDatabaseAsync } from './database.ts'
import { note } from './output.ts'

const INPUT_MAX_BYTES = 8_192

export function registerConsole(program: Command): void {
  const console = program.command('console').description('the console in the browser')
  console
    .command('set-password')
    .description(
      "set the operator's password (asked for, or the first line of stdin); ends all of the operator's sessions",
    )
    .action(async (_options: object, command: Command) => {
      const password = process.stdin.isTTY ? await askTwice() : await readLine()
      await withDatabaseAsync(command, (context) => setPassword(context, password))
      note('The password is set. Sessions of the operator have ended; sign in again.')
    })
}

async function askTwice(): Promise<string> {
  const first = await ask('New password: ')
  if ((await ask('Once more: ')) === first) return first
  throw new Problem('invalid_parameter', 'The two passwords differ. Nothing was changed.')
}

/** What is typed does not appear on the screen. */
async function ask(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true })
  process.stderr.write(question)
  try {
    return await reader.question('')
  } finally {
    reader.close()
    process.stderr.write('\n')
  }
}

async function readLine(): Promise<string> {
  let text = ''
  for await (const chunk of process.stdin) {
    text += String(chunk)
    if (text.includes('\n')) break
    if (text.length > INPUT_MAX_BYTES) throw new Problem('invalid_parameter', 'The password is too long.')
  }
  return text.split(/\r?\n/, 1)[0] ?? ''
}
