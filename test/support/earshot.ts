// Runs the product's command line as a real process, from a folder of its own.

import { resolve } from 'node:path'

const MAIN = resolve(import.meta.dir, '../../src/main.ts')

/** The command line of `earshot ARGS…`: of the compiled binary, or without one from source. */
export function commandLine(args: readonly string[], binary?: string): string[] {
  return [...(binary === undefined ? [process.execPath, MAIN] : [binary]), ...args]
}

export interface Run {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly binary?: string | undefined
}

/** The environment of this process and `env`, but no `EARSHOT_*` variables of the machine. */
export function cleanEnv(env: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('EARSHOT_'))
  return { ...Object.fromEntries(inherited), ...env } as Record<string, string>
}

export async function earshot(args: readonly string[], { cwd, env, binary }: RunOptions): Promise<Run> {
  const child = Bun.spawn(commandLine(args, binary), {
    cwd,
    env: cleanEnv(env),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { exitCode: await child.exited, stdout, stderr }
}
