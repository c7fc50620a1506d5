// What the words of a name say about it by themselves: a first name, a known place, the head of a place or an
// organisation, or nothing that English knows. Weights as in name-evidence.ts.

import { isEnglishWord, isKnownPlace } from './name-knowledge.ts'
import { isFirstName, type NameSpan } from './name-spans.ts'
import { NAME_AND_WORD, ORGANISATION, PLACE_HEAD, PLACE_PREPOSITION } from './name-words.ts'
import { hasTag, type TaggedWord } from './tagged.ts'
import { isStopWord } from './words.ts'

export interface Evidence {
  person: number
  place: number
  /** An organisation, a work, a product … */
  other: number
}

/** Adds what the words of the span itself say. */
export function ownWords(words: readonly TaggedWord[], span: NameSpan, evidence: Evidence): void {
  const own = words.slice(span.from, span.to)
  const [first] = own
  const last = own.at(-1)
  if (!first || !last) return
  const several = own.length > 1
  const headed = several && (PLACE_HEAD.test(first.lower) || PLACE_HEAD.test(last.lower))
  const organised = own.some((word) => ORGANISATION.test(word.lower))
  const placed = isPlace(own, span.name)
  if (headed) evidence.place += 3
  if (organised) evidence.other += headed && !ORGANISATION.test(last.lower) ? 1.5 : 3.5
  if (placed) evidence.place += 2.2
  else if (own.every((word) => hasTag(word, 'Place'))) evidence.place += several ? 1.6 : 1
  if (/^(?:St|Saint)$/.test(first.text) && last.possessive) evidence.place += 2
  if (several || !placed) evidence.person += firstName(own, first, last)
  if (several && !headed && !placed) unknownWords(words, span, organised, evidence)
  if (own.some((word) => hasTag(word, 'Organization'))) evidence.other += 1
  if (!span.sign && first.text.length > 1 && first.text === first.text.toUpperCase()) evidence.other += 1.5
}

function firstName(own: readonly TaggedWord[], first: TaggedWord, last: TaggedWord): number {
  const word = NAME_AND_WORD.test(first.lower)
  if (own.length === 1) return isFirstName(first) ? (word ? 1 : 1.6) : 0
  if (isFirstName(first)) return 2.4
  if (word && !isEnglishWord(last.lower)) return 2
  return own.every((one) => hasTag(one, 'Person', 'LastName')) ? 1 : 0
}

function isPlace(own: readonly TaggedWord[], name: string): boolean {
  if (isKnownPlace(name.toLowerCase())) return true
  return own.every((word) => hasTag(word, 'City', 'Country', 'Region')) && !own.some(isFirstName)
}

/** Several words that are neither known nor headed by a known one. */
function unknownWords(
  words: readonly TaggedWord[],
  span: NameSpan,
  organised: boolean,
  evidence: Evidence,
): void {
  const own = words.slice(span.from, span.to)
  const [first] = own
  if (own.length < 4 && !organised && soundsLikeName(words, span)) evidence.person += 1.4
  if (!first || isFirstName(first)) return
  // A team ("Leeds Rhinos") or a firm; a title ("Cold Comfort")
  if (hasTag(own.at(-1), 'Plural')) evidence.other += 2.5
  else if (own.every((word) => isEnglishWord(word.lower))) evidence.other += 1.5
}

/** Two or three words of which none is English, and without an article or "at" before them. */
function soundsLikeName(words: readonly TaggedWord[], { from, to }: NameSpan): boolean {
  const previous = words[from - 1]?.lower ?? ''
  const placed = previous !== 'from' && (PLACE_PREPOSITION.get(previous) ?? 0) >= 1
  if (words[from]?.before === '' && (previous === 'the' || placed)) return false
  return words.slice(from, to).every(isForeign)
}

const ENGLISH_TAGS = 'Adjective Verb Adverb Preposition Plural Actor Uncountable Determiner'.split(' ')

function isForeign(word: TaggedWord, at: number): boolean {
  if (!word.capitalised) return at > 0 && !hasTag(word, ...ENGLISH_TAGS)
  return !isEnglishWord(word.lower) && !isStopWord(word.lower) && !hasTag(word, ...ENGLISH_TAGS)
}
