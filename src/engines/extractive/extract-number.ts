// Number and Integer fields: every number that is said competes by what its sentence is about, by its unit, and by how near
// the words of the description are.

import type { Document } from './document.ts'
import type { FieldQuery } from './field-query.ts'
import { numbersOf, type SpokenNumber } from './numbers.ts'
import { rankSentences } from './relevance.ts'
import { stemOf, wordsOf } from './words.ts'

/** Set on the tuning half of the evaluation. */
const SCORE_MIN = 0.62
const UNIT_BONUS = 0.3
const WRONG_UNIT = 0.35
const NEAR_BONUS = 0.15
const NEAR_WORDS = 5
/** Five words and more; bounds the work on text that is nothing but numbers. */
const NEAR_CHARS = 100

const UNIT =
  /^(?:dollar|euro|pound|franc|yen|cent|rupe|crown|percent|degre|second|minut|hour|dai|day|week|month|year|decad|metr|meter|kilometr|kilomet|mile|inch|feet|foot|centimetr|centimet|millimetr|millimet|litr|liter|gallon|gram|kilo|kilogram|tonn|ton|watt|kilowatt|megawatt|volt|mph|point|goal|vote)$/
const SYMBOLS: Readonly<Record<string, string>> = {
  $: 'dollar',
  '€': 'euro',
  '£': 'pound',
  '¥': 'yen',
  '%': 'percent',
}

interface Candidate {
  readonly number: SpokenNumber
  readonly score: number
}

export function extractNumber(document: Document, query: FieldQuery): number | null {
  const [best] = rankNumbers(document, query)
  return best && best.score >= SCORE_MIN ? best.number.value : null
}

/** Values of all numbers that fit well enough, in the order they are said. */
export function extractNumbers(document: Document, query: FieldQuery): { value: number; text: string }[] {
  const wantsYears = query.allStems.has('year')
  return document.index.sentences.flatMap(({ text }) =>
    numbersOf(text)
      .filter((number) =>
        wantsYears ? number.year : !number.year && !number.ordinal && fitsUnit(text, number, query) > 0,
      )
      .map(({ value, start, end }) => ({ value, text: text.slice(start, end) })),
  )
}

function rankNumbers(document: Document, query: FieldQuery): Candidate[] {
  const wantsYear =
    /\byear\b/i.test(query.field.description) &&
    !/\bhow many|number of|years\b/i.test(query.field.description)
  const candidates: Candidate[] = []
  for (const { sentence, score } of rankSentences(
    document.index,
    query.question,
    query.vector,
    document.entities,
  )) {
    for (const number of numbersOf(sentence.text)) {
      if (query.field.type === 'Integer' && !Number.isInteger(number.value)) continue
      if (number.year !== wantsYear || number.ordinal) continue
      const text = sentence.text
      const alone = number.value === 1 && /^one$/i.test(text.slice(number.start, number.end)) ? 0.4 : 0
      const unit = wantsYear ? UNIT_BONUS : fitsUnit(text, number, query)
      candidates.push({ number, score: score + unit + nearness(text, number, query) - alone })
    }
  }
  return candidates.toSorted((a, b) => b.score - a.score)
}

/** Positive when what is counted is what the description names, negative when both name units and they differ. */
function fitsUnit(text: string, { start, end }: SpokenNumber, { allStems, question }: FieldQuery): number {
  const following = wordsOf(text.slice(end, end + NEAR_CHARS))
    .slice(0, 3)
    .map(stemOf)
  const symbol = SYMBOLS[text[start - 1] ?? ''] ?? SYMBOLS[text.slice(end, end + 2).trimStart()[0] ?? '']
  const counted = symbol === undefined ? following : [symbol]
  const wantedUnits = [...allStems].filter((stem) => UNIT.test(stem) && !/^(?:point|day|dai)$/.test(stem))
  if (wantedUnits.length > 0) {
    if (counted.slice(0, 2).some((stem) => wantedUnits.includes(stem))) return UNIT_BONUS
    return -WRONG_UNIT
  }
  if (counted.some((stem) => question.stems.includes(stem) || allStems.has(stem))) return UNIT_BONUS
  return counted.slice(0, 1).some((stem) => UNIT.test(stem)) ? -0.1 : 0
}

function nearness(text: string, { start, end }: SpokenNumber, { question }: FieldQuery): number {
  const before = wordsOf(text.slice(Math.max(0, start - NEAR_CHARS), start)).slice(-NEAR_WORDS)
  const after = wordsOf(text.slice(end, end + NEAR_CHARS)).slice(0, NEAR_WORDS)
  const near = new Set([...before, ...after].map(stemOf))
  const found = question.stems.filter((stem) => near.has(stem)).length
  return question.stems.length === 0 ? 0 : (NEAR_BONUS * found) / question.stems.length
}
