// What is known of a word by itself: a usual first name, a place that everybody knows, a word of English. The tagger's
// dictionary and our own lists together; case and the words around it do not count.

import { FIRST_NAMES } from './first-names.ts'
import { PLACES_KNOWN } from './gazetteer.ts'
import { EVERYDAY_NOUN } from './name-words.ts'
import { dictionaryTags } from './tagged.ts'

const GIVEN: ReadonlySet<unknown> = new Set(['MaleName', 'FemaleName', 'FirstName'])
const PLACE: ReadonlySet<unknown> = new Set(['City', 'Country', 'Region'])
const OTHER_NAME = ['LastName', 'ProperNoun', 'Person', 'Place', 'Organization']
const NAME: ReadonlySet<unknown> = new Set([...GIVEN, ...PLACE, ...OTHER_NAME])

/** `lower`: one word in lower case. */
export function isGivenName(lower: string): boolean {
  const plain = unaccented(lower)
  return (
    FIRST_NAMES.has(lower) || FIRST_NAMES.has(plain) || dictionaryTags(plain).some((tag) => GIVEN.has(tag))
  )
}

/** `lower`: one or more words in lower case. */
export function isKnownPlace(lower: string): boolean {
  return PLACES_KNOWN.has(lower) || dictionaryTags(unaccented(lower)).some((tag) => PLACE.has(tag))
}

function unaccented(lower: string): string {
  return lower.normalize('NFD').replaceAll(/\p{M}/gu, '')
}

/** A word of English and no name. The dictionary lacks many nouns, so what it does not know may be one too. */
export function isEnglishWord(lower: string): boolean {
  if (EVERYDAY_NOUN.test(lower)) return true
  const tags = dictionaryTags(lower)
  return tags.length > 0 && !tags.some((tag) => NAME.has(tag)) && !FIRST_NAMES.has(lower)
}
