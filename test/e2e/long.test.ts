// The short version of scripts/bench/long.ts.

import { expect, test } from 'bun:test'
import { type LongRun, runLong } from '../support/long-run.ts'

const MIB = 1_048_576

/** One line that is printed with the result and with any failure. */
function describe(run: LongRun): string {
  const peaks = [run.minutePeakBytes, run.longPeakBytes].map((bytes) => `${Math.round(bytes / MIB)} MiB`)
  return `${run.mediaS} s in ${run.wallS.toFixed(1)} s; peaks of one minute and of this: ${peaks.join(', ')}; killed at ${run.killedAt}`
}

test('three minutes take no more memory than one, and a kill in the middle changes nothing', async () => {
  const result = await runLong({ mediaS: 180, deadlineMs: 150_000 })
  const seen = describe(result)
  console.log(seen)
  expect(result.faults, seen).toEqual([])
  expect(result.segments, seen).toBeGreaterThan(15)
  expect(result.storedSegments, seen).toBe(result.segments)
  expect(result.identical, seen).toBe(true)
  expect(result.longPeakBytes - result.minutePeakBytes, seen).toBeLessThanOrEqual(150 * MIB)
}, 300_000)
