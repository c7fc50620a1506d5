// Speech probabilities and PCM in, windows of speech out: a pure state machine, one 32 ms frame at a time.
// No sample of speech is lost or in two windows, no window is longer than its limit, and silence makes none.
// Long pauses are shortened, so that words with minutes between them still share a window and help each other.

import { type Infer, t } from '../lib/schema.ts'
import { VAD_FRAME_SAMPLES } from './silero.ts'
import { createFrameBuffer, type FrameBuffer, FRAME_MS, type FrameRange } from './frame-buffer.ts'
import type { PackedWindow } from './packed-window.ts'
import { SAMPLES_PER_MS, type Span, type WindowLimits } from './speech-engine.ts'

/** Speech starts at the first and goes on until below the second (Silero's own hysteresis). */
const SPEECH_ON = 0.5
const SPEECH_OFF = 0.35
/** Silence this short does not end an utterance. */
const MIN_PAUSE_FRAMES = frames(250)
/** Shorter sounds are clicks. */
const MIN_UTTERANCE_FRAMES = frames(130)
/** What a window keeps of the silence around its speech: soft beginnings and ends are below the thresholds. */
const PAD_FRAMES = frames(200)
/** A pause counts no more than this when the best place for a cut is sought. */
const LONG_PAUSE_FRAMES = frames(1_500)
/** After such a pause nobody waits for more. */
const LONG_BREAK_FRAMES = frames(10_000)

const FrameSpan = t.Object({ start: t.Integer(), end: t.Integer() })

/**
 * All that a windower remembers, apart from its audio: the samples of the frames that it has kept.
 * Frame numbers count from the start of the recording.
 */
export const WindowerState = t.Object({
  /** The next frame to come. */
  frame: t.Integer(),
  /** Ascending; the last ends at `frame`. */
  kept: t.Array(FrameSpan),
  /** Finished utterances of the window being gathered. */
  utterances: t.Array(FrameSpan),
  /** The utterance being gathered; its end is the end of the last frame with speech. */
  open: t.Union([FrameSpan, t.Null()]),
  /** No window may start before: the end of the last one. */
  floor: t.Integer(),
})
export type WindowerState = Infer<typeof WindowerState>

export interface Windower {
  /**
   * Takes one probability per 512 samples; only the last call of a recording may end with an incomplete frame.
   * Returns the windows that this finished, in order.
   */
  push(samples: Int16Array, probabilities: Float32Array): PackedWindow[]
  /** The recording has ended: returns what was still being gathered. */
  flush(): PackedWindow[]
  /** A copy that JSON keeps exactly. */
  state(): WindowerState
}

/**
 * A windower at the start of a recording, or at a remembered state, together with the samples that belong to it.
 */
