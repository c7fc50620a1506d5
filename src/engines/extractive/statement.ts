// The analysis of a post's claim: its texts are the post's own sentences, in quotation marks, between fixed words; its
// axes are judged on the post's text alone. A post that says nothing in words claims what it shows, or what it quotes.

import { AXES, type Axis, CUES, DEFAULT_LABEL } from './axes.ts'
import type { Document } from './document.ts'
import { numbersOf } from './numbers.ts'
import { isQuestion } from './question.ts'
import { keySubjects } from './subjects.ts'
import { cosine } from './text-index.ts'
import type { Vectors } from './types.ts'
import { isStopWord, wordsOf } from './words.ts'

const TOPICS_MIN = 3
const TOPICS_MAX = 8
const ENTITIES_MAX = 8
const QUERY_WORDS_MAX = 12
const CONTEXT_CHARACTERS_MAX = 240
/** Similarity in meaning counts for so much of a label's score; cues are the rest. */
const MEANING_WEIGHT = 0.5

export type AxisLabels = Readonly<Record<Axis, string>>

export interface Statement extends AxisLabels {
  readonly final_statement: string
  readonly statement_query: string
  readonly detailed_analysis: string
  /** 3 to 8. */
  readonly topics: readonly string[]
  /** 0 to 8. */
  readonly entities: readonly string[]
}

/** What a post says and what it comes with. */
export interface Post {
  /** Its own text, without what it quotes or shows. */
  readonly text: string
  /** What is said and shown in its media, or ''. */
  readonly shown: string
  /** The words of the post that it quotes, or ''. */
  readonly quoted: string
}

export type ClaimSource = 'text' | 'shown' | 'quoted'

/** Where the claim of the post is looked for: in its text, unless that has no words. */
export function claimSource({ text, shown, quoted }: Post): ClaimSource {
  if (saysSomething(text)) return 'text'
  if (saysSomething(shown)) return 'shown'
  return saysSomething(quoted) ? 'quoted' : 'text'
}

/** False for a text of links, names of accounts and signs alone. */
export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replaceAll(/https?:\/\/\S+|@\w+/g, ''))
}

/** Every text, beside the post's sentences, that needs a vector. */
export function axisTexts(): string[] {
  return Object.values(AXES).flatMap((labels): string[] => Object.values(labels))
}

/**
 * `document` is made of the text that `claimSource` names. `vectors` has those of `axisTexts` and, for the best result, of
 * the post's text as a whole.
 */
export function analyseStatement(document: Document, post: Post, vectors: Vectors): Statement {
  const source = claimSource(post)
  const labels = source === 'text' ? labelsOf(post.text, document, vectors) : DEFAULT_LABEL
  const claim = claimOf(document)
  const subjects = keySubjects(document.index, document.phrases, document.ranks, TOPICS_MAX).map(
    ({ name }) => name,
  )
  const entities = [...document.entities.people, ...document.entities.places].map(({ name }) => name)
  const topics = padded(subjects, [
    ...entities.map((name) => name.toLowerCase()),
    // Its own words first, then those of what it shows and quotes.
    ...[post.text, post.shown, post.quoted].flatMap(longWords),
    ...axisWords(labels),
  ])
  return {
    final_statement: claim,
    statement_query: searchQuery(claim, entities),
    detailed_analysis: describe(document, post, { claim, topics, labels }),
    topics,
    entities: [...new Set(entities)].slice(0, ENTITIES_MAX),
    ...labels,
  }
}

function labelsOf(text: string, { index, english }: Document, vectors: Vectors): AxisLabels {
  const whole = vectors.get(text)
  const label = (axis: Axis): string => {
    let best: string = DEFAULT_LABEL[axis]
    let bestScore = english ? 0.15 : Infinity
    for (const [name, meaning] of Object.entries(AXES[axis])) {
      const vector = vectors.get(meaning)
      const nearest = Math.max(
        0,
        cosine(whole, vector) ?? 0,
        ...index.sentences.map((one) => cosine(one.vector, vector) ?? 0),
      )
      const cues = CUES.filter((cue) => cue[0] === axis && cue[1] === name && cue[2].test(text))
      const score = MEANING_WEIGHT * nearest + cues.reduce((sum, cue) => sum + cue[3], 0)
      if (score > bestScore) [best, bestScore] = [name, score]
    }
    return best
  }
  return {
    claim_type: label('claim_type'),
    intent: label('intent'),
    tone: label('tone'),
    emotion: label('emotion'),
    authority: label('authority'),
  }
}

