// Whisper through whisper.cpp: 99 languages, detection, word times. The model stays loaded in a warm worker process
// (whisper/worker.cpp), so that a crash of native code ends one request and not the product.

import type { Log } from '../lib/log.ts'
import { parseOrThrow, parser, t } from '../lib/schema.ts'
import { MINUTE } from '../lib/time.ts'
import { createChild } from './child.ts'
import type { Native } from './native.ts'
import type { SpeechEngine } from './speech-engine.ts'
import { readWhisperModel } from './whisper-model.ts'
import { segmentsOf } from './whisper-text.ts'

export interface WhisperOptions {
  /** Catalogue id. */
  readonly modelId: string
  /** File in whisper.cpp's ggml format. */
  readonly modelPath: string
  /** False for multilingual models that were not taught to translate; true when absent. */
  readonly canTranslate?: boolean
  readonly native: Native
  readonly threads: number
  /** The worker is ended, and its memory freed, after so long without a window. */
  readonly idleMs: number
  readonly log: Log
  readonly onEnd?: ((name: string, crashed: boolean) => void) | undefined
}

export interface Whisper extends SpeechEngine {
  /** Process id of the worker while it runs. */
  readonly pid: number | undefined
}

/**
 * OpenAI's own thresholds: a window whose text is too repetitive (entropy) or too unlikely (mean log probability) is
 * decoded again, warmer, the best of some draws. Below the latter and above `noSpeechThreshold` it counts as silence.
 */
const FALLBACK = {
  bestOf: 5,
  temperatureInc: 0.2,
  entropyThreshold: 2.4,
  logprobThreshold: -1,
  noSpeechThreshold: 0.6,
}

/** Width of the beam search, as in OpenAI's and whisper.cpp's own commands. */
const BEAM = 5

/** The largest model on one slow core, decoded again at every temperature. */
const WINDOW_TIMEOUT_MS = 30 * MINUTE
const LOAD_TIMEOUT_MS = 5 * MINUTE

const RESULT = parser(
  t.Object({
    language: t.String(),
    segments: t.Array(
      t.Object({
        start: t.Number(),
        end: t.Number(),
        text: t.String(),
        pieces: t.Array(t.Tuple([t.String(), t.Number(), t.Number(), t.Number()])),
      }),
    ),
  }),
)

/**
 * Reads the model's head at once, starts the worker with the first window. Throws Problem('transcription_failed')
 * when the file is no Whisper model.
 */
export function createWhisper(options: WhisperOptions): Whisper {
  const { multilingual } = readWhisperModel(options.modelPath)
  const child = createChild({
    name: 'Whisper',
    command: () => [options.native.path('whisper-worker'), options.modelPath],
    // Threads that wait for work must not spin: the cores are shared with the rest of the product.
    env: { OMP_WAIT_POLICY: 'passive' },
    code: 'transcription_failed',
    idleMs: options.idleMs,
    startTimeoutMs: LOAD_TIMEOUT_MS,
    log: options.log,
    onEnd: options.onEnd,
  })
  return {
    modelId: options.modelId,
    multilingual,
    wordTimes: true,
    translates: multilingual && (options.canTranslate ?? true),
    async transcribeWindow(window, { language, signal, translate = false, prompt, temperature }) {
      const { samples } = window
      const pcm = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
      const header = {
        op: 'transcribe',
        language: language ?? 'auto',
        threads: options.threads,
        beam: BEAM,
        words: true,
        translate,
        ...(prompt === undefined ? {} : { prompt }),
        ...(temperature === undefined ? {} : { temperature }),
        ...FALLBACK,
      }
      const answer = await child.request(header, pcm, { signal, timeoutMs: WINDOW_TIMEOUT_MS })
      const result = parseOrThrow(RESULT, answer.header, "the whisper worker's answer")
      const written = translate ? 'en' : result.language
      return { language: result.language, segments: segmentsOf(result.segments, written, window) }
    },
    get pid() {
      return child.pid
    },
    close: () => child.stop(),
  }
}
