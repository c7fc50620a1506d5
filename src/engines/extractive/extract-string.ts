// String fields: a name, a place, a date or the main subject where the description asks for one, else the sentence that
// supports it best. Always a piece of the transcript as it is.

import type { Document } from './document.ts'
import type { NamedEntity } from './entities.ts'
import { type FieldQuery, findSentences, stringKind } from './field-query.ts'
import { keySubjects } from './subjects.ts'

/** A name is worth giving for less than a whole sentence is: it is of the right kind. */
const NAME_SUPPORT_MIN = 0.25
const SENTENCES_TRIED = 4
const VALUE_CHARS_MAX = 1_000

const MONTH = 'January|February|March|April|May|June|July|August|September|October|November|December'
const WEEKDAY = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday'
const ORDINAL =
  '(?:\\d{1,2}(?:st|nd|rd|th)?|(?:twenty |thirty )?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)|(?:ten|eleven|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twentie|thirtie)th|twelfth)'
const DATE = new RegExp(
  [
    `(?:the )?${ORDINAL} of (?:${MONTH})(?:,? \\d{4})?`,
    `(?:${MONTH})(?: (?:the )?${ORDINAL})?(?:,? \\d{4})?`,
    `(?:next |last |on |this )?(?:${WEEKDAY})(?: (?:morning|afternoon|evening|night))?`,
    '(?:tomorrow|today|tonight|yesterday)(?: (?:morning|afternoon|evening|night))?',
    '(?:next|last|this) (?:week|month|year|spring|summer|autumn|fall|winter)',
    '(?:in )?(?:1\\d|20)\\d\\d',
  ].join('|'),
  'i',
)

export function extractString(document: Document, query: FieldQuery): string | null {
  const kind = stringKind(query.field.description)
  if (kind === 'topic') return mainSubject(document)
  if (kind === 'person') return bestName(document, query, document.entities.people)
  if (kind === 'place') return bestName(document, query, document.entities.places)
  const sentences = findSentences(document, query)
  if (kind === 'time') {
    for (const { sentence } of sentences.slice(0, SENTENCES_TRIED)) {
      const date = DATE.exec(sentence.text)?.[0]
      if (date !== undefined) return date
    }
    return null
  }
  return sentences[0]?.sentence.text.slice(0, VALUE_CHARS_MAX) ?? null
}

/** The name in the best sentence that has one, nearest to the words of the description. */
function bestName(document: Document, query: FieldQuery, entities: readonly NamedEntity[]): string | null {
  let best: string | null = null
  let bestScore = -Infinity
  for (const { sentence, score } of findSentences(document, query, NAME_SUPPORT_MIN)) {
    for (const entity of entities) {
      if (!entity.sentences.includes(sentence.index)) continue
      const near = score + nearness(sentence.text, entity.name, query)
      if (near > bestScore) [best, bestScore] = [entity.name, near]
    }
  }
  return best
}

const NEAR_CHARS = 60

/** 0..0.2 by how close a word of the description stands to the name. */
function nearness(text: string, name: string, { question }: FieldQuery): number {
  const lower = text.toLowerCase()
  const short = name.split(' ').at(-1) ?? name
  const at = lower.indexOf(short.toLowerCase())
  let distance = NEAR_CHARS
  for (const stem of question.stems) {
    for (let found = lower.indexOf(stem); found >= 0; found = lower.indexOf(stem, found + 1)) {
      distance = Math.min(distance, Math.abs(found - at))
    }
  }
  return 0.2 * (1 - distance / NEAR_CHARS)
}

function mainSubject({ index, phrases, ranks, transcript }: Document): string | null {
  const [subject] = keySubjects(index, phrases, ranks, 1)
  if (!subject) return null
  // As it is said, capitals included.
  const said = phrases.find(({ text }) => text.toLowerCase() === subject.name)
  return said?.text ?? transcript.segments[0]?.text ?? null
}
