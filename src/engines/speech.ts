// Media file in, timed text out: ffmpeg → voice activity → windows of speech → engine, in constant memory however
// long the media is. After every window there is a checkpoint from which another run ends with the same result.

import type { Gate } from '../lib/gate.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, parser, t } from '../lib/schema.ts'
import type { Ffmpeg } from './ffmpeg.ts'
import { chooseLanguage, type LanguageVotes, LanguageVotesSchema, vote } from './language.ts'
import { newVadState, type Onnx } from './onnx.ts'
import { packed, type PackedWindow, unpacked } from './packed-window.ts'
import { createPcmReader, type PcmReader } from './pcm.ts'
import { VAD_FRAME_SAMPLES, VAD_STATE_LENGTH } from './silero.ts'
import {
  SAMPLES_PER_MS,
  type SpeechEngine,
  type SpeechHints,
  type SpeechSegment,
  type WindowLimits,
} from './speech-engine.ts'
import { createWindower, WindowerState, type Windower } from './windows.ts'

/** The voice-activity detector takes 16 s at a time: 500 frames. */
const BLOCK_SAMPLES = 500 * VAD_FRAME_SAMPLES
/** Half a megabyte each. */
const BLOCKS_AHEAD = 4
/** The garbage collector sees little of the audio that has passed: it is asked to look after about 8 minutes of it. */
const BLOCKS_PER_COLLECTION = 32
/** Whisper always computes 30 s: windows are filled up, also over pauses, and cut as late as there is a pause. */
const DEFAULT_LIMITS: WindowLimits = {
  minMs: 27_000,
  cutAt: 'latest',
  maxMs: 29_980,
  tailMs: 0,
  breakPauseMs: 600_000,
  closePauseMs: 600_000,
  keptPauseMs: 500,
}

const CheckpointSchema = t.Object({
  modelId: t.String(),
  /** Samples before the block in which the last finished window ended. */
  blockStart: t.Integer({ minimum: 0 }),
  /** Windows of that block which are done. */
  windowsDone: t.Integer({ minimum: 0 }),
  /** State before the block. */
  vadState: t.Array(t.Number(), { minItems: VAD_STATE_LENGTH, maxItems: VAD_STATE_LENGTH }),
  windower: WindowerState,
  votes: LanguageVotesSchema,
  speechMs: t.Number(),
  positionMs: t.Number(),
})
const CHECKPOINT = parser(CheckpointSchema)

/** Plain JSON, about 10 KB. */
export type SpeechCheckpoint = Infer<typeof CheckpointSchema>

export interface SpeechProgress {
  /** How much of the media is done. */
  readonly positionMs: number
  /** How much of that was speech. */
  readonly speechMs: number
}

export interface TranscribeOptions {
  readonly engine: SpeechEngine
  /** ISO 639-1; a multilingual engine uses it instead of detecting. */
  readonly language?: string | undefined
  /** The same in every attempt that goes on from a checkpoint. */
  readonly hints?: SpeechHints | undefined
  readonly signal: AbortSignal
  /** Nothing after so many seconds of media is decoded. */
  readonly maxS: number
  /** From `parseCheckpoint`: continues after the window with which it was reported. */
  readonly resumeFrom?: SpeechCheckpoint | undefined
  /**
   * Awaited after each window. Segments ascend over all calls, and may be none (sounds that are no speech). Whoever
   * stores `segments` and `checkpoint` in one transaction can resume after any crash and lose or double nothing.
   */
  readonly onWindow: (
    segments: readonly SpeechSegment[],
    checkpoint: SpeechCheckpoint,
    progress: SpeechProgress,
  ) => Promise<void> | void
  /** Called about every 16 s of media, also where there is no speech. */
  readonly onProgress?: (progress: SpeechProgress) => void
}

export interface SpeechResult {
  /** ISO 639-1: given, detected, or the one language of the engine. Null when there was no speech. */
  readonly language: string | null
  readonly durationMs: number
  readonly speechMs: number
}

