// Finds what may be a name: runs of capitalised words, without the words that are only capitalised because they open a
// sentence. A transcript without capitals is the business of caseless-names.ts.

import { isEnglishWord, isGivenName, isKnownPlace } from './name-knowledge.ts'
import {
  HONORIFIC,
  KEPT_TITLE,
  KIN_OR_ROLE,
  NAME_AND_WORD,
  ORGANISATION,
  PLACE_HEAD,
  PLACE_NOUN,
} from './name-words.ts'
import { dictionaryTags, hasTag, type TaggedWord } from './tagged.ts'
import { isStopWord } from './words.ts'

/** A run of words in one sentence: `[from, to)` of its words. */
export interface NameSpan {
  readonly sentence: number
  readonly from: number
  readonly to: number
  readonly name: string
  /** As said before a surname alone, such as "Mrs."; empty for none, or one that is no part of the name. */
  readonly title: string
  /** Only its opening word is capitalised, so it may be no name at all. */
  readonly doubtful: boolean
  /** What the manner in which it was found says already. */
  readonly sign?: 'person' | 'place'
}

/** Between two capitalised words these belong to the name. */
const INSIDE =
  /^(?:of|de|da|do|dos|das|del|della|der|den|di|du|la|le|van|von|zu|bin|ibn|al|el|y|aux|au|upon|on)$/
const NEVER_NAME =
  /^(?:i|god|bible|internet|tv|dvd|cd|ok|okay|daddy|mummy|mommy|mum|mom|dad|christmas|easter|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december)$/
const LANGUAGE =
  /^(?:english|arabic|spanish|polish|french|german|italian|portuguese|russian|ukrainian|chinese|mandarin|cantonese|japanese|korean|hindi|urdu|bengali|turkish|greek|latin|hebrew|swahili|dutch|danish|swedish|norwegian|finnish|welsh|irish|gaelic)$/
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
/** "City of Leeds", "University of Leeds": the place is what follows. */
const SEAT = /^(?:city|town|borough|district|municipality|university|diocese|county|parish)$/

/** Fewer different words may be in one case by chance. */
const CASELESS_WORDS_MIN = 30
/** A longer run of capitalised words is no name. */
const NAME_WORDS_MAX = 8

export interface Casing {
  /** Words that are also said in lower case somewhere. */
  readonly lowered: ReadonlySet<string>
  /** Words that are capitalised in the middle of a sentence somewhere. */
  readonly raised: ReadonlySet<string>
  /** The transcript is written without capitals, or in capitals only. */
  readonly caseless: boolean
}

export function casingOf(sentences: readonly (readonly TaggedWord[])[]): Casing {
  const lowered = new Set<string>()
  const raised = new Set<string>()
  for (const word of sentences.flat()) {
    if (!word.capitalised) lowered.add(word.lower)
    else if (!word.opens && word.lower !== 'i') raised.add(word.lower)
  }
  const even = Math.min(lowered.size, raised.size) === 0
  return { lowered, raised, caseless: even && Math.max(lowered.size, raised.size) > CASELESS_WORDS_MIN }
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
    if (!startsName(words[at])) {
      at++
      continue
    }
    const from = at
    let to = at + 1
    while (to < words.length && joins(words, to)) to++
    // What joined without a capitalised word after it is no part of the name.
    while (to > from + 1 && words[to - 1]?.capitalised !== true) to--
    at = to
    const span = trimmed(words, { sentence, from, to, text }, casing)
    if (span) spans.push(span)
  }
  return spans
}

/** Whether it is a usual first name, and nothing else when it stands alone. */
export function isFirstName(word: TaggedWord): boolean {
  return isGivenName(word.lower) && !isKnownPlace(word.lower)
}

function startsName(word: TaggedWord | undefined): boolean {
  if (!word || !/\p{L}/u.test(word.text)) return false
  if (!word.capitalised || NEVER_NAME.test(word.lower)) return false
  if (isFirstName(word) || LANGUAGE.test(word.lower)) return true
  // "J. Smith"
  if (word.text.length === 1 && word.after.startsWith('.')) return true
  return !hasTag(word, ...NOT_A_NAME_TAGS) || hasTag(word, 'Person', 'Place')
}

/** Particles that may follow one another inside a name, as in "van der Berg". */
const PARTICLES_MAX = 3

