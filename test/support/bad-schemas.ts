// Extraction schemas that must be refused, each with what its message says. Some fault of every kind, at every place.

export interface BadSchema {
  readonly name: string
  readonly schema: unknown
  /** Part of the message: the path and the fault. */
  readonly says: string
}

const text = { type: 'String', description: 'A text' }
const many = (count: number): Record<string, unknown> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`field${index}`, text]))
const object = (properties: unknown): unknown => ({ type: 'Object', description: 'An object', properties })
const list = (items: unknown): unknown => ({ type: 'Array', description: 'A list', items })
const choice = (values: unknown): unknown => ({ type: 'Enum', description: 'A choice', enum: values })

/** An object within an object, `levels` deep, with a text at the bottom. */
function nested(levels: number): unknown {
  return levels === 0 ? text : object({ deeper: nested(levels - 1) })
}

const recursive: Record<string, unknown> = { type: 'Object', description: 'Itself' }
recursive['properties'] = { self: recursive }

const ROOT: readonly BadSchema[] = [
  { name: 'a list', schema: [], says: 'schema: must be an object that maps' },
  { name: 'a text', schema: 'title', says: 'schema: must be an object that maps' },
  { name: 'a number', schema: 7, says: 'schema: must be an object that maps' },
  { name: 'true', schema: true, says: 'schema: must be an object that maps' },
  { name: 'no fields', schema: {}, says: 'schema: must name at least one field' },
  { name: '11 fields', schema: many(11), says: 'schema: has 11 fields; at most 10' },
  { name: '5,000 fields', schema: many(5_000), says: 'schema: has 5000 fields; at most 10' },
  { name: 'a JSON schema', schema: { type: 'object', properties: {} }, says: 'type: must be an object with' },
]

const NAMES: readonly BadSchema[] = [
  { name: 'an empty name', schema: { '': text }, says: '(unnamed): a field needs a name' },
  { name: 'a blank name', schema: { ' ': text }, says: '(unnamed): a field needs a name' },
  {
    name: 'a long name',
    schema: { ['n'.repeat(65)]: text },
    says: `${'n'.repeat(64)}: the name is longer than 64`,
  },
  {
    name: '__proto__',
    schema: JSON.parse('{"__proto__": {"type": "String", "description": "x"}}'),
    says: '__proto__: this name is reserved',
  },
  { name: 'constructor', schema: { constructor: text }, says: 'constructor: this name is reserved' },
  { name: 'toString', schema: { toString: text }, says: 'toString: this name is reserved' },
  { name: 'hasOwnProperty', schema: { hasOwnProperty: text }, says: 'hasOwnProperty: this name is reserved' },
  {
    name: '__defineGetter__',
    schema: { __defineGetter__: text },
    says: '__defineGetter__: this name is reserved',
  },
  {
    name: '__proto__ inside',
    schema: { car: object(JSON.parse('{"__proto__": {"type": "String", "description": "x"}}')) },
    says: 'car.__proto__: this name is reserved',
  },
  { name: 'a digit first', schema: { '1st': text }, says: '1st: a name starts with a letter' },
  { name: 'markup', schema: { '<b>': text }, says: '?b?: a name starts with a letter' },
  { name: 'a quote', schema: { 'a"b': text }, says: 'a?b: a name starts with a letter' },
  { name: 'a line feed', schema: { 'a\nb': text }, says: 'a?b: a name starts with a letter' },
  { name: 'a dot', schema: { 'a.b': text }, says: 'a?b: a name starts with a letter' },
  { name: 'a null byte', schema: { 'a\0': text }, says: 'a?: a name starts with a letter' },
]

const DEFINITIONS: readonly BadSchema[] = [
  { name: 'a shorthand', schema: { title: 'String' }, says: 'title: must be an object with "type"' },
  { name: 'null', schema: { title: null }, says: 'title: must be an object with "type"' },
  { name: 'a list as definition', schema: { title: [text] }, says: 'title: must be an object with "type"' },
  { name: 'no type', schema: { title: { description: 'x' } }, says: 'title: "type" is required' },
  {
    name: 'null as type',
    schema: { title: { type: null, description: 'x' } },
    says: 'title: "type" is required',
  },
  {
    name: 'an unknown type',
    schema: { title: { type: 'Date', description: 'x' } },
    says: 'title: "type" must be one of String',
  },
  {
    name: 'small letters',
    schema: { title: { type: 'string', description: 'x' } },
    says: 'title: "type" must be one of',
  },
  {
    name: 'a list of types',
    schema: { a: { type: ['String'], description: 'x' } },
    says: 'a: "type" must be',
  },
  {
    name: 'a number as type',
    schema: { b: { type: 1, description: 'x' } },
    says: 'b: "type" must be one of',
  },
  {
    name: 'constructor as type',
    schema: { c: { type: 'constructor', description: 'x' } },
    says: 'c: "type" must be one of',
  },
  { name: 'no description', schema: { title: { type: 'String' } }, says: 'title: "description" is required' },
  {
    name: 'null as description',
    schema: { title: { type: 'String', description: null } },
    says: 'title: "description" is required',
  },
  {
    name: 'a number as description',
    schema: { title: { type: 'String', description: 3 } },
    says: 'title: "description" must be a string',
  },
  {
    name: 'an empty description',
    schema: { title: { type: 'String', description: '' } },
    says: 'title: "description" must not be empty',
  },
  {
    name: 'a blank description',
    schema: { title: { type: 'String', description: ' \n' } },
    says: 'title: "description" must not be empty',
  },
  {
    name: 'a long description',
    schema: { title: { type: 'String', description: 'x'.repeat(1_001) } },
    says: 'title: "description" is longer than 1000',
  },
  {
    name: 'an unknown keyword',
    schema: { title: { ...text, pattern: '(a+)+$' } },
    says: 'title: "pattern" is not known',
  },
  {
    name: 'a reference',
    schema: { title: { ...text, $ref: '#/definitions/x' } },
    says: 'title: "?ref" is not known',
  },
  {
    name: 'enum on a String',
    schema: { title: { ...text, enum: ['a'] } },
    says: 'title: "enum" belongs to the type Enum, not to String',
  },
  {
    name: 'items on a Number',
    schema: { n: { type: 'Number', description: 'x', items: text } },
    says: 'n: "items" belongs to the type Array, not to Number',
  },
  {
    name: 'properties on an Array',
    schema: { l: { type: 'Array', description: 'x', properties: {} } },
    says: 'l: "properties" belongs to the type Object, not to Array',
  },
]

