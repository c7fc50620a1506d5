// Three hours of speech and silence through the server: `bun scripts/bench/long.ts [--minutes 180] [--source]`.
// Exit code 1 when memory grows with the length, or a kill in the middle changes the transcript. Linux only.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runLong } from '../../test/support/long-run.ts'
import { HOUR } from '../../src/lib/time.ts'

const MAX_GROWTH_BYTES = 150 * 1_048_576

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '180' }, source: { type: 'boolean', default: false } },
})
const result = await runLong({
  mediaS: Number(values.minutes) * 60,
  deadlineMs: 6 * HOUR,
  binary: values.source ? undefined : join(import.meta.dir, '../../dist/earshot'),
  log: (line) => console.log(line),
})
const mib = (bytes: number): string => `${(bytes / 1_048_576).toFixed(0)} MiB`
const growthBytes = result.longPeakBytes - result.minutePeakBytes
console.table({
  'media, minutes': result.mediaS / 60,
  'wall time, s': result.wallS.toFixed(1),
  'real-time factor': (result.wallS / result.mediaS).toFixed(3),
  'peak memory, 1 minute': mib(result.minutePeakBytes),
  'peak memory, all': mib(result.longPeakBytes),
  growth: mib(growthBytes),
  segments: result.segments,
  'killed at': result.killedAt.toFixed(2),
  'wall time with the kill, s': result.interruptedWallS.toFixed(1),
  'segments stored after the kill': result.storedSegments,
  'transcript identical': result.identical,
  'faults of times': result.faults.length,
})
const whole = result.identical && result.storedSegments === result.segments && result.faults.length === 0
process.exitCode = whole && growthBytes <= MAX_GROWTH_BYTES ? 0 : 1
