// Limits around programs that read what strangers send: CPU time, memory, file size, and no network where it is needless.
// Linux only; where a wrapper is missing the program runs without that wall and its own options must hold.

import { existsSync } from 'node:fs'

export interface Limits {
  readonly cpuS: number
  /** Address space, which is far more than resident memory: ffmpeg alone maps about 200 MB of libraries. */
  readonly memoryBytes: number
  /** The largest file the program may write; 0 for programs that only write to a pipe. */
  readonly fileBytes: number
  readonly network: boolean
}

const find = (name: string): string | undefined =>
  ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((dir) => `${dir}/${name}`).find((path) => existsSync(path))

const PRLIMIT = find('prlimit')
const UNSHARE = find('unshare')
const SETPRIV = find('setpriv')
/** By its path: the server may run with a PATH that holds next to nothing. */
const TRUE = find('true') ?? 'true'

let noNetwork: readonly string[] | undefined

/** The cheapest permitted way into an empty network namespace (about 2 ms), found by trying; [] when none is. */
function withoutNetwork(): readonly string[] {
  noNetwork ??=
    UNSHARE === undefined
      ? []
      : ([
          [UNSHARE, '--net', '--'],
          [UNSHARE, '--map-root-user', '--net', '--'],
        ].find((prefix) => Bun.spawnSync([...prefix, TRUE]).exitCode === 0) ?? [])
  return noNetwork
}

/** True when programs can be cut off from the network here; `doctor` reports it. */
export function canCutNetwork(): boolean {
  return withoutNetwork().length > 0
}

/** `command` behind the given limits. A program that passes them is killed by the kernel. */
export function sandboxed(command: readonly string[], limits: Limits): string[] {
  const walls: string[] = []
  if (!limits.network && canCutNetwork()) {
    walls.push(...withoutNetwork())
    // Entering a user namespace clears the death signal that startProgram sets: set it again inside.
    if (SETPRIV !== undefined) walls.push(SETPRIV, '--pdeathsig', 'KILL', '--')
  }
  if (PRLIMIT !== undefined) {
    const { cpuS, memoryBytes, fileBytes } = limits
    walls.push(PRLIMIT, `--cpu=${Math.ceil(cpuS)}`, `--as=${memoryBytes}`, `--fsize=${fileBytes}`)
    walls.push('--core=0', '--')
  }
  return [...walls, ...command]
}

/** As one word of a shell's command. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
