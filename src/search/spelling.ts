// Words that nobody in the index says → words that somebody does: slips of the finger, and beginnings of words.

const VARIANTS_MAX = 3
const PREFIX_LENGTH_MIN = 4
/** A slip in the ending of a word ("presidnet") keeps the stem from being found ("presid"). */
const STEM_LENGTH_MIN = 5
const ENDING_MAX = 4

export interface VocabularyTerm {
  readonly term: string
  /** Chunks that hold it. */
  readonly chunks: number
}

export interface Variant extends VocabularyTerm {
  /** 1 for the word itself; less, the less sure it is that this was meant. */
  readonly weight: number
}

/** How many slips a word of so many letters may hold. */
function slipsAllowed(length: number): number {
  if (length < 4) return 0
  return length < 7 ? 1 : 2
}

/**
 * The likeliest up to three, of terms that share the first letter with the word. `word` as typed, `stem` as the index
 * would hold it.
 */
export function variantsOf(word: string, stem: string, terms: Iterable<VocabularyTerm>): Variant[] {
  const allowed = slipsAllowed(word.length)
  const found: (Variant & { readonly slips: number })[] = []
  for (const { term, chunks } of terms) {
    if (term.length >= word.length && word.length >= PREFIX_LENGTH_MIN && term.startsWith(word)) {
      found.push({ term, chunks, weight: 0.8, slips: 0 })
      continue
    }
    if (term.length >= STEM_LENGTH_MIN && word.length - term.length <= ENDING_MAX && word.startsWith(term)) {
      found.push({ term, chunks, weight: 0.85, slips: 1 })
      continue
    }
    if (Math.abs(term.length - stem.length) > allowed + 1) continue
    const slips = Math.min(distance(stem, term, allowed), distance(word, term, allowed))
    if (slips <= allowed && term.length > 2) found.push({ term, chunks, weight: 1 - 0.15 * slips, slips })
  }
  return found
    .toSorted((a, b) => a.slips - b.slips || b.chunks - a.chunks)
    .slice(0, VARIANTS_MAX)
    .map(({ term, chunks, weight }) => ({ term, chunks, weight }))
}

/**
 * Insertions, deletions, replacements and swaps of neighbours from one word to the other (optimal string alignment);
 * anything above `limit` is only known to be above it.
 */
export function distance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) > limit) return limit + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      )
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? Number.POSITIVE_INFINITY) + 1)
      }
      current.push(cost)
      least = Math.min(least, cost)
    }
    if (least > limit) return limit + 1
    beforeLast = last
    last = current
  }
  return last[to.length] ?? limit + 1
}
