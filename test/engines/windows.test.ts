// Windows of speech: nothing lost or doubled at any seam, none too long, none on silence, resumable anywhere.

import { describe, expect, test } from 'bun:test'
import type { PackedWindow } from '../../src/engines/packed-window.ts'
import type { WindowLimits } from '../../src/engines/speech-engine.ts'
import { createWindower, type Windower } from '../../src/engines/windows.ts'

const FRAME = 512
const FRAME_MS = 32
const LIMITS: WindowLimits = {
  minMs: 4_000,
  maxMs: 14_000,
  cutAt: 'longest',
  tailMs: 0,
  breakPauseMs: 2_000,
  closePauseMs: 2_000,
  keptPauseMs: 1_500,
}

/** `[probability, seconds]…` → one probability per frame. */
function speech(...parts: readonly (readonly [number, number])[]): Float32Array {
  return Float32Array.from(
    parts.flatMap(([probability, seconds]) =>
      Array.from({ length: Math.round((seconds * 1_000) / FRAME_MS) }, () => probability),
    ),
  )
}

/** Samples that tell where they came from: sample i of the recording has the value i modulo a prime. */
function numbered(count: number): Int16Array {
  return Int16Array.from({ length: count }, (_, index) => index % 32_749)
}

/** Feeds everything in blocks, and checks what holds for all windows. */
function windowsOf(probabilities: Float32Array, limits = LIMITS, blockFrames = 500): PackedWindow[] {
  const samples = numbered(probabilities.length * FRAME)
  const windower = createWindower(limits)
  const windows = feed(windower, samples, probabilities, { blockFrames })
  checkWindows(windows, samples, limits)
  return windows
}

function feed(
  windower: Windower,
  samples: Int16Array,
  probabilities: Float32Array,
  { blockFrames = 500, from = 0 } = {},
): PackedWindow[] {
  const windows: PackedWindow[] = []
  for (let at = from; at < probabilities.length; at += blockFrames) {
    const end = Math.min(at + blockFrames, probabilities.length)
    windows.push(...windower.push(samples.subarray(at * FRAME, end * FRAME), probabilities.subarray(at, end)))
  }
  return [...windows, ...windower.flush()]
}

function bytesOf(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer)
}

function checkWindows(windows: readonly PackedWindow[], samples: Int16Array, limits: WindowLimits): void {
  let endMs = 0
  for (const window of windows) {
    expect(window.startMs).toBeGreaterThanOrEqual(endMs)
    expect(window.samples.length / 16).toBeLessThanOrEqual(limits.maxMs)
    const { pieces } = window
    const parts = pieces.map((piece) => samples.slice(piece.startMs * 16, piece.endMs * 16))
    expect([pieces[0]?.startMs, pieces.at(-1)?.endMs]).toEqual([window.startMs, window.endMs])
    expect(Buffer.from(window.samples.buffer).equals(Buffer.concat(parts.map(bytesOf)))).toBe(true)
    expect(window.utterances.length).toBeGreaterThan(0)
    let spokenMs = window.startMs
    for (const utterance of window.utterances) {
      expect(utterance.startMs).toBeGreaterThanOrEqual(spokenMs)
      expect(utterance.endMs).toBeGreaterThan(utterance.startMs)
      spokenMs = utterance.endMs
    }
    expect(spokenMs).toBeLessThanOrEqual(window.endMs)
    endMs = window.endMs
  }
}

/** Deterministic pseudo-random numbers in 0..1 (Lehmer). */
function randomNumbers(seed: number): () => number {
  let state = seed
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647
}

