// Number and Integer fields: every number that is said competes by what its sentence is about, by how near the words of the
// description stand, and by whether it is a number of the kind that is asked for.

import type { FieldQuery } from './field-query.ts'
import { type NumberKind, numberKindOf } from './number-kind.ts'
import { numbersOf, type SpokenNumber } from './numbers.ts'
import { isQuestion } from './question.ts'
import {
  closenessOf,
  meaningOf,
  type Reading,
  type ReadWord,
  type Stretch,
  stretchOf,
  type Term,
  termsOf,
} from './reading.ts'
import { relatedTo } from './related.ts'
import { MONEY_UNITS, ratioOf, unitOf } from './units.ts'
import { isFunctionWord } from './words.ts'

/** Fitted on half of the tuning set and checked on the other: what each sign adds, and `min` for any value at all. */
const W = {
  min: 0.6,
  meaning: 1,
  close: 1.7,
  unit: 0.24,
  wrongUnit: 0.35,
  otherNoun: 0.15,
  counted: 0.35,
  countedRelated: 0.12,
  measured: 0.07,
  age: 0.47,
  bareAge: 0.1,
  notAge: 0.27,
  year: 0.3,
  clock: 0.35,
  alone: 0.6,
  whole: 0.05,
  given: 0.19,
  question: 0.25,
  label: 0.5,
  range: 0.15,
  shared: 0.17,
}

interface Candidate {
  readonly value: number
  readonly score: number
}

interface Mention {
  readonly number: SpokenNumber
  readonly text: string
  readonly stretch: Stretch
  /** Words before it, nearest first, and after it. */
  readonly before: readonly ReadWord[]
  readonly after: readonly ReadWord[]
  /** Unit it is said with. */
  readonly unit: string | undefined
  /** Units of the other numbers of the sentence. */
  readonly units: ReadonlySet<string>
}

export function extractNumber(reading: Reading, query: FieldQuery): number | null {
  const [best] = rankNumbers(reading, query)
  return best && best.score >= W.min ? best.value : null
}

const CONTEXT_WORDS = 5

const known = new WeakMap<Reading, readonly Mention[]>()

/** Every number that is said, with what stands around it; found once for all fields. */
function mentionsOf(reading: Reading): readonly Mention[] {
  const mentions = known.get(reading) ?? findMentions(reading)
  known.set(reading, mentions)
  return mentions
}

function findMentions(reading: Reading): Mention[] {
  return reading.document.index.sentences.flatMap(({ text }, sentence) => {
    const units = new Set<string>()
    return numbersOf(text).map((number): Mention => {
      const stretch = stretchOf(reading, sentence, number.start, number.end)
      const first = reading.firstWords[sentence] ?? 0
      const limit = reading.firstWords[sentence + 1] ?? 0
      const before = reading.words
        .slice(Math.max(first, stretch.from - CONTEXT_WORDS), stretch.from)
        .toReversed()
      const after = reading.words.slice(stretch.to, Math.min(limit, stretch.to + CONTEXT_WORDS))
      const unit = unitBeside(text, number, after)
      if (unit !== undefined) units.add(unit)
      return { number, text, stretch, before, after, unit, units }
    })
  })
}

function unitBeside(
  text: string,
  { start, end }: SpokenNumber,
  after: readonly ReadWord[],
): string | undefined {
  const symbol = unitOf(text[start - 1] ?? '') ?? unitOf(text.slice(end, end + 2).trim()[0] ?? '')
  if (symbol !== undefined) return symbol
  const [first, second, third] = after
  const adjoining = first !== undefined && /^[\s-]*$/.test(text.slice(end, first.start))
  if (!first || !adjoining) return undefined
  if (first.lower === 'per' && second?.lower === 'cent') return 'percent'
  // "half an hour", "sixty two degrees", "five million euros", "four cubic metres"
  const own = unitOf(first.lower)
  if (own !== undefined) return own
  if (first.lower.includes('-')) return unitOf(first.lower.split('-')[0] ?? '')
  const next = /^(?:hundred|thousand|million|billion|a|an|us|full|long|whole|square|cubic|more)$/.test(
    first.lower,
  )
  return next ? (unitOf(second?.lower ?? '') ?? unitOf(third?.lower ?? '')) : undefined
}

function rankNumbers(reading: Reading, query: FieldQuery): Candidate[] {
  const kind = numberKindOf(query)
  const terms = termsOf(reading, query)
  const candidates: Candidate[] = []
  for (const mention of mentionsOf(reading)) {
    const value = valueFor(mention, kind)
    if (value === undefined || (query.field.type === 'Integer' && !Number.isInteger(value))) continue
    const score =
      W.meaning * meaningOf(reading, query, mention.stretch.sentence) +
      W.close * closenessOf(reading, terms, mention.stretch) +
      fitOf(mention, kind, terms) +
      doubtsOf(mention, kind)
    candidates.push({ value, score })
  }
  return candidates.toSorted((a, b) => b.score - a.score)
}