/** The sentence that asserts most: central, no question, with figures and names in it. */
function claimOf({ index, ranks, entities, english }: Document): string {
  const named = new Set([...entities.people, ...entities.places].flatMap(({ sentences }) => sentences))
  let best = ''
  let bestScore = -Infinity
  for (const { text, stems, index: at } of index.sentences) {
    const score =
      (ranks[at] ?? 0) +
      Math.min(stems.size, 12) / 12 +
      (numbersOf(text).length > 0 ? 0.3 : 0) +
      (named.has(at) ? 0.3 : 0) -
      (isQuestion(text) ? 0.7 : 0) -
      (/^(?:#|@|https?:)/.test(text) ? 1 : 0) +
      (english && /\b(?:is|are|was|were|will|has|have|should|must|can)\b/i.test(text) ? 0.2 : 0)
    if (score > bestScore) [best, bestScore] = [text, score]
  }
  return withoutLinks(best)
}

/** The claim's telling words in their order, names whole. */
function searchQuery(claim: string, entities: readonly string[]): string {
  const telling = wordsOf(claim).filter((word) => !isStopWord(word))
  const names = entities.flatMap((name) => wordsOf(name)).filter((word) => !telling.includes(word))
  return [...new Set([...telling, ...names])].slice(0, QUERY_WORDS_MAX).join(' ')
}

interface Findings {
  readonly claim: string
  readonly topics: readonly string[]
  readonly labels: AxisLabels
}

/** Four or five sentences: claim, subject, evidence, context, stance. */
function describe(document: Document, post: Post, { claim, topics, labels }: Findings): string {
  const evidence = document.index.sentences.find(
    ({ text }) =>
      withoutLinks(text) !== claim &&
      (numbersOf(text).length > 0 || /\b(?:because|according to|study|shows?|data)\b/i.test(text)),
  )
  return [
    claim === '' ? 'The post makes no claim in words.' : `${SAYS[claimSource(post)]}: ${quoted(claim)}.`,
    `It speaks of ${topics.slice(0, TOPICS_MIN).join(', ')}.`,
    evidence
      ? `In support it adds: ${quoted(withoutLinks(evidence.text))}.`
      : 'It gives no further evidence.',
    ...contextOf(post),
    `Kind: ${words(labels.claim_type)}; tone: ${words(labels.tone)}; aim: ${words(labels.intent)}; authority: ${words(labels.authority)}.`,
  ].join(' ')
}

const SAYS: Readonly<Record<ClaimSource, string>> = {
  text: 'The post says',
  shown: 'The post has no words of its own; its media says',
  quoted: 'The post has no words of its own; it quotes',
}

/** One sentence at most: what a post answers to says more about it than what it shows. */
function contextOf(post: Post): string[] {
  const source = claimSource(post)
  if (source !== 'quoted' && saysSomething(post.quoted))
    return [`It quotes: ${quoted(beginning(post.quoted))}.`]
  if (source === 'text' && saysSomething(post.shown))
    return [`Its media says: ${quoted(beginning(post.shown))}.`]
  return []
}

function beginning(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ')
  const sentence = /^.{20,}?[.!?](?=\s)/u.exec(line)?.[0] ?? line
  if (sentence.length <= CONTEXT_CHARACTERS_MAX) return sentence
  return `${sentence.slice(0, CONTEXT_CHARACTERS_MAX - 1).replace(/\s+\S*$/, '')}…`.toWellFormed()
}

function withoutLinks(text: string): string {
  return text.replaceAll(/https?:\/\/\S+/g, '').trim()
}

function quoted(text: string): string {
  return `“${text.replace(/[.\s]+$/, '')}”`
}

function words(label: string): string {
  return label.replaceAll('_', ' ')
}

/** A post of two words has no three topics of its own: then what it was found to be stands in. */
function padded(topics: readonly string[], more: readonly string[]): string[] {
  const all = [...new Set([...topics, ...more].filter((topic) => topic !== ''))]
  return all.slice(0, Math.min(TOPICS_MAX, Math.max(TOPICS_MIN, topics.length)))
}

function longWords(text: string): string[] {
  return [...new Set(wordsOf(withoutLinks(text)).filter((word) => word.length > 3 && !isStopWord(word)))]
}

function axisWords(labels: AxisLabels): string[] {
  return [labels.claim_type, labels.tone, labels.emotion, labels.intent].map(words)
}
