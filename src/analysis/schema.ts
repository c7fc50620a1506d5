// A caller's extraction schema: what it may say, and every fault in it by path. Whatever passes is small, flat enough and
// free of names that mean something to JavaScript, so that later code may walk it without a second thought.

import type { ExtractionSchema, Field } from '../engines/extractive/types.ts'
import { Problem } from '../lib/problem.ts'

export const FIELD_TYPES = ['String', 'Number', 'Integer', 'Boolean', 'Object', 'Array', 'Enum'] as const

const ROOT_FIELDS_MAX = 10
const LEVELS_MAX = 3
/** At all levels together; the contract bounds only the root. */
const FIELDS_MAX = 100
const NAME_CHARACTERS_MAX = 64
const DESCRIPTION_CHARACTERS_MAX = 1_000
/** Names, descriptions and values together: a model must be able to read them beside a part of the transcript. */
const CHARACTERS_MAX = 8_000
const ENUM_VALUES_MAX = 100
const ENUM_CHARACTERS_MAX = 200
/** Faults told at once. */
const FAULTS_MAX = 10

type Json = Readonly<Record<string, unknown>>

/** What belongs to a type beside `type` and `description`. */
const OWN_KEYS: Readonly<Record<Field['type'], readonly string[]>> = {
  String: [],
  Number: [],
  Integer: [],
  Boolean: [],
  Object: ['properties'],
  Array: ['items'],
  Enum: ['enum'],
}

/** A new value with own properties only. Throws Problem `invalid_schema` that names the path of each fault. */
export function parseExtractionSchema(value: unknown): ExtractionSchema {
  const reader = createReader()
  const schema = reader.fields(value, '', 1)
  if (reader.faults.length === 0) {
    const characters = JSON.stringify(schema).length
    if (characters <= CHARACTERS_MAX) return schema
    throw new Problem(
      'invalid_schema',
      `The schema is not valid. schema: has ${characters} characters; at most ${CHARACTERS_MAX} are allowed.`,
    )
  }
  const shown = reader.faults.slice(0, FAULTS_MAX)
  const more = reader.faults.length - shown.length
  throw new Problem(
    'invalid_schema',
    `The schema is not valid. ${shown.join(' ')}${more > 0 ? ` And ${more} more.` : ''}`,
  )
}

interface Place {
  readonly path: string
  readonly level: number
}

interface Reader {
  readonly faults: readonly string[]
  fields(value: unknown, path: string, level: number): ExtractionSchema
}

