// String fields that ask when: every date, weekday, month or time of day that is said competes by what is said around it.

import type { FieldQuery } from './field-query.ts'
import { closenessOf, meaningOf, type Reading, stretchOf, termsOf } from './reading.ts'

const MONTH = 'January|February|March|April|May|June|July|August|September|October|November|December'
const WEEKDAY = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday'
const ORDINAL =
  '(?:\\d{1,2}(?:st|nd|rd|th)?|(?:twenty[ -]|thirty[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|(?:ten|eleven|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twentie|thirtie)th|twelfth)'
const NUMBER = '(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|\\d{1,2})'
const MINUTES =
  '(?:five|ten|fifteen|twenty|twenty[ -]five|thirty|forty|forty[ -]five|fifty|fifty[ -]five|\\d{2}|quarter|half|a quarter)'
const DAY_PART = '(?: in the)?(?: morning| afternoon| evening| night)'

const DATE = [
  `(?:the )?${ORDINAL} of (?:${MONTH})(?:,? \\d{4})?`,
  `\\b(?:${MONTH})\\b(?: (?:the )?${ORDINAL}\\b)?(?:,? \\d{4})?`,
  `(?:next |last |on |this )?\\b(?:${WEEKDAY})\\b(?: (?:morning|afternoon|evening|night))?`,
  '(?:tomorrow|today|tonight|yesterday)(?: (?:morning|afternoon|evening|night))?',
  '(?:next|last|this) (?:week|month|year|spring|summer|autumn|fall|winter)',
  '(?:in )?\\b(?:1\\d|20)\\d\\d\\b',
].join('|')
const CLOCK = [
  `\\b\\d{1,2}:\\d{2}\\b(?: ?[ap]\\.?m\\b\\.?)?`,
  `\\b(?:${MINUTES}|\\w+ minutes) (?:past|to) ${NUMBER}\\b(?:${DAY_PART})?`,
  `\\b${NUMBER} ${MINUTES}(?: ?[ap]\\.?m\\b\\.?)?(?:${DAY_PART})?`,
  `\\b${NUMBER} ?(?:o'clock|[ap]\\.?m\\b\\.?)(?:${DAY_PART})?`,
  `(?<=\\b(?:at|by|until|before|after|from) )${NUMBER}\\b(?! (?:hundred|thousand|\\w+s\\b))(?:${DAY_PART})?`,
  '\\b(?:noon|midnight|midday)\\b',
].join('|')

/** Closeness in meaning and in words below which a date has nothing to do with the description. */
const SCORE_MIN = 0.45

/** What kind of time a description asks for decides which are looked for. */
function patternFor(description: string): RegExp {
  if (/\bweekday\b|\bday of the week\b/i.test(description)) return new RegExp(`\\b(?:${WEEKDAY})\\b`, 'gi')
  if (/\bmonth\b/i.test(description)) return new RegExp(`\\b(?:${MONTH})\\b`, 'gi')
  if (/\b(?:time|hour|o'clock)\b/i.test(description)) return new RegExp(CLOCK, 'gi')
  if (/\bseason\b/i.test(description)) return /\b(?:spring|summer|autumn|fall|winter)\b/gi
  if (/\bdate\b/i.test(description)) return new RegExp(DATE, 'gi')
  return new RegExp(`${DATE}|${CLOCK}`, 'gi')
}

export function extractTime(reading: Reading, query: FieldQuery): string | null {
  const pattern = patternFor(query.field.description)
  const terms = termsOf(reading, query)
  let best: string | null = null
  let bestScore = SCORE_MIN
  for (const [sentence, { text }] of reading.document.index.sentences.entries()) {
    for (const match of text.matchAll(pattern)) {
      const stretch = stretchOf(reading, sentence, match.index, match.index + match[0].length)
      const score = meaningOf(reading, query, sentence) + closenessOf(reading, terms, stretch)
      if (score > bestScore) [best, bestScore] = [match[0], score]
    }
  }
  return best
}
