// The voice-activity detector, which takes many frames at once, against the published one, which takes one.

import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { convert, SILERO_SOURCE } from '../../scripts/silero/convert.ts'
import { createFfmpeg } from '../../src/engines/ffmpeg.ts'
import { createNative, loadOnnxRuntime } from '../../src/engines/native.ts'
import { newVadState } from '../../src/engines/onnx.ts'
import { createPcmReader } from '../../src/engines/pcm.ts'
import { floats, loadVad, tensorOf, type Vad, VAD_FRAME_SAMPLES } from '../../src/engines/silero.ts'
import { sha256 } from '../../src/lib/id.ts'

const native = createNative({ cacheDir: join(import.meta.dir, '../../.cache/test') })
const ort = await loadOnnxRuntime(native)
const RECORDING = join(import.meta.dir, '../samples/sample-1-news.wav')
const CONTEXT = 64

describe('the voice-activity detector', () => {
  let samples: Int16Array
  let vad: Vad
  beforeAll(async () => {
    const ffmpeg = createFfmpeg({ ffmpegPath: undefined, ffprobePath: undefined })
    const pcm = createPcmReader(
      ffmpeg.decodePcm(RECORDING, { signal: AbortSignal.timeout(60_000), maxS: 20 }).stream,
    )
    samples = await pcm.read(20 * 16_000)
    await pcm.close()
    vad = await loadVad(ort, native.path('silero-vad.onnx'))
  })

  test('is the converted one, byte for byte', () => {
    expect(sha256(convert())).toBe(sha256(readFileSync(native.path('silero-vad.onnx'))))
  })

  test('gives the probabilities of the published one', async () => {
    const { probabilities } = await vad.run(samples, newVadState())
    const expected = await runPublished(samples)
    expect(probabilities.length).toBe(expected.length)
    const apart = expected.map((value, index) => Math.abs(value - (probabilities[index] ?? 0)))
    expect(Math.max(...apart)).toBeLessThan(0.0001)
    // There is speech and silence in it.
    expect(Math.max(...expected)).toBeGreaterThan(0.9)
    expect(Math.min(...expected)).toBeLessThan(0.1)
  })

  test('goes on from its state as if there had been no break', async () => {
    const whole = await vad.run(samples, newVadState())
    const cut = 250 * VAD_FRAME_SAMPLES
    const first = await vad.run(samples.subarray(0, cut), newVadState())
    const second = await vad.run(samples.subarray(cut), first.state)
    const joined = [...first.probabilities, ...second.probabilities]
    const apart = joined.map((value, index) => Math.abs(value - (whole.probabilities[index] ?? 0)))
    expect(joined.length).toBe(whole.probabilities.length)
    expect(Math.max(...apart)).toBeLessThan(0.0001)
  })

  test('fills an incomplete last frame up with silence', async () => {
    const silent = new Int16Array(2 * VAD_FRAME_SAMPLES)
    silent.set(samples.subarray(16_000, 16_600))
    const filled = await vad.run(silent, newVadState())
    const incomplete = await vad.run(silent.subarray(0, 600), newVadState())
    expect([...incomplete.probabilities]).toEqual([...filled.probabilities])
  })
})

/** Frame by frame, with the end of the one before, as its authors run it. */
async function runPublished(samples: Int16Array): Promise<number[]> {
  const session = await ort.InferenceSession.create(SILERO_SOURCE, { logSeverityLevel: 3 })
  const rate = new ort.Tensor('int64', BigInt64Array.of(16_000n), [])
  let state = new ort.Tensor('float32', new Float32Array(256), [2, 1, 128])
  const input = new Float32Array(CONTEXT + VAD_FRAME_SAMPLES)
  const probabilities: number[] = []
  for (let start = 0; start < samples.length; start += VAD_FRAME_SAMPLES) {
    for (let index = 0; index < VAD_FRAME_SAMPLES; index++) {
      input[CONTEXT + index] = (samples[start + index] ?? 0) / 32_768
    }
    const frame = new ort.Tensor('float32', input.slice(), [1, input.length])
    const result = await session.run({ input: frame, state, sr: rate })
    state = new ort.Tensor('float32', floats(tensorOf(result, 'stateN')).slice(), [2, 1, 128])
    probabilities.push(floats(tensorOf(result, 'output'))[0] ?? Number.NaN)
    input.copyWithin(0, VAD_FRAME_SAMPLES)
  }
  return probabilities
}