const ENUMS: readonly BadSchema[] = [
  {
    name: 'no enum',
    schema: { mood: { type: 'Enum', description: 'x' } },
    says: 'mood: "enum" must be a list',
  },
  { name: 'a text as enum', schema: { mood: choice('happy') }, says: 'mood: "enum" must be a list' },
  { name: 'an object as enum', schema: { mood: choice({ a: 1 }) }, says: 'mood: "enum" must be a list' },
  { name: 'an empty enum', schema: { mood: choice([]) }, says: 'mood: "enum" must have at least one' },
  {
    name: '101 values',
    schema: { mood: choice(Array.from({ length: 101 }, (_, index) => `v${index}`)) },
    says: 'mood: "enum" has 101 values; at most 100',
  },
  {
    name: 'a number among values',
    schema: { mood: choice(['a', 1]) },
    says: 'mood.enum[1]: must be a string',
  },
  { name: 'null among values', schema: { mood: choice([null]) }, says: 'mood.enum[0]: must be a string' },
  { name: 'a blank value', schema: { mood: choice(['a', ' ']) }, says: 'mood.enum[1]: must not be empty' },
  {
    name: 'a long value',
    schema: { mood: choice(['x'.repeat(201)]) },
    says: 'mood.enum[0]: is longer than 200',
  },
  { name: 'a value twice', schema: { mood: choice(['a', 'b', 'a']) }, says: 'mood.enum[2]: is given twice' },
]

const NESTED: readonly BadSchema[] = [
  {
    name: 'an Object without properties',
    schema: { car: { type: 'Object', description: 'x' } },
    says: 'car.properties: must be an object that maps',
  },
  {
    name: 'a list of properties',
    schema: { car: object([text]) },
    says: 'car.properties: must be an object',
  },
  { name: 'no properties', schema: { car: object({}) }, says: 'car.properties: must name at least one' },
  {
    name: 'a fault in properties',
    schema: { car: object({ door: { type: 'String' } }) },
    says: 'car.door: "description" is required',
  },
  {
    name: 'items without a type',
    schema: { tags: list({ description: 'x' }) },
    says: 'tags.items: "type" is required',
  },
  {
    name: 'items without a description',
    schema: { tags: list({ type: 'String' }) },
    says: 'tags.items: "description" is required',
  },
  { name: 'items as a list', schema: { tags: list([text]) }, says: 'tags.items: must be an object with' },
  {
    name: 'a fault in the objects of a list',
    schema: { cars: list(object({ door: choice([]) })) },
    says: 'cars.items.door: "enum" must have at least one',
  },
  {
    name: '4 levels',
    schema: { a: nested(3) },
    says: 'a.deeper.deeper.deeper: is nested deeper than 3 levels',
  },
  {
    name: '4 levels through a list',
    schema: { a: list(object({ b: list(object({ c: object({ d: text }) })) })) },
    says: 'a.items.b.items.c.d: is nested deeper than 3 levels',
  },
  {
    name: 'lists in lists in lists in lists',
    schema: { a: list(list(list(list(text)))) },
    says: 'a.items.items.items: is nested deeper than 3 levels',
  },
  { name: '1,000 levels', schema: { b: nested(1_000) }, says: 'b.deeper.deeper.deeper: is nested deeper' },
  {
    name: 'itself',
    schema: { c: recursive },
    says: 'c.self.self.self: is nested deeper than 3 levels',
  },
  {
    name: '101 fields in all',
    schema: { a: object(many(50)), b: object(many(49)) },
    says: 'b.properties: the schema has more than 100 fields in all',
  },
  {
    name: '100,000 fields inside',
    schema: { huge: object(many(100_000)) },
    says: 'huge.properties: the schema has more than 100 fields',
  },
  {
    name: 'much text',
    schema: Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [
        `f${index}`,
        { type: 'String', description: 'x'.repeat(900) },
      ]),
    ),
    says: 'characters; at most 8000 are allowed',
  },
]

export const BAD_SCHEMAS: readonly BadSchema[] = [...ROOT, ...NAMES, ...DEFINITIONS, ...ENUMS, ...NESTED]
