// The short version of scripts/bench/long.ts.

import { expect, test } from 'bun:test'
import { runLong } from '../support/long-run.ts'

test('five minutes take no more memory than one, and a kill in the middle changes nothing', async () => {
  const result = await runLong({ mediaS: 300, deadlineMs: 150_000 })
  const growth = Math.round((result.longPeakBytes - result.minutePeakBytes) / 1_048_576)
  console.log(`5 minutes in ${result.wallS.toFixed(1)} s, ${growth} MiB more than one minute at the peak`)
  expect(growth).toBeLessThanOrEqual(150)
  expect(result.faults).toEqual([])
  expect(result.segments).toBeGreaterThan(25)
  expect(result.storedSegments).toBe(result.segments)
  expect(result.identical).toBe(true)
}, 300_000)
