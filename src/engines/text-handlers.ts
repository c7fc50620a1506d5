// What the ONNX child answers about texts: counts, vectors and scores. A model is loaded by its first request, and the
// one that was used longest ago makes room for another.

import { join } from 'node:path'
import type * as Ort from 'onnxruntime-node'
import { parseOrThrow, parser, t } from '../lib/schema.ts'
import type { Handler } from './child-program.ts'
import type { Frame } from './frames.ts'
import type { Native } from './native.ts'
import { loadTextEncoder, type TextEncoder } from './text-encoder.ts'
import { TEXT_MODEL, type TextModel } from './text-model.ts'

/** An encoder, the one it replaces, and a reranker. */
const LOADED_MAX = 3

const TEXTS = parser(t.Array(t.String()))
const KIND = parser(t.Union([t.Literal('query'), t.Literal('passage')]))

export function textHandlers(
  native: Native,
  getRuntime: () => Promise<typeof Ort>,
): Readonly<Record<'count' | 'embed' | 'score', Handler>> {
  const loaded = new Map<string, Promise<TextEncoder>>()

  async function load(model: TextModel): Promise<TextEncoder> {
    const ort = await getRuntime()
    return loadTextEncoder(ort, model, {
      modelPath: model.modelPath ?? native.path('use-lite.onnx'),
      tokenizerPath:
        model.tokenizerFolder === null
          ? native.path('use-lite-tokenizer.json')
          : join(model.tokenizerFolder, 'tokenizer.json'),
    })
  }

  async function encoderOf({ header }: Frame): Promise<TextEncoder> {
    const model = parseOrThrow(TEXT_MODEL, header['model'], 'The model of a request')
    const key = JSON.stringify(model)
    const known = loaded.get(key)
    loaded.delete(key)
    const encoder = known ?? load(model)
    // Seen below, but not while another one is released.
    encoder.catch(() => undefined)
    loaded.set(key, encoder)
    const [oldestKey, oldest] = [...loaded][0] ?? []
    if (loaded.size > LOADED_MAX && oldestKey !== undefined) {
      loaded.delete(oldestKey)
      await oldest?.then((former) => former.release())
    }
    try {
      return await encoder
    } catch (error) {
      loaded.delete(key)
      throw error
    }
  }

  return {
    async count(frame) {
      const encoder = await encoderOf(frame)
      return { header: { counts: textsOf(frame).map((text) => encoder.count(text)) } }
    },
    async embed(frame, { signal }) {
      const encoder = await encoderOf(frame)
      const kind = parseOrThrow(KIND, frame.header['kind'], 'The kind of a request')
      const vectors = await oneByOne(textsOf(frame), signal, (text) => encoder.embed(text, kind))
      const length = vectors[0]?.length ?? 0
      const all = new Float32Array(vectors.length * length)
      for (const [index, vector] of vectors.entries()) all.set(vector, index * length)
      return { payload: new Uint8Array(all.buffer) }
    },
    async score(frame, { signal }) {
      const encoder = await encoderOf(frame)
      const [query = '', ...passages] = textsOf(frame)
      const scores = await oneByOne(passages, signal, (passage) => encoder.score(query, passage))
      return { payload: new Uint8Array(Float32Array.from(scores).buffer) }
    },
  }
}

async function oneByOne<T>(
  texts: readonly string[],
  signal: AbortSignal,
  work: (text: string) => Promise<T>,
): Promise<T[]> {
  const results: T[] = []
  for (const text of texts) {
    // Lets a cancel in: running a session does not return to the event loop.
    await Bun.sleep(0)
    signal.throwIfAborted()
    results.push(await work(text))
  }
  return results
}

function textsOf({ payload }: Frame): string[] {
  const json: unknown = JSON.parse(new TextDecoder().decode(payload))
  return parseOrThrow(TEXTS, json, 'The texts of a request')
}
