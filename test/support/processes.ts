// Looking at processes from tests: what has ended must really be gone.

import { readdirSync, readFileSync } from 'node:fs'

/** False also for a zombie, which only waits for init to collect it. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

/** Waits until the process is gone, at most 5 s; says whether it is. */
export async function isGone(pid: number): Promise<boolean> {
  const limit = performance.now() + 5_000
  while (isAlive(pid) && performance.now() < limit) await Bun.sleep(10)
  return !isAlive(pid)
}

export interface RunningProcess {
  readonly pid: number
  readonly commandLine: string
}

/**
 * Processes whose HOME is `home`: a server that was started with a HOME of its own and everything it started, also what
 * outlived it. Linux only.
 */
export function processesOf(home: string): RunningProcess[] {
  const found: RunningProcess[] = []
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const variables = readFileSync(`/proc/${name}/environ`, 'utf8').split('\0')
      if (!variables.includes(`HOME=${home}`) || !isAlive(Number(name))) continue
      const commandLine = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      found.push({ pid: Number(name), commandLine })
    } catch {
      // It ended meanwhile, or belongs to somebody else.
    }
  }
  return found
}

/** Command lines of those of a server on this data folder that contain the text. */
export function programsOf(dataDir: string, text: string): string[] {
  return processesOf(dataDir)
    .map(({ commandLine }) => commandLine)
    .filter((commandLine) => commandLine.includes(text))
}

/** Proportional set size of the processes, summed: memory that they share counts once. Bytes; Linux only. */
export function memoryOf(processes: readonly Pick<RunningProcess, 'pid'>[]): number {
  let total = 0
  for (const { pid } of processes) {
    try {
      const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      total += Number(/^Pss:\s+(\d+) kB/m.exec(rollup)?.[1] ?? 0) * 1_024
    } catch {
      // It ended meanwhile.
    }
  }
  return total
}
