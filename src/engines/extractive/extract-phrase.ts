// String fields whose value has a form that can be recognised: an occupation, or a code that is written or spelled out. Always
// as it is said.

import type { FieldQuery } from './field-query.ts'
import { closenessOf, meaningOf, type Reading, stretchOf, termsOf } from './reading.ts'
import { isPersonNoun } from './string-kind.ts'
import { isStopWord, wordsOf } from './words.ts'

const JOB = /\b(?:job|occupation|profession|career|for a living|works? as|worked as)\b/i
const CODE =
  /\b(?:code|id|identifier|registration|password|(?:phone|serial|telephone|ticket|order|reference|case|flight|account|licence|license|model) number|plate)\b/i

const SPELLED =
  '(?:[a-z]|oh|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)|hundred|double|dash|slash|\\d{1,15})'
const CODES = new RegExp(
  `\\b(?:${SPELLED}(?: |, ?|-)){1,30}${SPELLED}\\b|\\b(?=\\w{0,12}\\d)(?=\\w{0,12}[A-Z])[A-Z\\d][A-Z\\d-]{1,19}\\b|\\b\\d{3,15}\\b`,
  'gi',
)
const SCORE_MIN = 0.4
const JOB_WORDS_MAX = 5

/** undefined when the description asks for nothing of the kind; null when nothing fits. */
export function extractFormed(reading: Reading, query: FieldQuery): string | null | undefined {
  const { description } = query.field
  if (CODE.test(description)) return best(reading, query, codesIn)
  return JOB.test(description) ? best(reading, query, jobsIn) : undefined
}

interface Piece {
  readonly start: number
  readonly end: number
  /** What speaks for it besides its surroundings. */
  readonly bonus: number
}

function best(reading: Reading, query: FieldQuery, find: (text: string) => readonly Piece[]): string | null {
  const terms = termsOf(reading, query)
  let value: string | null = null
  let top = SCORE_MIN
  for (const [sentence, { text }] of reading.document.index.sentences.entries()) {
    for (const { start, end, bonus } of find(text)) {
      const stretch = stretchOf(reading, sentence, start, end)
      const score = meaningOf(reading, query, sentence) + closenessOf(reading, terms, stretch) + bonus
      if (score > top) [value, top] = [text.slice(start, end), score]
    }
  }
  return value
}

/** "a i" and "one" are no codes: letters or digits must follow one another, and a number must be among them. */
function codesIn(text: string): Piece[] {
  return [...text.matchAll(CODES)]
    .filter(([code]) => {
      const parts = code.split(/[ ,-]+/)
      return /\d/.test(code) || parts.filter((part) => part.length > 1 && part !== 'oh').length > 0
    })
    .filter(([code]) => !/^(?:a|i|s|t) [a-z]+$/i.test(code))
    .map((match) => {
      const letters = /^[a-z] /i.test(match[0]) || /[A-Z]\d|\d[A-Z]/.test(match[0]) ? 0.15 : 0
      const long = Math.min(0.2, match[0].split(' ').length * 0.04)
      return { start: match.index, end: match.index + match[0].length, bonus: letters + long }
    })
}

const BEFORE_JOB =
  /\b(?:as an?|i'm an?|i am an?|was an?|is an?|were|am an?|became an?|an?|the|,|her|his|my)\s+$/i

/** Nouns for people with what belongs to them: "a speech and language therapist". */
function jobsIn(text: string): Piece[] {
  const words = [...text.matchAll(/[\p{L}'’-]+/gu)]
  return words.flatMap((match, at): Piece[] => {
    const word = match[0].toLowerCase()
    if (
      /^\p{Lu}/u.test(match[0]) ||
      !isPersonNoun(word) ||
      /^(?:person|people|man|woman|boy|girl|child|somebody|friend|guest|member|mother|father|husband|wife|son|daughter|brother|sister|caller|other|listener|head)s?$/.test(
        word,
      )
    )
      return []
    let from = at
    while (at - from < JOB_WORDS_MAX - 1) {
      const previous = words[from - 1]
      if (!previous || !/^[ ]$/.test(text.slice(previous.index + previous[0].length, words[from]?.index)))
        break
      const lower = previous[0].toLowerCase()
      const joins =
        lower === 'and' &&
        from - 2 >= 0 &&
        at - from > 0 &&
        !isStopWord(words[from - 2]?.[0].toLowerCase() ?? 'a')
      if (isStopWord(lower) && !joins) break
      if (/(?:ed|ing)$/.test(lower) && at - from > 0) break
      from--
    }
    const start = words[from]?.index ?? match.index
    const before = text.slice(0, start)
    const bonus = /\b(?:as|i'm|i am|was|is|became|am|were) an? $/i.test(before)
      ? 0.25
      : BEFORE_JOB.test(before)
        ? 0.08
        : 0
    return wordsOf(text.slice(start)).length > 0 ? [{ start, end: match.index + match[0].length, bonus }] : []
  })
}
