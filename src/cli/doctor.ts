// earshot doctor: exercises every part for real and says what to do about each failure.

import type { Command } from 'commander'
import { type App, createApp } from '../app.ts'
import type { NamedFinding } from '../doctor/finding.ts'
import { examineAll } from '../doctor/parts.ts'
import { silentLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { print, printJson } from './output.ts'
import { configOf } from './settings.ts'

export function registerDoctor(program: Command): void {
  program
    .command('doctor')
    .description(
      'try every part for real and say what to do about failures; exit code 1 if a required part fails',
    )
    .option('--json', 'print JSON')
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
  if (json) printJson(findings)
  const broken = findings.filter(({ verdict }) => verdict === 'failed').map(({ name }) => name)
  if (broken.length > 0) throw new Problem('internal_server_error', `Not in order: ${broken.join(', ')}.`)
}
