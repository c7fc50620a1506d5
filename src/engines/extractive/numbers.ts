// Numbers as people say and write them in English: "4.5 million", "two hundred and fifty thousand", "nineteen ninety
// eight", "the ninth", "minus six", "three and a half million". Values come from the words alone.

import { fractionAfter, isNegative, type Part, startsHalf } from './number-fractions.ts'

const UNITS =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'
const ORDINALS =
  'zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth'

const SMALL = new Map<string, number>([
  ...UNITS.split(' ').map((word, value): [string, number] => [word, value]),
  ...TENS.split(' ').map((word, index): [string, number] => [word, (index + 2) * 10]),
])
const ORDINAL = new Map(ORDINALS.split(' ').map((word, value): [string, number] => [word, value]))
const SCALE = new Map([
  ['thousand', 1e3],
  ['million', 1e6],
  ['billion', 1e9],
  ['trillion', 1e12],
  ['dozen', 12],
  ['grand', 1e3],
])

export interface SpokenNumber {
  readonly value: number
  /** Offsets in the text. */
  readonly start: number
  readonly end: number
  readonly ordinal: boolean
  /** A year by its form: four digits without a comma, or "nineteen ninety eight". */
  readonly year: boolean
}

/** Every number of the text, in order, not overlapping. */
export function numbersOf(text: string): SpokenNumber[] {
  const parts = partsOf(text)
  const numbers: SpokenNumber[] = []
  let index = 0
  while (index < parts.length) {
    const run = runFrom(parts, index, text)
    if (run === undefined) {
      index++
      continue
    }
    numbers.push(run.number)
    index += run.length
  }
  return numbers
}

/** Runs of more than fifteen digits are serial numbers, not quantities; "17:20" is none either. */
function partsOf(text: string): Part[] {
  const found = text
    .toLowerCase()
    .matchAll(
      /(?<!\d)\d{1,2}:\d{2}(?!\d)|(?<!\d)\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,9})?(?!\d)|(?<!\d)\d{1,15}(?:\.\d{1,9})?(?!\d)(?:st|nd|rd|th)?|[a-z]{1,30}/g,
    )
  return [...found].map((match) => ({
    word: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }))
}

/** The number that begins there, and how many parts it takes. */
function runFrom(
  parts: readonly Part[],
  index: number,
  text: string,
): { number: SpokenNumber; length: number } | undefined {
  const first = parts[index]
  if (first === undefined) return undefined
  const words = wordsFrom(parts, index, text)
  const half = words.length === 0 ? startsHalf(parts, index) : 0
  const whole = half > 0 ? { value: 0.5, ordinal: false, year: false } : valueOf(words)
  if (whole === undefined) return undefined
  const wholeLength = words.length + half
  const fraction = fractionAfter(parts, index + wholeLength, text)
  let length = wholeLength + (fraction?.length ?? 0)
  const scale = fraction || half > 0 ? SCALE.get(parts[index + length]?.word ?? '') : undefined
  if (scale !== undefined) length++
  const negative = isNegative(parts, { from: index, to: index + length, text })
  const size = (whole.value + (fraction?.value ?? 0)) * (scale ?? 1)
  const number = {
    value: rounded(negative ? -size : size),
    start: first.start,
    end: parts[index + length - 1]?.end ?? first.end,
    ordinal: whole.ordinal && !fraction,
    year: whole.year && !fraction && !negative,
  }
  return { number, length }
}

/** The words of one whole number, from there on; none where no number begins. */
function wordsFrom(parts: readonly Part[], index: number, text: string): string[] {
  const words: string[] = []
  for (let at = index; at < parts.length; at++) {
    const [before, part] = [parts[at - 1], parts[at]]
    if (part === undefined) break
    const gap = at === index || before === undefined ? '' : text.slice(before.end, part.start)
    if (!/^[\s-]*$/.test(gap) || !continues(words, part.word, parts[at + 1]?.word)) break
    words.push(part.word)
  }
  return words
}

/** Where binary fractions would show: 1.3 million is 1300000. */
function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6
}

function continues(words: readonly string[], word: string, next: string | undefined): boolean {
  const last = words.at(-1)
  const isNumber =
    SMALL.has(word) || SCALE.has(word) || word === 'hundred' || /^\d/.test(word) || ORDINAL.has(word)
  if (last === undefined) {
    if (/:/.test(word)) return false
    if (word === 'a') return next === 'hundred' || (next !== undefined && SCALE.has(next))
    return isNumber && !SCALE.has(word) && word !== 'hundred'
  }
  if (word === 'and') return (last === 'hundred' || SCALE.has(last)) && next !== undefined && SMALL.has(next)
  const closed = ORDINAL.has(last) || /\d$/.test(last)
  if (word === 'oh') return joins(last, word) && (SMALL.get(next ?? '') ?? 10) < 10
  const may = closed ? SCALE.has(word) || word === 'hundred' : isNumber
  return may && joins(last, word)
}

/** Whether a number word may follow the other: "sixty two", but not "two three". */
function joins(last: string, word: string): boolean {
  if (SCALE.has(word) || word === 'hundred') return true
  if (last === 'hundred' || SCALE.has(last) || last === 'and') return true
  const before = SMALL.get(last) ?? -1
  const value = SMALL.get(word) ?? ORDINAL.get(word) ?? -1
  // "twenty twenty two"
  if (before === 20 && value >= 20 && value <= 30) return true
  if (before >= 20) return value > 0 && value < 20
  // "nineteen ninety eight", "nineteen oh six"
  return (
    (before >= 10 && before < 21 && (value >= 10 || word === 'oh')) ||
    (last === 'oh' && value > 0 && value < 10)
  )
}

function valueOf(words: readonly string[]): { value: number; ordinal: boolean; year: boolean } | undefined {
  const [first] = words
  if (first === undefined) return undefined
  const digits = /^([\d,]*\d(?:\.\d+)?)(st|nd|rd|th)?$/.exec(first)
  if (digits && words.length === 1) {
    const value = Number(digits[1]?.replaceAll(',', ''))
    const year = /^(?:1[0-9]|20)\d\d$/.test(first)
    return { value, ordinal: digits[2] !== undefined, year }
  }
  const [, second, third] = words
  const century = SMALL.get(first)
  const decade = second === 'oh' ? 10 : second === undefined ? undefined : SMALL.get(second)
  if (century !== undefined && century >= 10 && decade !== undefined && decade >= 10 && century < 21) {
    return {
      value:
        century * 100 + (second === 'oh' ? 0 : decade) + (third === undefined ? 0 : (SMALL.get(third) ?? 0)),
      ordinal: false,
      year: true,
    }
  }
  let total = 0
  let current = 0
  for (const word of words) {
    const scale = SCALE.get(word)
    if (scale !== undefined) {
      total += (current === 0 ? 1 : current) * scale
      current = 0
    } else if (word === 'hundred') current = (current === 0 ? 1 : current) * 100
    else if (/^\d/.test(word)) current += Number(word.replaceAll(/[,a-z]/g, ''))
    else current += SMALL.get(word) ?? ORDINAL.get(word) ?? 0
  }
  return { value: rounded(total + current), ordinal: ORDINAL.has(words.at(-1) ?? ''), year: false }
}
