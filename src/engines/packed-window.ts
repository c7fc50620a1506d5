// A window whose long pauses are left out, and the way between its own time and that of the recording: engines see
// one stretch of audio that begins where the window begins, and what they find is moved back to where it was said.

import {
  SAMPLES_PER_MS,
  type Span,
  type SpeechSegment,
  type SpeechWindow,
  type Word,
} from './speech-engine.ts'

/** Times are those of the recording; `samples` are only those of the pieces. */
export interface PackedWindow extends SpeechWindow {
  /** What was kept, ascending; at least one. */
  readonly pieces: readonly Span[]
}

/** The window as an engine sees it: its pauses shortened, its times as if nothing had been left out. */
export function packed(window: PackedWindow): SpeechWindow {
  const { startMs, samples } = window
  const move = (timeMs: number): number => {
    let at = startMs
    for (const piece of window.pieces) {
      if (timeMs <= piece.endMs) return at + Math.max(0, timeMs - piece.startMs)
      at += piece.endMs - piece.startMs
    }
    return at
  }
  return {
    startMs,
    endMs: startMs + samples.length / SAMPLES_PER_MS,
    samples,
    utterances: window.utterances.map((span) => ({ startMs: move(span.startMs), endMs: move(span.endMs) })),
  }
}

/**
 * What an engine found in `packed(window)`, in the time of the recording. A segment over a gap is cut at it
 * where its words have times; one that lies wholly in a pause is dropped.
 */
export function unpacked(segments: readonly SpeechSegment[], window: PackedWindow): SpeechSegment[] {
  if (window.pieces.length === 1) return [...segments]
  const gaps = listGaps(window)
  return segments
    .flatMap((segment) => splitAtGaps(segment, gaps))
    .map((segment) => segmentBack(segment, gaps))
    .filter((segment) => segment.endMs > segment.startMs)
}

function segmentBack(segment: SpeechSegment, gaps: readonly Gap[]): SpeechSegment {
  const moved = { ...moveBack(segment, gaps), text: segment.text }
  return segment.words ? { ...moved, words: segment.words.map((word) => wordBack(word, gaps)) } : moved
}

function wordBack(word: Word, gaps: readonly Gap[]): Word {
  return { ...moveBack(word, gaps), text: word.text, probability: word.probability }
}

/** A place where something was left out, in the time of the packed window. */
interface Gap {
  readonly atMs: number
  /** The pause around it: no speech from here … */
  readonly pauseStartMs: number
  /** … to here. */
  readonly pauseEndMs: number
  readonly missingMs: number
}

function listGaps(window: PackedWindow): Gap[] {
  const { utterances } = packed(window)
  let atMs = window.startMs
  return window.pieces.slice(0, -1).map((piece, index) => {
    atMs += piece.endMs - piece.startMs
    const before = utterances.findLast((span) => span.endMs <= atMs)
    const after = utterances.find((span) => span.startMs >= atMs)
    return {
      atMs,
      pauseStartMs: before?.endMs ?? window.startMs,
      pauseEndMs: after?.startMs ?? atMs,
      missingMs: (window.pieces[index + 1]?.startMs ?? piece.endMs) - piece.endMs,
    }
  })
}

/** A start in the pause before a gap belongs after it, an end in the pause after a gap before it. */
function moveBack(span: Span, gaps: readonly Gap[]): Span {
  let { startMs, endMs } = span
  let missingBeforeStartMs = 0
  let missingBeforeEndMs = 0
  for (const gap of gaps) {
    if (startMs >= gap.pauseStartMs) {
      startMs = Math.max(startMs, gap.atMs)
      missingBeforeStartMs += gap.missingMs
    }
    if (endMs > gap.pauseEndMs) missingBeforeEndMs += gap.missingMs
    else endMs = Math.min(endMs, gap.atMs)
  }
  return { startMs: startMs + missingBeforeStartMs, endMs: endMs + missingBeforeEndMs }
}

/** Only word times say where to cut; without them the segment stays whole. */
function splitAtGaps(segment: SpeechSegment, gaps: readonly Gap[]): SpeechSegment[] {
  const { text, words = [] } = segment
  const parts: { startMs: number; endMs: number; textStart: number; words: Word[] }[] = []
  let textStart = 0
  for (const word of words) {
    textStart = Math.max(textStart, text.indexOf(word.text, textStart))
    const part = parts.at(-1)
    const previous = part?.words.at(-1)
    if (!part || gaps.some((gap) => (previous?.startMs ?? 0) < gap.atMs && word.startMs >= gap.atMs)) {
      if (part) part.endMs = previous?.endMs ?? part.endMs
      const startMs = part ? word.startMs : segment.startMs
      parts.push({ startMs, endMs: segment.endMs, textStart, words: [word] })
    } else part.words.push(word)
    textStart += word.text.length
  }
  if (parts.length < 2) return [segment]
  return parts.map(({ startMs, endMs, textStart, words }, index) => ({
    startMs,
    endMs,
    text: text.slice(index === 0 ? 0 : textStart, parts[index + 1]?.textStart).trim(),
    words,
  }))
}
