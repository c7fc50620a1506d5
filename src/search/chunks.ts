// Transcript → the stretches that are searched: whole segments, one after the other, overlapping a little so that what
// was said across a border is found too. Pure functions.

/** What sentence encoders read best; also about the window of the embedded one. */
export const CHUNK_WORDS_MAX = 90
/** So much of the end of one chunk begins the next. */
const OVERLAP_WORDS_MAX = 25
/** A segment of more words is divided; its times are interpolated. */
const PIECE_WORDS_MAX = 60

export interface Stretch {
  readonly startMs: number
  readonly endMs: number
  readonly text: string
}

export interface CountedStretch extends Stretch {
  /** By the tokenizer of the model that will read it. */
  readonly tokens: number
}

/** Segments, the long ones divided: what `chunksOf` builds with. Those without text are left out. */
export function stretchesOf(segments: readonly Stretch[]): Stretch[] {
  return segments.flatMap((segment) => {
    const words = wordsOf(segment.text)
    const count = Math.ceil(words.length / PIECE_WORDS_MAX)
    if (count <= 1) return words.length === 0 ? [] : [segment]
    const size = Math.ceil(words.length / count)
    const msPerWord = (segment.endMs - segment.startMs) / words.length
    return Array.from({ length: count }, (_, index) => ({
      startMs: Math.round(segment.startMs + index * size * msPerWord),
      endMs: Math.round(segment.startMs + Math.min((index + 1) * size, words.length) * msPerWord),
      text: words.slice(index * size, (index + 1) * size).join(' '),
    }))
  })
}

/**
 * At most 90 words and `tokensMax` tokens each, but for a single stretch that alone has more tokens. Every stretch is in
 * at least one chunk, in order.
 */
export function chunksOf(stretches: readonly CountedStretch[], tokensMax: number): Stretch[] {
  const chunks: Stretch[] = []
  let current: CountedStretch[] = []
  for (const stretch of stretches) {
    if (current.length > 0 && !fits([...current, stretch], tokensMax)) {
      chunks.push(joined(current))
      current = overlapOf(current)
      // What overlaps must not keep out what is new.
      while (current.length > 0 && !fits([...current, stretch], tokensMax)) current = current.slice(1)
    }
    current.push(stretch)
  }
  if (current.length > 0) chunks.push(joined(current))
  return chunks
}

function fits(stretches: readonly CountedStretch[], tokensMax: number): boolean {
  const words = stretches.reduce((sum, { text }) => sum + wordsOf(text).length, 0)
  const tokens = stretches.reduce((sum, stretch) => sum + stretch.tokens, 0)
  return words <= CHUNK_WORDS_MAX && tokens <= tokensMax
}

/** Never all of it: the next chunk would begin where this one did. */
function overlapOf(stretches: readonly CountedStretch[]): CountedStretch[] {
  let words = 0
  let from = stretches.length
  while (from > 1) {
    words += wordsOf(stretches[from - 1]?.text ?? '').length
    if (words > OVERLAP_WORDS_MAX) break
    from--
  }
  return stretches.slice(from)
}

function joined(stretches: readonly CountedStretch[]): Stretch {
  return {
    startMs: stretches[0]?.startMs ?? 0,
    endMs: stretches.at(-1)?.endMs ?? 0,
    text: stretches.map(({ text }) => text.trim()).join(' '),
  }
}

function wordsOf(text: string): string[] {
  return text.split(/\s+/u).filter((word) => word !== '')
}