describe('windows of speech', () => {
  test('silence makes none, and neither does a click', () => {
    expect(windowsOf(speech([0.02, 100]))).toEqual([])
    expect(windowsOf(speech([0.02, 5], [0.9, 0.096], [0.02, 5]))).toEqual([])
  })

  test('an utterance is one window with a little silence around it', () => {
    const [window, ...rest] = windowsOf(speech([0, 3.2], [0.9, 1.6], [0, 5]))
    expect(rest).toEqual([])
    expect(window?.utterances).toEqual([{ startMs: 3_200, endMs: 4_800 }])
    expect([window?.startMs, window?.endMs]).toEqual([3_008, 4_992])
  })

  test('speech at both edges of the recording is kept whole', () => {
    const [window] = windowsOf(speech([0.9, 3.2]))
    expect([window?.startMs, window?.endMs]).toEqual([0, 3_200])
  })

  test('utterances before a long pause share a window, a long pause ends it', () => {
    const windows = windowsOf(speech([0.9, 2.4], [0, 0.8], [0.9, 2.4], [0, 2.4], [0.9, 1.6]))
    expect(windows.map((window) => window.utterances.length)).toEqual([2, 1])
  })

  test('dips shorter than a quarter of a second do not end an utterance, and neither does wavering', () => {
    const [window] = windowsOf(speech([0.9, 1.6], [0.1, 0.192], [0.9, 0.8], [0.4, 0.8], [0.6, 0.8], [0, 3]))
    expect(window?.utterances).toEqual([{ startMs: 0, endMs: 4_192 }])
  })

  test('what is too little for a window of its own stays with the one before, if both fit', () => {
    const limits = { ...LIMITS, breakPauseMs: 500, tailMs: 4_000 }
    const ends = (tailS: number): number[] =>
      windowsOf(speech([0.9, 7], [0, 0.8], [0.9, tailS]), limits).map(({ endMs }) =>
        Math.round(endMs / 1_000),
      )
    expect(ends(3)).toEqual([11])
    expect(ends(5)).toEqual([7, 13])
  })

  test('a full window is cut at its longest pause, or at the latest, as the engine likes it', () => {
    const parts = [
      [0.9, 5],
      [0, 1],
      [0.9, 5],
      [0, 0.4],
      [0.9, 6],
    ] as const
    const firstEndMs = (cutAt: WindowLimits['cutAt']): number =>
      windowsOf(speech(...parts), { ...LIMITS, cutAt })[0]?.endMs ?? 0
    expect(firstEndMs('longest')).toBeLessThan(6_000)
    expect(firstEndMs('latest')).toBeGreaterThan(10_900)
  })

  test('a window with enough in it ends at a shorter pause', () => {
    const limits = { ...LIMITS, breakPauseMs: 480 }
    const parts = [
      [0.9, 3.2],
      [0, 0.8],
      [0.9, 3.2],
      [0, 0.32],
      [0.9, 1.6],
      [0, 0.8],
      [0.9, 1.6],
    ] as const
    expect(windowsOf(speech(...parts), limits).map((window) => window.utterances.length)).toEqual([3, 1])
  })

  test('the middle of a long pause is left out', () => {
    const limits = { ...LIMITS, closePauseMs: 60_000 }
    const [window, ...rest] = windowsOf(speech([0, 1.6], [0.9, 1.6], [0, 32], [0.9, 1.6], [0, 80]), limits)
    expect(rest).toEqual([])
    expect(window?.utterances.map((span) => span.startMs)).toEqual([1_600, 35_200])
    expect(window?.pieces).toEqual([
      { startMs: 1_408, endMs: 3_936 },
      { startMs: 34_464, endMs: 36_992 },
    ])
  })

  test('a full window is cut at its longest pause', () => {
    const windows = windowsOf(
      speech([0.9, 5.12], [0, 0.32], [0.9, 3.2], [0, 0.96], [0.9, 3.2], [0, 0.32], [0.9, 4.8], [0, 3]),
    )
    expect(windows.map((window) => window.utterances.map((span) => span.startMs))).toEqual([
      [0, 5_440],
      [9_600, 13_120],
    ])
  })

  test('speech without any pause is cut without losing or doubling a sample', () => {
    const windows = windowsOf(speech([0, 1.6], [0.9, 100], [0, 3]))
    expect(windows.length).toBeGreaterThan(7)
    for (const [index, window] of windows.slice(1).entries()) {
      expect(window.startMs).toBe(windows[index]?.endMs ?? -1)
    }
    expect(windows[0]?.utterances[0]?.startMs).toBe(1_600)
    expect(windows.at(-1)?.utterances.at(-1)?.endMs).toBe(101_600)
  })

  test('a forced cut goes through the quietest moment of the last third', () => {
    const probabilities = speech([0.9, 20])
    const samples = new Int16Array(probabilities.length * FRAME).fill(5_000)
    samples.fill(10, 11 * 16_000, 11.2 * 16_000)
    const [window] = feed(createWindower(LIMITS), samples, probabilities)
    expect(window?.endMs).toBeGreaterThan(10_980)
    expect(window?.endMs).toBeLessThan(11_220)
  })

  test('no length of speech and pauses loses speech or makes a window too long', () => {
    for (let seed = 1; seed <= 12; seed++) {
      const random = randomNumbers(seed)
      const parts = Array.from({ length: 120 }, (_, index): [number, number] =>
        index % 2 === 0
          ? [0.6 + random() * 0.4, 0.2 + random() * 9]
          : [random() * 0.3, 0.3 + random() ** 4 * 12],
      )
      const probabilities = speech(...parts)
      const limits: WindowLimits =
        seed % 2 === 0
          ? LIMITS
          : {
              cutAt: 'latest',
              tailMs: 0,
              minMs: 10_000,
              maxMs: 30_000,
              breakPauseMs: 1_000,
              closePauseMs: 90_000,
              keptPauseMs: 1_500,
            }
      const windows = windowsOf(probabilities, limits, 1 + Math.floor(random() * 700))
      const covered = new Set(
        windows.flatMap(({ utterances }) =>
          utterances.flatMap((span) => {
            const first = span.startMs / FRAME_MS
            return Array.from({ length: span.endMs / FRAME_MS - first }, (_, index) => first + index)
          }),
        ),
      )
      const spoken = [...probabilities.keys()].filter((frame) => (probabilities[frame] ?? 0) >= 0.5)
      expect(spoken.filter((frame) => !covered.has(frame))).toEqual([])
      expect(covered.size).toBe(spoken.length)
    }
  })

  test('a recording that does not end on a whole frame is used to its last sample', () => {
    const samples = numbered(10 * FRAME + 100)
    const windows = createWindower(LIMITS)
    expect(windows.push(samples, new Float32Array(11).fill(0.9))).toEqual([])
    const [window] = windows.flush()
    expect(window?.samples).toEqual(samples)
    expect(window?.endMs).toBe(samples.length / 16)
  })
})

