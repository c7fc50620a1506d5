// Text and its times → the pieces a subtitle may be broken between: words, or in scripts without spaces what Unicode's
// segmentation takes for one. Each knows when it is said, how wide it is, and how well a break before it reads.

import type { Segment } from './transcripts.ts'

/** A segment with the times of its words, in seconds, where the engine gave them. */
export interface SegmentWithWords extends Segment {
  readonly words?: readonly Segment[] | undefined
}

export interface Token {
  readonly text: string
  /** A space goes before it when it does not begin a line. */
  readonly isSpaced: boolean
  /** Seconds. */
  readonly start: number
  readonly end: number
  /** Columns: letters of East Asian scripts take two. */
  readonly width: number
}

const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u
const OPENING = /^[\p{Ps}\p{Pi}]$/u
const WORDLIKE = /[\p{L}\p{N}\p{S}]/u

let wordSegmenter: Intl.Segmenter | undefined
let graphemeSegmenter: Intl.Segmenter | undefined

/** `text` as a player may show it: one line, without control characters. */
export function plainText(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\u2028\u2029]/gu, '')
    .trim()
}

/** No token is wider than `widthMax`. */
export function tokensOf(segment: SegmentWithWords, widthMax: number): Token[] {
  const text = plainText(segment.text)
  const clock = clockOf(text, segment)
  const isUnspaced = UNSPACED.test(text)
  const tokens: Token[] = []
  for (const match of text.matchAll(/\S+/g)) {
    let index = match.index
    for (const piece of piecesOf(match[0], widthMax, isUnspaced)) {
      tokens.push({
        text: piece,
        isSpaced: index === match.index,
        start: clock.startAt(index),
        end: clock.endAt(index + piece.length),
        width: columns(piece),
      })
      index += piece.length
    }
  }
  return tokens
}

export function columns(text: string): number {
  // Most words are plain: looking at them is five times as fast as measuring.
  return /^[!-~]*$/.test(text) ? text.length : Bun.stringWidth(text, { countAnsiEscapeCodes: true })
}

function piecesOf(word: string, widthMax: number, isUnspaced: boolean): string[] {
  if (!isUnspaced && columns(word) <= widthMax) return [word]
  const pieces = isUnspaced ? unspacedPieces(word) : [word]
  return pieces.flatMap((piece) => (columns(piece) > widthMax ? cut(piece, widthMax) : [piece]))
}

/** Closing punctuation stays with what it follows, opening punctuation with what it precedes. */
function unspacedPieces(word: string): string[] {
  wordSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' })
  const pieces: string[] = []
  let opening = ''
  for (const { segment } of wordSegmenter.segment(word)) {
    if (OPENING.test(segment)) opening += segment
    else if (WORDLIKE.test(segment) || pieces.length === 0) {
      pieces.push(opening + segment)
      opening = ''
    } else pieces[pieces.length - 1] += opening + segment
  }
  if (opening !== '') pieces.push(opening)
  return pieces
}

/** A word too long for a line, such as a URL: between what readers take for characters. */
function cut(piece: string, widthMax: number): string[] {
  graphemeSegmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' })
  const parts: string[] = []
  let part = ''
  let width = 0
  for (const { segment } of graphemeSegmenter.segment(piece)) {
    const more = columns(segment)
    if (part !== '' && width + more > widthMax) {
      parts.push(part)
      part = ''
      width = 0
    }
    part += segment
    width += more
  }
  return [...parts, part]
}

interface Clock {
  startAt(index: number): number
  endAt(index: number): number
}

interface Stretch {
  readonly from: number
  readonly to: number
  readonly start: number
  readonly end: number
}

/** When the character at an index is said: by the words' times where they fit the text, else by its share of it. */
function clockOf(text: string, segment: SegmentWithWords): Clock {
  const whole = { from: 0, to: text.length, start: segment.start, end: segment.end }
  const stretches = stretchesOf(text, segment.words) ?? [whole]
  let last = 0
  /** The first stretch that ends behind `index`; asked in ascending order. */
  const find = (index: number): Stretch => {
    while (last + 1 < stretches.length && (stretches[last]?.to ?? 0) <= index) last++
    return stretches[last] ?? whole
  }
  const at = ({ from, to, start, end }: Stretch, index: number): number => {
    const share = to > from ? (index - from) / (to - from) : 0
    return start + (end - start) * Math.min(1, Math.max(0, share))
  }
  return { startAt: (index) => at(find(index), index), endAt: (index) => at(find(index - 1), index) }
}

function stretchesOf(text: string, words: SegmentWithWords['words']): Stretch[] | undefined {
  if (!words || words.length === 0) return undefined
  const stretches: Stretch[] = []
  let from = 0
  for (const word of words) {
    const spoken = plainText(word.text)
    const index = text.indexOf(spoken, from)
    // Words that are not those of the text say nothing about it.
    if (index < 0) return undefined
    stretches.push({ from: index, to: index + spoken.length, start: word.start, end: word.end })
    from = index + spoken.length
  }
  return stretches
}

const PAUSE_S = 0.3
/** English; other languages go by punctuation, pauses and length alone. */
const BEFORE = new Set(
  'and but or nor so yet because that which who whom whose when where while if though although since until unless as than'.split(
    ' ',
  ),
)
const BEFORE_WEAK = new Set(
  'in on at by for with from to of about into over after before between through under without against during'.split(
    ' ',
  ),
)
const NOT_BEHIND = new Set(
  'a an the my your his her its our their this these those of to in on at by for with from mr mrs ms dr st'.split(
    ' ',
  ),
)

const bare = (text: string): string => {
  const lower = text.toLowerCase()
  return /^[a-z']+$/.test(lower) ? lower : lower.replaceAll(/[^\p{L}\p{N}']/gu, '')
}

/** How badly a break between two tokens reads: 0 after a sentence, 8 after an article. */
export function breakCost(before: Token, after: Token): number {
  if (!/[a-z]$/.test(before.text)) {
    if (/[.!?…。！？]["'”’)\]」』]*$/u.test(before.text)) return 0
    if (/[,;:–—、，；：]["'”’)\]」』]*$/u.test(before.text)) return 1
  }
  if (after.start - before.end >= PAUSE_S) return 1
  if (NOT_BEHIND.has(bare(before.text))) return 8
  const next = bare(after.text)
  if (BEFORE.has(next)) return 2
  return BEFORE_WEAK.has(next) ? 3 : 4
}
