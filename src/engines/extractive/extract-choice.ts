// Boolean and Enum fields: yes or no by what the supporting sentence denies, and the choice that the transcript is nearest to.

import type { Document } from './document.ts'
import { enumText, type FieldQuery, findSentences } from './field-query.ts'
import { cosine } from './text-index.ts'
import type { Vectors } from './types.ts'
import { contentStems } from './words.ts'

/** Set on the tuning half of the evaluation. */
const BOOLEAN_SUPPORT_MIN = 0.62
const ENUM_MIN = 0.3
const ENUM_MARGIN = 0.02

const DENIAL =
  /\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|hardly|refuse[sd]?|den(?:y|ies|ied)|reject(?:s|ed)?|cancel(?:s|led|ed)?|fail(?:s|ed)?|impossible|stopped)\b|n['’]t\b/i

/** null unless a sentence speaks of the matter; then false if it denies what the description affirms. */
export function extractBoolean(document: Document, query: FieldQuery): boolean | null {
  const [best] = findSentences(document, query, BOOLEAN_SUPPORT_MIN)
  if (!best || best.coverage === 0) return null
  return DENIAL.test(best.sentence.text) === DENIAL.test(query.field.description)
}

/** The choice that is said, or whose meaning some sentence comes nearest to; null when none or two do. */
export function extractEnum(document: Document, { field }: FieldQuery, vectors: Vectors): string | null {
  const scored = (field.enum ?? [])
    .map((value) => ({ value, score: choiceScore(document, enumText(value), vectors) }))
    .toSorted((a, b) => b.score - a.score)
  const [best, second] = scored
  if (!best || best.score < ENUM_MIN) return null
  return second && best.score - second.score < ENUM_MARGIN ? null : best.value
}

/** Every choice that is near enough, for a list of choices. */
export function extractEnums(document: Document, values: readonly string[], vectors: Vectors): string[] {
  return values.filter((value) => choiceScore(document, enumText(value), vectors) >= 0.5)
}

function choiceScore({ index }: Document, text: string, vectors: Vectors): number {
  const vector = vectors.get(text)
  const stems = contentStems(text)
  let nearest = 0
  let mean = 0
  const said = new Map<string, number>()
  for (const sentence of index.sentences) {
    const close = Math.max(0, cosine(sentence.vector, vector) ?? 0)
    nearest = Math.max(nearest, close)
    mean += close / index.sentences.length
    for (const stem of stems) if (sentence.stems.has(stem)) said.set(stem, (said.get(stem) ?? 0) + 1)
  }
  const share = stems.length === 0 ? 0 : said.size / stems.length
  const often = Math.min(3, ...stems.map((stem) => said.get(stem) ?? 0)) / 3
  return 0.5 * nearest + 0.7 * mean + 0.4 * share + (stems.length === 0 ? 0 : 0.2 * often)
}
