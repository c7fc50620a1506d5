// The sentences that support a field, for values that no other sign tells: closeness in meaning, and how many of the
// telling words they say or something that stands for them.

import type { FieldQuery } from './field-query.ts'
import { isQuestion } from './question.ts'
import { type Reading, type Term, termsOf } from './reading.ts'
import { cosine, type IndexedSentence } from './text-index.ts'

/** Fitted as the other weights of extraction are. */
const W = { coverage: 0.6, related: 0.8, nearby: 0.4, asked: 0.8, question: 0.35 }

export interface Support {
  readonly sentence: IndexedSentence
  /** Position in the reading. */
  readonly at: number
  readonly score: number
  /** 0..1, the share of the description's telling words. */
  readonly coverage: number
}

/** Best first; questions last, for they support nothing. */
export function supportFor(reading: Reading, query: FieldQuery): Support[] {
  const terms = termsOf(reading, query)
  const said = terms.map((term) => saidIn(reading, term))
  return reading.document.index.sentences
    .map((sentence, at): Support => {
      let coverage = 0
      for (const [index, { weight }] of terms.entries()) {
        const here = said[index]?.get(at) ?? 0
        const before = (said[index]?.get(at - 1) ?? 0) * (reading.asks[at - 1] === true ? W.asked : W.nearby)
        const after = (said[index]?.get(at + 1) ?? 0) * W.nearby
        coverage += weight * Math.max(here, before, after)
      }
      // Without vectors, what the words share stands for meaning too.
      const close = Math.max(0, cosine(sentence.vector, query.vector) ?? coverage / 2)
      const asks = isQuestion(sentence.text) ? W.question : 0
      return { sentence, at, coverage, score: close + W.coverage * coverage - asks }
    })
    .toSorted((a, b) => b.score - a.score || a.at - b.at)
}

function saidIn({ words }: Reading, { exact, related }: Term): Map<number, number> {
  const said = new Map<number, number>()
  for (const at of related) said.set(words[at]?.sentence ?? -1, W.related)
  for (const at of exact) said.set(words[at]?.sentence ?? -1, 1)
  return said
}
