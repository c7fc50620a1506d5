// String fields: a name, a place, a date or the main subject where the description asks for one, else the sentence that
// supports it best. Always a piece of the transcript as it is.

import type { Document } from './document.ts'
import { bestName } from './extract-name.ts'
import { extractFormed } from './extract-phrase.ts'
import { extractTime } from './extract-time.ts'
import type { FieldQuery } from './field-query.ts'
import type { Reading } from './reading.ts'
import { wishOf } from './string-kind.ts'
import { keySubjects } from './subjects.ts'
import { supportFor } from './support.ts'

/** Support below which a sentence is no value; set on the tuning set. */
const SENTENCE_MIN = 0.5
const VALUE_CHARS_MAX = 1_000

export function extractString(reading: Reading, query: FieldQuery): string | null {
  const { document } = reading
  const wish = wishOf(query.field.description)
  const { kind } = wish
  const formed = kind === 'person' || kind === 'place' ? undefined : extractFormed(reading, query)
  if (formed !== undefined && formed !== null) return formed
  if (kind === 'topic') return mainSubject(document)
  if (kind === 'person' || kind === 'place' || kind === 'named') {
    const name = bestName(reading, query, wish)
    if (name !== null) return name
  }
  if (kind === 'time') return extractTime(reading, query)
  const [best] = supportFor(reading, query)
  return best && best.score >= SENTENCE_MIN ? best.sentence.text.slice(0, VALUE_CHARS_MAX) : null
}

function mainSubject({ index, phrases, ranks, transcript }: Document): string | null {
  const [subject] = keySubjects(index, phrases, ranks, 1)
  if (!subject) return null
  // As it is said, capitals included.
  const said = phrases.find(({ text }) => text.toLowerCase() === subject.name)
  return said?.text ?? transcript.segments[0]?.text ?? null
}
