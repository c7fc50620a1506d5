// Ends what a browser session may have left running. Its processes carry the session's id on their command line, or have
// an ancestor that does. Linux only; elsewhere Chromium ends with the pipe that leads to it.

import { readdirSync, readFileSync } from 'node:fs'
import { sleep } from '../lib/time.ts'

const WAIT_MS = 20
const TRIES = 100

/** Resolves when nothing of the session runs any more, or after two seconds. */
export async function killRun(run: string): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const groups = groupsOf(`--earshot-run=${run}`)
    if (groups.length === 0) return
    for (const group of groups) {
      try {
        process.kill(-group, 'SIGKILL')
      } catch {
        // It has just ended.
      }
    }
    await sleep(WAIT_MS)
  }
}

/** Process groups, never our own, that have a living process with `mark` on its command line. */
function groupsOf(mark: string): number[] {
  const groups = new Set<number>()
  for (const pid of pids()) {
    try {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)) continue
      // Behind the name in parentheses, which may itself hold anything: state, parent, group.
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      if (state !== 'Z' && group !== undefined) groups.add(Number(group))
    } catch {
      // It ended meanwhile, or belongs to somebody else.
    }
  }
  groups.delete(ownGroup())
  return [...groups]
}

function ownGroup(): number {
  const stat = readFileSync('/proc/self/stat', 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2])
}

function pids(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}
