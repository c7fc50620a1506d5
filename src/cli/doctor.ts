// earshot doctor: exercises every part for real and says what to do about each failure.

import type { Command } from 'commander'
import { type App, createApp } from '../app.ts'
import type { NamedFinding } from '../doctor/finding.ts'
import { examineAll } from '../doctor/parts.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { note, print, printJson } from './output.ts'
import { configOf } from './settings.ts'

const HELP = `
Every part is exercised for real: a recording is transcribed, two sentences are compared by their meaning, the database is
read through, a forbidden address is asked for, and so on, each with what it measured. This takes some ten seconds. It works
beside a running server and leaves nothing behind. Nothing is fetched from the internet; a language model's server and
proxies that the settings name are asked.

Verdicts:
  ok       it works
  warning  something is missing or weak; the rest works without it, and the line says what to do
  failed   Earshot can't do its work like this; the line says what to do, and the exit code is 1

What is examined depends on the settings and on who asks. Run it as the server's user and with the server's settings:
  sudo -u earshot env EARSHOT_DATA=/var/lib/earshot earshot doctor
  docker compose exec earshot earshot doctor

Whether a running server answers is what "earshot health" tells, in an instant.`

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'try every part for real and say what to do about failures; exit code 1 if a required part fails',
    )
    .option('--json', 'print JSON')
    .addHelpText('after', HELP)
    .action(async (options: { json?: true }, command: Command) => {
      const app = await createApp({ config: configOf(command), log: silentLog() })
      try {
        await report(app, options.json ?? false)
      } finally {
        await app.close()
      }
    })
}

async function report(app: App, json: boolean): Promise<void> {
  const findings: NamedFinding[] = []
  await examineAll(app, {
    within: 'command',
    onFinding(finding) {
      findings.push(finding)
      if (!json) print(`${finding.verdict.padEnd(8)} ${finding.name.padEnd(18)} ${finding.message}`)
    },
  })
  const namesOf = (wanted: NamedFinding['verdict']): string[] =>
    findings.filter(({ verdict }) => verdict === wanted).map(({ name }) => name)
  const weak = namesOf('warning')
  const broken = namesOf('failed')
  if (json) printJson(findings)
  else if (broken.length > 0) note('')
  else if (weak.length > 0) note(`\nEarshot can do its work. Worth a look: ${weak.join(', ')}.`)
  else note('\nEverything is in order.')
  if (broken.length > 0) throw new Problem('internal_server_error', `Not in order: ${broken.join(', ')}.`)
}
