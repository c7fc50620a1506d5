// What may stand before and after a whole number and changes its value: "point eight", "and a half", "euros fifty", "minus",
// "below zero".

/** A word or a number in digits, in lower case, with its offsets in the text. */
export interface Part {
  readonly word: string
  readonly start: number
  readonly end: number
}

const DIGITS = new Map(
  'zero one two three four five six seven eight nine'
    .split(' ')
    .map((word, value): [string, number] => [word, value]),
).set('oh', 0)
const TENS = new Map(
  'ten twenty thirty forty fifty sixty seventy eighty ninety'
    .split(' ')
    .map((word, index): [string, number] => [word, index * 10 + 10]),
)
const DECIMALS_MAX = 6
const PARTS: Readonly<Record<string, number>> = { half: 0.5, quarter: 0.25 }
const MONEY = /^(?:dollars?|euros?|pounds?|francs?)$/

export interface Fraction {
  readonly value: number
  /** Parts it takes. */
  readonly length: number
}

/** What follows a whole number that ends before `at` and makes it a broken one. */
export function fractionAfter(parts: readonly Part[], at: number, text: string): Fraction | undefined {
  const word = (offset: number): string => parts[at + offset]?.word ?? ''
  if (!adjoins(parts, at, text)) return undefined
  if (word(0) === 'point') return decimals(parts, at)
  if (word(0) === 'and' && word(1) === 'a' && word(2) in PARTS)
    return { value: PARTS[word(2)] ?? 0, length: 3 }
  const tens = TENS.get(word(1))
  if (MONEY.test(word(0)) && tens !== undefined && adjoins(parts, at + 1, text)) {
    const ones = DIGITS.get(word(2)) ?? 0
    const length = ones > 0 ? 3 : 2
    const follows = /^(?:per|a|an|each|for|and||in|at|now)$/.test(word(length))
    return follows || !adjoins(parts, at + length, text) ? { value: (tens + ones) / 100, length } : undefined
  }
  return undefined
}

/** "point three eight": digit by digit. */
function decimals(parts: readonly Part[], at: number): Fraction | undefined {
  let digits = ''
  while (digits.length < DECIMALS_MAX) {
    const digit = DIGITS.get(parts[at + 1 + digits.length]?.word ?? '')
    if (digit === undefined) break
    digits += String(digit)
  }
  if (digits !== '') return { value: Number(`0.${digits}`), length: digits.length + 1 }
  const tens = TENS.get(parts[at + 1]?.word ?? '')
  if (tens === undefined) return undefined
  const ones = DIGITS.get(parts[at + 2]?.word ?? '') ?? 0
  return { value: (tens + ones) / 100, length: ones > 0 ? 3 : 2 }
}

/** How many parts "half a" takes where a scale or a unit follows: "half a million", "half an hour". */
export function startsHalf(parts: readonly Part[], at: number): number {
  if (parts[at]?.word !== 'half' || !/^an?$/.test(parts[at + 1]?.word ?? '')) return 0
  return /^(?:thousand|million|billion|trillion|dozen|hour|minute|year|month|mile|pint|pound|percent|litre|kilo|metre|degree|point)$/.test(
    parts[at + 2]?.word ?? '',
  )
    ? 2
    : 0
}

export function isNegative(
  parts: readonly Part[],
  { from, to, text }: { readonly from: number; readonly to: number; readonly text: string },
): boolean {
  if (/^(?:minus|negative)$/.test(parts[from - 1]?.word ?? '')) return true
  if (/(?:^|[\s(])[-−–]$/.test(text.slice(0, parts[from]?.start ?? 0).slice(-2))) return true
  const after = /^degrees?$/.test(parts[to]?.word ?? '') ? to + 1 : to
  return parts[after]?.word === 'below' && /^(?:zero|freezing)$/.test(parts[after + 1]?.word ?? '')
}

/** Whether only spaces or hyphens stand between a part and the one before. */
function adjoins(parts: readonly Part[], at: number, text: string): boolean {
  const [before, part] = [parts[at - 1], parts[at]]
  return before !== undefined && part !== undefined && /^[\s-]*$/.test(text.slice(before.end, part.start))
}
