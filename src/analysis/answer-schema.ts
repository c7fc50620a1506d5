// A caller's extraction schema as the form of a model's answer, and the answers of several parts as one.

import type { ExtractionSchema, Field, Value } from '../engines/extractive/types.ts'
import { type Schema, t } from '../lib/schema.ts'
import type { Extracted } from './engine.ts'

const TEXT_CHARACTERS_MAX = 600
const LIST_ITEMS_MAX = 20
const MERGED_ITEMS_MAX = 200

/** Every value may be null, every list empty: what is not said is not there. */
export function answerSchemaOf(schema: ExtractionSchema): Schema {
  return t.Object(
    Object.fromEntries(Object.entries(schema).map(([name, field]) => [name, valueSchema(field)])),
  )
}

function valueSchema(field: Field): Schema {
  if (field.type === 'Array') return plainSchema(field)
  // One `anyOf` deep, with the description outside, where the model is shown it.
  return t.Union([plainSchema(field), t.Null()], { description: field.description })
}

function plainSchema(field: Field): Schema {
  const { description } = field
  switch (field.type) {
    case 'String':
      return t.String({ maxLength: TEXT_CHARACTERS_MAX, description })
    case 'Number':
      return t.Number({ description })
    case 'Integer':
      return t.Integer({ description })
    case 'Boolean':
      return t.Boolean({ description })
    case 'Enum':
      // One part of a grammar, however many values there are.
      return t.String({ enum: [...(field.enum ?? [])], description })
    case 'Object':
      return t.Object(objectSchema(field.properties ?? {}), { description })
    case 'Array': {
      const items = field.items ?? { type: 'String', description }
      return t.Array(plainSchema(items), { maxItems: LIST_ITEMS_MAX, description })
    }
  }
}

function objectSchema(properties: ExtractionSchema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valueSchema(field)]))
}

/** What nothing was found for. */
export function emptyExtraction(schema: ExtractionSchema): Extracted {
  return mergeExtractions(schema, [])
}

/** The first part that says something decides; lists are joined without repetition. Shaped exactly as the schema. */
export function mergeExtractions(schema: ExtractionSchema, parts: readonly unknown[]): Extracted {
  return Object.fromEntries(
    Object.entries(schema).map(([name, field]) => [
      name,
      mergeField(
        field,
        parts.map((part) => ownValue(part, name)),
      ),
    ]),
  )
}

function mergeField(field: Field, values: readonly unknown[]): Value {
  const said = values.filter(isSaid)
  if (field.type === 'Array') return mergeLists(field, said)
  if (field.type !== 'Object')
    return (said.find((value) => isOfType(field, value)) as Value | undefined) ?? null
  const merged = mergeExtractions(field.properties ?? {}, said)
  return Object.values(merged).some(isSaid) ? merged : null
}

function mergeLists(field: Field, lists: readonly unknown[]): Value {
  const items = field.items ?? { type: 'String', description: field.description }
  const merged = new Map<string, Value>()
  for (const entry of lists.flatMap((list): unknown[] => (Array.isArray(list) ? list : []))) {
    const value = mergeField(items, [entry])
    const key = JSON.stringify(value).toLowerCase()
    if (isSaid(value) && !merged.has(key)) merged.set(key, value)
  }
  return [...merged.values()].slice(0, MERGED_ITEMS_MAX)
}

function isSaid(value: unknown): boolean {
  if (value === null || value === undefined) return false
  if (typeof value === 'string') return value.trim() !== ''
  return !Array.isArray(value) || value.length > 0
}

function isOfType(field: Field, value: unknown): boolean {
  switch (field.type) {
    case 'String':
      return typeof value === 'string'
    case 'Number':
      return typeof value === 'number' && Number.isFinite(value)
    case 'Integer':
      return Number.isSafeInteger(value)
    case 'Boolean':
      return typeof value === 'boolean'
    case 'Enum':
      return typeof value === 'string' && (field.enum ?? []).includes(value)
    case 'Array':
    case 'Object':
      return false
  }
}

function ownValue(part: unknown, name: string): unknown {
  return typeof part === 'object' && part !== null && Object.hasOwn(part, name)
    ? (part as Readonly<Record<string, unknown>>)[name]
    : undefined
}
