// An App on a temporary data folder whose clock the test moves.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type App, type AppOptions, createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { silentLog } from '../../src/lib/log.ts'

export interface TestApp {
  readonly app: App
  /** Moves the clock forward. */
  advance(ms: number): void
  close(): Promise<void>
}

export async function createTestApp(
  env: Readonly<Record<string, string>> = {},
  options: Pick<AppOptions, 'resolve' | 'now'> = {},
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earshot-test-'))
  let clock = Date.UTC(2026, 0, 31, 12)
  const config = readConfig({ EARSHOT_DATA: dataDir, ...env })
  const app = await createApp({ config, log: silentLog(), now: () => clock, ...options })
  return {
    app,
    advance(ms) {
      clock += ms
    },
    async close() {
      await app.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
