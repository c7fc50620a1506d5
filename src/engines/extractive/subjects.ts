// Key subjects: the noun phrases whose words come back in the sentences that matter, in the spirit of RAKE (Rose et al.,
// 2010), each with the sentence that says most about it.

import type { Phrase } from './phrases.ts'
import type { TextIndex } from './text-index.ts'
import type { Importance, KeySubject } from './types.ts'

const SUBJECTS_MIN = 3
const SUBJECTS_MAX = 8
const HIGH_FROM = 0.66
const MEDIUM_FROM = 0.4
const DESCRIPTION_WORDS = 22

interface Topic {
  readonly phrase: Phrase
  readonly mentions: number
  readonly score: number
}

/** Most important first; `limit` at most, by default 3 to 8 depending on the length. */
export function keySubjects(
  index: TextIndex,
  phrases: readonly Phrase[],
  ranks: readonly number[],
  limit = Math.min(SUBJECTS_MAX, Math.max(SUBJECTS_MIN, Math.round(Math.sqrt(index.sentences.length) * 1.7))),
): KeySubject[] {
  const topics = rankTopics(index, phrases, ranks)
  const chosen: Topic[] = []
  for (const topic of topics) {
    if (chosen.length >= limit) break
    if (!chosen.some((other) => overlaps(other.phrase, topic.phrase))) chosen.push(topic)
  }
  const highest = chosen[0]?.score ?? 1
  return chosen.map(({ phrase, score }) => ({
    name: phrase.text.toLowerCase(),
    description: descriptionOf(phrase, index, phrases, ranks),
    importance: importanceOf(score / highest),
  }))
}

function importanceOf(share: number): Importance {
  if (share >= HIGH_FROM) return 'high'
  return share >= MEDIUM_FROM ? 'medium' : 'low'
}

function rankTopics(index: TextIndex, phrases: readonly Phrase[], ranks: readonly number[]): Topic[] {
  const weight = new Map<string, number>()
  for (const { stems, index: at } of index.sentences) {
    for (const stem of stems.keys()) weight.set(stem, (weight.get(stem) ?? 0) + 0.4 + (ranks[at] ?? 0))
  }
  const groups = Map.groupBy(phrases, ({ stems }) => stems.join(' '))
  const topics: Topic[] = []
  for (const group of groups.values()) {
    const [first] = group
    if (!first) continue
    const sum = first.stems.reduce((total, stem) => total + (weight.get(stem) ?? 0), 0)
    const early = 1 + 0.3 * (1 - first.sentence / Math.max(1, index.sentences.length))
    // A phrase of several words that is said only once must earn its length.
    const length = first.stems.length ** (group.length > 1 ? 0.4 : 0.75)
    topics.push({
      phrase: first,
      mentions: group.length,
      score: (sum / length) * early * (1 + 0.25 * Math.log2(group.length)),
    })
  }
  return topics.toSorted((a, b) => b.score - a.score)
}

/** "Old bridge" and "bridge" are one subject. */
function overlaps(a: Phrase, b: Phrase): boolean {
  const shared = a.stems.filter((stem) => b.stems.includes(stem)).length
  return (
    shared > 0 && (shared === Math.min(a.stems.length, b.stems.length) || a.stems.at(-1) === b.stems.at(-1))
  )
}

function descriptionOf(
  { stems }: Phrase,
  index: TextIndex,
  phrases: readonly Phrase[],
  ranks: readonly number[],
): string {
  const key = stems.join(' ')
  let best = ''
  let bestScore = -1
  for (const phrase of phrases) {
    const sentence = index.sentences[phrase.sentence]
    if (!sentence || phrase.stems.join(' ') !== key) continue
    const words = sentence.text.split(' ').length
    const question = sentence.text.endsWith('?') ? 0.5 : 0
    const score =
      (ranks[sentence.index] ?? 0) + Math.min(words, DESCRIPTION_WORDS) / DESCRIPTION_WORDS - question
    if (score > bestScore) [best, bestScore] = [sentence.text, score]
  }
  return best
}
