// A summary made of the transcript's own sentences: TextRank (Mihalcea and Tarau, 2004) says which matter, maximal
// marginal relevance (Carbonell and Goldstein, 1998) keeps them from saying the same twice.

import type { IndexedSentence, TextIndex } from './text-index.ts'

/** Pairs grow with the square: longer transcripts rank the sentences with the rarest common words only. */
const RANKED_MAX = 600
const DAMPING = 0.85
const ROUNDS = 30
/** Similarity below this is noise and makes no edge. */
const EDGE_MIN = 0.2
/** How much of a sentence's worth is what it repeats. */
const REDUNDANCY_WEIGHT = 0.5
const WORDS_MIN = 6
const WORDS_MAX = 45
const SENTENCES_MIN = 3
const SENTENCES_MAX = 10

/** Importance 0..1 per sentence, in the order of the index. */
export function textRank(index: TextIndex): number[] {
  const chosen = index.sentences.length <= RANKED_MAX ? index.sentences : mostTypical(index)
  const count = chosen.length
  const edges = new Float32Array(count * count)
  const degree = new Float64Array(count)
  for (let a = 0; a < count; a++) {
    for (let b = 0; b < a; b++) {
      const left = chosen[a]
      const right = chosen[b]
      const similarity = left && right ? index.similarity(left, right) : 0
      if (similarity < EDGE_MIN) continue
      edges[a * count + b] = edges[b * count + a] = similarity
      degree[a] = (degree[a] ?? 0) + similarity
      degree[b] = (degree[b] ?? 0) + similarity
    }
  }
  let ranks = new Float64Array(count).fill(1)
  for (let round = 0; round < ROUNDS; round++) ranks = spread(ranks, edges, degree)
  const highest = Math.max(...ranks, Number.EPSILON)
  const result = index.sentences.map(() => 0)
  for (const [at, sentence] of chosen.entries()) result[sentence.index] = (ranks[at] ?? 0) / highest
  return result
}

function spread(ranks: Float64Array, edges: Float32Array, degree: Float64Array): Float64Array<ArrayBuffer> {
  const count = ranks.length
  const next = new Float64Array(count).fill(1 - DAMPING)
  for (let from = 0; from < count; from++) {
    const share = (DAMPING * (ranks[from] ?? 0)) / (degree[from] || 1)
    for (let to = 0; to < count; to++) next[to] = (next[to] ?? 0) + share * (edges[from * count + to] ?? 0)
  }
  return next
}

function mostTypical(index: TextIndex): IndexedSentence[] {
  const total = new Map<string, number>()
  for (const { stems } of index.sentences) {
    for (const [stem, count] of stems) total.set(stem, (total.get(stem) ?? 0) + count)
  }
  const scored = index.sentences.map((sentence) => {
    let sum = 0
    for (const stem of sentence.stems.keys()) sum += Math.log(total.get(stem) ?? 1)
    return { sentence, score: sum / Math.sqrt(sentence.stems.size + 1) }
  })
  const best = scored.toSorted((a, b) => b.score - a.score).slice(0, RANKED_MAX)
  return best.map(({ sentence }) => sentence).toSorted((a, b) => a.index - b.index)
}

/** About a fifth of the sentences, at least 3 and at most 10, in the order they are said; '' for an empty transcript. */
export function summarise(index: TextIndex, ranks: readonly number[]): string {
  const { sentences } = index
  const wanted = Math.min(
    SENTENCES_MAX,
    Math.max(SENTENCES_MIN, Math.round(Math.sqrt(sentences.length) * 1.1)),
  )
  if (sentences.length <= Math.min(2, wanted)) return sentences.map(({ text }) => text).join(' ')
  const worth = sentences.map((sentence) => (ranks[sentence.index] ?? 0) * fitness(sentence, index))
  const picked: IndexedSentence[] = []
  while (picked.length < wanted) {
    let best: IndexedSentence | undefined
    let bestScore = 0
    for (const sentence of sentences) {
      if (picked.includes(sentence) || (worth[sentence.index] ?? 0) === 0) continue
      const repeated = Math.max(0, ...picked.map((other) => index.similarity(sentence, other)))
      const score = (worth[sentence.index] ?? 0) * (1 - REDUNDANCY_WEIGHT * repeated)
      if (score > bestScore) [best, bestScore] = [sentence, score]
    }
    if (!best) break
    picked.push(best)
  }
  const inOrder = picked.toSorted((a, b) => a.index - b.index)
  return inOrder.map(({ text }) => (/[.!?…]["'”’]?$/.test(text) ? text : `${text}.`)).join(' ')
}

/** Questions, greetings and very short or long sentences sum nothing up; an opening sentence often does. */
function fitness({ text, stems, index }: IndexedSentence, { sentences }: TextIndex): number {
  const words = text.split(' ').length
  if (sentences.length > SENTENCES_MAX && (text.endsWith('?') || words < WORDS_MIN)) return 0
  let fit = Math.min(1, 0.4 + stems.size / 10)
  if (words > WORDS_MAX) fit *= 0.5
  if (/^(?:hi|hello|hey|thanks|thank you|welcome|good (?:morning|evening|afternoon))\b/i.test(text))
    fit *= 0.6
  if (/\b(?:subscribe|like and share)\b/i.test(text)) fit *= 0.3
  if (index < sentences.length * 0.25) fit *= 1.15
  // What leans on a sentence before it reads badly alone.
  if (/^(?:he|she|it|they|this|that|these|those|but|and|so|yes|no)\b/i.test(text)) fit *= 0.8
  return fit
}
