// How well each sentence answers a question: closeness in meaning, the share of the question's rare words that come up
// in it or right beside it, and whether it contains the kind of thing that is asked for.

import type { NamedEntities } from './entities.ts'
import { numbersOf } from './numbers.ts'
import { isQuestion, type Question, type Wanted } from './question.ts'
import { cosine, type IndexedSentence, type TextIndex } from './text-index.ts'

/** The formula was measured on passages and queries: cosine + 0.5 · coverage². */
const COVERAGE_WEIGHT = 0.5
/** A word in the sentence before or after counts for so much. */
const NEARBY = 0.4
const KIND_BONUS = 0.25
/** A sentence that asks is not the one that answers; the one after it often is. */
const ASKING_PENALTY = 0.35
const ANSWERING_SHARE = 0.85

export interface Relevance {
  readonly sentence: IndexedSentence
  readonly score: number
  /** 0..1 by idf; 0 for a question without telling words. */
  readonly coverage: number
  /** 0 without vectors. */
  readonly cosine: number
  readonly hasKind: boolean
}

/** One per sentence, best first. */
export function rankSentences(
  index: TextIndex,
  question: Question,
  vector: Float32Array | undefined,
  entities: NamedEntities,
): Relevance[] {
  const total = question.stems.reduce((sum, stem) => sum + index.idf(stem), 0)
  const raw = index.sentences.map((sentence): Relevance => {
    const close = Math.max(0, cosine(sentence.vector, vector) ?? 0)
    const coverage = total === 0 ? 0 : coverageOf(sentence, index, question) / total
    const hasKind = containsKind(sentence, question, entities)
    const asks = isQuestion(sentence.text)
    const base = (index.hasVectors ? close : coverage * 0.5) + COVERAGE_WEIGHT * coverage ** 2
    return {
      sentence,
      score: base + (hasKind ? KIND_BONUS : 0) - (asks ? ASKING_PENALTY : 0),
      coverage,
      cosine: close,
      hasKind,
    }
  })
  return raw
    .map((relevance, at) => afterQuestion(relevance, raw[at - 1]))
    .toSorted((a, b) => b.score - a.score || a.sentence.index - b.sentence.index)
}

function coverageOf(sentence: IndexedSentence, index: TextIndex, { stems }: Question): number {
  const before = index.sentences[sentence.index - 1]
  const after = index.sentences[sentence.index + 1]
  let covered = 0
  for (const stem of stems) {
    if (sentence.stems.has(stem)) covered += index.idf(stem)
    else if (before?.stems.has(stem) === true || after?.stems.has(stem) === true)
      covered += NEARBY * index.idf(stem)
  }
  return covered
}

/** The transcript itself may ask what the caller asks; then the next sentence answers. */
function afterQuestion(relevance: Relevance, before: Relevance | undefined): Relevance {
  if (!before || !isQuestion(before.sentence.text) || isQuestion(relevance.sentence.text)) return relevance
  const inherited = (before.score + ASKING_PENALTY - (before.hasKind ? KIND_BONUS : 0)) * ANSWERING_SHARE
  const score = inherited + (relevance.hasKind ? KIND_BONUS : 0)
  if (score <= relevance.score) return relevance
  return {
    ...relevance,
    score,
    coverage: Math.max(relevance.coverage, before.coverage * ANSWERING_SHARE),
    cosine: Math.max(relevance.cosine, before.cosine * ANSWERING_SHARE),
  }
}

const MONEY =
  /[$€£¥]|\b(?:dollars?|euros?|pounds?|francs?|cents?|pence|yen|rupees?|crowns?|bucks|quid|marks|percent)\b/i
const TIME_UNIT =
  /\b(?:seconds?|minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|centur(?:y|ies))\b/i
const TIME =
  /\b(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|today|tomorrow|yesterday|tonight|morning|noon|afternoon|evening|midnight|christmas|easter|spring|summer|autumn|fall|winter|o'clock|century|seventies|eighties|nineties|sixties|\d{4}|next (?:week|month|year)|last (?:week|month|year))\b/i
const REASON =
  /\b(?:because|since|so that|due to|thanks to|reason|cause[sd]?|therefore|that is why|that's why|in order to|as a result|to blame|the key is|so)\b/i
const SPEECH =
  /\b(?:say|says|said|told|tell|argue[sd]?|thinks?|thought|explain(?:s|ed)|promise[sd]|suggest(?:s|ed)|believes?|believed|claims?|claimed|called)\b|["“]/i
const KIND_PATTERN: Partial<Record<Wanted, RegExp>> = { reason: REASON, speech: SPEECH }

function containsKind(
  sentence: IndexedSentence,
  { wanted, stems }: Question,
  entities: NamedEntities,
): boolean {
  const { text } = sentence
  const pattern = KIND_PATTERN[wanted]
  if (pattern) return pattern.test(text)
  if (wanted === 'person') return names(entities.people, sentence, stems)
  if (wanted === 'place') return names(entities.places, sentence, stems)
  const numbers = numbersOf(text)
  if (wanted === 'time') return TIME.test(text) || numbers.some(({ year }) => year)
  if (wanted === 'duration') return numbers.length > 0 && TIME_UNIT.test(text)
  if (wanted === 'money') return numbers.length > 0 && MONEY.test(text)
  return wanted === 'number' && numbers.some(({ ordinal, year }) => !ordinal && !year)
}

/** A name there that the question does not already give. */
function names(list: NamedEntities['people'], { index }: IndexedSentence, stems: readonly string[]): boolean {
  return list.some(
    ({ name, sentences }) =>
      sentences.includes(index) &&
      !name
        .toLowerCase()
        .split(' ')
        .every((part) => stems.includes(part)),
  )
}
