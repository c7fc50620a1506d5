// Our side of the ONNX child: speech probabilities from Silero VAD, text from Moonshine.

import type { Log } from '../lib/log.ts'
import { parseOrThrow, parser, t } from '../lib/schema.ts'
import { MINUTE } from '../lib/time.ts'
import { createChild } from './child.ts'
import type { MoonshineResult } from './moonshine-model.ts'
import { ownCommand } from './own-command.ts'
import { VAD_STATE_LENGTH, type VadResult } from './silero.ts'

/** Environment variables by which the child gets its settings. */
export const ONNX_ENV = { cacheDir: 'ENGINE_CACHE_DIR', threads: 'ENGINE_THREADS' } as const
export const VAD_STATE_BYTES = VAD_STATE_LENGTH * Float32Array.BYTES_PER_ELEMENT

export interface Onnx {
  /**
   * Probability of speech per 32 ms (512 samples). `state` is what the call for the samples before returned, or
   * `newVadState()`. All but the last call of a recording pass a multiple of 512 samples.
   */
  vad(samples: Int16Array, state: Float32Array, signal: AbortSignal): Promise<VadResult>
  /** Text of a window, ideally 3–15 s; '' when there is none. */
  moonshine(samples: Int16Array, signal: AbortSignal): Promise<MoonshineResult>
  /** Process id while the child runs. */
  readonly pid: number | undefined
  /** Ends the process; the next request starts it again. */
  stop(): Promise<void>
  close(): Promise<void>
}

export interface OnnxOptions {
  /** See createNative. */
  readonly cacheDir: string
  readonly threads: number
  readonly idleMs: number
  readonly log: Log
  readonly onEnd?: ((name: string, crashed: boolean) => void) | undefined
}

const MOONSHINE_RESULT = parser(t.Object({ text: t.String(), tokens: t.Integer(), confidence: t.Number() }))

export function newVadState(): Float32Array {
  return new Float32Array(VAD_STATE_LENGTH)
}

/** Rejections are Problem('transcription_failed'), temporary when the process crashed, or the signal's reason. */
export function createOnnx(options: OnnxOptions): Onnx {
  const child = createChild({
    name: 'Speech engine',
    command: () => ownCommand(['engine', 'onnx']),
    env: { [ONNX_ENV.cacheDir]: options.cacheDir, [ONNX_ENV.threads]: String(options.threads) },
    code: 'transcription_failed',
    idleMs: options.idleMs,
    startTimeoutMs: MINUTE,
    log: options.log,
    onEnd: options.onEnd,
  })
  return {
    async vad(samples, state, signal) {
      const payload = new Uint8Array(VAD_STATE_BYTES + samples.byteLength)
      payload.set(bytesOf(state))
      payload.set(bytesOf(samples), VAD_STATE_BYTES)
      const answer = await child.request({ op: 'vad' }, payload, { signal })
      const numbers = new Float32Array(answer.payload.buffer)
      return {
        state: numbers.slice(0, VAD_STATE_LENGTH),
        probabilities: numbers.subarray(VAD_STATE_LENGTH),
      }
    },
    async moonshine(samples, signal) {
      const answer = await child.request({ op: 'moonshine' }, bytesOf(samples), { signal })
      return parseOrThrow(MOONSHINE_RESULT, answer.header, 'The answer of the speech engine')
    },
    get pid() {
      return child.pid
    },
    stop: () => child.stop(),
    close: () => child.close(),
  }
}

function bytesOf(array: Float32Array | Int16Array): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
