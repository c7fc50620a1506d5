// From what the whisper worker returns to words and sentence-like segments with absolute times.
// Must stay true: segments ascend, do not overlap and lie inside their window; no text appears twice.

import { withoutLoops } from './loops.ts'
import type { Span, SpeechSegment, Word } from './speech-engine.ts'

/** [text, start, end, probability]: one or more tokens that form whole characters. ms from the window's start. */
export type WhisperPiece = readonly [text: string, startMs: number, endMs: number, probability: number]

/** Times in ms from the window's start. */
export interface WhisperSegment {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly pieces: readonly WhisperPiece[]
}

/** Languages written without spaces: every piece is a word there. */
const UNSPACED: ReadonlySet<string> = new Set(['zh', 'yue', 'ja', 'th', 'lo', 'my', 'km', 'bo'])

/** "[MUSIC]", "(applause)", "♪ la la ♪", "*sighs*": what the model writes when it hears no speech. */
const NO_SPEECH = /^(\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|♪.*|[\p{P}\p{S}\s]*)$/su

interface WhisperWord extends Word {
  /** As in the text, with the space before it. */
  readonly raw: string
  /** Index of the whisper segment that it is part of. */
  readonly segment: number
}

/** Sentence-like segments of one window. `language` decides what a word is. */
export function segmentsOf(
  segments: readonly WhisperSegment[],
  language: string,
  window: Span,
): SpeechSegment[] {
  const spoken = segments.filter((segment) => !NO_SPEECH.test(segment.text.trim()))
  const words = spoken.flatMap((segment, index) => wordsOf(segment, index, UNSPACED.has(language)))
  const sentences = sentencesOf(withoutLoops(words, keyOf), language)
  const result: SpeechSegment[] = []
  let earliestMs = window.startMs
  for (const sentence of sentences) {
    const span = spanOf(sentence, spoken, window, earliestMs)
    const text = textOf(sentence)
    const words = placedWords(sentence, span, window)
    const previous = result.at(-1)
    if (span.endMs > span.startMs) result.push({ ...span, text, words })
    // The model's times leave no room: the text stays, with the sentence before it or with the whole window.
    else if (previous) result[result.length - 1] = joined(previous, text, words)
    else result.push({ startMs: window.startMs, endMs: window.endMs, text, words })
    earliestMs = result.at(-1)?.endMs ?? earliestMs
  }
  return result
}

function textOf(words: readonly WhisperWord[]): string {
  return words
    .map((word) => word.raw)
    .join('')
    .trim()
}

function joined(segment: SpeechSegment, text: string, words: readonly Word[]): SpeechSegment {
  return { ...segment, text: `${segment.text} ${text}`, words: [...(segment.words ?? []), ...words] }
}

function keyOf(word: WhisperWord): string {
  return word.text.toLowerCase().replaceAll(/[\p{P}\p{S}]/gu, '')
}

function wordsOf(segment: WhisperSegment, index: number, unspaced: boolean): WhisperWord[] {
  const words: WhisperWord[] = []
  for (const [raw, startMs, endMs, probability] of segment.pieces) {
    const last = words.at(-1)
    const punctuation = /^[\p{P}\p{S}]*$/u.test(raw)
    const begins = last === undefined || /^\s/.test(raw) || (unspaced && !punctuation)
    if (begins) {
      words.push({ raw, text: raw.trim(), startMs, endMs, probability, segment: index })
      continue
    }
    const joined = last.raw + raw
    words[words.length - 1] = {
      ...last,
      raw: joined,
      text: joined.trim(),
      // whisper.cpp gives punctuation a stretch of the pause that follows it.
      endMs: punctuation ? last.endMs : endMs,
      probability: Math.min(last.probability, probability),
    }
  }
  return words.filter((word) => word.text !== '')
}

/** Cuts where whisper.cpp did and after the ends of sentences; what a sentence is follows Unicode's rules. */
function sentencesOf(words: readonly WhisperWord[], language: string): WhisperWord[][] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'sentence' })
  const sentences: WhisperWord[][] = []
  for (const group of Map.groupBy(words, (word) => word.segment).values()) {
    const text = group.map((word) => word.raw).join('')
    const starts = new Set([...segmenter.segment(text)].map((sentence) => sentence.index))
    let offset = 0
    let current: WhisperWord[] = []
    for (const word of group) {
      // The space before a word belongs to the sentence before it.
      const lead = word.raw.length - word.raw.trimStart().length
      if (current.length > 0 && (starts.has(offset) || starts.has(offset + lead))) {
        sentences.push(current)
        current = []
      }
      current.push(word)
      offset += word.raw.length
    }
    sentences.push(current)
  }
  return sentences
}

/** A sentence that begins or ends with its whisper segment has the segment's times: they are the better ones. */
function spanOf(
  sentence: readonly WhisperWord[],
  segments: readonly WhisperSegment[],
  window: Span,
  earliestMs: number,
): Span {
  const first = sentence[0]
  const last = sentence.at(-1)
  const segment = first && segments[first.segment]
  if (!first || !last || !segment) return { startMs: earliestMs, endMs: earliestMs }
  const opens = segment.pieces[0]?.[1] === first.startMs
  const closes = segment.text.trimEnd().endsWith(last.text) && last.endMs >= (segment.pieces.at(-1)?.[1] ?? 0)
  const place = (ms: number): number =>
    Math.min(Math.max(window.startMs + Math.round(ms), earliestMs), Math.floor(window.endMs))
  return {
    startMs: place(opens ? segment.start : first.startMs),
    endMs: place(closes ? segment.end : last.endMs),
  }
}

/** Words with absolute times, ascending and inside their sentence. */
function placedWords(sentence: readonly WhisperWord[], span: Span, window: Span): Word[] {
  let earliestMs = span.startMs
  return sentence.map(({ text, startMs, endMs, probability }) => {
    const from = Math.min(Math.max(window.startMs + startMs, earliestMs), span.endMs)
    const to = Math.min(Math.max(window.startMs + endMs, from), span.endMs)
    earliestMs = to
    return { text, startMs: from, endMs: to, probability }
  })
}
