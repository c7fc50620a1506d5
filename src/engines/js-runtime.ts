// yt-dlp reads some sites only with a JavaScript runtime at hand. Ours is this very program, which is a Bun, behind the
// walls of js-runtime.sh. Without those walls there is none: strangers' scripts never run in the open.

import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { newId } from '../lib/id.ts'
import { runProgram } from '../lib/process.ts'
import { SECOND } from '../lib/time.ts'
import script from './js-runtime.sh' with { type: 'text' }
import { quoted, sandboxed } from './sandbox.ts'

export interface JsRuntime {
  /** What yt-dlp starts. */
  readonly path: string
  /** Of the Bun. */
  readonly version: string
}

export interface JsRuntimes {
  /** undefined where its walls can't be built. Tried once. */
  find(): Promise<JsRuntime | undefined>
}

const LIMITS = { cpuS: 30, memoryBytes: 4 * 1_024 ** 3, fileBytes: 1_024 ** 2, network: true } as const

/** `binary`: what runs as Bun; both the compiled product and Bun itself do. */
export function createJsRuntimes(
  config: Pick<Config, 'dataDir'>,
  binary: string = process.execPath,
): JsRuntimes {
  let found: Promise<JsRuntime | undefined> | undefined
  return {
    find: () => (found ??= prepare(join(config.dataDir, 'cache', 'js-runtime'), binary)),
  }
}

async function prepare(folder: string, binary: string): Promise<JsRuntime | undefined> {
  if (process.platform !== 'linux') return undefined
  const root = join(folder, 'root')
  const path = join(folder, 'bun')
  try {
    mkdirSync(root, { recursive: true })
    const lines = script.replace('# earshot: root=ROOT', () => `root=${quoted(root)}`)
    // Renamed into place: another process may be starting the former one.
    const fresh = `${path}-${newId()}`
    writeFileSync(
      fresh,
      lines.replace('# earshot: binary=BINARY', () => `binary=${quoted(binary)}`),
    )
    chmodSync(fresh, 0o755)
    renameSync(fresh, path)
    const signal = AbortSignal.timeout(20 * SECOND)
    const run = await runProgram({ command: sandboxed([path, '--version'], LIMITS), signal })
    const version = run.stdout.trim()
    return run.exitCode === 0 && /^\d+\.\d+/.test(version) ? { path, version } : undefined
  } catch {
    return undefined
  }
}
