// Silero VAD v6 (MIT): the probability of speech for every 32 ms of 16 kHz audio. Runs inside the ONNX child.
// Stateless between calls: what the network remembers goes in and comes out, so any block can be run again.

import type * as Ort from 'onnxruntime-node'

export const VAD_FRAME_SAMPLES = 512
/** The network also sees the end of the frame before. */
const CONTEXT_SAMPLES = 64
const STATE_LENGTH = 2 * 128
/** Length of the state as float32 numbers: recurrent state, then the context samples. */
export const VAD_STATE_LENGTH = STATE_LENGTH + CONTEXT_SAMPLES

export interface VadResult {
  /** One per frame begun. */
  readonly probabilities: Float32Array
  readonly state: Float32Array
}

export interface Vad {
  /** `state` is all zeros at the start of a recording. A last frame that is not full is filled up with silence. */
  run(samples: Int16Array, state: Float32Array): Promise<VadResult>
}

export async function loadVad(ort: typeof Ort, modelPath: string): Promise<Vad> {
  // One thread: the network is far too small for more.
  const session = await ort.InferenceSession.create(modelPath, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  })
  const rate = new ort.Tensor('int64', BigInt64Array.of(16_000n), [])

  return {
    async run(samples, state) {
      let memory: Ort.Tensor = new ort.Tensor('float32', state.slice(0, STATE_LENGTH), [2, 1, 128])
      const input = new Float32Array(CONTEXT_SAMPLES + VAD_FRAME_SAMPLES)
      input.set(state.subarray(STATE_LENGTH))
      const probabilities = new Float32Array(Math.ceil(samples.length / VAD_FRAME_SAMPLES))
      for (let frame = 0; frame < probabilities.length; frame++) {
        const start = frame * VAD_FRAME_SAMPLES
        for (let index = 0; index < VAD_FRAME_SAMPLES; index++) {
          input[CONTEXT_SAMPLES + index] = (samples[start + index] ?? 0) / 32_768
        }
        const result = await session.run({
          input: new ort.Tensor('float32', input, [1, input.length]),
          state: memory,
          sr: rate,
        })
        memory = tensorOf(result, 'stateN')
        probabilities[frame] = floats(tensorOf(result, 'output'))[0] ?? 0
        input.copyWithin(0, VAD_FRAME_SAMPLES)
      }
      const after = new Float32Array(VAD_STATE_LENGTH)
      after.set(floats(memory))
      after.set(input.subarray(0, CONTEXT_SAMPLES), STATE_LENGTH)
      return { probabilities, state: after }
    },
  }
}

/** An output that the model must have. */
export function tensorOf(result: Ort.InferenceSession.ReturnType, name: string): Ort.Tensor {
  const tensor = result[name]
  if (!tensor) throw new Error(`the model has no output "${name}"`)
  return tensor
}

/** The numbers of a float32 tensor, not copied. */
export function floats(tensor: Ort.Tensor): Float32Array {
  if (tensor.data instanceof Float32Array) return tensor.data
  throw new TypeError(`expected float32 numbers, got ${tensor.type}`)
}
