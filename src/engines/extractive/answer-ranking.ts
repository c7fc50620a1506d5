// Which segments answer a question: every sentence is weighed by what speaks for it, and gives its probability to the
// segments it is in. The weights are those that `scripts/fit-answers.ts` finds on the tuning set of the evaluation.

import { ANSWER_FEATURES, answerFeatures, type Asked } from './answer-features.ts'
import weights from './answer-weights.json' with { type: 'json' }
import type { IndexedSentence, TextIndex } from './text-index.ts'

const WEIGHTS = Float64Array.from(ANSWER_FEATURES, (name) => weights[name])

export interface RankedSegment {
  readonly segment: number
  /** Sums to about 1 over all. */
  readonly probability: number
  /** The likeliest of those that are in it. */
  readonly sentence: IndexedSentence
}

/** Best first; segments without a sentence are left out. */
export function rankSegments(index: TextIndex, asked: Asked): RankedSegment[] {
  const scores = answerFeatures(index, asked).map((row) => product(row, WEIGHTS))
  return shareAmongSegments(index.sentences, probabilities(scores))
}

/** A sentence that spans several segments gives each a part. */
export function shareAmongSegments(
  sentences: readonly IndexedSentence[],
  likelihoods: readonly number[],
): RankedSegment[] {
  const ranked = new Map<number, { probability: number; sentence: IndexedSentence; best: number }>()
  for (const [at, sentence] of sentences.entries()) {
    const { firstSegment, lastSegment } = sentence
    const share = (likelihoods[at] ?? 0) / Math.sqrt(lastSegment - firstSegment + 1)
    for (let segment = firstSegment; segment <= lastSegment; segment++) {
      const before = ranked.get(segment) ?? { probability: 0, sentence, best: -1 }
      const better = share > before.best
      ranked.set(segment, {
        probability: before.probability + share,
        sentence: better ? sentence : before.sentence,
        best: better ? share : before.best,
      })
    }
  }
  return [...ranked]
    .map(([segment, { probability, sentence }]) => ({ segment, probability, sentence }))
    .toSorted((a, b) => b.probability - a.probability || a.segment - b.segment)
}

/** Softmax. */
export function probabilities(scores: readonly number[]): number[] {
  const highest = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - highest))
  const sum = powers.reduce((total, power) => total + power, 0)
  return powers.map((power) => power / sum)
}

export function product(row: Float64Array, by: Float64Array): number {
  let sum = 0
  for (let index = 0; index < row.length; index++) sum += (row[index] ?? 0) * (by[index] ?? 0)
  return sum
}
