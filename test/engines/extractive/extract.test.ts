// Extraction selects: over random schemas and any text, every string that comes out was said, and every value has the form
// that its field asks for. By words alone, without an encoder, so that a thousand schemas take seconds.

import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  createDocument,
  type Document,
  readText,
  splitText,
} from '../../../src/engines/extractive/document.ts'
import { extract } from '../../../src/engines/extractive/extract.ts'
import type { ExtractionSchema, Field, Value } from '../../../src/engines/extractive/types.ts'
import { loadCases, timed } from '../../support/analysis-score.ts'

function documentOf(...texts: string[]): Document {
  return createDocument(readText(splitText({ segments: timed(texts) })), new Map())
}

const cases = await loadCases('held-out')
const documents = cases.map(({ segments }) => documentOf(...segments.map(({ text }) => text)))

const description = fc.oneof(
  fc.constantFrom(
    'Name of the speaker',
    'Who is it',
    'Where it happens',
    'When it happens',
    'What it is about',
    'Cost in dollars',
    'Number of people',
    'Year in which it was opened',
    'Whether it was difficult',
    'Tools needed',
    'Cities mentioned',
    'Advice for others',
    'Names of people',
    'Years mentioned',
    'Reason for the delay',
  ),
  fc.constantFrom(...cases.flatMap(({ questions }) => questions.map(({ question }) => question))),
  fc.string({ minLength: 1, maxLength: 60, unit: 'grapheme' }),
)
const leaf: fc.Arbitrary<Field> = fc.oneof(
  fc.record({ type: fc.constantFrom('String', 'Number', 'Integer', 'Boolean', 'Array'), description }),
  fc.record({
    type: fc.constant('Enum'),
    description,
    enum: fc.array(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 4 }),
  }),
)
const nested: fc.Arbitrary<Field> = fc.oneof(
  { weight: 4, arbitrary: leaf },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('Array'), description, items: leaf }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constantFrom('Object'),
      description,
      properties: fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), leaf, { minKeys: 1, maxKeys: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('Array'),
      description,
      items: fc.record({
        type: fc.constantFrom('Object'),
        description,
        properties: fc.dictionary(fc.string({ minLength: 1, maxLength: 8 }), leaf, {
          minKeys: 1,
          maxKeys: 3,
        }),
      }),
    }),
  },
)
const schemas: fc.Arbitrary<ExtractionSchema> = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 10 }),
  nested,
  {
    minKeys: 1,
    maxKeys: 6,
  },
)

/** What is wrong with a value; undefined when nothing is. */
function faultOf(value: Value, field: Field, said: string): string | undefined {
  const fault = `${JSON.stringify(value)} for ${JSON.stringify(field)}`
  if (field.type === 'Array') {
    if (!Array.isArray(value)) return fault
    return value
      .map((item) => faultOf(item, field.items ?? { type: 'String', description: '' }, said))
      .find(Boolean)
  }
  if (value === null) return undefined
  if (field.type === 'String')
    return typeof value === 'string' && value !== '' && said.includes(value) ? undefined : fault
  if (field.type === 'Number') return typeof value === 'number' && Number.isFinite(value) ? undefined : fault
  if (field.type === 'Integer') return Number.isInteger(value) ? undefined : fault
  if (field.type === 'Boolean') return typeof value === 'boolean' ? undefined : fault
  if (field.type === 'Enum')
    return typeof value === 'string' && field.enum?.includes(value) === true ? undefined : fault
  if (typeof value !== 'object' || Array.isArray(value)) return fault
  return Object.entries(field.properties ?? {})
    .map(([name, inner]) => faultOf((value as Record<string, Value>)[name] ?? null, inner, said))
    .find(Boolean)
}

describe('extraction', () => {
  test('over random schemas gives values of the right form, and only strings that were said', () => {
    fc.assert(
      fc.property(schemas, fc.nat(), (schema, pick) => {
        const at = pick % documents.length
        const document = documents[at] ?? documentOf()
        const said = (cases[at]?.segments ?? []).map(({ text }) => text).join(' ')
        const values = extract(document, schema, new Map())
        expect(Object.keys(values)).toEqual(Object.keys(schema))
        for (const [name, field] of Object.entries(schema)) {
          expect(faultOf(values[name] ?? null, field, said)).toBeUndefined()
        }
      }),
      { numRuns: 1_000 },
    )
  }, 60_000)

  test('of any text neither throws nor invents', () => {
    const schema: ExtractionSchema = {
      text: { type: 'String', description: 'What is said' },
      who: { type: 'String', description: 'Name of the speaker' },
      list: { type: 'Array', description: 'Things mentioned' },
      count: { type: 'Number', description: 'How many' },
    }
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 80 }), { maxLength: 6 }), (texts) => {
        const said = texts.map((text) => text.trim().replaceAll(/\s+/g, ' ')).join(' ')
        const values = extract(documentOf(...texts), schema, new Map())
        for (const [name, field] of Object.entries(schema))
          expect(faultOf(values[name] ?? null, field, said)).toBeUndefined()
      }),
      { numRuns: 300 },
    )
  }, 60_000)

  test('leaves null, or an empty list, what nobody speaks of', () => {
    const document = documentOf('The cat sat on the mat.', 'It was a warm afternoon.')
    const values = extract(
      document,
      {
        price: { type: 'Number', description: 'Price of the ticket in euros' },
        director: { type: 'String', description: 'Name of the film director' },
        approved: { type: 'Boolean', description: 'Whether the merger was approved' },
        sponsors: { type: 'Array', description: 'Sponsors of the regatta' },
        colour: { type: 'Enum', description: 'Colour of the flag', enum: ['green', 'purple'] },
        address: {
          type: 'Object',
          description: 'Address of the bank',
          properties: { street: { type: 'String', description: 'Street of the bank' } },
        },
      },
      new Map(),
    )
    expect(values).toEqual({
      price: null,
      director: null,
      approved: null,
      sponsors: [],
      colour: null,
      address: null,
    })
  })

  test('keeps a field that is called __proto__ a field', () => {
    const schema = JSON.parse(
      '{"__proto__": {"type": "Number", "description": "Number of cats"}}',
    ) as ExtractionSchema
    const values = extract(documentOf('There were seven cats in the kitchen.'), schema, new Map())
    expect(JSON.stringify(values)).toBe('{"__proto__":7}')
  })
})