export interface Speech {
  /**
   * Rejects with Problem('audio_extraction_failed') when there is nothing to decode, ('transcription_failed') when
   * the engine fails (temporary after a crash), or the signal's reason, and then leaves no process computing.
   */
  transcribe(path: string, options: TranscribeOptions): Promise<SpeechResult>
}

export interface SpeechOptions {
  readonly ffmpeg: Ffmpeg
  readonly onnx: Onnx
  /** The compute gate of all engines. */
  readonly gate: Gate
}

/** A stored checkpoint, if it fits this engine; else the transcription must start over, without its segments. */
export function parseCheckpoint(value: unknown, engine: SpeechEngine): SpeechCheckpoint | undefined {
  const result = CHECKPOINT.parse(value)
  return result.ok && result.value.modelId === engine.modelId ? result.value : undefined
}

export function createSpeech({ ffmpeg, onnx, gate }: SpeechOptions): Speech {
  return {
    async transcribe(path, options) {
      const { engine, signal, resumeFrom } = options
      const limits = engine.windowLimits ?? DEFAULT_LIMITS
      const pcm = createPcmReader(ffmpeg.decodePcm(path, { signal, maxS: options.maxS }).stream)
      const run = createRun(options, gate)
      try {
        const audio = resumeFrom && (await readAudioBefore(pcm, resumeFrom))
        const resumed = resumeFrom && audio && { state: resumeFrom.windower, audio }
        const windower = createWindower(limits, resumed)
        let skip = resumeFrom?.windowsDone ?? 0
        const vadState = resumeFrom ? Float32Array.from(resumeFrom.vadState) : newVadState()
        const blocks = readAhead((state) => nextBlock(pcm, onnx, state, signal), vadState)
        for await (const block of blocks) {
          signal.throwIfAborted()
          const windowerBefore = windower.state()
          const windows = windower.push(block.samples, block.probabilities)
          if (block.last) windows.push(...windower.flush())
          await run.transcribe(windows, skip, { ...block, windower: windowerBefore })
          skip = 0
          run.reached(block.start + block.samples.length)
          // Not at once and not here: a thread of the collector does it.
          if ((block.start / BLOCK_SAMPLES) % BLOCKS_PER_COLLECTION === BLOCKS_PER_COLLECTION - 1)
            Bun.gc(false)
        }
      } finally {
        await pcm.close()
      }
      if (pcm.position === 0) throw new Problem('audio_extraction_failed', 'The media has no sound in it')
      return run.result(pcm.position)
    },
  }
}

/** The unit of voice-activity detection, and of resuming. */
interface Block {
  /** Samples before it. */
  readonly start: number
  readonly samples: Int16Array
  readonly probabilities: Float32Array
  /** State of the detector before it. */
  readonly vadState: Float32Array
  readonly vadStateAfter: Float32Array
  readonly last: boolean
}

/** The next blocks are decoded and searched for speech while the engine works; silence, which it skips, most of all. */
async function* readAhead(
  read: (vadState: Float32Array) => Promise<Block>,
  vadState: Float32Array,
): AsyncGenerator<Block> {
  let ended = false
  let latest: Promise<Block | undefined> = read(vadState)
  const ahead = [latest]
  const after = async (before: Promise<Block | undefined>): Promise<Block | undefined> => {
    const block = await before
    return block === undefined || block.last || ended ? undefined : read(block.vadStateAfter)
  }
  try {
    for (let next = ahead.shift(); next; next = ahead.shift()) {
      while (ahead.length < BLOCKS_AHEAD) {
        latest = after(latest)
        // Whoever takes it sees the failure; nobody may.
        latest.catch(() => undefined)
        ahead.push(latest)
      }
      const block = await next
      if (block === undefined) return
      yield block
    }
  } finally {
    ended = true
  }
}

