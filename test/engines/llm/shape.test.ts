// What schemas a model can be held to, and what becomes of values that do not keep to them.

import { describe, expect, test } from 'bun:test'
import { clip } from '../../../src/engines/llm/clip.ts'
import { grammarOf } from '../../../src/engines/llm/grammar.ts'
import { longestBytes, type Shape, shapeOf, STRING_MAX, tightened } from '../../../src/engines/llm/shape.ts'
import { Problem } from '../../../src/lib/problem.ts'
import { type Schema, t } from '../../../src/lib/schema.ts'

function messageOf(schema: Schema): string {
  try {
    shapeOf(schema)
  } catch (error) {
    expect(error).toBeInstanceOf(Problem)
    expect((error as Problem).code).toBe('invalid_schema')
    return (error as Problem).message
  }
  throw new Error('the schema was accepted')
}

describe('a schema', () => {
  test('gets the bounds that it leaves open', () => {
    const shape = shapeOf(t.Object({ title: t.String(), tags: t.Array(t.String({ maxLength: 5 })) }))
    expect(shape).toEqual({
      kind: 'object',
      properties: [
        ['title', { kind: 'string', min: 0, max: STRING_MAX }],
        ['tags', { kind: 'array', min: 0, max: 16, items: { kind: 'string', min: 0, max: 5 } }],
      ],
    })
  })

  test('of literals becomes one enum, with null one that may be absent', () => {
    expect(shapeOf(t.Union([t.Literal('a'), t.Literal(2), t.Null()]))).toEqual({
      kind: 'enum',
      values: ['a', 2, null],
    })
  })

  const refused: readonly (readonly [string, Schema, string])[] = [
    ['a pattern', t.Object({ a: t.Object({ b: t.String({ pattern: 'x' }) }) }), 'at "a.b" uses "pattern"'],
    ['a format', t.Object({ a: t.Array(t.String({ format: 'uri' })) }), 'at "a[]" uses "format"'],
    ['uniqueness', t.Object({ a: t.Array(t.String(), { uniqueItems: true }) }), 'at "a" uses "uniqueItems"'],
    ['a multiple', t.Object({ n: t.Number({ multipleOf: 2 }) }), 'at "n" uses "multipleOf"'],
    ['open bounds', t.Object({ n: t.Number({ exclusiveMinimum: 2 }) }), 'at "n" uses "exclusiveMinimum"'],
    ['anything', t.Object({ a: t.Any() }), 'at "a" has no type'],
    ['open objects', t.Object({ a: t.Record(t.String(), t.String()) }), 'at "a" uses "patternProperties"'],
    [
      'additional properties',
      t.Object({ a: t.String() }, { additionalProperties: true }),
      'additional properties',
    ],
    ['an empty object', t.Object({}), 'names no properties'],
    [
      'an intersection',
      t.Intersect([t.Object({ a: t.String() }), t.Object({ b: t.String() })]),
      'uses "allOf"',
    ],
    ['a length beyond the grammar', t.Object({ a: t.String({ minLength: 5_000 }) }), 'at "a" wants at least'],
    ['crossed bounds', t.Object({ n: t.Integer({ minimum: 3, maximum: 2 }) }), 'at "n" has a minimum of 3'],
    [
      'crossed lengths',
      t.Object({ a: t.Array(t.String(), { minItems: 3, maxItems: 2 }) }),
      'at "a" wants at least 3',
    ],
    [
      'an unprintable name',
      t.Object({ a: t.Object({ 'b\nc': t.Null() }) }),
      'at "a" has a property whose name',
    ],
    ['an endless number', t.Object({ n: t.Number({ maximum: 1e15 }) }), 'twelve digits'],
  ]
  for (const [name, schema, message] of refused) {
    test(`with ${name} is refused with its path`, () => expect(messageOf(schema)).toContain(message))
  }

  test('that is too deep or too large is refused', () => {
    let deep: Schema = t.String()
    for (let level = 0; level < 9; level++) deep = t.Object({ a: deep })
    expect(messageOf(deep)).toContain('deeper than 8 levels')
    const wide = t.Object(
      Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`p${index}`, t.Null()])),
    )
    expect(messageOf(wide)).toContain('more than 512 parts')
  })

  test('of a tightened form has half the room, and keeps what it must', () => {
    const shape = shapeOf(
      t.Object({ a: t.Array(t.String({ minLength: 9, maxLength: 10 }), { maxItems: 5 }) }),
    )
    const half = tightened(shape)
    expect(half).toMatchObject({ properties: [['a', { max: 3, items: { min: 9, max: 9 } }]] })
    expect(longestBytes(half)).toBeLessThan(longestBytes(shape))
  })
})

