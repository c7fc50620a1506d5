// Values for a caller's schema, selected from the transcript by the type of each field: names, numbers, phrases, the
// best-supported sentence. What the transcript does not support is null (an empty list for Array); nothing is made up.

import type { Document } from './document.ts'
import { extractEnum, extractBoolean } from './extract-choice.ts'
import { extractList } from './extract-list.ts'
import { extractNumber } from './extract-number.ts'
import { extractString } from './extract-string.ts'
import { type FieldQuery, fieldQuery, findSentences, queryTexts } from './field-query.ts'
import type { ExtractionSchema, Field, Value, Vectors } from './types.ts'

/** Every text that needs a vector for `extract` to work at its best. */
export function schemaTexts(schema: ExtractionSchema): string[] {
  const texts: string[] = []
  for (const [name, field] of Object.entries(schema)) {
    texts.push(...queryTexts(field))
    if (field.properties) texts.push(...schemaTexts(field.properties))
    if (field.items) texts.push(...schemaTexts({ [name]: field.items }))
  }
  return texts
}

/** One key per field of the schema, in its order. */
export function extract(
  document: Document,
  schema: ExtractionSchema,
  vectors: Vectors,
): Record<string, Value> {
  // Entries, not assignment: a field may be called __proto__.
  return Object.fromEntries(
    Object.entries(schema).map(([name, field]) => [
      name,
      valueOf(document, fieldQuery(name, field, vectors), vectors),
    ]),
  )
}

function valueOf(document: Document, query: FieldQuery, vectors: Vectors): Value {
  const { field, name } = query
  switch (field.type) {
    case 'Number':
    case 'Integer':
      return extractNumber(document, query)
    case 'Boolean':
      return extractBoolean(document, query)
    case 'Enum':
      return extractEnum(document, query, vectors)
    case 'Array':
      return field.items?.type === 'Object'
        ? objectsOf(document, name, field.items, vectors)
        : extractList(document, query, vectors)
    case 'Object':
      return objectOf(document, field, vectors)
    case 'String':
      return extractString(document, query)
  }
}

/** null when none of its properties was found. */
function objectOf(document: Document, field: Field, vectors: Vectors): Value {
  const value = extract(document, field.properties ?? {}, vectors)
  return Object.values(value).every(isEmpty) ? null : value
}

const OBJECTS_MAX = 10

/** An object per sentence that is about it, from what that sentence alone says. */
function objectsOf(document: Document, name: string, field: Field, vectors: Vectors): Value[] {
  const values: Value[] = []
  for (const { sentence } of findSentences(document, fieldQuery(name, field, vectors)).slice(
    0,
    OBJECTS_MAX,
  )) {
    const value = objectOf(only(document, sentence.index), field, vectors)
    if (value !== null) values.push(value)
  }
  return values
}

function only(document: Document, sentence: number): Document {
  const sentences = document.index.sentences.filter(({ index }) => index === sentence)
  const named = <T extends { sentences: readonly number[] }>(list: readonly T[]): T[] =>
    list.filter((entity) => entity.sentences.includes(sentence))
  return {
    ...document,
    index: { ...document.index, sentences },
    phrases: document.phrases.filter((phrase) => phrase.sentence === sentence),
    entities: { people: named(document.entities.people), places: named(document.entities.places) },
  }
}

function isEmpty(value: Value): boolean {
  return value === null || (Array.isArray(value) && value.length === 0)
}
