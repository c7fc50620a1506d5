// Encoders and rerankers inside the ONNX child: tokens by Hugging Face's own tokenizer, the graph by ONNX Runtime.
// One text at a time on one thread is the fastest per CPU-second. A text longer than the model's window is cut into
// pieces, never truncated.

import { Tokenizer } from '@huggingface/tokenizers'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as Ort from 'onnxruntime-node'
import { parseOrThrow, parser, t } from '../lib/schema.ts'
import { floats, tensorOf } from './silero.ts'
import type { TextModel } from './text-model.ts'

export interface TokenCount {
  /** Markers of the model's own included. */
  readonly tokens: number
  /** Pieces that the model has no entry for. */
  readonly unknown: number
}

export interface TextEncoder {
  count(text: string): TokenCount
  /** Unit length; of a long text, the mean of its pieces weighted by their tokens. */
  embed(text: string, kind: 'query' | 'passage'): Promise<Float32Array>
  /** The model's raw score (a logit) for how well the passage answers the query: of a long one, its best piece's. */
  score(query: string, passage: string): Promise<number>
  release(): Promise<void>
}

/** Paths of the files that were chosen for a model, with the embedded one's filled in. */
export interface TextModelFiles {
  readonly modelPath: string
  readonly tokenizerPath: string
}

const TOKENIZER_JSON = parser(
  t.Object({
    model: t.Object({
      unk_id: t.Optional(t.Union([t.Integer(), t.Null()])),
      unk_token: t.Optional(t.Union([t.String(), t.Null()])),
    }),
  }),
)

export async function loadTextEncoder(
  ort: typeof Ort,
  model: TextModel,
  files: TextModelFiles,
): Promise<TextEncoder> {
  const { tokenizer, unknownId } = loadTokenizer(files.tokenizerPath)
  const session = await ort.InferenceSession.create(files.modelPath, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    logSeverityLevel: 3,
  })
  const idsOf = (text: string): number[] => tokenizer.encode(text).ids

  async function run(
    ids: readonly number[],
    types: readonly number[],
  ): Promise<Ort.InferenceSession.ReturnType> {
    const shape = [1, ids.length]
    const given: Record<string, readonly number[]> = {
      input_ids: ids,
      attention_mask: ids.map(() => 1),
      token_type_ids: types,
    }
    const feeds: Record<string, Ort.Tensor> = {}
    for (const name of session.inputNames) {
      const values = given[name]
      if (!values) throw new Error(`the model wants an input "${name}"`)
      feeds[name] = new ort.Tensor('int64', BigInt64Array.from(values, BigInt), shape)
    }
    return session.run(feeds)
  }

  async function embedPiece(ids: readonly number[]): Promise<Float32Array> {
    const result = await run(
      ids,
      ids.map(() => 0),
    )
    if (result['sentence_embedding']) return unit(floats(result['sentence_embedding']).slice())
    const hidden = tensorOf(result, session.outputNames[0] ?? 'last_hidden_state')
    return unit(pooled(floats(hidden), ids.length, model.pooling))
  }

  return {
    count(text) {
      const ids = idsOf(text)
      return { tokens: ids.length, unknown: ids.filter((id) => id === unknownId).length }
    },
    async embed(text, kind) {
      const prefix = kind === 'query' ? model.queryPrefix : model.passagePrefix
      const pieces = piecesOf(text, (piece) => idsOf(prefix + piece).length <= model.maxTokens)
      let sum: Float32Array | undefined
      for (const piece of pieces) {
        const ids = idsOf(prefix + piece)
        const vector = await embedPiece(ids)
        sum ??= new Float32Array(vector.length)
        for (const [index, value] of vector.entries()) sum[index] = (sum[index] ?? 0) + value * ids.length
      }
      return unit(sum ?? (await embedPiece(idsOf(`${prefix} `))))
    },
    async score(query, passage) {
      const encode = (piece: string): { ids: number[]; token_type_ids: number[] } =>
        tokenizer.encode(query, { text_pair: piece, return_token_type_ids: true })
      let best = Number.NEGATIVE_INFINITY
      for (const piece of piecesOf(passage, (part) => encode(part).ids.length <= model.maxTokens)) {
        const { ids, token_type_ids: types } = encode(piece)
        const logits = floats(tensorOf(await run(ids, types), session.outputNames[0] ?? 'logits'))
        best = Math.max(best, logits.at(-1) ?? best)
      }
      return best
    },
    release: () => session.release(),
  }
}

function loadTokenizer(path: string): { tokenizer: Tokenizer; unknownId: number | undefined } {
  const json: unknown = JSON.parse(readFileSync(path, 'utf8'))
  const { model } = parseOrThrow(TOKENIZER_JSON, json, path)
  const configPath = join(path, '../tokenizer_config.json')
  const config: unknown = existsSync(configPath) ? JSON.parse(readFileSync(configPath, 'utf8')) : {}
  const tokenizer = new Tokenizer(json as object, config as object)
  const unknownId = model.unk_id ?? tokenizer.token_to_id(model.unk_token ?? '')
  return { tokenizer, unknownId }
}

/** Halves the text until every piece fits: at the space nearest to the middle, or anywhere where there is none. */
export function piecesOf(text: string, fits: (piece: string) => boolean): string[] {
  if (text.trim() === '') return []
  if (fits(text)) return [text]
  const characters = Array.from(text.trim())
  if (characters.length < 2) return [text]
  const middle = characters.length >> 1
  let cut = middle
  for (let distance = 0; distance < middle; distance++) {
    const near = [middle - distance, middle + distance].find((index) => /\s/u.test(characters[index] ?? ''))
    if (near !== undefined) {
      cut = near
      break
    }
  }
  const halves = [characters.slice(0, cut).join(''), characters.slice(cut).join('')]
  return halves.flatMap((half) => piecesOf(half, fits))
}

/** Token vectors one after the other → one vector. Nothing is padded, so every token counts. */
function pooled(hidden: Float32Array, tokens: number, pooling: TextModel['pooling']): Float32Array {
  const width = hidden.length / tokens
  if (pooling === 'first') return hidden.slice(0, width)
  const sum = new Float32Array(width)
  for (const [index, value] of hidden.entries()) sum[index % width] = (sum[index % width] ?? 0) + value
  return sum
}

function unit(vector: Float32Array): Float32Array {
  let square = 0
  for (const value of vector) square += value * value
  const length = Math.sqrt(square) || 1
  return vector.map((value) => value / length)
}
