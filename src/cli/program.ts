// The command line: every command on one screen, and the one place that turns failures into exit codes.

import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { VERSION } from '../lib/version.ts'
import { registerAccounts } from './accounts.ts'
import { registerBackup } from './backup.ts'
import { registerConsole } from './console.ts'
import { registerCredits } from './credits.ts'
import { registerDoctor } from './doctor.ts'
import { registerHealth } from './health.ts'
import { registerKeys } from './keys.ts'
import { registerLicences } from './licences.ts'
import { registerMcp } from './mcp.ts'
import { registerModels } from './models.ts'
import { note } from './output.ts'
import { registerServe } from './serve.ts'
import { addSettings } from './settings.ts'
import { registerTools } from './tools.ts'
import { registerTranscribe } from './transcribe.ts'
import { registerWebhooks } from './webhooks.ts'

/** 0: done. 1: it failed. 2: it was called wrongly (arguments or settings). */
export type ExitCode = 0 | 1 | 2

const EXIT_CODES = `
Exit codes: 0 success, 1 failure, 2 wrong arguments or settings.
Every setting can be given as a flag or as the environment variable beside it; the flag wins.`

export function createProgram(): Command {
  const program = new Command('earshot')
    .description('Transcripts and analysis of online videos and uploaded media, on your own machine.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .showSuggestionAfterError()
    // Throws instead of ending the process; subcommands made below inherit it.
    .exitOverride()
  addSettings(program)
  registerServe(program)
  registerTranscribe(program)
  registerKeys(program)
  registerAccounts(program)
  registerCredits(program)
  registerModels(program)
  registerMcp(program)
  registerTools(program)
  registerConsole(program)
  registerBackup(program)
  registerDoctor(program)
  registerHealth(program)
  registerLicences(program)
  registerWebhooks(program)
  return program.addHelpText('after', EXIT_CODES)
}

/** `args` without the program's own name. Never throws. */
export async function runCli(args: readonly string[]): Promise<ExitCode> {
  try {
    await createProgram().parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    return exitCodeOf(error)
  }
}

function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof CommanderError) {
    // Commander has printed its message; help that was asked for is no failure.
    return error.exitCode === 0 ? 0 : 2
  }
  if (error instanceof ConfigError) {
    note(error.message)
    return 2
  }
  if (error instanceof Problem) note(`earshot: ${error.message}`)
  else note(`earshot: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  return 1
}
