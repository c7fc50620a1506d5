// The command line: every command on one screen, and the one place that turns failures into exit codes.

import { Command, CommanderError } from 'commander'
import { ConfigError } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { VERSION } from '../lib/version.ts'
import { note } from './output.ts'
import { addSettings } from './settings.ts'

/** 0: done. 1: it failed. 2: it was called wrongly (arguments or settings). */
export type ExitCode = 0 | 1 | 2

const EXIT_CODES = `
Exit codes: 0 success, 1 failure, 2 wrong arguments or settings.
Every setting can be given as a flag or as the environment variable beside it; the flag wins.`

type Register = (program: Command) => void

/** By the first word of each; `backup` brings `restore`. Loaded when needed: most of them run without most of the product. */
const COMMANDS: Readonly<Record<string, () => Promise<Register>>> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  transcribe: async () => (await import('./transcribe.ts')).registerTranscribe,
  keys: async () => (await import('./keys.ts')).registerKeys,
  accounts: async () => (await import('./accounts.ts')).registerAccounts,
  credits: async () => (await import('./credits.ts')).registerCredits,
  models: async () => (await import('./models.ts')).registerModels,
  mcp: async () => (await import('./mcp.ts')).registerMcp,
  tools: async () => (await import('./tools.ts')).registerTools,
  console: async () => (await import('./console.ts')).registerConsole,
  backup: async () => (await import('./backup.ts')).registerBackup,
  doctor: async () => (await import('./doctor.ts')).registerDoctor,
  health: async () => (await import('./health.ts')).registerHealth,
  licences: async () => (await import('./licences.ts')).registerLicences,
  webhooks: async () => (await import('./webhooks.ts')).registerWebhooks,
}

/** With the commands that `args` can mean: the one that stands first, else all (for help, and for settings before it). */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('earshot')
    .description('Transcripts and analysis of online videos and uploaded media, on your own machine.')
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand(false)
    .showSuggestionAfterError()
    // Throws instead of ending the process; subcommands made below inherit it.
    .exitOverride()
  addSettings(program)
  const [first = ''] = args
  for (const load of commandsFor(first)) (await load())(program)
  return program.addHelpText('after', EXIT_CODES)
}

function commandsFor(first: string): readonly (() => Promise<Register>)[] {
  if (first === '-V' || first === '--version') return []
  const named = Object.hasOwn(COMMANDS, first) ? COMMANDS[first] : undefined
  return named ? [named] : Object.values(COMMANDS)
}

/** `args` without the program's own name. Never throws. */
export async function runCli(args: readonly string[]): Promise<ExitCode> {
  try {
    const program = await createProgram(args)
    await program.parseAsync(args, { from: 'user' })
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
