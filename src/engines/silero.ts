// Silero VAD v6 (MIT): the probability of speech for every 32 ms of 16 kHz audio. Runs inside the ONNX child; its graph
// is the published one made to take many frames at once (scripts/silero).
// Stateless between calls: what the network remembers goes in and comes out, so any block can be run again.

import type * as Ort from 'onnxruntime-node'

export const VAD_FRAME_SAMPLES = 512
/** The network also sees the end of the frame before. */
const CONTEXT_SAMPLES = 64
const FRAME_INPUT = CONTEXT_SAMPLES + VAD_FRAME_SAMPLES
const STATE_LENGTH = 2 * 128
/** Length of the state as float32 numbers: recurrent state, then the context samples. */
export const VAD_STATE_LENGTH = STATE_LENGTH + CONTEXT_SAMPLES

export interface VadResult {
  /** One per frame begun. */
  readonly probabilities: Float32Array
  readonly state: Float32Array
}

export interface Vad {
  /**
   * `state` is all zeros at the start of a recording. A last frame that is not full is filled up with silence.
   * At least one sample. Memory grows by about 8 KB for each frame while it runs.
   */
  run(samples: Int16Array, state: Float32Array): Promise<VadResult>
}

export async function loadVad(ort: typeof Ort, modelPath: string): Promise<Vad> {
  // One thread: the network is far too small for more.
  const session = await ort.InferenceSession.create(modelPath, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  })

  return {
    async run(samples, state) {
      const count = Math.ceil(samples.length / VAD_FRAME_SAMPLES)
      // All that the frames are cut from: the end of what came before, the samples, silence up to the last frame's end.
      const sound = new Float32Array(CONTEXT_SAMPLES + count * VAD_FRAME_SAMPLES)
      sound.set(state.subarray(STATE_LENGTH))
      for (let index = 0; index < samples.length; index++) {
        sound[CONTEXT_SAMPLES + index] = (samples[index] ?? 0) / 32_768
      }
      const frames = new Float32Array(count * FRAME_INPUT)
      for (let frame = 0; frame < count; frame++) {
        const start = frame * VAD_FRAME_SAMPLES
        frames.set(sound.subarray(start, start + FRAME_INPUT), frame * FRAME_INPUT)
      }
      const result = await session.run({
        frames: new ort.Tensor('float32', frames, [count, FRAME_INPUT]),
        state: new ort.Tensor('float32', state.slice(0, STATE_LENGTH), [2, 1, 128]),
      })
      const after = new Float32Array(VAD_STATE_LENGTH)
      after.set(floats(tensorOf(result, 'stateN')))
      after.set(sound.subarray(-CONTEXT_SAMPLES), STATE_LENGTH)
      return { probabilities: floats(tensorOf(result, 'probabilities')), state: after }
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
