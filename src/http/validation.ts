// Values against schemas, with messages of our own: they name the field and what it must be, and never repeat what was sent.

import { Problem } from '../lib/problem.ts'
import { type Fault, type Infer, parser, type Schema } from '../lib/schema.ts'

type Properties = Readonly<Record<string, Schema>>

const propertiesOf = (schema: Schema): Properties => (schema['properties'] ?? {}) as Properties
const requiredOf = (schema: Schema): readonly string[] => (schema['required'] ?? []) as readonly string[]

/**
 * For the body of a route: required fields that are absent, null, empty or blank are `missing_parameter`, everything else
 * that does not fit is `invalid_parameter`. Unknown fields are dropped; null in an optional field means "not given".
 */
export function bodyChecker<S extends Schema>(schema: S): (value: unknown) => Infer<S> {
  const compiled = parser(schema)
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new Problem('invalid_parameter', 'The body must be a JSON object.')
    }
    const fields = knownFields(schema, value as Readonly<Record<string, unknown>>)
    const result = compiled.parse(fields)
    if (!result.ok) throw problemOf(result.fault)
    return result.value
  }
}

function knownFields(schema: Schema, sent: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields: Record<string, unknown> = {}
  for (const name of Object.keys(propertiesOf(schema))) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined
    if (value !== undefined && value !== null) fields[name] = value
  }
  for (const name of requiredOf(schema)) {
    if (isBlank(fields[name])) throw missing(name)
  }
  return fields
}

function isBlank(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.trim() === '')
}

function missing(name: string): Problem {
  return new Problem('missing_parameter', `"${name}" is required.`)
}

/**
 * For the query of a URL: text becomes boolean or number where the schema says so. A parameter given twice is
 * `invalid_parameter`; unknown ones are ignored.
 */
export function queryChecker<S extends Schema>(schema: S): (search: URLSearchParams) => Infer<S> {
  const compiled = parser(schema)
  return (search) => {
    const fields: Record<string, unknown> = {}
    for (const [name, property] of Object.entries(propertiesOf(schema))) {
      const [text, ...more] = search.getAll(name)
      if (more.length > 0) throw new Problem('invalid_parameter', `"${name}" is given more than once.`)
      if (text !== undefined) fields[name] = fromText(text, property)
    }
    for (const name of requiredOf(schema)) {
      if (isBlank(fields[name])) throw missing(name)
    }
    const result = compiled.parse(fields)
    if (!result.ok) throw problemOf(result.fault)
    return result.value
  }
}

const BOOLEANS: Readonly<Record<string, boolean>> = { true: true, '1': true, false: false, '0': false }

/** Text that does not fit stays text, for the schema to refuse. */
function fromText(text: string, schema: Schema): unknown {
  if (schema['type'] === 'boolean') return BOOLEANS[text.toLowerCase()] ?? text
  if (schema['type'] === 'integer' || schema['type'] === 'number') {
    return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text
  }
  return text
}

function problemOf(fault: Fault): Problem {
  const name = safeName(fault.path)
  if (fault.missing) return missing(name)
  return new Problem('invalid_parameter', `"${name}" must be ${describe(fault.schema)}.`)
}

/** Names inside a free-form object are the caller's own: only plain ones are repeated. */
function safeName(path: string): string {
  return path.replaceAll(/[^\w.-]/g, '?').slice(0, 100)
}

/** Completes "must be …". */
export function describe(schema: Schema): string {
  const values = literalsOf(schema)
  if (values) return values.length === 1 ? values.join('') : `one of ${values.join(', ')}`
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number }
  switch (schema['type']) {
    case 'boolean':
      return 'true or false'
    case 'integer':
      return `a whole number${range(minimum, maximum)}`
    case 'number':
      return `a number${range(minimum, maximum)}`
    case 'string':
      return `a string${formOf(schema)}`
    case 'array':
      return `a list${lengths(schema)}`
    case 'object':
      return 'an object'
    default:
      return 'of another form; see the API reference'
  }
}

function formOf(schema: Schema): string {
  const { format, pattern, examples } = schema as { format?: string; pattern?: string; examples?: unknown[] }
  const form = format ?? pattern
  if (form === undefined) return lengths(schema)
  const example = examples?.[0]
  return ` of the form ${form}${typeof example === 'string' ? `, such as ${example}` : ''}`
}

function literalsOf(schema: Schema): readonly string[] | undefined {
  if ('const' in schema) return [String(schema['const'])]
  const options = schema['anyOf'] as readonly Schema[] | undefined
  const literals = options?.flatMap((option) => literalsOf(option) ?? [])
  return literals && literals.length === options?.length ? literals : undefined
}

function range(minimum: number | undefined, maximum: number | undefined): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`
  if (minimum !== undefined) return ` of at least ${minimum}`
  return maximum === undefined ? '' : ` of at most ${maximum}`
}

function lengths(schema: Schema): string {
  const { minLength, maxLength, minItems, maxItems } = schema as Record<string, number | undefined>
  const [minimum, maximum] = [minLength ?? minItems, maxLength ?? maxItems]
  const unit = schema['type'] === 'array' ? 'entries' : 'characters'
  if (minimum !== undefined && maximum !== undefined) return ` of ${minimum} to ${maximum} ${unit}`
  const limit = range(minimum, maximum)
  return limit === '' ? '' : `${limit} ${unit}`
}
