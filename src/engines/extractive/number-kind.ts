// What kind of number a description asks for: a year, an age, an amount in a unit, or how many there are of something.

import type { FieldQuery } from './field-query.ts'
import { numbersOf } from './numbers.ts'
import { wantedUnits, wantsMoney } from './units.ts'
import { contentStems } from './words.ts'

export interface NumberKind {
  readonly year: boolean
  readonly age: boolean
  readonly money: boolean
  /** "second place", "chapter two". */
  readonly rank: boolean
  /** The number is a name: of a bus, a room, a ticket. */
  readonly label: boolean
  readonly total: boolean
  readonly latest: boolean
  readonly positive: boolean
  readonly units: ReadonlySet<string>
  /** 1, or what the value is given in: a million for "in millions of euros". */
  readonly scale: number
  /** Stems of what is counted. */
  readonly counted: ReadonlySet<string>
  /** Numbers that the description itself names. */
  readonly given: ReadonlySet<number>
}

const SCALES: readonly (readonly [RegExp, number])[] = [
  [/\bin (?:\w+ )?billions?\b|\bbillions of\b/, 1e9],
  [/\bin (?:\w+ )?millions?\b|\bmillions of\b/, 1e6],
  [/\bin (?:\w+ )?thousands?\b|\bthousands of\b/, 1e3],
]

export function numberKindOf({ field }: FieldQuery, years = false): NumberKind {
  const text = field.description.toLowerCase()
  const year =
    years ||
    (/\byear\b/.test(text) &&
      !/\bhow many|number of|years\b|\b(?:last|per|a|this|first|next|every) year\b/.test(text))
  const age = !year && /\bage\b|\bhow old\b/.test(text) && !/\baverage age\b/.test(text)
  const scale = SCALES.find(([pattern]) => pattern.test(text))?.[1] ?? 1
  const units = year ? new Set<string>() : degrees(text, wantedUnits(text))
  return {
    year,
    age,
    money: !year && !age && wantsMoney(text, units),
    rank:
      /\b(?:place|rank|ranking|position|floor|round|chapter|edition|anniversary|grade)\b/.test(text) &&
      !/\bnumber of\b|how many/.test(text),
    label: /\bnumber of the (?:bus|\w+[^s\W])\b/.test(text),
    total: /\b(?:total|altogether|all|whole|overall)\b/.test(text),
    latest: /\b(?:now|new|current|today|present|corrected)\b/.test(text),
    positive: /\bpositive\b|\bdepth\b|\bbelow\b/.test(text),
    units,
    scale,
    counted: new Set(year || age ? [] : countedIn(text)),
    given: new Set(numbersOf(text).map(({ value }) => value)),
  }
}

function degrees(text: string, units: ReadonlySet<string>): ReadonlySet<string> {
  return units.size === 0 && /\btemperature\b/.test(text) ? new Set(['degree']) : units
}

/** The noun that is counted: what follows "number of" or "how many", else the head of the description. */
function countedIn(text: string): string[] {
  const asked =
    /\b(?:how many|number of|amount of|count of)\s+(?:the |all |different )?(.*)$/.exec(text)?.[1] ?? text
  const head =
    asked.split(
      /\b(?:of|in|on|at|who|that|which|for|from|to|with|the|he|she|it|they|were|was|is|are|will|has|have|by|without|per|a|an)\b|,|\(/,
    )[0] ?? ''
  return contentStems(head.trim() === '' ? (asked.split(' ')[0] ?? '') : head)
}
