// What a language model may answer: a JSON schema with every bound made explicit. Grammar, clipping and the limit of
// tokens all read this one form, so that what is generated is always finite and always clipped to what was asked for.

import { Problem } from '../../lib/problem.ts'
import type { Schema } from '../../lib/schema.ts'

export type Scalar = string | number | boolean | null

export type Shape =
  /** Lengths in characters. */
  | { readonly kind: 'string'; readonly min: number; readonly max: number; readonly about?: string }
  /** Whole numbers, or numbers with at most `DECIMALS` decimals. */
  | {
      readonly kind: 'number'
      readonly whole: boolean
      readonly min: number
      readonly max: number
      readonly about?: string
    }
  | { readonly kind: 'boolean'; readonly about?: string }
  | { readonly kind: 'enum'; readonly values: readonly Scalar[]; readonly about?: string }
  | {
      readonly kind: 'array'
      readonly items: Shape
      readonly min: number
      readonly max: number
      readonly about?: string
    }
  /** Every property is always there, in this order. */
  | {
      readonly kind: 'object'
      readonly properties: readonly (readonly [string, Shape])[]
      readonly about?: string
    }
  | { readonly kind: 'union'; readonly options: readonly Shape[]; readonly about?: string }

/** llama.cpp refuses a grammar with a repetition of 2,000 or more. */
export const REPETITIONS_MAX = 1_900
export const STRING_MAX = 400
export const ITEMS_MAX = 16
export const DECIMALS = 6
/** Twelve digits: exact in a double with all decimals. */
export const NUMBER_MAX = 999_999_999_999

const LEVELS_MAX = 8
const NODES_MAX = 512
const ENUM_VALUES_MAX = 256
/** 1 to 200 characters, none of them a control character. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,200}$/u

/** Keywords that only describe. */
const NOTES = new Set([
  'title',
  'description',
  'examples',
  'default',
  '$id',
  '$comment',
  'readOnly',
  'writeOnly',
])

const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength'],
  integer: ['minimum', 'maximum'],
  number: ['minimum', 'maximum'],
  boolean: [],
  null: [],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
}

type Keywords = Readonly<Record<string, unknown>>

/**
 * Bounds that the schema leaves open become `STRING_MAX`, `ITEMS_MAX` and `NUMBER_MAX`. Throws Problem('invalid_schema')
 * with the path of what cannot be generated within bounds: unknown keywords, patterns, references, open objects.
 */
export function shapeOf(schema: Schema): Shape {
  let nodes = 0

  function read(given: unknown, path: string, level: number): Shape {
    if (!isObject(given)) throw refuse(path, 'must be a schema object')
    if (level > LEVELS_MAX) throw refuse(path, `is nested deeper than ${LEVELS_MAX} levels`)
    if (++nodes > NODES_MAX) throw refuse(path, `is one of more than ${NODES_MAX} parts`)
    const about = typeof given['description'] === 'string' ? { about: given['description'] } : {}
    if ('anyOf' in given) return { ...readUnion(given, path, level), ...about }
    if ('enum' in given || 'const' in given) return { ...readEnum(given, path), ...about }
    const type = typeof given['type'] === 'string' ? given['type'] : ''
    const allowed = KEYWORDS[type]
    if (!allowed)
      throw refuse(path, `has no type that can be generated (${Object.keys(KEYWORDS).join(', ')})`)
    requireKnown(given, ['type', ...allowed], path)
    if (type === 'array') return { ...readArray(given, path, level), ...about }
    if (type === 'object') return { ...readObject(given, path, level), ...about }
    return { ...readScalar(given, type, path), ...about }
  }

  function readArray(given: Keywords, path: string, level: number): Shape {
    const max = bound(given, 'maxItems', ITEMS_MAX, path)
    const min = bound(given, 'minItems', 0, path)
    if (min > max) throw refuse(path, `wants at least ${min} items, but may have ${max} at most`)
    return { kind: 'array', items: read(given['items'], `${path}[]`, level + 1), min, max }
  }

  function readObject(given: Keywords, path: string, level: number): Shape {
    const { properties, additionalProperties } = given
    if (!isObject(properties) || Object.keys(properties).length === 0)
      throw refuse(path, 'names no properties')
    if (additionalProperties !== undefined && additionalProperties !== false)
      throw refuse(path, 'allows additional properties, which cannot be bounded')
    const entries = Object.entries(properties).map(([name, value]) => {
      // The compiler of schemas takes no others, and nobody could tell them apart in a message.
      if (!NAME.test(name))
        throw refuse(path, 'has a property whose name is empty, too long or not printable')
      return [name, read(value, path === '' ? name : `${path}.${name}`, level + 1)] as const
    })
    return { kind: 'object', properties: entries }
  }

  function readUnion(given: Keywords, path: string, level: number): Shape {
    requireKnown(given, ['anyOf'], path)
    const { anyOf } = given
    if (!Array.isArray(anyOf) || anyOf.length === 0) throw refuse(path, 'has an empty anyOf')
    const options = anyOf.map((option) => read(option, path, level + 1))
    // Alternatives of literals are one enum: shorter to write, and one question for the model instead of many.
    if (options.every((option) => option.kind === 'enum'))
      return { kind: 'enum', values: options.flatMap((option) => option.values) }
    return { kind: 'union', options }
  }

  return read(schema, '', 1)
}

