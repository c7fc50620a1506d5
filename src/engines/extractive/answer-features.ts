// What speaks for a sentence as the answer to a question, as numbers between which answer-weights.json weighs: its own
// words and meaning, those around it, and whether it says the kind of thing that is asked for.

import { asksForKind, isQuestion, type Question } from './question.ts'
import type { Relevance } from './relevance.ts'
import { relatedTo } from './related.ts'
import { tagSentence } from './tagged.ts'
import { cosine, type IndexedSentence, type TextIndex } from './text-index.ts'
import { stemOf } from './words.ts'

export const ANSWER_FEATURES = [
  /** Score of the ranking that knows nothing of what is around a sentence. */
  'relevance',
  'asks',
  'length',
  'kind',
  'kindAsked',
  /** Share of the question's rare words in it, beside it (one sentence away), and around it (up to four before). */
  'covered',
  'beside',
  'around',
  /** Covered, and saying something that the question does not say. */
  'coveredAndNew',
  /** Closeness in meaning of the sentence before, and the one before that. */
  'closeBefore',
  'closeTwoBefore',
  /** With the one before; by how much that stands out in the transcript; the same for it, the one before and the next. */
  'closePair',
  'pairStandsOut',
  'threeStandOut',
  /** Share of the question's words that are not in it while another word for the same thing is, in it or beside it. */
  'related',
  'relatedBeside',
  /** None of the question's verbs has been said in the last sentences; share of its names and nouns that have been. */
  'verbUnsaid',
  'namesLately',
  'nounsLately',
  'advises',
] as const

export type AnswerFeature = (typeof ANSWER_FEATURES)[number]

/** Sentences that are still in mind: it and four before. */
const LATELY = 5
const AROUND_BEFORE = 4
const AROUND_AFTER = 2
const NEW_WORDS_ENOUGH = 6
const ADVICE_ASKED = /\b(?:should|advice|tips?|recommend\w*|suggest\w*|how to|how do (?:i|you)|avoid|rule)\b/i
const ADVICE =
  /\b(?:should|shouldn't|don't|never|always|must|need to|have to|make sure|try|avoid|please|better|recommend|remember|keep|put|take|use|wait)\b/i

/** The question and what ranking by relevance makes of each sentence. */
export interface Asked {
  readonly question: Question
  readonly vector: Float32Array | undefined
  /** In any order; one for each sentence. */
  readonly ranked: readonly Relevance[]
}

/** One row per sentence of the index, in order; its columns are ANSWER_FEATURES. */
export function answerFeatures(index: TextIndex, asked: Asked): Float64Array[] {
  const { sentences } = index
  const relevances = asked.ranked.toSorted((a, b) => a.sentence.index - b.sentence.index)
  const lexical = lexicalFeatures(index, asked.question)
  const close = sentences.map(({ vector }) => Math.max(0, cosine(vector, asked.vector) ?? 0))
  const pairs = sentences.map((_, at) => closeTogether(sentences, [at - 1, at], asked.vector))
  const threes = sentences.map((_, at) => closeTogether(sentences, [at - 1, at, at + 1], asked.vector))
  const pairStandsOut = standardised(pairs)
  const threeStandOut = standardised(threes)
  const wantsAdvice = ADVICE_ASKED.test(asked.question.text)
  return sentences.map(({ text }, at) => {
    const kind = relevances[at]?.hasKind === true ? 1 : 0
    const values: Record<AnswerFeature, number> = {
      relevance: relevances[at]?.score ?? 0,
      asks: isQuestion(text) ? 1 : 0,
      length: Math.log1p(text.split(' ').length),
      kind,
      kindAsked: asksForKind(asked.question.wanted) ? kind : 0,
      closeBefore: close[at - 1] ?? 0,
      closeTwoBefore: close[at - 2] ?? 0,
      closePair: pairs[at] ?? 0,
      pairStandsOut: pairStandsOut[at] ?? 0,
      threeStandOut: threeStandOut[at] ?? 0,
      advises: wantsAdvice && ADVICE.test(text) ? 1 : 0,
      ...lexical(at),
    }
    return Float64Array.from(ANSWER_FEATURES, (name) => values[name])
  })
}

