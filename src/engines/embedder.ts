// Texts → vectors whose cosine says how close two texts are in meaning, by the sentence encoder that is chosen now or by
// one that vectors were made with before.

import type { Gate } from '../lib/gate.ts'
import { Problem } from '../lib/problem.ts'
import type { Similarity } from './model-catalogue.ts'
import type { ChosenModel } from './model-choice.ts'
import type { Models } from './models.ts'
import type { TokenCount } from './text-encoder.ts'
import type { TextEngine, Turn, Vector } from './text-engine.ts'
import { textModelOf, traitsOf } from './text-model.ts'

export interface Embedder {
  readonly modelId: string
  /** Length of the vectors. */
  readonly dimensions: number
  /** ISO 639-1 codes of what the model understands; `*` alone means many. */
  readonly languages: readonly string[]
  /** The model's window. Longer texts are embedded in pieces and averaged. */
  readonly maxTokens: number
  readonly similarity: Similarity
  /** By the model's own tokenizer, markers included, prefixes not. */
  countTokens(texts: readonly string[], signal: AbortSignal): Promise<TokenCount[]>
  /**
   * One unit vector per text. `in turn` (for passages, unless said otherwise) passes the compute gate, sixteen texts at a
   * time; `now` (for queries) waits for nobody and is for what takes milliseconds and somebody waits for. Rejects with a
   * Problem (temporary after a crash) or the signal's reason.
   */
  embed(
    texts: readonly string[],
    kind: 'query' | 'passage',
    signal: AbortSignal,
    when?: 'now' | 'in turn',
  ): Promise<Vector[]>
}

export function createEmbedder(model: ChosenModel, engine: TextEngine, gate: Gate): Embedder {
  const traits = traitsOf(model)
  const textModel = textModelOf(model)
  return {
    modelId: model.id,
    dimensions: traits.dimensions,
    languages: model.languages,
    maxTokens: traits.maxTokens,
    similarity: traits.similarity ?? { fusion: 'gated', unrelated: 0.2, same: 0.8 },
    countTokens: (texts, signal) => engine.count(textModel, texts, signal),
    async embed(texts, kind, signal, when = kind === 'query' ? 'now' : 'in turn') {
      const turn: Turn | undefined = when === 'now' ? undefined : (work) => gate.run(work, signal)
      const vectors = await engine.embed(textModel, texts, { kind, signal, ...(turn ? { turn } : {}) })
      if (vectors.every((vector) => vector.length === traits.dimensions)) return vectors
      throw new Problem(
        'internal_server_error',
        `The model ${model.id} gives vectors of ${vectors[0]?.length} numbers, not ${traits.dimensions} as its ` +
          'description says. Correct "dimensions" there, or choose another with "earshot models use".',
      )
    },
  }
}

/** The encoder that is chosen now. */
export async function chosenEmbedder(models: Models, engine: TextEngine, gate: Gate): Promise<Embedder> {
  return createEmbedder(await models.choose('embedding'), engine, gate)
}

/** The encoder of that id; undefined when it is not installed any more. */
export async function findEmbedder(
  models: Models,
  engine: TextEngine,
  gate: Gate,
  modelId: string,
): Promise<Embedder | undefined> {
  const model = (await models.installed('embedding')).find(({ id }) => id === modelId)
  return model && createEmbedder({ ...model, why: 'used' }, engine, gate)
}
