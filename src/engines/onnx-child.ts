// The child process that runs ONNX models: Silero VAD, Moonshine, models for text. Each model is loaded by its first request.
// Stateless between requests, so a crash loses nothing. Its clients are onnx.ts and text-engine.ts.

import type * as Ort from 'onnxruntime-node'
import { serveChild } from './child-program.ts'
import type { Frame } from './frames.ts'
import { loadMoonshine, type MoonshineModel } from './moonshine-model.ts'
import { createNative, loadOnnxRuntime } from './native.ts'
import { ONNX_ENV, VAD_STATE_BYTES } from './onnx.ts'
import { loadVad, type Vad, VAD_STATE_LENGTH } from './silero.ts'
import { textHandlers } from './text-handlers.ts'

/** Serves until stdin ends. */
export async function serveOnnx(): Promise<void> {
  const native = createNative({ cacheDir: process.env[ONNX_ENV.cacheDir] ?? './data/cache' })
  const threads = Math.max(1, Number(process.env[ONNX_ENV.threads] ?? 1))
  let runtime: Promise<typeof Ort> | undefined
  let vad: Promise<Vad> | undefined
  let moonshine: Promise<MoonshineModel> | undefined

  const getRuntime = (): Promise<typeof Ort> => (runtime ??= loadOnnxRuntime(native))
  const getVad = (): Promise<Vad> =>
    (vad ??= getRuntime().then((ort) => loadVad(ort, native.path('silero-vad.onnx'))))
  const getMoonshine = (): Promise<MoonshineModel> =>
    (moonshine ??= getRuntime().then((ort) =>
      loadMoonshine(ort, {
        encoderPath: native.path('moonshine-encoder.onnx'),
        decoderPath: native.path('moonshine-decoder.onnx'),
        threads,
      }),
    ))

  await serveChild({
    ...textHandlers(native, getRuntime),
    async vad({ payload }) {
      const state = new Float32Array(payload.buffer, 0, VAD_STATE_LENGTH)
      const result = await (await getVad()).run(samplesOf(payload, VAD_STATE_BYTES), state)
      const answer = new Float32Array(VAD_STATE_LENGTH + result.probabilities.length)
      answer.set(result.state)
      answer.set(result.probabilities, VAD_STATE_LENGTH)
      return { payload: new Uint8Array(answer.buffer) }
    },
    async moonshine({ payload }, { signal }) {
      const model = await getMoonshine()
      const result = await model.transcribe(samplesOf(payload, 0), signal)
      // What the decoder knew of each token lies outside the collector's sight and would pile up to 100 MB: 5 ms.
      Bun.gc(true)
      return { header: { ...result } }
    },
  })
}

function samplesOf(payload: Frame['payload'], offsetBytes: number): Int16Array {
  return new Int16Array(payload.buffer, offsetBytes, (payload.byteLength - offsetBytes) >> 1)
}
