// The audio that a windower holds: some frames of the recording, in order, in one array that never grows.

import { VAD_FRAME_SAMPLES } from './silero.ts'
import { SAMPLES_PER_MS } from './speech-engine.ts'

export const FRAME_MS = VAD_FRAME_SAMPLES / SAMPLES_PER_MS

/** Half-open; frame numbers count from the start of the recording. */
export interface FrameRange {
  start: number
  end: number
}

export interface FrameBuffer {
  /** The frames held: ascending, with gaps between them. */
  readonly ranges: readonly FrameRange[]
  /** Frames come in order; only the last of a recording may have fewer than 512 samples. */
  append(frame: number, samples: Int16Array): void
  /** Forgets the frames from `start` to before `end`; an empty or unknown range is fine. */
  drop(start: number, end: number): void
  /** How many frames are held from `start` to before `end`. */
  count(start: number, end: number): number
  /** The quietest of the last `count` frames, smoothed over five. They must be without a gap. */
  quietestFrame(count: number): number
  /** A copy of what is held of a range. */
  samples(range: FrameRange): Int16Array
}

export function createFrameBuffer(
  capacityFrames: number,
  initial: { readonly ranges: readonly FrameRange[]; readonly samples: Int16Array } | undefined,
): FrameBuffer {
  const held = new Int16Array(capacityFrames * VAD_FRAME_SAMPLES)
  let size = initial?.samples.length ?? 0
  let ranges: FrameRange[] = structuredClone([...(initial?.ranges ?? [])])
  held.set(initial?.samples ?? [])

  function count(start: number, end: number): number {
    return ranges.reduce(
      (sum, range) => sum + Math.max(0, Math.min(range.end, end) - Math.max(range.start, start)),
      0,
    )
  }

  /** Where a frame's samples begin; the end of what is held if it comes later. */
  function offsetOf(frame: number): number {
    return Math.min(count(0, frame) * VAD_FRAME_SAMPLES, size)
  }

  function loudnessAround(offset: number): number {
    let sum = 0
    const start = Math.max(0, offset - 2 * VAD_FRAME_SAMPLES)
    for (const sample of held.subarray(start, offset + 3 * VAD_FRAME_SAMPLES)) sum += sample * sample
    return sum
  }

  return {
    get ranges() {
      return ranges
    },
    append(frame, samples) {
      const last = ranges.at(-1)
      if (last?.end === frame) last.end++
      else ranges.push({ start: frame, end: frame + 1 })
      held.set(samples, size)
      size += samples.length
    },
    drop(start, end) {
      if (count(start, end) === 0) return
      const from = offsetOf(start)
      const to = offsetOf(end)
      held.copyWithin(from, to, size)
      size -= to - from
      ranges = ranges
        .flatMap((range) => [
          { start: range.start, end: Math.min(range.end, start) },
          { start: Math.max(range.start, end), end: range.end },
        ])
        .filter((range) => range.end > range.start)
    },
    count,
    quietestFrame(count) {
      const end = ranges.at(-1)?.end ?? 0
      let quietest = end - count
      let least = Number.POSITIVE_INFINITY
      // Two frames at the end have no full surroundings yet.
      for (let frame = end - count; frame < end - 2; frame++) {
        const loudness = loudnessAround(offsetOf(frame))
        if (loudness >= least) continue
        least = loudness
        quietest = frame
      }
      return quietest
    },
    samples: ({ start, end }) => held.slice(offsetOf(start), offsetOf(end)),
  }
}
