// What extraction schemas may say, and how those that may not are refused.

import { describe, expect, test } from 'bun:test'
import { parseExtractionSchema } from '../../src/analysis/schema.ts'
import { Problem } from '../../src/lib/problem.ts'
import { BAD_SCHEMAS } from '../support/bad-schemas.ts'

function messageOf(schema: unknown): string {
  try {
    parseExtractionSchema(schema)
  } catch (error) {
    if (error instanceof Problem && error.code === 'invalid_schema') return error.message
    throw error
  }
  return 'accepted'
}

describe('a schema is refused with the path of its fault:', () => {
  test.each(BAD_SCHEMAS.map(({ name, schema, says }) => [name, schema, says] as const))(
    '%s',
    (_name, schema, says) => {
      expect(messageOf(schema)).toContain(says)
    },
  )

  test('there are at least 60 of them', () => {
    expect(BAD_SCHEMAS.length).toBeGreaterThanOrEqual(60)
  })
})

test('every fault is named, up to ten', () => {
  const fields = Array.from({ length: 10 }, (_, index) => [`f${index}`, { type: 'Text' }])
  const message = messageOf(Object.fromEntries(fields))
  expect(message).toContain('f0: "description" is required. f0: "type" must be one of')
  expect(message).toContain('And 10 more.')
})

test('no message repeats more of the schema than names', () => {
  const message = messageOf({ a: { type: 'secret-type', description: 'secret-text' } })
  expect(message).not.toContain('secret')
})

test('every type is accepted, three levels deep', () => {
  const schema = {
    title: { type: 'String', description: ' The title ' },
    price: { type: 'Number', description: 'Price' },
    'guest count': { type: 'Integer', description: 'Guests' },
    live: { type: 'Boolean', description: 'Whether it is live' },
    mood: { type: 'Enum', description: 'Mood', enum: ['happy', 'sad'] },
    tags: { type: 'Array', description: 'Tags' },
    Größe: { type: 'Array', description: 'Sizes', items: { type: 'Number', description: 'A size' } },
    people: {
      type: 'Array',
      description: 'People',
      items: {
        type: 'Object',
        description: 'A person',
        properties: {
          home: {
            type: 'Object',
            description: 'Home',
            properties: { city: { type: 'String', description: 'City' } },
          },
        },
      },
    },
  }
  const parsed = parseExtractionSchema(schema)
  expect(Object.keys(parsed)).toEqual(Object.keys(schema))
  expect(parsed['title']).toEqual({ type: 'String', description: 'The title' })
  expect(parsed['people']).toMatchObject(schema.people)
})

test('ten fields are accepted, and null where something optional is left out', () => {
  const fields = Array.from({ length: 10 }, (_, index) => [
    `f${index}`,
    { type: 'Array', description: 'x', items: null },
  ])
  expect(Object.keys(parseExtractionSchema(Object.fromEntries(fields)))).toHaveLength(10)
})
