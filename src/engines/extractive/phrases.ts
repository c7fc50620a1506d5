// Noun phrases: what a sentence talks about, as it says it. Names of people and places are no phrases.

import { hasTag, type TaggedWord } from './tagged.ts'
import { isStopWord, stemOf } from './words.ts'

const WORDS_MAX = 4
/** Nouns that are about nothing in particular. */
const VAGUE =
  /^(?:thing|things|lot|kind|sort|bit|way|time|times|case|fact|point|number|example|word|question|questions|idea|reason|something|anything|nobody|somebody|gentleman|caller|item|morning|evening|afternoon|night|tonight|noon|week|month|year|years|day|days|hour|minute|minutes|second|moment|rest|half|side|end|start|part|place|piece|one|others?|guy|guys|everybody|video|episode|channel|comment|comments|thanks|welcome|sir|bye|hello|name|favour|luck|wood|mess|top|bottom|middle|front)$/
const NO_PHRASE_TAGS = [
  'Pronoun',
  'Date',
  'Value',
  'Expression',
  'WeekDay',
  'Month',
  'Duration',
  'Honorific',
  'QuestionWord',
  'There',
  'Negative',
  'Possessive',
]

export interface Phrase {
  /** As it is said, from the first to the last of its words. */
  readonly text: string
  /** Stems of its words, in order. */
  readonly stems: readonly string[]
  readonly sentence: number
  readonly start: number
  readonly end: number
}

/** Noun phrases of a sentence, longest first at each place, not overlapping. */
export function phrasesOf(text: string, words: readonly TaggedWord[], sentence: number): Phrase[] {
  const phrases: Phrase[] = []
  let run: TaggedWord[] = []
  const close = (): void => {
    const phrase = phraseOf(run, text, sentence)
    if (phrase) phrases.push(phrase)
    run = []
  }
  for (const word of words) {
    const kind = kindOf(word)
    const last = run.at(-1)
    // An adjective after a noun begins another phrase, and so does anything after a mark.
    if (
      kind === 'none' ||
      (last && (word.before !== '' || (kind === 'adjective' && kindOf(last) === 'noun')))
    )
      close()
    if (kind !== 'none') run.push(word)
    if (word.possessive) close()
  }
  close()
  return phrases
}

function kindOf(word: TaggedWord): 'noun' | 'adjective' | 'none' {
  if (isStopWord(word.lower) || !/\p{L}{2}/u.test(word.text)) return 'none'
  if (hasTag(word, ...NO_PHRASE_TAGS) && !hasTag(word, 'Unit')) return 'none'
  if (word.capitalised && (!word.opens || hasTag(word, 'Person', 'Place', 'ProperNoun'))) return 'none'
  if (hasTag(word, 'Noun', 'Gerund')) return hasTag(word, 'Gerund') && !hasTag(word, 'Noun') ? 'none' : 'noun'
  return hasTag(word, 'Adjective') && !hasTag(word, 'Comparative', 'Superlative') ? 'adjective' : 'none'
}

function phraseOf(run: readonly TaggedWord[], text: string, sentence: number): Phrase | undefined {
  const words = run.slice(-WORDS_MAX)
  const [first] = words
  const last = words.at(-1)
  if (!first || !last || kindOf(last) !== 'noun') return undefined
  if (words.every(({ lower }) => VAGUE.test(lower))) return undefined
  return {
    text: text.slice(first.start, last.end),
    stems: words.map(({ lower }) => stemOf(lower)),
    sentence,
    start: first.start,
    end: last.end,
  }
}