describe('resuming', () => {
  test('from any block goes on exactly as if nothing had happened', () => {
    const random = randomNumbers(7)
    const parts = Array.from({ length: 80 }, (_, index): [number, number] =>
      index % 2 === 0 ? [0.9, 0.2 + random() * 20] : [0.1, 0.3 + random() ** 3 * 5],
    )
    const probabilities = speech(...parts)
    const samples = numbered(probabilities.length * FRAME)
    const whole = feed(createWindower(LIMITS), samples, probabilities)
    const blockFrames = 500
    const windower = createWindower(LIMITS)
    const before: PackedWindow[] = []
    for (let at = 0; at < probabilities.length; at += blockFrames) {
      const state: ReturnType<Windower['state']> = JSON.parse(JSON.stringify(windower.state()))
      expect(state.frame).toBe(at)
      const audio = Int16Array.from(
        state.kept.flatMap(({ start, end }) => [...samples.subarray(start * FRAME, end * FRAME)]),
      )
      const after = feed(createWindower(LIMITS, { state, audio }), samples, probabilities, { from: at })
      expect(Bun.deepEquals([...before, ...after], whole)).toBe(true)
      const end = Math.min(at + blockFrames, probabilities.length)
      before.push(
        ...windower.push(samples.subarray(at * FRAME, end * FRAME), probabilities.subarray(at, end)),
      )
    }
  })
})
