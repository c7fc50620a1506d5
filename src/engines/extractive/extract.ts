// Values for a caller's schema, selected from the transcript by the type of each field: names, numbers, phrases, the
// best-supported sentence. What the transcript does not support is null (an empty list for Array); nothing is made up.

import type { Document } from './document.ts'
import { extractEnum, extractBoolean } from './extract-choice.ts'
import { extractList } from './extract-list.ts'
import { extractNumber } from './extract-number.ts'
import { extractString } from './extract-string.ts'
import { type FieldQuery, fieldQuery, queryTexts } from './field-query.ts'
import { type Reading, readingOf } from './reading.ts'
import { supportFor } from './support.ts'
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
  return extractFrom(readingOf(document), schema, vectors)
}

function extractFrom(reading: Reading, schema: ExtractionSchema, vectors: Vectors): Record<string, Value> {
  // Entries, not assignment: a field may be called __proto__.
  return Object.fromEntries(
    Object.entries(schema).map(([name, field]) => [
      name,
      valueOf(reading, fieldQuery(name, field, vectors), vectors),
    ]),
  )
}

function valueOf(reading: Reading, query: FieldQuery, vectors: Vectors): Value {
  const { field, name } = query
  switch (field.type) {
    case 'Number':
    case 'Integer':
      return extractNumber(reading, query)
    case 'Boolean':
      return extractBoolean(reading, query)
    case 'Enum':
      return extractEnum(reading, query, vectors)
    case 'Array':
      return field.items?.type === 'Object'
        ? objectsOf(reading, fieldQuery(name, field.items, vectors), field.items, vectors)
        : extractList(reading, query, vectors)
    case 'Object':
      return objectOf(reading, field, vectors)
    case 'String':
      return extractString(reading, query)
  }
}

/** null when none of its properties was found. */
function objectOf(reading: Reading, field: Field, vectors: Vectors): Value {
  const value = extractFrom(reading, field.properties ?? {}, vectors)
  return Object.values(value).every(isEmpty) ? null : value
}

const OBJECTS_MAX = 10
/** Support below which a sentence speaks of no such thing. */
const OBJECT_SUPPORT_MIN = 0.4

/** An object per sentence that is about it, from what that sentence alone says. */
function objectsOf(reading: Reading, query: FieldQuery, items: Field, vectors: Vectors): Value[] {
  const values: Value[] = []
  const supporting = supportFor(reading, query).filter(({ score }) => score >= OBJECT_SUPPORT_MIN)
  for (const { sentence } of supporting.slice(0, OBJECTS_MAX)) {
    const value = objectOf(readingOf(only(reading.document, sentence.index)), items, vectors)
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
