// How well short texts, such as titles with descriptions, fit a query: the same evidence and the same scale as for what is
// said, without the index.

import type { App } from '../app.ts'
import { asError } from '../lib/problem.ts'
import { type Evidence, fuse } from './fusion.ts'
import { understands } from './language.ts'
import { contentWords, wordsOf } from './query.ts'
import { createStems } from './stems.ts'

const TEXT_CHARACTERS_MAX = 600

const stems = createStems()

/** 0..1 for each text, in their order. Rejects with the signal's reason only. */
export async function relevanceOf(
  app: App,
  query: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<number[]> {
  const cut = texts.map((text) => text.slice(0, TEXT_CHARACTERS_MAX))
  const { cosines, similarity } = await compare(app, query, cut, signal)
  const sought = [...new Set(stems.of(contentWords(query)))]
  const evidence = cut.map((text, id): Evidence => {
    const own = new Set(stems.of(wordsOf(text)))
    const coverage = sought.filter((term) => own.has(term)).length / Math.max(1, sought.length)
    return { id, cosine: cosines[id], coverage, wordRank: undefined }
  })
  const relevances = new Map(fuse(evidence, similarity).map(({ id, relevance }) => [id, relevance]))
  return cut.map((_, id) => relevances.get(id) ?? 0)
}

/** Nothing where the model does not understand the query, or cannot be used: words alone decide then. */
async function compare(app: App, query: string, texts: readonly string[], signal: AbortSignal) {
  const none = { cosines: [], similarity: undefined }
  if (texts.length === 0) return none
  try {
    const embedder = await app.engines.embedder()
    if (!(await understands(embedder, query, null, signal))) return none
    const [wanted] = await embedder.embed([query], 'query', signal)
    const vectors = await embedder.embed(texts, 'passage', signal, 'now')
    return { cosines: vectors.map((vector) => dot(wanted, vector)), similarity: embedder.similarity }
  } catch (error) {
    signal.throwIfAborted()
    app.log.warn({ err: asError(error) }, 'titles were compared by words alone')
    return none
  }
}

/** Of unit vectors: their cosine. 0 where one is missing. */
export function dot(a: Float32Array | undefined, b: Float32Array | undefined): number {
  if (!a || !b) return 0
  let sum = 0
  for (const [index, value] of a.entries()) sum += value * (b[index] ?? 0)
  return sum
}
