// How long the second start of the compiled binary takes until it listens, and what the idle server keeps in memory:
// `bun scripts/bench/start.ts`. Goals: under 2 s, under 150 MB. Linux only.

import { join } from 'node:path'
import { memoryOf, processesOf } from '../../test/support/processes.ts'
import { startServer } from '../../test/support/server.ts'

const ROUNDS = 5
const MAX_START_MS = 2_000
const MAX_IDLE_BYTES = 150_000_000
const SETTLE_MS = 5_000

const binary = join(import.meta.dir, '../../dist/earshot')
let server = await startServer({ binary })
const startsMs: number[] = []
for (let round = 0; round < ROUNDS; round++) {
  await server.kill('SIGTERM')
  const startedAt = performance.now()
  server = await server.restart()
  startsMs.push(performance.now() - startedAt)
}
await Bun.sleep(SETTLE_MS)
const status = await Bun.file(`/proc/${server.pid}/status`).text()
const residentBytes = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1_024
const idle = processesOf(server.env['HOME'] ?? '')
const worstMs = Math.max(...startsMs)
console.table({
  'starts, ms': startsMs.map((ms) => ms.toFixed(0)).join(' '),
  'idle, resident MB': (residentBytes / 1e6).toFixed(0),
  'idle, proportional MB': (memoryOf(idle) / 1e6).toFixed(0),
  'idle, processes': idle.length,
})
await server.close()
process.exitCode = worstMs < MAX_START_MS && residentBytes < MAX_IDLE_BYTES ? 0 : 1
