// A shape as the JSON schema that servers with structured output take: every property required, nothing else allowed.

import type { Shape } from './shape.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export function jsonSchemaOf(shape: Shape): JsonSchema {
  const about = shape.about === undefined ? {} : { description: shape.about }
  return { ...about, ...keywordsOf(shape) }
}

function keywordsOf(shape: Shape): JsonSchema {
  switch (shape.kind) {
    case 'string':
      return { type: 'string', minLength: shape.min, maxLength: shape.max }
    case 'number':
      return { type: shape.whole ? 'integer' : 'number', minimum: shape.min, maximum: shape.max }
    case 'boolean':
      return { type: 'boolean' }
    case 'enum':
      return { enum: shape.values }
    case 'array':
      return { type: 'array', items: jsonSchemaOf(shape.items), minItems: shape.min, maxItems: shape.max }
    case 'object':
      return {
        type: 'object',
        properties: Object.fromEntries(shape.properties.map(([name, part]) => [name, jsonSchemaOf(part)])),
        required: shape.properties.map(([name]) => name),
        additionalProperties: false,
      }
    case 'union':
      return { anyOf: shape.options.map(jsonSchemaOf) }
  }
}
