// Array fields: all people, places, years or numbers where the description asks for those, else what the best sentence
// enumerates. An empty list when nothing supports the field.

import type { Document } from './document.ts'
import { extractEnums } from './extract-choice.ts'
import { extractNumbers } from './extract-number.ts'
import { type FieldQuery, findSentences, stringKind } from './field-query.ts'
import type { Value, Vectors } from './types.ts'

const ITEMS_MAX = 20
/** Sentences nearly as good as the best continue its list. */
const NEXT_BEST_SHARE = 0.85
const SENTENCES_MAX = 3

export function extractList(document: Document, query: FieldQuery, vectors: Vectors): Value[] {
  const { items, description } = query.field
  if (items?.type === 'Enum') return extractEnums(document, items.enum ?? [], vectors)
  if (items?.type === 'Number' || items?.type === 'Integer') {
    const numbers = extractNumbers(document, query).map(({ value }) => value)
    return unique(items.type === 'Integer' ? numbers.filter(Number.isInteger) : numbers)
  }
  // A list in a list, or of yes and no, is nothing that can be selected.
  if (items !== undefined && items.type !== 'String') return []
  const said = `${description} ${items?.description ?? ''}`
  if (/\byears\b/i.test(said)) return unique(extractNumbers(document, query).map(({ text }) => text))
  const kind = listKind(description) ?? listKind(items?.description ?? '')
  if (kind === 'person') return document.entities.people.slice(0, ITEMS_MAX).map(({ name }) => name)
  if (kind === 'place') return document.entities.places.slice(0, ITEMS_MAX).map(({ name }) => name)
  return enumerated(document, query)
}

/** The head of the description decides: "names of athletes" are people, "what is measured" is not. */
function listKind(description: string): 'person' | 'place' | undefined {
  const singular = description
    .replace(/\b(\w+?)s\b/g, '$1')
    .replace(/\bpeople\b/gi, 'person')
    .replace(/\bcitie\b|\bcountrie\b/gi, 'city')
  const kind = stringKind(singular)
  return kind === 'person' || kind === 'place' ? kind : undefined
}

function enumerated(document: Document, query: FieldQuery): Value[] {
  const found = findSentences(document, query)
  const [best] = found
  if (!best) return []
  const sentences = found.filter(({ score }) => score >= best.score * NEXT_BEST_SHARE).slice(0, SENTENCES_MAX)
  const phrases = sentences.flatMap(({ sentence }) =>
    document.phrases.filter((phrase) => phrase.sentence === sentence.index),
  )
  // What repeats the description is not what it asks for.
  const fresh = phrases.filter(({ stems }) => !stems.every((stem) => query.allStems.has(stem)))
  return unique(fresh.map(({ text }) => text))
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)].slice(0, ITEMS_MAX)
}