function readEnum(given: Keywords, path: string): Shape {
  requireKnown(given, ['enum', 'const', 'type'], path)
  const values: readonly unknown[] = Array.isArray(given['enum']) ? given['enum'] : [given['const']]
  if (values.length === 0 || values.length > ENUM_VALUES_MAX || !values.every(isScalar))
    throw refuse(path, `needs 1 to ${ENUM_VALUES_MAX} texts, numbers, booleans or nulls to choose from`)
  return { kind: 'enum', values }
}

function readScalar(given: Keywords, type: string, path: string): Shape {
  if (type === 'null') return { kind: 'enum', values: [null] }
  if (type === 'boolean') return { kind: 'boolean' }
  if (type === 'string') {
    const max = Math.min(bound(given, 'maxLength', STRING_MAX, path), REPETITIONS_MAX)
    const min = bound(given, 'minLength', 0, path)
    if (min > max) throw refuse(path, `wants at least ${min} characters; ${max} can be generated at most`)
    return { kind: 'string', min, max }
  }
  const min = limit(given, 'minimum', -NUMBER_MAX, path)
  const max = limit(given, 'maximum', NUMBER_MAX, path)
  if (min > max) throw refuse(path, `has a minimum of ${min}, above its maximum of ${max}`)
  return { kind: 'number', whole: type === 'integer', min, max }
}

/** The most bytes that JSON of this shape can have: no token is shorter than a byte, so it limits tokens too. */
export function longestBytes(shape: Shape): number {
  switch (shape.kind) {
    case 'string':
      // A character is four bytes at most, written directly or as a two-byte escape.
      return 2 + 4 * shape.max
    case 'number':
      return 1 + String(NUMBER_MAX).length + (shape.whole ? 0 : 1 + DECIMALS)
    case 'boolean':
      return 'false'.length
    case 'enum':
      return Math.max(...shape.values.map((value) => Buffer.byteLength(JSON.stringify(value))))
    case 'array':
      return 2 + shape.max * (1 + longestBytes(shape.items))
    case 'object':
      return shape.properties.reduce(
        (sum, [name, value]) => sum + Buffer.byteLength(JSON.stringify(name)) + 2 + longestBytes(value),
        2,
      )
    case 'union':
      return Math.max(...shape.options.map(longestBytes))
  }
}

/** The same with half the room in texts and lists, for a second attempt at an answer that did not end in time. */
export function tightened(shape: Shape): Shape {
  switch (shape.kind) {
    case 'string':
      return { ...shape, max: Math.max(shape.min, Math.ceil(shape.max / 2)) }
    case 'array':
      return {
        ...shape,
        items: tightened(shape.items),
        max: Math.max(shape.min, Math.ceil(shape.max / 2)),
      }
    case 'object':
      return { ...shape, properties: shape.properties.map(([name, value]) => [name, tightened(value)]) }
    case 'union':
      return { ...shape, options: shape.options.map(tightened) }
    case 'number':
    case 'boolean':
    case 'enum':
      return shape
  }
}

function bound(given: Keywords, name: string, fallback: number, path: string): number {
  const value = given[name]
  if (value === undefined) return fallback
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0)
    throw refuse(path, `has a ${name} that is no whole number`)
  return Math.min(value, REPETITIONS_MAX + (name.startsWith('min') ? 1 : 0))
}

function limit(given: Keywords, name: string, fallback: number, path: string): number {
  const value = given[name]
  if (value === undefined) return fallback
  if (typeof value !== 'number' || Math.abs(value) > NUMBER_MAX)
    throw refuse(path, `has a ${name} that is no number of at most twelve digits`)
  return value
}

function requireKnown(given: Keywords, names: readonly string[], path: string): void {
  const unknown = Object.keys(given).find((name) => !names.includes(name) && !NOTES.has(name))
  if (unknown !== undefined) throw refuse(path, `uses "${unknown}", which cannot be generated within bounds`)
}

function refuse(path: string, reason: string): Problem {
  return new Problem('invalid_schema', `The schema${path === '' ? '' : ` at "${path}"`} ${reason}`)
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'boolean'].includes(typeof value) || Number.isFinite(value)
}

function isObject(value: unknown): value is Keywords {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
