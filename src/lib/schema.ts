// The one place that names the schema library (TypeBox). One schema serves validation, types and OpenAPI.

import { FormatRegistry, type Static, type TSchema, Type } from '@sinclair/typebox'
import { TypeCompiler, type ValueError } from '@sinclair/typebox/compiler'

export const t = Type
export type Schema = TSchema
export type Infer<S extends TSchema> = Static<S>

FormatRegistry.Set('date-time', (text) => !Number.isNaN(Date.parse(text)))
FormatRegistry.Set('uri', (text) => URL.canParse(text))
FormatRegistry.Set('uuid', (text) => /^[0-9a-f-]{36}$/i.test(text))

export interface Fault {
  /** Dotted path of the offending value, '' for the root. */
  readonly path: string
  readonly message: string
  /** True when a required property is absent. */
  readonly missing: boolean
  readonly schema: TSchema
}

export interface Parser<T> {
  readonly schema: TSchema
  /** The value itself if it fits, else the first fault. Nothing is coerced, unknown properties are ignored. */
  parse(value: unknown): { ok: true; value: T } | { ok: false; fault: Fault }
}

/** The type of what a parser lets through. */
export type Parsed<P> = P extends Parser<infer T> ? T : never

function faultOf(error: ValueError): Fault {
  return {
    path: error.path.slice(1).replaceAll('/', '.'),
    message: error.message,
    missing: error.value === undefined,
    schema: error.schema,
  }
}

/** Compiles a schema once. Compiling costs about a millisecond: do it at module level. */
export function parser<S extends TSchema>(schema: S): Parser<Static<S>> {
  const check = TypeCompiler.Compile(schema)
  return {
    schema,
    parse(value) {
      if (check.Check(value)) return { ok: true, value }
      const error = check.Errors(value).First()
      const fault = error ? faultOf(error) : { path: '', message: 'is not valid', missing: false, schema }
      return { ok: false, fault }
    },
  }
}

/** For data that we wrote ourselves: throws an ordinary error when it does not fit. */
export function parseOrThrow<T>(parserOfT: Parser<T>, value: unknown, what: string): T {
  const result = parserOfT.parse(value)
  if (result.ok) return result.value
  throw new TypeError(
    `${what} does not have the expected shape: ${result.fault.path} ${result.fault.message}`,
  )
}
