// The strict reader of JSON bodies: what it accepts must be exactly what JSON.parse gives.

import { describe, expect, test } from 'bun:test'
import { JSON_DEPTH_MAX, parseJson } from '../../src/http/json.ts'

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

describe('strict JSON', () => {
  test.each([
    '{}',
    '[]',
    'null',
    '"x"',
    '{"a":{"a":1},"b":[{"a":1},{"a":2}]}',
    String.raw`{"a":"}{][\":\\","b":":\"a\":","c\\":"\\"}`,
    String.raw`{"\"":1,"\\\"":2,"\\":3}`,
    '{"":1," ":2,"a":"a","b":"a"}',
    '{"__proto__":1,"constructor":{"prototype":{}}}',
    ' {\n"a" : [ 1 , -2.5e3 , true ] } ',
    nested(JSON_DEPTH_MAX),
  ])('keeps %s as it is', (text) => {
    expect(parseJson(text)).toEqual(JSON.parse(text))
  })

  test.each([
    ['{"a":1,"a":1}', 'twice'],
    ['{"a":1,"b":{"c":[{"x":1,"y":2,"x":3}]}}', 'twice'],
    [String.raw`{"\u0061":1,"a":2}`, 'twice'],
    ['{"":1,"":2}', 'twice'],
    ['{"a":{"b":1},"a":2}', 'twice'],
    [nested(JSON_DEPTH_MAX + 1), 'deeper than 64'],
    ['{"a":1,}', 'not valid JSON'],
    ["{'a':1}", 'not valid JSON'],
    ['NaN', 'not valid JSON'],
    ['{"a":1} x', 'not valid JSON'],
  ])('refuses %p', (text, message) => {
    expect(() => parseJson(text)).toThrow(message)
  })

  test('refuses what is far too deep without running out of stack', () => {
    expect(() => parseJson(nested(500_000))).toThrow(/deeper|not valid/)
  })
})
