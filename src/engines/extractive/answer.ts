// Answers a question with sentences of the transcript and says which segment they are in, or that there is no answer.

import type { Asked } from './answer-features.ts'
import { rankSegments, type RankedSegment } from './answer-ranking.ts'
import { asksForKind, isQuestion, type Question } from './question.ts'
import type { Relevance } from './relevance.ts'
import type { IndexedSentence, TextIndex } from './text-index.ts'
import type { Answer } from './types.ts'

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
/** Of the probability of the best segment, below which another is not worth a look. */
const RELATED_SHARE = 0.1
const RELATED_MAX = 5
const SHORT_WORDS = 5
const DIRECT_COVERAGE = 0.9

export const NO_ANSWER: Answer = {
  found: false,
  answer: '',
  bestSegmentIndex: -1,
  relevantSegmentIndexes: [],
}

/** `asked.ranked` as rankSentences returns it: its best sentence decides whether there is an answer at all. */
export function answerFrom(index: TextIndex, asked: Asked): Answer {
  const [support] = asked.ranked
  if (!support || probabilityOfAnswer(index, asked.question, support) < FOUND_FROM) return NO_ANSWER
  const [best, ...others] = withDirectFirst(rankSegments(index, asked), asked.question, support)
  if (!best) return NO_ANSWER
  const related = others
    .slice(0, RELATED_MAX - 1)
    .filter(
      ({ probability, sentence }) =>
        probability >= best.probability * RELATED_SHARE && !isQuestion(sentence.text),
    )
  return {
    found: true,
    answer: textOf(best.sentence, index),
    bestSegmentIndex: best.segment,
    relevantSegmentIndexes: [best.segment, ...related.map(({ segment }) => segment)],
  }
}

/**
 * A sentence that says all of the query and the kind of thing it asks for is the answer, whatever stands around it: "When
 * does the ferry leave?", "The ferry leaves at six." So is one that says all of what asks nothing: "president of France".
 */
function withDirectFirst(
  ranked: readonly RankedSegment[],
  question: Question,
  { sentence, coverage, hasKind }: Relevance,
): readonly RankedSegment[] {
  const fits = isQuestion(question.text) ? asksForKind(question.wanted) && hasKind : true
  if (!fits || isQuestion(sentence.text) || coverage < DIRECT_COVERAGE) return ranked
  const direct = ranked.find(
    ({ segment }) => segment >= sentence.firstSegment && segment <= sentence.lastSegment,
  )
  return direct ? [{ ...direct, sentence }, ...ranked.filter((other) => other !== direct)] : ranked
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
