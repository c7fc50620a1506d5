// Random schemas of everything that can be generated, the same for the same seed.

import { type Schema, t } from '../../src/lib/schema.ts'

/** Numbers from 0 to below 1, the same ones for the same seed (mulberry32). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const NAMES = [
  'title',
  'naïve',
  '名前',
  'a "quoted" one',
  'back\\slash',
  'two words',
  '__proto__',
  'constructor',
  'x.y',
  '🙂',
]

/** An object of one to five properties, nested at most three deep; small enough that a tiny model ends soon. */
export function randomSchema(random: () => number): Schema {
  const below = (end: number): number => Math.floor(random() * end)
  const pick = <T>(values: readonly T[]): T => {
    const value = values[below(values.length)]
    if (value === undefined) throw new Error('nothing to pick from')
    return value
  }

  function object(level: number): Schema {
    const names = NAMES.toSorted(() => random() - 0.5).slice(0, 1 + below(level === 1 ? 5 : 3))
    return t.Object(Object.fromEntries(names.map((name) => [name, any(level + 1)])), {
      additionalProperties: false,
    })
  }

  function any(level: number): Schema {
    const kinds = [text, number, integer, () => t.Boolean(), choice, nullable, open]
    const deep = level <= 3 ? [() => object(level), () => list(level), () => list(level)] : []
    return pick<() => Schema>([...kinds, ...deep])()
  }

  const text = (): Schema => {
    const minLength = below(4)
    return t.String({ minLength, maxLength: minLength + below(12) })
  }
  const open = (): Schema => t.String({ description: 'Anything', maxLength: 24 })
  const number = (): Schema => t.Number({ minimum: -below(1_000), maximum: below(1_000) })
  const integer = (): Schema =>
    random() < 0.5 ? t.Integer() : t.Integer({ minimum: below(5), maximum: 5 + below(100_000) })
  const choice = (): Schema =>
    t.Union(['a', 'b c', 'ü "x"', '\\', '1'].slice(0, 1 + below(5)).map((value) => t.Literal(value)))
  const nullable = (): Schema => t.Union([pick([text, integer, choice])(), t.Null()])
  const list = (level: number): Schema => {
    const minItems = below(3)
    return t.Array(any(level + 1), { minItems, maxItems: minItems + below(3) })
  }
  return object(1)
}
