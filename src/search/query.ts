// What somebody typed → words to look for. The query is data: whatever is in it, it never becomes FTS5 syntax.

/** Further words add nothing but work. */
const WORDS_MAX = 32

/** English words that say nothing about what a text is about. Only left out when something else remains. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'a about after all also am an and any anybody are as at be because been before being but by can could did do does ' +
    'doing don down during each every few for from get gets getting give go going had has have having he her here hers ' +
    'him his how i if in into is it its itself just know let like ll look make me more most much my no nor not of off on ' +
    'once one only or other our out over own re really s said same say saying says she should so some somebody someone ' +
    'something such t talk talked talking talks tell telling than that the their them then there these they thing things ' +
    'this those through to told too under until up us ve very was way we were what when where which while who whom whose ' +
    'why will with without would you your'
  ).split(' '),
)

/** Those of them that occur in nearly every English sentence and seldom in other languages. */
const ENGLISH_MARKS: ReadonlySet<string> = new Set(
  'and are been can did does from had has have how is it not of that the their there they this to was what when where which who why with would you'.split(
    ' ',
  ),
)

/** Letters, digits and their marks, as FTS5's unicode61 divides them, in lower case. */
export function wordsOf(text: string): string[] {
  return (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? []
  )
}

/** Different words that the query is about, at most 32. */
export function contentWords(query: string): string[] {
  const all = [...new Set(wordsOf(query))]
  const content = all.filter((word) => !STOP_WORDS.has(word))
  return (content.length > 0 ? content : all).slice(0, WORDS_MAX)
}

/** An FTS5 query for chunks that hold any of the words. Undefined for none. */
export function anyOf(words: readonly string[]): string | undefined {
  // A quoted string is a phrase, whatever is in it; words hold no quotes.
  return words.length === 0 ? undefined : words.map((word) => `"${word}"`).join(' OR ')
}

export interface TokenShare {
  readonly tokens: number
  readonly unknown: number
}

/** Pieces per word that only a language which the vocabulary was not made for needs. English has 1.0 to 1.5. */
const FOREIGN_TOKENS_PER_WORD = 2
export const UNKNOWN_SHARE_MAX = 0.2
const JUDGED_WORDS_MIN = 3

/**
 * Whether an English model can make sense of the text: few unknown pieces, and either an English function word or words
 * that its vocabulary holds as they are. Short texts get the benefit of the doubt.
 */
export function looksEnglish(text: string, { tokens, unknown }: TokenShare): boolean {
  const words = wordsOf(text)
  if (tokens === 0 || words.length === 0 || unknown / tokens > UNKNOWN_SHARE_MAX) return false
  if (words.length < JUDGED_WORDS_MIN || words.some((word) => ENGLISH_MARKS.has(word))) return true
  return tokens / words.length < FOREIGN_TOKENS_PER_WORD
}