function joins(words: readonly TaggedWord[], at: number): boolean {
  const word = words[at]
  const last = words[at - 1]
  if (!word || !last) return false
  // "King's Cross", "St. Mary's Hospital"
  const owned = (last.possessive && word.before === '') || /^['’]$/.test(word.before)
  if (owned) return word.capitalised && PLACE_HEAD.test(word.lower)
  if (last.possessive) return false
  const inSaint = /^(?:st|mt|dr|mr|mrs|ms|prof|\p{L})$/u.test(last.lower) && word.before === '.'
  const hyphened = word.before === '-'
  if (word.before !== '' && !inSaint && !hyphened) return false
  if (hyphened ? word.capitalised : startsName(word)) return true
  // "Isle of Man" and "Bank of Ireland", but not "Mary of Scotland".
  if (!hyphened && /^(?:of|on|upon)$/.test(word.lower) && !isHead(last)) return false
  let next = at
  while (next < at + PARTICLES_MAX && INSIDE.test(words[next]?.lower ?? '') && follows(words, next + 1))
    next++
  return next > at && startsName(words[next])
}

/** Whether nothing but a space or a hyphen is before it. */
function follows(words: readonly TaggedWord[], at: number): boolean {
  const before = words[at]?.before
  return before === '' || before === '-'
}

function isHead({ lower, capitalised }: TaggedWord): boolean {
  return capitalised && [PLACE_HEAD, PLACE_NOUN, ORGANISATION].some((list) => list.test(lower))
}

interface Found {
  readonly sentence: number
  readonly from: number
  readonly to: number
  readonly text: string
}

/** Takes off titles and opening words that are no part of the name. */
function trimmed(words: readonly TaggedWord[], found: Found, casing: Casing): NameSpan | undefined {
  let { from } = found
  while (from < found.to - 1 && isOpening(words, from, casing)) from++
  const seated = placeInside(words, from, found.to)
  const range = seated ?? { from, to: found.to }
  const first = words[range.from]
  const single = range.to - range.from === 1
  if (!first || range.to - range.from > NAME_WORDS_MAX || (single && isNoName(first))) return undefined
  const known = isFirstName(first) && !NAME_AND_WORD.test(first.lower)
  const doubtful = first.opens && single && !casing.raised.has(first.lower) && !known
  if (doubtful && isRatherWord(first, casing)) return undefined
  const name = found.text.slice(first.start, endOf(words, range.from, range.to))
  const title = single ? titleBefore(words, range.from, found.text) : ''
  const sign = seated ? ({ sign: 'place' } as const) : {}
  return { sentence: found.sentence, ...range, name, title, doubtful, ...sign }
}

/** Of "City of Leeds" and of "Leeds City Council", Leeds. */
function placeInside(
  words: readonly TaggedWord[],
  from: number,
  to: number,
): { from: number; to: number } | undefined {
  if (SEAT.test(words[from]?.lower ?? '') && words[from + 1]?.lower === 'of' && to - from > 2)
    return { from: from + 2, to }
  if (to - from < 2 || words[to - 1]?.lower !== 'council') return undefined
  let end = to - 1
  while (end - from > 1 && SEAT.test(words[end - 1]?.lower ?? '')) end--
  return { from, to: end }
}

function isNoName(word: TaggedWord): boolean {
  if (HONORIFIC.test(word.lower) || KIN_OR_ROLE.test(word.lower)) return true
  return isStopWord(word.lower) || word.text.length < 2 || isDemonym(word)
}

function isDemonym(word: TaggedWord): boolean {
  return LANGUAGE.test(word.lower) || dictionaryTags(word.lower).includes('Demonym')
}

function isRatherWord(word: TaggedWord, { lowered }: Casing): boolean {
  if (isEnglishWord(word.lower)) return true
  const tags = ['Plural', 'Verb', 'Adjective', 'Adverb', 'Uncountable', 'Conjunction', 'Preposition'] as const
  return lowered.has(word.lower) || hasTag(word, ...tags)
}

/** "St. John's" is the name of a place, with its ending. */
function endOf(words: readonly TaggedWord[], from: number, to: number): number {
  const last = words[to - 1]
  if (!last) return 0
  const saint = to - from > 1 && /^(?:st|saint)$/.test(words[from]?.lower ?? '')
  const next = words[to]
  const ends = !next || last.after !== '' || isStopWord(next.lower)
  return saint && last.possessive && ends ? last.end + 2 : last.end
}

function titleBefore(words: readonly TaggedWord[], from: number, text: string): string {
  const title = words[from - 1]
  const name = words[from]
  if (!title?.capitalised || !name || !KEPT_TITLE.test(title.lower)) return ''
  return name.before === '' || name.before === '.' ? text.slice(title.start, name.start).trim() : ''
}

function isOpening(words: readonly TaggedWord[], from: number, casing: Casing): boolean {
  const word = words[from]
  const next = words[from + 1]
  if (!word || !next) return false
  if (HONORIFIC.test(word.lower) && !/^(?:st|saint)$/.test(word.lower) && next.capitalised) return true
  if (/^(?:the|a|an|our|my)$/.test(word.lower)) return true
  return (
    word.opens &&
    (isStopWord(word.lower) ||
      (casing.lowered.has(word.lower) && !PLACE_HEAD.test(word.lower)) ||
      hasTag(word, 'Preposition', 'Determiner', 'Conjunction', 'QuestionWord'))
  )
}