/** The number in the unit that is asked for; undefined when it can be no such number. */
function valueFor({ number, unit, before }: Mention, kind: NumberKind): number | undefined {
  const { value, ordinal, year } = number
  if (kind.year) {
    const spoken = value >= 1_000 && value <= 2_100 && Number.isInteger(value) && unit === undefined
    return year || (spoken && /^(?:in|of|since|by|until|from|till|year)$/.test(before[0]?.lower ?? ''))
      ? value
      : undefined
  }
  if (ordinal && !kind.rank) return undefined
  if (year && unit === undefined && !kind.money) return undefined
  const size = kind.positive ? Math.abs(value) : value
  const [wanted] = kind.units
  const ratio =
    wanted !== undefined && unit !== undefined && !kind.units.has(unit) ? ratioOf(unit, wanted) : undefined
  if (ratio !== undefined) return size * ratio
  return kind.scale > 1 && size >= kind.scale / 10 ? size / kind.scale : size
}

function fitOf(mention: Mention, kind: NumberKind, terms: readonly Term[]): number {
  if (kind.year) return mention.number.year ? W.year : 0
  if (kind.age) return ageFit(mention)
  if (kind.units.size > 0 || kind.money) return unitFit(mention, kind)
  const heads = mention.after.slice(0, 3).map(({ stem }) => stem)
  if (heads.some((stem) => kind.counted.has(stem))) return W.counted
  const related = heads.some((stem) => [...kind.counted].some((wanted) => relatedTo(wanted).has(stem)))
  if (related || heads.slice(0, 2).some((stem) => terms.some((term) => term.stem === stem)))
    return W.countedRelated
  if (mention.unit !== undefined) return -W.measured
  return kind.counted.size > 0 && nounAfter(mention) ? -W.otherNoun : 0
}

function unitFit(mention: Mention, kind: NumberKind): number {
  const { unit, units } = mention
  if (unit === undefined) {
    if (nounAfter(mention) && kind.scale === 1) return -W.otherNoun
    return [...units].some((other) => kind.units.has(other)) ? W.shared : 0
  }
  if (kind.units.size > 0 ? kind.units.has(unit) : MONEY_UNITS.has(unit)) return W.unit
  return [...kind.units].some((wanted) => ratioOf(unit, wanted) !== undefined) ? W.unit / 2 : -W.wrongUnit
}

/** Whether something else is counted: "sixty wells". */
function nounAfter({ after, text, number }: Pick<Mention, 'after' | 'text' | 'number'>): boolean {
  const [first] = after
  if (!first || !/^[\s-]*$/.test(text.slice(number.end, first.start))) return false
  return (
    !isFunctionWord(first.lower) &&
    !/^(?:million|thousand|hundred|altogether|today|now|each|last|so)$/.test(first.lower)
  )
}

function ageFit({ before, after, unit, text, number }: Mention): number {
  const previous = before[0]?.lower ?? ''
  const words = after.map(({ lower }) => lower).join(' ')
  if (/^(?:aged|age)$/.test(previous) || (previous === 'of' && before[1]?.lower === 'age')) return W.age
  if (/^(?:years? old|years? of age|year-old|-?years?-old)/.test(words)) return W.age
  if (unit === 'year') return 0
  if (unit !== undefined) return -W.notAge
  if (/^(?:i'm|am|he's|she's|it's|is|was|were|turned|turns|turning|at|be|now|just|only)$/.test(previous))
    return nounAfter({ after, text, number }) ? -W.notAge : W.age / 2
  // "Anna Lind, forty-four,"
  return /,\s*$/.test(text.slice(0, number.start)) && /^\s*,/.test(text.slice(number.end))
    ? W.bareAge
    : -W.notAge
}

/** What speaks against a number of any kind, or for it. */
function doubtsOf(mention: Mention, kind: NumberKind): number {
  const { number, before, text } = mention
  const previous = before[0]?.lower ?? ''
  let score = 0
  if (isClock(mention) && !kind.year) score -= W.clock
  if (number.value === 1 && text.slice(number.start, number.end).toLowerCase() === 'one') score -= W.alone
  // "four of the seven", "two out of nine"
  const whole = previous === 'of' || (previous === 'the' && before[1]?.lower === 'of')
  if (whole && !kind.year && !kind.age && !kind.total) score -= W.whole
  if (kind.given.has(number.value)) score -= W.given
  if (isQuestion(text)) score -= W.question
  if (kind.label) score += labelFit(mention, kind)
  // "from 25 pounds to 60"
  if (kind.latest && previous === 'to') score += W.range
  if (kind.latest && previous === 'from') score -= W.range
  return score
}

function isClock({ before, after }: Mention): boolean {
  return /^(?:past|o'clock|am|pm|a\.m|p\.m)$/.test(after[0]?.lower ?? '') || before[0]?.lower === 'past'
}

/** "bus twenty three", "number 418". */
function labelFit({ before, unit }: Mention, kind: NumberKind): number {
  const named = kind.counted.has(before[0]?.stem ?? '') || before[0]?.lower === 'number'
  return (named ? W.label : 0) - (unit === undefined ? 0 : W.label)
}

/** Values of all numbers that fit well enough, in the order they are said. */
export function extractNumbers(reading: Reading, query: FieldQuery): { value: number; text: string }[] {
  const kind = numberKindOf(query, query.allStems.has('year'))
  const terms = termsOf(reading, query)
  return mentionsOf(reading).flatMap((mention) => {
    const value = valueFor(mention, kind)
    const { start, end } = mention.number
    if (value === undefined || !(fitOf(mention, kind, terms) > 0)) return []
    return [{ value, text: mention.text.slice(start, end) }]
  })
}
