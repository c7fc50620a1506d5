// Within a chunk of half a minute: the sentence that was meant. Only for the best few chunks; the others stand for their
// beginning.

import type { App } from '../app.ts'
import type { Embedder } from '../engines/embedder.ts'
import { listSegments } from '../transcripts/transcripts.ts'
import type { Hit } from './lookup.ts'
import { contentWords, wordsOf } from './query.ts'
import { createStems } from './stems.ts'
import { dot } from './text-relevance.ts'

const CHUNKS_MAX = 10
/** Embedding one takes about 1.5 ms. */
const SENTENCES_MAX = 80
const WORDS_WEIGHT = 0.5

const stems = createStems()

export interface MomentSearch {
  readonly query: string
  readonly vector: Float32Array | undefined
  readonly embedder: Embedder | undefined
  /** Best first. */
  readonly hits: readonly Hit[]
}

interface Sentence {
  readonly chunkId: number
  readonly startMs: number
  readonly text: string
}

/** Chunk → where its best sentence starts, in whole milliseconds. */
export async function locate(
  app: App,
  { query, vector, embedder, hits }: MomentSearch,
  signal: AbortSignal,
): Promise<ReadonlyMap<number, number>> {
  const best = hits.toSorted((a, b) => b.relevance - a.relevance).slice(0, CHUNKS_MAX)
  const sentences = sentencesOf(app, best).slice(0, SENTENCES_MAX)
  const texts = sentences.map(({ text }) => text)
  const vectors = embedder && vector ? await embedder.embed(texts, 'passage', signal, 'now') : []
  const sought = new Set(stems.of(contentWords(query)))
  const scores = new Map<number, { readonly startMs: number; readonly score: number }>()
  for (const [index, { chunkId, startMs, text }] of sentences.entries()) {
    const own = new Set(stems.of(wordsOf(text)))
    const share = [...sought].filter((term) => own.has(term)).length / Math.max(1, sought.size)
    const score = dot(vector, vectors[index]) + WORDS_WEIGHT * share
    if (score > (scores.get(chunkId)?.score ?? Number.NEGATIVE_INFINITY)) {
      scores.set(chunkId, { startMs, score })
    }
  }
  return new Map([...scores].map(([chunkId, { startMs }]) => [chunkId, startMs]))
}

function sentencesOf(app: App, hits: readonly Hit[]): Sentence[] {
  const transcripts = new Map<string, ReturnType<typeof listSegments>>()
  return hits.flatMap(({ id, transcriptId, startMs, endMs }) => {
    const known = transcripts.get(transcriptId) ?? listSegments(app, transcriptId)
    transcripts.set(transcriptId, known)
    return known
      .filter(({ start, end }) => end * 1_000 > startMs && start * 1_000 < endMs)
      .map(({ start, text }) => ({ chunkId: id, startMs: Math.round(start * 1_000), text }))
  })
}
