// Starting other programs so that they can always be ended: own process group, clean environment, bounded stderr.

import type { Subprocess } from 'bun'
import { accessSync, constants, existsSync } from 'node:fs'

export const STDERR_TAIL_BYTES = 4_096

export interface ProgramOptions {
  readonly command: readonly string[]
  readonly stdin?: 'pipe' | 'ignore'
  readonly cwd?: string
  /** Added to the clean environment (PATH, HOME, LANG, TMPDIR only: never proxy settings or our own secrets). */
  readonly env?: Readonly<Record<string, string>>
  /** Kills the whole process group when it aborts. */
  readonly signal?: AbortSignal
}

export interface Program {
  readonly pid: number
  readonly stdin: Subprocess<'pipe', 'pipe', 'pipe'>['stdin'] | undefined
  readonly stdout: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Exit code, or null when a signal ended it. Settles after stderr has been read to its end. */
  readonly exited: Promise<number | null>
  /** The last 4 KiB of stderr. */
  stderrTail(): string
  /** SIGKILL to the whole group: children of the program included. Safe to call twice. */
  kill(): void
}

// The kernel kills the child when we die, so that a killed server leaves nothing running (Linux only).
const SETPRIV = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))
const DIE_WITH_US = SETPRIV ? [SETPRIV, '--pdeathsig', 'KILL', '--'] : []

function cleanEnvironment(extra: Readonly<Record<string, string>> = {}): Record<string, string> {
  const env: Record<string, string> = {}
  for (const name of ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TMPDIR']) {
    const value = process.env[name]
    if (value !== undefined) env[name] = value
  }
  return { ...env, ...extra }
}

/** Throws an error with code ENOENT or EACCES when the program cannot be started. */
export function startProgram(options: ProgramOptions): Program {
  options.signal?.throwIfAborted()
  checkExecutable(options.command[0] ?? '')
  const child = Bun.spawn([...DIE_WITH_US, ...options.command], {
    stdin: options.stdin ?? 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: cleanEnvironment(options.env),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    detached: true,
  })
  const kill = (): void => killGroup(child.pid)
  options.signal?.addEventListener('abort', kill, { once: true })
  const stderr = readTail(child.stderr)
  const exited = child.exited.then(async () => {
    options.signal?.removeEventListener('abort', kill)
    // Whatever the program left behind in its group goes with it; this also closes an inherited stderr.
    kill()
    await stderr.done
    return child.signalCode === null ? child.exitCode : null
  })
  const stdin = typeof child.stdin === 'object' ? child.stdin : undefined
  return { pid: child.pid, stdin, stdout: child.stdout, exited, stderrTail: stderr.text, kill }
}

/** Asked beforehand, because a failing exec behind `setpriv` would only be an exit code. */
function checkExecutable(program: string): void {
  if (program.includes('/')) accessSync(program, constants.X_OK)
  else if (Bun.which(program) === null) {
    throw Object.assign(new Error(`${program} is not installed`), { code: 'ENOENT' })
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // ESRCH: the group has already ended.
  }
}

function readTail(stream: ReadableStream<Uint8Array>): { text: () => string; done: Promise<void> } {
  let tail = Buffer.alloc(0)
  const done = (async () => {
    for await (const chunk of stream) tail = Buffer.concat([tail, chunk]).subarray(-STDERR_TAIL_BYTES)
  })().catch(() => undefined)
  return { text: () => tail.toString('utf8'), done }
}

export interface ProgramResult {
  readonly exitCode: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. Kills it when stdout passes `maxStdoutBytes` (and then throws a RangeError). */
export async function runProgram(
  options: ProgramOptions & { readonly maxStdoutBytes?: number },
): Promise<ProgramResult> {
  const program = startProgram(options)
  const limit = options.maxStdoutBytes ?? 16 * 1_024 * 1_024
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of program.stdout) {
    size += chunk.byteLength
    if (size > limit) {
      program.kill()
      await program.exited
      throw new RangeError(`${options.command[0]} printed more than ${limit} bytes`)
    }
    chunks.push(chunk)
  }
  const exitCode = await program.exited
  options.signal?.throwIfAborted()
  return { exitCode, stdout: Buffer.concat(chunks).toString('utf8'), stderr: program.stderrTail() }
}
