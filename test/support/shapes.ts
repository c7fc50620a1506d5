// Says what is wrong with the shape of an answer. Deliberately not the product's schema library: an independent judge.

type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'null'

/** A type, some types, a pattern for a string, fields that must be there, or (in a list of one) the shape of all entries. */
export type Shape = TypeName | RegExp | readonly TypeName[] | readonly [ShapeObject] | ShapeObject
export interface ShapeObject {
  readonly [field: string]: Shape
}

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

const isType = (value: unknown, name: TypeName): boolean =>
  name === 'integer' ? Number.isInteger(value) : typeOf(value) === name

/** Every fault in words. Fields that the shape does not name are no fault. */
export function shapeFaults(value: unknown, shape: Shape, path = '$'): string[] {
  if (shape instanceof RegExp) {
    return typeof value === 'string' && shape.test(value)
      ? []
      : [`${path} is ${show(value)}, not like ${shape}`]
  }
  if (typeof shape === 'string') return isType(value, shape) ? [] : [`${path} is ${show(value)}, no ${shape}`]
  if (isList(shape)) {
    const [first] = shape
    if (typeof first === 'object') {
      if (!Array.isArray(value)) return [`${path} is ${show(value)}, no array`]
      return value.flatMap((entry, index) => shapeFaults(entry, first, `${path}[${index}]`))
    }
    const types = shape.filter((name) => typeof name === 'string')
    return types.some((name) => isType(value, name))
      ? []
      : [`${path} is ${show(value)}, none of ${types.join(', ')}`]
  }
  if (typeOf(value) !== 'object') return [`${path} is ${show(value)}, no object`]
  const fields = new Map(Object.entries(value as object))
  return Object.entries(shape).flatMap(([name, inner]) =>
    fields.has(name)
      ? shapeFaults(fields.get(name), inner, `${path}.${name}`)
      : [`${path}.${name} is missing`],
  )
}

function isList(shape: Shape): shape is readonly TypeName[] | readonly [ShapeObject] {
  return Array.isArray(shape)
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 80)
}