describe('the grammar', () => {
  test('has no white space, fixed order and bounds everywhere', () => {
    const schema = t.Object({
      'a "b"': t.String({ minLength: 1, maxLength: 3 }),
      n: t.Integer({ minimum: 0, maximum: 99 }),
    })
    expect(grammarOf(shapeOf(schema)).split('\n')).toEqual([
      'root ::= r2',
      String.raw`character ::= [^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt]`,
      String.raw`r0 ::= "\"" character{1,3} "\""`,
      'r1 ::= ("0" | [1-9] [0-9]{0,1})',
      String.raw`r2 ::= "{" "\"a \\\"b\\\"\":" r0 "," "\"n\":" r1 "}"`,
      '',
    ])
  })

  test('writes equal parts once', () => {
    const schema = t.Object({ a: t.String(), b: t.String(), c: t.Array(t.String()) })
    expect(grammarOf(shapeOf(schema)).match(/character\{/g)).toHaveLength(1)
  })

  test('never repeats more often than llama.cpp allows', () => {
    const grammar = grammarOf(shapeOf(t.Object({ a: t.String({ maxLength: 100_000 }) })))
    expect(grammar).toContain('{0,1900}')
  })
})

describe('clipping', () => {
  const cut = (value: unknown, schema: Schema): unknown => clip(value, shapeOf(schema))

  test('cuts texts without splitting a character', () => {
    expect(cut('🙂🙂', t.String({ maxLength: 3 }))).toBe('🙂')
    expect(cut('abcd', t.String({ maxLength: 3 }))).toBe('abc')
  })

  test('cuts lists, moves numbers to their bounds and rounds them', () => {
    expect(cut([1.5, 999, -4], t.Array(t.Integer({ minimum: 0, maximum: 9 }), { maxItems: 2 }))).toEqual([
      1, 9,
    ])
    expect(cut(1 / 3, t.Number())).toBe(0.333333)
    expect(Object.is(cut(-0, t.Number()), 0)).toBe(true)
  })

  test('drops what was not asked for and adds null where null is allowed', () => {
    const schema = t.Object({ a: t.Integer(), b: t.Union([t.String(), t.Null()]) })
    expect(cut({ a: 1, c: 2 }, schema)).toEqual({ a: 1, b: null })
  })

  test('follows the fitting option of a union', () => {
    const schema = t.Union([t.String({ maxLength: 2 }), t.Array(t.Integer(), { maxItems: 1 })])
    expect(cut('abc', schema)).toBe('ab')
    expect(cut([1, 2], schema)).toEqual([1])
  })

  test('leaves what is of another kind for the validation to find', () => {
    expect(cut('1', t.Integer())).toBe('1')
    expect(cut(null, t.Object({ a: t.Integer() }))).toBeNull()
  })

  test('takes names such as __proto__ for names', () => {
    const shape: Shape = { kind: 'object', properties: [['__proto__', { kind: 'boolean' }]] }
    const value = clip(JSON.parse('{"__proto__": true}'), shape)
    expect(Object.entries(value as object)).toEqual([['__proto__', true]])
    expect(Object.getPrototypeOf({})).toBe(Object.prototype)
  })
})
