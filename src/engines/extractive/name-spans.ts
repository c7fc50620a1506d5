// Finds what may be a name: runs of capitalised words, without the words that are only capitalised because they open a
// sentence. Where a transcript has no capitals at all, the tagger's guesses take their place.

import { HONORIFIC, ORGANISATION, PLACE_HEAD, PLACE_NOUN } from './name-words.ts'
import { hasTag, type TaggedWord } from './tagged.ts'
import { isStopWord } from './words.ts'

/** A run of words in one sentence: `[from, to)` of its words. */
export interface NameSpan {
  readonly sentence: number
  readonly from: number
  readonly to: number
  readonly name: string
  /** Only its opening word is capitalised, so it may be no name at all. */
  readonly doubtful: boolean
}

/** Between two capitalised words these belong to the name. */
const INSIDE = /^(?:of|de|da|do|dos|das|del|della|der|den|di|du|la|le|van|von|zu|bin|ibn|al|el|y)$/
const NEVER_NAME =
  /^(?:i|god|bible|internet|tv|dvd|cd|ok|okay|english|christmas|easter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)$/
const NOT_A_NAME_TAGS = [
  'Date',
  'WeekDay',
  'Month',
  'Holiday',
  'Demonym',
  'Language',
  'Pronoun',
  'Expression',
  'Value',
  'Url',
  'Acronym',
]

export interface Casing {
  /** Words that are also said in lower case somewhere. */
  readonly lowered: ReadonlySet<string>
  /** Words that are capitalised in the middle of a sentence somewhere. */
  readonly raised: ReadonlySet<string>
  /** The transcript is written without capitals. */
  readonly caseless: boolean
}

export function casingOf(sentences: readonly (readonly TaggedWord[])[]): Casing {
  const lowered = new Set<string>()
  const raised = new Set<string>()
  for (const word of sentences.flat()) {
    if (!word.capitalised) lowered.add(word.lower)
    else if (!word.opens && word.lower !== 'i') raised.add(word.lower)
  }
  return { lowered, raised, caseless: raised.size === 0 && lowered.size > 30 }
}

/** One sentence as it is said, and its words. */
export interface TaggedSentence {
  readonly text: string
  readonly words: readonly TaggedWord[]
}

/** Names are slices of the sentence, in order. */
export function nameSpans({ text, words }: TaggedSentence, sentence: number, casing: Casing): NameSpan[] {
  const spans: NameSpan[] = []
  let at = 0
  while (at < words.length) {
    if (!startsName(words[at], casing)) {
      at++
      continue
    }
    const from = at
    let to = at + 1
    while (to < words.length && joins(words, to, casing)) to++
    // What joined without a capitalised word after it is no part of the name.
    while (to > from + 1 && INSIDE.test(words[to - 1]?.lower ?? '') && words[to - 1]?.capitalised !== true)
      to--
    at = to
    const span = trimmed(words, { sentence, from, to, text }, casing)
    if (span) spans.push(span)
  }
  return spans
}

function startsName(word: TaggedWord | undefined, { caseless }: Casing): boolean {
  if (!word || !/\p{L}/u.test(word.text)) return false
  if (caseless) return hasTag(word, 'FirstName', 'LastName', 'Place') && !isStopWord(word.lower)
  if (!word.capitalised || NEVER_NAME.test(word.lower)) return false
  return !hasTag(word, ...NOT_A_NAME_TAGS) || hasTag(word, 'Person', 'Place')
}

function joins(words: readonly TaggedWord[], at: number, casing: Casing): boolean {
  const word = words[at]
  const last = words[at - 1]
  if (!word || !last || last.possessive) return false
  const inSaint = /^(?:st|mt|dr|mr|mrs|ms|prof)$/.test(last.lower) && word.before === '.'
  if (word.before !== '' && !inSaint) return false
  if (startsName(word, casing)) return true
  // "Isle of Man" and "Bank of Ireland", but not "Mary of Scotland".
  if (word.lower === 'of' && ![PLACE_HEAD, PLACE_NOUN, ORGANISATION].some((list) => list.test(last.lower)))
    return false
  return INSIDE.test(word.lower) && joins(words, at + 1, casing)
}

/** Takes off honorifics and opening words that are no part of the name. */
function trimmed(
  words: readonly TaggedWord[],
  found: { sentence: number; from: number; to: number; text: string },
  casing: Casing,
): NameSpan | undefined {
  let { from } = found
  const { to, sentence } = found
  while (from < to - 1 && isOpening(words[from], casing)) from++
  const first = words[from]
  const last = words[to - 1]
  if (!first || !last || (to - from === 1 && HONORIFIC.test(first.lower))) return undefined
  if (to - from === 1 && (isStopWord(first.lower) || first.text.length < 2)) return undefined
  const doubtful = first.opens && to - from === 1 && !casing.raised.has(first.lower)
  if (
    doubtful &&
    (casing.lowered.has(first.lower) ||
      hasTag(first, 'Plural', 'Verb', 'Adjective', 'Adverb', 'Uncountable', 'Conjunction', 'Preposition'))
  )
    return undefined
  const name = found.text.slice(first.start, last.end)
  return { sentence, from, to, name, doubtful }
}

function isOpening(word: TaggedWord | undefined, casing: Casing): boolean {
  if (!word) return false
  if (HONORIFIC.test(word.lower) && !/^(?:st|saint)$/.test(word.lower)) return true
  return (
    word.opens &&
    (isStopWord(word.lower) ||
      casing.lowered.has(word.lower) ||
      hasTag(word, 'Preposition', 'Determiner', 'Conjunction', 'QuestionWord'))
  )
}
