// The short version of scripts/bench/chaos.ts.

import { expect, test } from 'bun:test'
import { runChaos } from '../support/chaos.ts'

test('ten kills under load lose, double and damage nothing', async () => {
  const seed = Date.now() % 1_000_000
  const report = await runChaos({ kills: 10, clients: 1, seed, binary: undefined, log: () => undefined })
  expect(report, `seed ${seed}`).toMatchObject({
    lost: 0,
    doubled: 0,
    wronglyCharged: 0,
    driftMicros: 0,
    undelivered: 0,
    corrupt: 0,
    integrity: 'ok',
  })
  expect(report.accepted).toBeGreaterThan(10)
}, 180_000)
