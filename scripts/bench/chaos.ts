// Kills the compiled binary under load, 200 times by default: `bun scripts/bench/chaos.ts [--kills 200] [--seed 1]`.
// Exit code 1 when anything was lost, doubled, charged wrongly, not delivered or damaged.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChaos } from '../../test/support/chaos.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '200' },
    clients: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    binary: { type: 'string', default: join(import.meta.dir, '../../dist/earshot') },
  },
})
console.log(`seed ${values.seed}`)
const startedAt = performance.now()
const report = await runChaos({
  kills: Number(values.kills),
  seed: Number(values.seed),
  clients: Number(values.clients),
  binary: values.binary,
  log: (line) => console.log(line),
})
console.table(report)
console.log(`${Math.round((performance.now() - startedAt) / 1_000)} s`)
const { lost, doubled, wronglyCharged, driftMicros, undelivered, corrupt, integrity } = report
const faults = lost + doubled + wronglyCharged + Math.abs(driftMicros) + undelivered + corrupt
process.exitCode = faults === 0 && integrity === 'ok' ? 0 : 1