export function createWindower(
  limits: WindowLimits,
  resumed?: { readonly state: WindowerState; readonly audio: Int16Array },
): Windower {
  const maxFrames = Math.floor(limits.maxMs / FRAME_MS)
  const minFrames = frames(limits.minMs)
  const breakFrames = frames(limits.breakPauseMs)
  const tailFrames = frames(limits.tailMs)
  const halfPauseFrames = Math.max(PAD_FRAMES, frames(limits.keptPauseMs / 2))
  const closeFrames = frames(limits.closePauseMs)
  const audio = createFrameBuffer(
    maxFrames + 2 * (halfPauseFrames + PAD_FRAMES),
    resumed && { ranges: resumed.state.kept, samples: resumed.audio },
  )
  const start = resumed?.state
  let frame = start?.frame ?? 0
  let floor = start?.floor ?? 0
  let utterances: FrameRange[] = structuredClone(start?.utterances ?? [])
  let open: FrameRange | undefined = start?.open ? { ...start.open } : undefined

  function windowStart(): number {
    const first = utterances[0] ?? open
    return Math.max(floor, (first?.start ?? frame) - PAD_FRAMES)
  }

  function step(probability: number): PackedWindow | undefined {
    const speaking = probability >= (open && open.end === frame ? SPEECH_OFF : SPEECH_ON)
    frame++
    if (speaking) {
      open ??= { start: frame - 1, end: frame }
      open.end = frame
    } else if (open && frame - open.end >= MIN_PAUSE_FRAMES) {
      closeUtterance()
    }
    const last = (open ?? utterances.at(-1))?.end
    if (last === undefined) {
      // Between windows only the padding of the next one is kept.
      audio.drop(0, Math.max(floor, frame - PAD_FRAMES))
      return undefined
    }
    audio.drop(last + halfPauseFrames, frame - halfPauseFrames)
    if (isPauseEnough(frame - last, audio.count(windowStart(), last))) {
      return finish(last + PAD_FRAMES, last + PAD_FRAMES)
    }
    const pause = findBreak()
    if (pause && audio.count(pause.end, frame) >= tailFrames) return finishAt(pause)
    // One more frame would make the window too long.
    return audio.count(windowStart(), frame) >= maxFrames ? cut() : undefined
  }

  /** Clicks are no speech, but the rest of an utterance that was cut in two is, however short. */
  function isSpoken(span: FrameRange): boolean {
    return span.end - span.start >= MIN_UTTERANCE_FRAMES || span.start === floor
  }

  function isPauseEnough(pauseFrames: number, gatheredFrames: number): boolean {
    return (
      pauseFrames >= (gatheredFrames >= minFrames ? Math.min(LONG_BREAK_FRAMES, closeFrames) : closeFrames)
    )
  }

  /** The first pause at which the window may end. It does when what follows is enough for a window of its own. */
  function findBreak(): FrameRange | undefined {
    const start = windowStart()
    const pauses = listPauses(open ? [...utterances, open] : utterances)
    return pauses.find(
      (pause) => pause.end - pause.start >= breakFrames && audio.count(start, pause.start) >= minFrames,
    )
  }

  function finishAt(pause: FrameRange): PackedWindow | undefined {
    const middle = Math.floor((pause.start + pause.end) / 2)
    return finish(Math.min(pause.start + PAD_FRAMES, middle), Math.max(pause.end - PAD_FRAMES, middle))
  }

  function closeUtterance(): void {
    if (open && isSpoken(open)) utterances.push(open)
    open = undefined
  }

  /** Between the utterances, and the one now. */
  function listPauses(spans: readonly FrameRange[]): FrameRange[] {
    return spans
      .map((span, index) => ({ start: span.end, end: spans[index + 1]?.start ?? frame }))
      .filter((pause) => pause.end > pause.start)
  }

  /** Ends a full window at its best pause, or, if it has none, at its quietest moment. The rest stays open. */
  function cut(): PackedWindow | undefined {
    const spans = open ? [...utterances, open] : utterances
    const start = windowStart()
    const pauses = listPauses(spans).filter((pause) => audio.count(start, pause.start) >= minFrames)
    const pause = limits.cutAt === 'latest' ? pauses.at(-1) : longestOf(pauses)
    if (pause) return finishAt(pause)
    // The end of the window is one stretch of speech.
    const at = audio.quietestFrame(Math.floor(Math.min(maxFrames / 3, maxFrames - minFrames)))
    return finish(at, at)
  }

  /** Makes a window of everything before `end`; the next one starts at `next` or later. */
  function finish(end: number, next: number): PackedWindow | undefined {
    const from = windowStart()
    const spans = open ? [...utterances, open] : utterances
    const inside = spans.filter((span) => span.start < end).map((span) => clip(span, from, end))
    const wasOpen = open
    utterances = spans.filter((span) => span.end > next).map((span) => clip(span, next, span.end))
    open = wasOpen && wasOpen.end > next ? utterances.pop() : undefined
    const spoken = inside.filter(isSpoken)
    const window =
      spoken.length > 0 ? packWindow(audio, { start: from, end: Math.min(end, frame) }, spoken) : undefined
    floor = next
    audio.drop(0, utterances.length > 0 || open ? windowStart() : Math.max(next, frame - PAD_FRAMES))
    return window
  }

  return {
    push(samples, probabilities) {
      const windows: PackedWindow[] = []
      for (const [index, probability] of probabilities.entries()) {
        audio.append(frame, samples.subarray(index * VAD_FRAME_SAMPLES, (index + 1) * VAD_FRAME_SAMPLES))
        const window = step(probability)
        if (window) windows.push(window)
      }
      return windows
    },
    flush() {
      closeUtterance()
      const last = utterances.at(-1)
      if (!last) return []
      const end = Math.min(last.end + PAD_FRAMES, frame)
      const window = finish(end, end)
      return window ? [window] : []
    },
    state: () => ({
      frame,
      kept: structuredClone([...audio.ranges]),
      utterances: structuredClone(utterances),
      open: open ? { ...open } : null,
      floor,
    }),
  }
}

/** Milliseconds as a number of frames, at least one. */
function frames(ms: number): number {
  return Math.max(1, Math.round(ms / FRAME_MS))
}

function clip(span: FrameRange, from: number, to: number): FrameRange {
  return { start: Math.max(span.start, from), end: Math.min(span.end, to) }
}

/** Later ones win a tie. */
function longestOf(pauses: readonly FrameRange[]): FrameRange | undefined {
  return pauses.reduce<FrameRange | undefined>(
    (best, pause) => (best && lengthOf(best) > lengthOf(pause) ? best : pause),
    undefined,
  )
}

function lengthOf(pause: FrameRange): number {
  return Math.min(pause.end - pause.start, LONG_PAUSE_FRAMES)
}

function packWindow(audio: FrameBuffer, range: FrameRange, utterances: readonly FrameRange[]): PackedWindow {
  const samples = audio.samples(range)
  const pieces = audio.ranges.filter((kept) => kept.end > range.start && kept.start < range.end)
  const spans = pieces.map((kept) => clip(kept, range.start, range.end))
  // Only the very last frame of a recording may be incomplete.
  const missingMs =
    spans.reduce((sum, span) => sum + span.end - span.start, 0) * FRAME_MS - samples.length / SAMPLES_PER_MS
  const endMs = range.end * FRAME_MS - missingMs
  const toSpan = (span: FrameRange): Span => ({
    startMs: span.start * FRAME_MS,
    endMs: Math.min(span.end * FRAME_MS, endMs),
  })
  return {
    startMs: range.start * FRAME_MS,
    endMs,
    samples,
    pieces: spans.map(toSpan),
    utterances: utterances.map(toSpan),
  }
}