type LexicalFeature =
  | 'covered'
  | 'beside'
  | 'around'
  | 'coveredAndNew'
  | 'related'
  | 'relatedBeside'
  | 'verbUnsaid'
  | 'namesLately'
  | 'nounsLately'

function lexicalFeatures(
  index: TextIndex,
  question: Question,
): (at: number) => Record<LexicalFeature, number> {
  const { sentences } = index
  const { stems } = question
  const parts = partsOfSpeech(question)
  const total = stems.reduce((sum, stem) => sum + index.idf(stem), 0) || 1
  const said = (stem: string, from: number, to: number): boolean =>
    sentences.slice(Math.max(0, from), to + 1).some((sentence) => sentence.stems.has(stem))
  const share = (list: readonly string[], fits: (stem: string) => boolean): number =>
    list.length === 0 ? 0 : list.filter(fits).length / list.length
  const weigh = (fits: (stem: string) => boolean): number =>
    stems.filter(fits).reduce((sum, stem) => sum + index.idf(stem), 0) / total
  const meant = (stem: string, from: number, to: number): boolean =>
    [...relatedTo(stem)].some((other) => said(other, from, to))

  return (at) => {
    const here = (stem: string): boolean => said(stem, at, at)
    const near = (stem: string): boolean => said(stem, at - 1, at + 1)
    const lately = (stem: string): boolean => said(stem, at - LATELY + 1, at)
    const covered = weigh(here)
    const own = [...(sentences[at]?.stems.keys() ?? [])]
    const fresh = own.filter((stem) => !stems.includes(stem)).length
    return {
      covered,
      beside: weigh((stem) => !here(stem) && near(stem)),
      around: weigh((stem) => !near(stem) && said(stem, at - AROUND_BEFORE, at + AROUND_AFTER)),
      coveredAndNew: (covered * Math.min(fresh, NEW_WORDS_ENOUGH)) / NEW_WORDS_ENOUGH,
      related: share(stems, (stem) => !here(stem) && meant(stem, at, at)),
      relatedBeside: share(
        stems,
        (stem) => !here(stem) && !meant(stem, at, at) && meant(stem, at - 1, at + 1),
      ),
      verbUnsaid: parts.verbs.length > 0 && !parts.verbs.some(lately) ? 1 : 0,
      namesLately: share(parts.names, lately),
      nounsLately: share(parts.nouns, lately),
    }
  }
}

interface PartsOfSpeech {
  readonly verbs: readonly string[]
  readonly nouns: readonly string[]
  readonly names: readonly string[]
}

/** Stems of the question's telling words by what they are. */
function partsOfSpeech({ text, stems }: Question): PartsOfSpeech {
  const verbs = new Set<string>()
  const nouns = new Set<string>()
  const names = new Set<string>()
  for (const word of tagSentence(text)) {
    const stem = stemOf(word.lower)
    if (!stems.includes(stem)) continue
    if (word.tags.has('Verb')) verbs.add(stem)
    else if (word.tags.has('Noun')) nouns.add(stem)
    if (word.capitalised && !word.opens) names.add(stem)
  }
  return { verbs: [...verbs], nouns: [...nouns], names: [...names] }
}

/** Cosine of the mean of some sentences' vectors; 0 without vectors. */
function closeTogether(
  sentences: readonly IndexedSentence[],
  places: readonly number[],
  query: Float32Array | undefined,
): number {
  const vectors = places.flatMap((at) => sentences[at]?.vector ?? [])
  const [first] = vectors
  if (!first || !query) return 0
  const mean = new Float32Array(first.length)
  for (const vector of vectors) {
    for (let index = 0; index < mean.length; index++) mean[index] = (mean[index] ?? 0) + (vector[index] ?? 0)
  }
  const length = Math.sqrt(cosine(mean, mean) ?? 0)
  return length === 0 ? 0 : (cosine(mean, query) ?? 0) / length
}

/** As standard deviations from the mean. */
function standardised(values: readonly number[]): number[] {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length
  const deviation = Math.sqrt(variance) + 1e-6
  return values.map((value) => (value - mean) / deviation)
}
