// Answers a question with sentences of the transcript and says which segment they are in, or that there is no answer.

import { asksForKind, isQuestion, type Question } from './question.ts'
import type { Relevance } from './relevance.ts'
import type { IndexedSentence, TextIndex } from './text-index.ts'
import type { Answer, TimedText } from './types.ts'
import { contentStems } from './words.ts'

/**
 * Logistic regression on 90 questions about the tuning half of the evaluation, 50 of them about things that the speaker
 * could have said but did not; features of the best sentence, with the embedded sentence encoder.
 */
const ANSWERED = {
  bias: -2.6,
  cosine: 4.2,
  coverage: 3.3,
  coverageSquared: 0.4,
  /** Share of the question's rare words that nobody says anywhere. */
  unsaid: -1,
  hasKind: 0.1,
  lacksKind: -2,
}
const FOUND_FROM = 0.4
const RELATED_SHARE = 0.55
const RELATED_MAX = 5
const SHORT_WORDS = 5

export const NO_ANSWER: Answer = {
  found: false,
  answer: '',
  bestSegmentIndex: -1,
  relevantSegmentIndexes: [],
}

/** `ranked` as rankSentences returns it. */
export function answerFrom(
  index: TextIndex,
  segments: readonly TimedText[],
  question: Question,
  ranked: readonly Relevance[],
): Answer {
  const [best] = ranked
  if (!best || probabilityOfAnswer(index, question, best) < FOUND_FROM) return NO_ANSWER
  const related = ranked
    .slice(0, RELATED_MAX)
    .filter(({ score, sentence }) => score >= best.score * RELATED_SHARE && !isQuestion(sentence.text))
  const chosen = related.some(({ sentence }) => sentence === best.sentence) ? related : [best, ...related]
  const bestSegmentIndex = segmentOf(best.sentence, segments, question)
  const others = chosen.map(({ sentence }) => segmentOf(sentence, segments, question))
  return {
    found: true,
    answer: textOf(best.sentence, index),
    bestSegmentIndex,
    relevantSegmentIndexes: [...new Set([bestSegmentIndex, ...others])],
  }
}

function probabilityOfAnswer(index: TextIndex, question: Question, best: Relevance): number {
  const { coverage } = best
  // Without an encoder the words alone have to stand for closeness.
  const close = index.hasVectors ? best.cosine : 0.1 + 0.4 * coverage
  const lacksKind = asksForKind(question.wanted) && !best.hasKind
  const logit =
    ANSWERED.bias +
    ANSWERED.cosine * close +
    ANSWERED.coverage * coverage +
    ANSWERED.coverageSquared * coverage ** 2 +
    ANSWERED.unsaid * unsaidShare(index, question) +
    (asksForKind(question.wanted) && best.hasKind ? ANSWERED.hasKind : 0) +
    (lacksKind ? ANSWERED.lacksKind : 0)
  return 1 / (1 + Math.exp(-logit))
}

function unsaidShare(index: TextIndex, { stems }: Question): number {
  let total = 0
  let unsaid = 0
  for (const stem of stems) {
    total += index.idf(stem)
    if (!index.sentences.some((sentence) => sentence.stems.has(stem))) unsaid += index.idf(stem)
  }
  return total === 0 ? 0 : unsaid / total
}

/** A sentence of a few words ("Time.") says more with the next. */
function textOf(sentence: IndexedSentence, { sentences }: TextIndex): string {
  const next = sentences[sentence.index + 1]
  if (sentence.text.split(' ').length > SHORT_WORDS || !next) return sentence.text
  return `${sentence.text} ${next.text}`
}

/** Of the segments that the sentence spans, the one that shares most with the question, else the first. */
function segmentOf(sentence: IndexedSentence, segments: readonly TimedText[], question: Question): number {
  let best = sentence.firstSegment
  let bestShared = -1
  for (let at = sentence.firstSegment; at <= sentence.lastSegment; at++) {
    const stems = new Set(contentStems(segments[at]?.text ?? ''))
    const shared = question.stems.filter((stem) => stems.has(stem)).length
    if (shared > bestShared) [best, bestShared] = [at, shared]
  }
  return best
}
