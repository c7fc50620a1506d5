// Boolean and Enum fields: yes or no by what the supporting sentence denies, and the choice that is said nearest to the
// words of the description, or whose meaning the supporting sentences come nearest to.

import { enumText, type FieldQuery } from './field-query.ts'
import { closenessOf, meaningOf, type Reading, type Term, termsOf } from './reading.ts'
import { relatedTo } from './related.ts'
import { supportFor } from './support.ts'
import { cosine } from './text-index.ts'
import type { Vectors } from './types.ts'
import { contentStems, wordsOf } from './words.ts'

/** Fitted on half of the tuning set and checked on the other: least scores for a value, then what each sign adds. */
const W = {
  boolean: 0.5,
  coverage: 0.3,
  enum: 0.38,
  listed: 0.6,
  margin: 0.005,
  said: 0.3,
  close: 0.8,
  meaning: 0.4,
  vector: 0.5,
  mean: 0.7,
  often: 0.2,
}

const DENIAL =
  /\b(?:not|never|no|none|nobody|nothing|neither|nor|without|cannot|hardly|refuse[sd]?|den(?:y|ies|ied)|reject(?:s|ed)?|cancel(?:s|led|ed)?|fail(?:s|ed)?|impossible|stopped|unable|failing|turned back|give up|gave up|lacks?|instead of)\b|n['’]t\b/i
const ANSWERS_NO = /^(?:no|nope|never|not|none|nobody|sadly|unfortunately)\b/i
const ANSWERS_YES = /^(?:yes|yeah|yep|sure|of course|absolutely|exactly|definitely|indeed|right|correct)\b/i

/** null unless a sentence speaks of the matter; then false if it denies what the description affirms. */
export function extractBoolean(reading: Reading, query: FieldQuery): boolean | null {
  const best = supportFor(reading, query).find(({ coverage }) => coverage > 0)
  if (!best || best.score < W.boolean || best.coverage < W.coverage) return null
  const denied = DENIAL.test(query.field.description)
  const { text } = best.sentence
  const asked = reading.asks[best.at] === true || reading.asks[best.at - 1] === true
  const answer =
    reading.asks[best.at] === true ? (reading.document.index.sentences[best.at + 1]?.text ?? '') : text
  if (asked && ANSWERS_NO.test(answer)) return denied
  if (asked && ANSWERS_YES.test(answer)) return !denied
  return DENIAL.test(asked ? answer : text) === denied
}

interface Contest {
  readonly reading: Reading
  readonly query: FieldQuery
  readonly terms: readonly Term[]
  readonly vectors: Vectors
}

/** The choice that fits best; null when none fits well, or two fit alike. */
export function extractEnum(reading: Reading, query: FieldQuery, vectors: Vectors): string | null {
  const contest = { reading, query, vectors, terms: termsOf(reading, query) }
  const scored = (query.field.enum ?? [])
    .map((value) => ({ value, score: choiceScore(contest, enumText(value)) }))
    .toSorted((a, b) => b.score - a.score)
  const [best, second] = scored
  if (!best || best.score < W.enum) return null
  return second && best.score - second.score < W.margin ? null : best.value
}

/** Every choice that is near enough, for a list of choices. */
export function extractEnums(
  reading: Reading,
  query: FieldQuery,
  values: readonly string[],
  vectors: Vectors,
): string[] {
  const contest = { reading, query, vectors, terms: termsOf(reading, query) }
  return values.filter((value) => choiceScore(contest, enumText(value)) >= W.listed)
}

function choiceScore(contest: Contest, text: string): number {
  const { sentences } = contest.reading.document.index
  const vector = contest.vectors.get(text)
  let nearest = 0
  let mean = 0
  for (const sentence of sentences) {
    const close = Math.max(0, cosine(sentence.vector, vector) ?? 0)
    nearest = Math.max(nearest, close)
    mean += close / sentences.length
  }
  return W.vector * nearest + W.mean * mean + saidScore(contest, text)
}

/** How near a choice is said to what the description speaks of, by the share of its words. */
function saidScore({ reading, query, terms }: Contest, text: string): number {
  const content = contentStems(text)
  const stems = content.length > 0 ? content : wordsOf(text)
  let sum = 0
  for (const stem of stems) {
    const exact = reading.positions.get(stem) ?? []
    const related =
      exact.length > 0 ? [] : [...relatedTo(stem)].flatMap((other) => reading.positions.get(other) ?? [])
    let best = 0
    for (const at of [...exact, ...related]) {
      const word = reading.words[at]
      if (!word) continue
      const stretch = { sentence: word.sentence, from: at, to: at + 1 }
      const near =
        W.said +
        W.close * closenessOf(reading, terms, stretch) +
        W.meaning * meaningOf(reading, query, word.sentence)
      best = Math.max(best, exact.length > 0 ? near : 0.7 * near)
    }
    sum += (best + (W.often * Math.min(3, exact.length)) / 3) / stems.length
  }
  return sum
}