/** Detection takes less than 1 % of real time: it does not queue at the compute gate. */
async function nextBlock(
  pcm: PcmReader,
  onnx: Onnx,
  vadState: Float32Array,
  signal: AbortSignal,
): Promise<Block> {
  const start = pcm.position
  const samples = await pcm.read(BLOCK_SAMPLES)
  const last = samples.length < BLOCK_SAMPLES
  const { probabilities, state } =
    samples.length === 0
      ? { probabilities: new Float32Array(), state: vadState }
      : await onnx.vad(samples, vadState, signal)
  return { start, samples, probabilities, vadState, vadStateAfter: state, last }
}

/** Decoding starts over, and what lies before the checkpoint's block is thrown away, but for the window begun. */
async function readAudioBefore(
  pcm: PcmReader,
  { blockStart, windower }: SpeechCheckpoint,
): Promise<Int16Array> {
  const size = windower.kept.reduce((sum, range) => sum + range.end - range.start, 0)
  const audio = new Int16Array(size * VAD_FRAME_SAMPLES)
  let at = 0
  for (const { start, end } of windower.kept) {
    await pcm.skip(start * VAD_FRAME_SAMPLES - pcm.position)
    const samples = await pcm.read((end - start) * VAD_FRAME_SAMPLES)
    audio.set(samples, at)
    at += samples.length
  }
  await pcm.skip(blockStart - pcm.position)
  if (pcm.position === blockStart) return audio
  throw new Problem('transcription_failed', 'The media is not the one that the transcription began with')
}

/** All that is needed to come to the same windows again. */
interface BlockState extends Pick<Block, 'start' | 'vadState'> {
  readonly windower: ReturnType<Windower['state']>
}

interface Run {
  /** Transcribes the windows of a block, but for the first `skip`, which are done. */
  transcribe(windows: readonly PackedWindow[], skip: number, before: BlockState): Promise<void>
  reached(samples: number): void
  result(samples: number): SpeechResult
}

/** What the windows of one transcription share: the language and the sums. */
function createRun(options: TranscribeOptions, gate: Gate): Run {
  const { engine, signal, resumeFrom } = options
  let votes: LanguageVotes = resumeFrom?.votes ?? {}
  let speechMs = resumeFrom?.speechMs ?? 0
  let positionMs = resumeFrom?.positionMs ?? 0

  return {
    async transcribe(windows, skip, before) {
      for (const [index, window] of windows.entries()) {
        if (index < skip) continue
        const language = options.language ?? (engine.multilingual ? chooseLanguage(votes) : undefined)
        const heard = packed(window)
        const asked = { ...options.hints, language, signal }
        const result = await gate.run(() => engine.transcribeWindow(heard, asked), signal)
        signal.throwIfAborted()
        const segments = unpacked(result.segments, window)
        const spokenMs = window.utterances.reduce((sum, span) => sum + span.endMs - span.startMs, 0)
        if (segments.length > 0) {
          votes = vote(votes, result.language, spokenMs)
          speechMs += spokenMs
        }
        positionMs = window.endMs
        const checkpoint: SpeechCheckpoint = {
          modelId: engine.modelId,
          blockStart: before.start,
          windowsDone: index + 1,
          vadState: Array.from(before.vadState),
          windower: before.windower,
          votes,
          speechMs,
          positionMs,
        }
        await options.onWindow(segments, checkpoint, { positionMs, speechMs })
      }
    },
    reached(samples) {
      positionMs = Math.max(positionMs, samples / SAMPLES_PER_MS)
      options.onProgress?.({ positionMs, speechMs })
    },
    result: (samples) => ({
      language: (engine.multilingual ? options.language : undefined) ?? chooseLanguage(votes, 0) ?? null,
      durationMs: Math.round(samples / SAMPLES_PER_MS),
      speechMs: Math.round(speechMs),
    }),
  }
}
