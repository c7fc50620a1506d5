// Numbers as people say and write them in English: "4.5 million", "two hundred and fifty thousand", "nineteen ninety
// eight", "the ninth". Values come from the words alone.

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

interface Part {
  readonly word: string
  readonly start: number
  readonly end: number
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

/** Runs of more than fifteen digits are serial numbers, not quantities. */
function partsOf(text: string): Part[] {
  const found = text
    .toLowerCase()
    .matchAll(
      /(?<!\d)\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,9})?(?!\d)|(?<!\d)\d{1,15}(?:\.\d{1,9})?(?!\d)(?:st|nd|rd|th)?|[a-z]{1,30}/g,
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
  const words: string[] = []
  for (let at = index; at < parts.length; at++) {
    const part = parts[at]
    const before = parts[at - 1]
    if (part === undefined) break
    const gap = at === index || before === undefined ? '' : text.slice(before.end, part.start)
    if (!/^[\s-]*$/.test(gap)) break
    if (!continues(words, part.word, parts[at + 1]?.word)) break
    words.push(part.word)
  }
  const last = parts[index + words.length - 1]
  const value = valueOf(words)
  if (value === undefined || last === undefined) return undefined
  const number = {
    value: value.value,
    start: first.start,
    end: last.end,
    ordinal: value.ordinal,
    year: value.year,
  }
  return { number, length: words.length }
}

function continues(words: readonly string[], word: string, next: string | undefined): boolean {
  const last = words.at(-1)
  const isNumber =
    SMALL.has(word) || SCALE.has(word) || word === 'hundred' || /^\d/.test(word) || ORDINAL.has(word)
  if (last === undefined) {
    if (word === 'a') return next === 'hundred' || (next !== undefined && SCALE.has(next))
    return isNumber && !SCALE.has(word) && word !== 'hundred'
  }
  if (word === 'and') return (last === 'hundred' || SCALE.has(last)) && next !== undefined && SMALL.has(next)
  const closed = ORDINAL.has(last) || /\d$/.test(last)
  const may = closed ? SCALE.has(word) || word === 'hundred' : isNumber
  return may && joins(last, word)
}

/** Whether a number word may follow the other: "sixty two", but not "two three". */
function joins(last: string, word: string): boolean {
  if (SCALE.has(word) || word === 'hundred') return true
  if (last === 'hundred' || SCALE.has(last) || last === 'and') return true
  const before = SMALL.get(last) ?? -1
  const value = SMALL.get(word) ?? ORDINAL.get(word) ?? -1
  if (before >= 20) return value > 0 && value < 20
  // "nineteen ninety eight"
  return before >= 10 && value >= 10
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
  const decade = second === undefined ? undefined : SMALL.get(second)
  if (century !== undefined && century >= 10 && decade !== undefined && decade >= 10 && century < 21) {
    return {
      value: century * 100 + decade + (third === undefined ? 0 : (SMALL.get(third) ?? 0)),
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
  // Money is rounded where binary fractions would show: 1.3 million is 1300000.
  const value = Math.round((total + current) * 1e6) / 1e6
  return { value, ordinal: ORDINAL.has(words.at(-1) ?? ''), year: false }
}
