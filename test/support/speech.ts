// The speech path with its real engines, for tests and benchmarks: ffmpeg, Silero VAD and Moonshine in a child process.

import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createFfmpeg } from '../../src/engines/ffmpeg.ts'
import { createMoonshine } from '../../src/engines/moonshine.ts'
import { createOnnx, type Onnx } from '../../src/engines/onnx.ts'
import { createSpeech, type Speech, type TranscribeOptions } from '../../src/engines/speech.ts'
import type { SpeechEngine, SpeechSegment } from '../../src/engines/speech-engine.ts'
import { createGate } from '../../src/lib/gate.ts'
import { silentLog } from '../../src/lib/log.ts'

export const JFK_PATH = resolve(
  import.meta.dir,
  '../../node_modules/nodejs-whisper/cpp/whisper.cpp/samples/jfk.mp3',
)

export interface RealSpeech {
  readonly onnx: Onnx
  readonly speech: Speech
  readonly moonshine: SpeechEngine
  close(): Promise<void>
}

export function createRealSpeech(threads = 1): RealSpeech {
  const onnx = createOnnx({
    cacheDir: join(tmpdir(), 'earshot-test-native'),
    threads,
    idleMs: 60_000,
    log: silentLog(),
  })
  const ffmpeg = createFfmpeg({ ffmpegPath: undefined, ffprobePath: undefined })
  return {
    onnx,
    speech: createSpeech({ ffmpeg, onnx, gate: createGate(1) }),
    moonshine: createMoonshine(onnx),
    close: () => onnx.close(),
  }
}

export interface Transcript {
  readonly segments: readonly SpeechSegment[]
  readonly language: string | null
  readonly durationMs: number
  readonly speechMs: number
}

/** Everything that a transcription reports. */
export async function transcribe(
  { speech, moonshine }: Pick<RealSpeech, 'speech' | 'moonshine'>,
  path: string,
  options: Partial<TranscribeOptions> = {},
): Promise<Transcript> {
  const segments: SpeechSegment[] = []
  const result = await speech.transcribe(path, {
    engine: moonshine,
    signal: new AbortController().signal,
    maxS: 86_400,
    onWindow: (more) => void segments.push(...more),
    ...options,
  })
  return { ...result, segments }
}
