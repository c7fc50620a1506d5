// What a speech engine is to the rest of the product: one window of speech in, its text and times out.
// Windows come from the voice-activity detector, so an engine never sees long silence and never more than 30 s.

export const SAMPLE_RATE = 16_000
export const SAMPLES_PER_MS = SAMPLE_RATE / 1_000

/** Half-open span of time in milliseconds from the start of the media. */
export interface Span {
  readonly startMs: number
  readonly endMs: number
}

/**
 * A stretch of audio that holds speech. Pauses longer than `keptPauseMs` have been shortened to that, and an engine's
 * times are as if they had been so short; whoever calls the engine moves its segments back to where they were.
 */
export interface SpeechWindow extends Span {
  /** 16 kHz mono, signed 16 bit; `samples.length / 16` is about `endMs - startMs`. At most 30 s. */
  readonly samples: Int16Array
  /** Utterances inside the window (between pauses), ascending, absolute times. At least one. */
  readonly utterances: readonly Span[]
}

/** How the stream of speech is cut into windows for an engine. */
export interface WindowLimits {
  /** Less than this ends a window only at a `closePauseMs`. */
  readonly minMs: number
  /** At most 30,000. */
  readonly maxMs: number
  /** At which pause after `minMs` a full window is cut: the longest reads best, the latest fills it most. */
  readonly cutAt: 'longest' | 'latest'
  /** What is left alone behind such a pause is at least this much; less stays with the window before. */
  readonly tailMs: number
  /** A pause this long ends a window that has `minMs`, when `tailMs` follow; one of ten seconds ends it at any rate. */
  readonly breakPauseMs: number
  /** A pause this long ends the window, whatever its length. */
  readonly closePauseMs: number
  /** Of a longer pause, only its ends are kept, half of this each. */
  readonly keptPauseMs: number
}

export interface Word extends Span {
  readonly text: string
  /** 0..1 */
  readonly probability: number
}

/** Sentence-like; times are absolute, ascending, non-overlapping. */
export interface SpeechSegment extends Span {
  readonly text: string
  /** Only from engines that give word times. */
  readonly words?: readonly Word[]
}

/** What a caller may ask of an engine beside the text; one that cannot do it ignores it. */
export interface SpeechHints {
  /** English text of what was said in another language. Only for engines that `translate`. */
  readonly translate?: boolean
  /** Words and names as they are to be written. */
  readonly prompt?: string
  /** 0..1: what decoding begins with. */
  readonly temperature?: number
}

export interface WindowOptions extends SpeechHints {
  /** ISO 639-1 code to use instead of detecting. */
  readonly language: string | undefined
  readonly signal: AbortSignal
}

export interface WindowResult {
  readonly segments: readonly SpeechSegment[]
  /** ISO 639-1 code of what was spoken, detected or given. */
  readonly language: string
}

/** Rejects with Problem('transcription_failed', …, { temporary: true }) when the engine crashes. */
export interface SpeechEngine {
  /** Catalogue id of the model, for example `moonshine-tiny-en` or `whisper-base-q8_0`. */
  readonly modelId: string
  /** True when the engine knows more than English and can detect the language. */
  readonly multilingual: boolean
  /** True when its segments have `words`. */
  readonly wordTimes?: boolean
  /** True when it can answer in English to what is said in other languages. */
  readonly translates?: boolean
  /** What suits the engine best; absent: windows of up to 28 s. */
  readonly windowLimits?: WindowLimits
  transcribeWindow(window: SpeechWindow, options: WindowOptions): Promise<WindowResult>
  /** Ends the engine's child process; it is started again by the next window. */
  close(): Promise<void>
}
