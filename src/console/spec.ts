// What all endpoints of the console have in common.

import { type Schema, t } from '../lib/schema.ts'

/** Spread into a route's declaration: not part of the public API and its reference. */
export const CONSOLE = { base: '/console/api', tag: 'Console' } as const

export const instant = t.String({ format: 'date-time' })

type Null = ReturnType<typeof t.Null>
type SuccessLiteral = ReturnType<typeof t.Literal<'success'>>

export function nullable<S extends Schema>(schema: S): ReturnType<typeof t.Union<[S, Null]>> {
  return t.Union([schema, t.Null()])
}

/** The envelope of a successful answer. */
export function wrapped<S extends Schema>(
  data: S,
): ReturnType<typeof t.Object<{ status: SuccessLiteral; data: S }>> {
  return t.Object({ status: t.Literal('success'), data })
}
