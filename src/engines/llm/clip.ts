// Brings what a model wrote within the bounds of its shape. It only ever cuts: nothing is added but a null where null
// is allowed, and what is of another kind stays as it is, for the validation to find.

import { DECIMALS, type Shape } from './shape.ts'

/** A new value; unknown properties are dropped, lists and texts cut, numbers moved to the nearest bound. */
export function clip(value: unknown, shape: Shape): unknown {
  switch (shape.kind) {
    case 'string':
      return typeof value === 'string' ? cutText(value, shape.max) : value
    case 'number':
      return typeof value === 'number' ? clipNumber(value, shape) : value
    case 'array':
      return Array.isArray(value) ? value.slice(0, shape.max).map((item) => clip(item, shape.items)) : value
    case 'object':
      return isRecord(value) ? clipObject(value, shape.properties) : value
    case 'union': {
      const option = shape.options.find((candidate) => isOfKind(value, candidate))
      return option ? clip(value, option) : value
    }
    case 'boolean':
    case 'enum':
      return value
  }
}

/** At most so many UTF-16 units, as schemas count, without half of a surrogate pair at the end. */
function cutText(text: string, max: number): string {
  if (text.length <= max) return text
  const cut = text.slice(0, max)
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut
}

function clipNumber(value: number, { whole, min, max }: Extract<Shape, { kind: 'number' }>): number {
  const rounded = whole ? Math.trunc(value) : Number(value.toFixed(DECIMALS))
  // Plus 0: "-0" is a number that JSON knows and nobody wants.
  return Math.min(max, Math.max(min, rounded)) + 0
}

/** `Object.fromEntries` defines properties, so a name such as `__proto__` is a name like any other. */
function clipObject(
  value: Readonly<Record<string, unknown>>,
  properties: readonly (readonly [string, Shape])[],
): unknown {
  const entries = properties.flatMap(([name, shape]) => {
    if (Object.hasOwn(value, name)) return [[name, clip(value[name], shape)]]
    return allowsNull(shape) ? [[name, null]] : []
  })
  return Object.fromEntries(entries)
}

export function allowsNull(shape: Shape): boolean {
  if (shape.kind === 'enum') return shape.values.includes(null)
  return shape.kind === 'union' && shape.options.some(allowsNull)
}

function isOfKind(value: unknown, shape: Shape): boolean {
  switch (shape.kind) {
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isRecord(value) && shape.properties.every(([name, part]) => name in value || allowsNull(part))
    case 'enum':
      return shape.values.some((candidate) => candidate === value)
    case 'union':
      return shape.options.some((option) => isOfKind(value, option))
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === shape.kind
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