function createReader(): Reader {
  const faults: string[] = []
  let count = 0

  function fault(path: string, message: string): undefined {
    faults.push(`${path === '' ? 'schema' : path}: ${message}.`)
    return undefined
  }

  function fields(value: unknown, path: string, level: number): ExtractionSchema {
    const place = path === '' ? path : `${path}.properties`
    if (!isObject(value)) {
      fault(place, 'must be an object that maps field names to definitions')
      return {}
    }
    const names = Object.keys(value)
    if (names.length === 0) fault(place, 'must name at least one field')
    if (level === 1 && names.length > ROOT_FIELDS_MAX) {
      fault(place, `has ${names.length} fields; at most ${ROOT_FIELDS_MAX} are allowed`)
      return {}
    }
    const entries: [string, Field][] = []
    for (const name of names) {
      if (++count > FIELDS_MAX) {
        // Told once: what follows is not looked at.
        if (count === FIELDS_MAX + 1) fault(place, `the schema has more than ${FIELDS_MAX} fields in all`)
        break
      }
      const inner = path === '' ? shownName(name) : `${path}.${shownName(name)}`
      if (!checkName(name, inner)) continue
      const read = definition(value[name], { path: inner, level })
      if (read) entries.push([name, read])
    }
    return Object.fromEntries(entries)
  }

  function checkName(name: string, path: string): boolean {
    if (name.trim() === '') fault(path, 'a field needs a name')
    else if (name.length > NAME_CHARACTERS_MAX)
      fault(path, `the name is longer than ${NAME_CHARACTERS_MAX} characters`)
    else if (name in Object.prototype) fault(path, 'this name is reserved; choose another')
    else if (!/^[\p{L}_][\p{L}\p{M}\p{N}_ -]*$/u.test(name))
      fault(path, 'a name starts with a letter or "_" and has only letters, digits, "_", "-" and spaces')
    else return true
    return false
  }

  function definition(value: unknown, { path, level }: Place): Field | undefined {
    if (!isObject(value)) return fault(path, 'must be an object with "type" and "description"')
    if (level > LEVELS_MAX) return fault(path, `is nested deeper than ${LEVELS_MAX} levels`)
    const description = readDescription(value, path)
    const type = readType(value, path)
    if (type === undefined) return undefined
    refuseUnknown(value, type, path)
    const base = { type, description: description ?? '' }
    if (type === 'Object') return { ...base, properties: fields(value['properties'], path, level + 1) }
    if (type === 'Enum') return { ...base, enum: readEnum(value['enum'], path) }
    if (type !== 'Array' || !hasOwn(value, 'items')) return base
    const items = readItems(value['items'], { path: `${path}.items`, level })
    return items ? { ...base, items } : base
  }

  /** A list inside a list is a level deeper, as the properties of an object are. */
  function readItems(value: unknown, { path, level }: Place): Field | undefined {
    const nested = isObject(value) && value['type'] === 'Array'
    return definition(value, { path, level: nested ? level + 1 : level })
  }

  function readDescription(value: Json, path: string): string | undefined {
    const description = hasOwn(value, 'description') ? value['description'] : undefined
    if (description === undefined) return fault(path, '"description" is required')
    if (typeof description !== 'string') return fault(path, '"description" must be a string')
    if (description.trim() === '') return fault(path, '"description" must not be empty')
    if (description.length > DESCRIPTION_CHARACTERS_MAX)
      return fault(path, `"description" is longer than ${DESCRIPTION_CHARACTERS_MAX} characters`)
    return description.trim()
  }

  function readType(value: Json, path: string): Field['type'] | undefined {
    const type = hasOwn(value, 'type') ? value['type'] : undefined
    if (type === undefined) return fault(path, '"type" is required')
    const known = FIELD_TYPES.find((candidate) => candidate === type)
    return known ?? fault(path, `"type" must be one of ${FIELD_TYPES.join(', ')}`)
  }

  function refuseUnknown(value: Json, type: Field['type'], path: string): void {
    for (const key of Object.keys(value)) {
      if (key === 'type' || key === 'description' || OWN_KEYS[type].includes(key)) continue
      const owner = FIELD_TYPES.find((candidate) => OWN_KEYS[candidate].includes(key))
      if (owner) fault(path, `"${key}" belongs to the type ${owner}, not to ${type}`)
      else fault(path, `"${shownName(key)}" is not known here`)
    }
  }

  function readEnum(value: unknown, path: string): readonly string[] {
    if (!Array.isArray(value)) {
      fault(path, '"enum" must be a list of the allowed values')
      return []
    }
    if (value.length === 0) fault(path, '"enum" must have at least one value')
    if (value.length > ENUM_VALUES_MAX) {
      fault(path, `"enum" has ${value.length} values; at most ${ENUM_VALUES_MAX} are allowed`)
      return []
    }
    const values: string[] = []
    for (const [index, entry] of value.entries()) {
      const place = `${path}.enum[${index}]`
      if (typeof entry !== 'string') fault(place, 'must be a string')
      else if (entry.trim() === '') fault(place, 'must not be empty')
      else if (entry.length > ENUM_CHARACTERS_MAX)
        fault(place, `is longer than ${ENUM_CHARACTERS_MAX} characters`)
      else if (values.includes(entry)) fault(place, 'is given twice')
      else values.push(entry)
    }
    return values
  }

  return { faults, fields }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function hasOwn(value: Json, key: string): boolean {
  return Object.hasOwn(value, key) && value[key] !== null
}

/** Names are the caller's own: only plain ones are repeated in full. */
function shownName(name: string): string {
  const plain = name.slice(0, NAME_CHARACTERS_MAX).replaceAll(/[^\p{L}\p{M}\p{N}_ -]/gu, '?')
  return plain.trim() === '' ? '(unnamed)' : plain
}
