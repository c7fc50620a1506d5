// What nobody should send, made from the schema of its body: every row must be answered with a 4xx envelope.

import type { Schema } from '../../src/lib/schema.ts'

export interface BadInput {
  readonly name: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly contentType?: string
  /** The code that the contract names; undefined where any 4xx will do. */
  readonly error?: string
}

/** A JSON text of the required fields with `value` (as JSON) in place of the named one. */
function withField(required: readonly string[], field: string, value: string): string {
  return `{${required.map((name) => `"${name}":${name === field ? value : '"x"'}`).join(',')}}`
}

/** Rows for the body's object schema. */
export function badInputs(schema: Schema): readonly BadInput[] {
  const required = (schema['required'] ?? []) as readonly string[]
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  const deep = `{"x":${'['.repeat(50_000)}${']'.repeat(50_000)}}`
  return [
    { name: 'no body', error: 'request_body_required' },
    { name: 'empty body', body: '', error: 'request_body_required' },
    { name: 'not JSON', body: '{"a":', error: 'invalid_parameter' },
    { name: 'a list', body: '[]', error: 'invalid_parameter' },
    { name: 'a number', body: '7', error: 'invalid_parameter' },
    { name: 'deep JSON', body: deep, error: 'invalid_parameter' },
    { name: 'duplicate names', body: '{"a":1,"a":2}', error: 'invalid_parameter' },
    {
      name: 'invalid UTF-8',
      body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]),
      error: 'invalid_parameter',
    },
    { name: '2 MiB', body: `{"x":"${'x'.repeat(2_097_152)}"}`, error: 'input_too_large' },
    { name: 'wrong content type', body: '{}', contentType: 'text/plain', error: 'invalid_parameter' },
    ...required.flatMap((field) => [
      ...['null', '""', '" "'].map((value) => ({
        name: `${field}: ${value}`,
        body: withField(required, field, value),
        error: 'missing_parameter',
      })),
      {
        name: `without ${field}`,
        body: withField(
          required.filter((name) => name !== field),
          '',
          '',
        ),
        error: 'missing_parameter',
      },
    ]),
    ...Object.entries(properties).flatMap(([field, schema]) => wrongValues(required, field, schema)),
  ]
}

function wrongValues(required: readonly string[], field: string, schema: Schema): BadInput[] {
  // A field of any form is judged by the endpoint itself.
  if (schema['type'] === undefined && schema['anyOf'] === undefined) return []
  const fields = required.includes(field) ? required : [...required, field]
  const values = schema['type'] === 'object' ? ['1', '[]', 'true'] : ['{}', '[[]]', '1e999', '-1e999']
  return values.map((value) => ({ name: `${field}: ${value}`, body: withField(fields, field, value) }))
}
