// A long transcript in pieces that fit a model: cut between segments, by the model's own count of tokens.

import type { LanguageModel } from '../engines/llm/language-model.ts'
import type { Segments } from './engine.ts'

/** More makes small models forget the beginning; less asks too often. */
const CHUNK_TOKENS = 2_500
/** Of the context: for our own instructions and the form of the answer. */
const RESERVED_TOKENS = 900
const CHUNK_TOKENS_MIN = 256
/** Number, brackets and line feed around a segment. */
const LINE_TOKENS = 6
/** Longer ones are read in part: a segment is a sentence or two, and no model must choke on what is none. */
const SEGMENT_CHARACTERS_MAX = 2_000

export interface NumberedText {
  /** Index in the whole transcript. */
  readonly index: number
  readonly text: string
}

export type Chunk = readonly NumberedText[]

export interface Besides {
  /** The caller's text that is sent beside each part. */
  readonly asked: string
  readonly answerTokens: number
  readonly signal: AbortSignal
}

/** Every chunk has at least one segment, and together they have all that say something, in order. */
export async function chunksOf(
  model: Pick<LanguageModel, 'contextTokens' | 'countTokens'>,
  segments: Segments,
  { asked, answerTokens, signal }: Besides,
): Promise<Chunk[]> {
  const texts = segments
    .map(({ text }, index) => ({ index, text: text.trim().slice(0, SEGMENT_CHARACTERS_MAX) }))
    .filter(({ text }) => text !== '')
  if (texts.length === 0) return []
  const [questionTokens = 0, ...counts] = await model.countTokens(
    [asked, ...texts.map(({ text }) => text)],
    signal,
  )
  const room = model.contextTokens - RESERVED_TOKENS - answerTokens - questionTokens
  return packed(texts, counts, Math.max(CHUNK_TOKENS_MIN, Math.min(CHUNK_TOKENS, room)))
}

/** Chunks of nearly the same length: a last one of two sentences would be judged without its context. */
function packed(texts: readonly NumberedText[], counts: readonly number[], budget: number): Chunk[] {
  const costs = texts.map((_, index) => (counts[index] ?? 0) + LINE_TOKENS)
  const total = costs.reduce((sum, cost) => sum + cost, 0)
  const target = total / Math.ceil(total / budget)
  const chunks: NumberedText[][] = [[]]
  let used = 0
  for (const [index, text] of texts.entries()) {
    const cost = costs[index] ?? 0
    const current = chunks.at(-1)
    if (current && current.length > 0 && (used + cost > budget || used >= target)) {
      chunks.push([text])
      used = cost
    } else {
      current?.push(text)
      used += cost
    }
  }
  return chunks
}
