// Array fields: people, places, years or numbers where the description asks for those, else what the sentences that support
// it enumerate. An empty list when nothing supports the field.

import { extractEnums } from './extract-choice.ts'
import { rankNames } from './extract-name.ts'
import { extractNumbers } from './extract-number.ts'
import type { FieldQuery } from './field-query.ts'
import { type Reading, termsOf } from './reading.ts'
import { wishOf } from './string-kind.ts'
import { supportFor } from './support.ts'
import type { Value, Vectors } from './types.ts'
import { isStopWord, stemOf, wordsOf } from './words.ts'

const ITEMS_MAX = 20
/** Sentences nearly as good as the best continue its list. */
const NEXT_BEST_SHARE = 0.85
const SENTENCES_MAX = 3
const SUPPORT_MIN = 0.45
/** Names that fit nearly as well as the best belong to the list, and so do those of its sentence. */
const LISTED = { behind: 0.18, min: 0.6 }

export function extractList(reading: Reading, query: FieldQuery, vectors: Vectors): Value[] {
  const { items, description } = query.field
  if (items?.type === 'Enum') return extractEnums(reading, query, items.enum ?? [], vectors)
  if (items?.type === 'Number' || items?.type === 'Integer') {
    const numbers = extractNumbers(reading, query).map(({ value }) => value)
    return unique(items.type === 'Integer' ? numbers.filter(Number.isInteger) : numbers)
  }
  // A list in a list, or of yes and no, is nothing that can be selected.
  if (items !== undefined && items.type !== 'String') return []
  const said = `${description} ${items?.description ?? ''}`
  if (/\byears\b/i.test(said)) return unique(extractNumbers(reading, query).map(({ text }) => text))
  const kind = listKind(description) ?? listKind(items?.description ?? '')
  if (kind === undefined) return enumerated(reading, query)
  return namesFor(reading, query, kind)
}

/** The head of the description decides: "names of athletes" are people, "what is measured" is not. */
function listKind(description: string): 'person' | 'place' | undefined {
  const singular = description
    .replace(/\b(\w+?)s\b/g, '$1')
    .replace(/\bpeople\b/gi, 'person')
    .replace(/\bchildren\b/gi, 'child')
    .replace(/\bcitie\b|\bcountrie\b|\bcommunitie\b/gi, 'city')
  const { kind } = wishOf(singular)
  return kind === 'person' || kind === 'place' ? kind : undefined
}

const ANY =
  /^(?:all |the |names? of )*(?:the )?(?:people|persons|places|cities|countries|locations|speakers|participants)?(?: (?:who|that|which)? ?(?:are |were )?(?:mentioned|named|present|visited))?$/i

function namesFor(reading: Reading, query: FieldQuery, kind: 'person' | 'place'): Value[] {
  const { people, places } = reading.document.entities
  const all = (kind === 'person' ? people : places).map(({ name }) => name)
  const terms = termsOf(reading, query).filter(({ exact, related }) => exact.length + related.length > 0)
  if (terms.length === 0 || ANY.test(query.field.description.trim())) return unique(all)
  const wish = { ...wishOf(query.field.description), kind }
  const ranked = rankNames(reading, query, wish).filter((name) => name.kind === kind)
  const [best] = ranked
  if (!best) return []
  const chosen = ranked.filter(
    ({ score, mention }) =>
      score >= best.score - LISTED.behind ||
      (mention.sentence === best.mention.sentence && score >= best.score - 2 * LISTED.behind),
  )
  return unique(chosen.filter(({ score }) => score >= LISTED.min).map(({ name }) => name))
}

function enumerated(reading: Reading, query: FieldQuery): Value[] {
  const found = supportFor(reading, query)
  const [best] = found
  if (!best || best.score < SUPPORT_MIN) return []
  const sentences = found.filter(({ score }) => score >= best.score * NEXT_BEST_SHARE).slice(0, SENTENCES_MAX)
  const listed = sentences.flatMap(({ sentence }) => itemsOf(sentence.text, query.allStems))
  if (listed.length > 0) return unique(listed)
  const phrases = sentences.flatMap(({ sentence }) =>
    reading.document.phrases.filter((phrase) => phrase.sentence === sentence.index),
  )
  // What repeats the description is not what it asks for.
  const fresh = phrases.filter(({ stems }) => !stems.every((stem) => query.allStems.has(stem)))
  return unique(fresh.map(({ text }) => text))
}

const ITEM = "[\\p{L}\\d'’-]{1,60}(?: [\\p{L}\\d'’-]{1,60}){0,3}"
const LIST = new RegExp(`(?:${ITEM}, ){1,8}(?:${ITEM} )?(?:and|or) ${ITEM}`, 'u')

/** What a sentence lists with commas and "and": "wheat bran, madder root and ash lye". */
function itemsOf(text: string, asked: ReadonlySet<string>): string[] {
  return (LIST.exec(text)?.[0] ?? '')
    .split(/, (?:and |or )?| and | or /)
    .map((item) => trimmed(item, asked))
    .filter((item) => item !== '')
}

/** Without what stands before the noun phrase that an item ends with, and without the words of the description. */
function trimmed(item: string, asked: ReadonlySet<string>): string {
  const words = item.split(' ')
  const last = words.findLastIndex((word) => isStopWord(wordsOf(word)[0] ?? ''))
  const rest = words.slice(last + 1)
  while (rest.length > 1 && asked.has(stemOf(rest[0]?.toLowerCase() ?? ''))) rest.shift()
  return rest.join(' ')
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)].slice(0, ITEMS_MAX)
}
