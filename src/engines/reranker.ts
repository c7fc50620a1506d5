// A cross-encoder reads query and passage together and says how well the one answers the other: slower and better than
// comparing vectors, so it only sees the best few. Nothing is embedded; it works when a reranker is installed.

import type { Models } from './models.ts'
import type { TextEngine } from './text-engine.ts'
import { textModelOf } from './text-model.ts'

export interface Reranker {
  readonly modelId: string
  readonly languages: readonly string[]
  /** 0..1 for each passage. Long passages are read in pieces; the best one counts. */
  score(query: string, passages: readonly string[], signal: AbortSignal): Promise<number[]>
}

/** Undefined when none is installed. Throws Problem when the configured one is missing or can't be run. */
export async function findReranker(models: Models, engine: TextEngine): Promise<Reranker | undefined> {
  const model = await models.findChoice('rerank')
  if (!model) return undefined
  const textModel = textModelOf(model)
  return {
    modelId: model.id,
    languages: model.languages,
    async score(query, passages, signal) {
      const logits = await engine.score(textModel, query, passages, signal)
      return logits.map((logit) => 1 / (1 + Math.exp(-logit)))
    },
  }
}
