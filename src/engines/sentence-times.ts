// Times for the sentences of a window whose engine gives text but no times: speech time is shared out by the length
// of the text, and each border moves to a pause near its place. A sentence nearly always begins after a pause.

import type { Span, SpeechSegment } from './speech-engine.ts'

/** A pause pays back its own length, up to so much. */
const PAUSE_WORTH_MS = 1_000
/** A border where nobody pauses costs as much as a short pause so far from its place. */
const NO_PAUSE_COST_MS = 500
/** A comma ends a segment only at a pause this long that is, by so much, longer than it is far away. */
const CLAUSE_PAUSE_MS = 400
const CLAUSE_COST_MS = 100

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
/** After these a period does not end a sentence; the segmenter does not know them. */
const ABBREVIATION = /\b(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Gen|Sen|Rep|Gov|Lt|Col|Capt|Sgt|vs|[A-Z])\.$/

/** Sentences of an English text, trimmed. Decimals and common abbreviations do not end one. */
export function splitSentences(text: string): string[] {
  const sentences: string[] = []
  let begun = ''
  for (const { segment } of segmenter.segment(text)) {
    begun += segment
    if (ABBREVIATION.test(begun.trim())) continue
    sentences.push(begun.trim())
    begun = ''
  }
  return [...sentences, begun.trim()].filter((sentence) => sentence !== '')
}

/** A piece of text that may be a segment of its own, or, if its sentence goes on, part of one. */
interface Clause {
  readonly text: string
  readonly endsSentence: boolean
}

function splitClauses(text: string): Clause[] {
  return splitSentences(text).flatMap((sentence) => {
    const parts = sentence.split(/(?<=[,;:])\s+/)
    return parts.map((part, index) => ({ text: part, endsSentence: index === parts.length - 1 }))
  })
}

/** A place where one segment may end and the next begin. */
interface Border {
  /** Milliseconds of speech before it, pauses not counted. */
  readonly spokenMs: number
  readonly endMs: number
  readonly startMs: number
}

/**
 * Segments for `text`, spoken in `utterances` (ascending, at least one): sentences, and clauses that are set off by
 * a clear pause. Ascending, not overlapping, whole ms.
 */
export function timeSentences(text: string, utterances: readonly Span[]): SpeechSegment[] {
  const clauses = splitClauses(text)
  const borders = chooseBorders(clauses, utterances)
  const segments: SpeechSegment[] = []
  let parts: string[] = []
  let startMs = utterances[0]?.startMs ?? 0
  for (const [index, clause] of clauses.entries()) {
    parts.push(clause.text)
    const border = borders[index]
    const last = index === clauses.length - 1
    if (!border && !last) continue
    const endMs = border?.endMs ?? utterances.at(-1)?.endMs ?? startMs
    segments.push({ startMs: Math.round(startMs), endMs: Math.round(endMs), text: parts.join(' ') })
    parts = []
    startMs = border?.startMs ?? endMs
  }
  return segments
}

interface Path {
  readonly cost: number
  readonly spokenMs: number
  /** By the index of the clause before it; undefined where the segment goes on. */
  readonly borders: readonly (Border | undefined)[]
}

/** A border after each sentence but the last, and after some clauses, at least cost in all (dynamic programming). */
function chooseBorders(
  clauses: readonly Clause[],
  utterances: readonly Span[],
): readonly (Border | undefined)[] {
  const pauses = listPauses(utterances)
  const totalMs = utterances.reduce((sum, span) => sum + span.endMs - span.startMs, 0)
  const totalLength = clauses.reduce((sum, clause) => sum + clause.text.length, 0)
  let length = 0
  let paths: Path[] = [{ cost: 0, spokenMs: 0, borders: [] }]
  for (const clause of clauses.slice(0, -1)) {
    length += clause.text.length
    const placeMs = (totalMs * length) / totalLength
    const candidates = clause.endsSentence
      ? [...pauses, borderInside(utterances, placeMs)]
      : pauses.filter((pause) => pauseOf(pause) >= CLAUSE_PAUSE_MS)
    const extraMs = clause.endsSentence ? 0 : CLAUSE_COST_MS
    const goingOn = clause.endsSentence
      ? []
      : paths.map((path) => ({ ...path, borders: [...path.borders, undefined] }))
    paths = [
      ...goingOn,
      ...candidates.flatMap((border) => extend(paths, border, costOf(border, placeMs) + extraMs)),
    ]
  }
  return cheapest(paths)?.borders ?? []
}

/** The cheapest path that can go on to this border; none when all are past it. */
function extend(paths: readonly Path[], border: Border, cost: number): Path[] {
  const best = cheapest(paths.filter((path) => path.spokenMs < border.spokenMs))
  if (!best) return []
  return [{ cost: best.cost + cost, spokenMs: border.spokenMs, borders: [...best.borders, border] }]
}

function cheapest(paths: readonly Path[]): Path | undefined {
  return paths.reduce<Path | undefined>(
    (best, path) => (best && best.cost <= path.cost ? best : path),
    undefined,
  )
}

function costOf(border: Border, placeMs: number): number {
  const pauseMs = pauseOf(border)
  if (pauseMs === 0) return NO_PAUSE_COST_MS
  return Math.abs(border.spokenMs - placeMs) - Math.min(pauseMs, PAUSE_WORTH_MS)
}

function pauseOf(border: Border): number {
  return border.startMs - border.endMs
}

function listPauses(utterances: readonly Span[]): Border[] {
  let spokenMs = 0
  return utterances.slice(0, -1).map((span, index) => {
    spokenMs += span.endMs - span.startMs
    return { spokenMs, endMs: span.endMs, startMs: utterances[index + 1]?.startMs ?? span.endMs }
  })
}

/** The moment at which `spokenMs` milliseconds have been spoken. */
function borderInside(utterances: readonly Span[], spokenMs: number): Border {
  let restMs = spokenMs
  for (const span of utterances) {
    const lengthMs = span.endMs - span.startMs
    if (restMs <= lengthMs) return { spokenMs, endMs: span.startMs + restMs, startMs: span.startMs + restMs }
    restMs -= lengthMs
  }
  const endMs = utterances.at(-1)?.endMs ?? 0
  return { spokenMs, endMs, startMs: endMs }
}
