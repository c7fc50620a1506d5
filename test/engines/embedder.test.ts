// Sentence encoders and rerankers as the product runs them: in their own process, chosen from what is installed.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { makeTinyReranker, TINY_RERANKER } from '../../scripts/tiny-models/cross-encoder.ts'
import { makeTinyE5, TINY_E5 } from '../../scripts/tiny-models/e5.ts'
import { type Embedder } from '../../src/engines/embedder.ts'
import { USE_LITE_MODEL_ID } from '../../src/engines/model-catalogue.ts'
import { piecesOf } from '../../src/engines/text-encoder.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/temp.ts'

const signal = AbortSignal.timeout(120_000)
const models = temporaryFolder()
let embedded: TestApp
let downloaded: TestApp

beforeAll(async () => {
  makeTinyE5(join(models.path, 'e5'))
  makeTinyReranker(join(models.path, 'reranker'))
  embedded = await createTestApp()
  downloaded = await createTestApp({
    EARSHOT_MODELS: models.path,
    EARSHOT_EMBEDDING_MODEL: TINY_E5.id,
    EARSHOT_RERANK_MODEL: TINY_RERANKER.id,
  })
})

afterAll(async () => {
  await embedded.close()
  await downloaded.close()
  models[Symbol.dispose]()
})

const dot = (a: Float32Array, b: Float32Array): number => a.reduce((sum, x, at) => sum + x * (b[at] ?? 0), 0)

async function vectorsOf(
  embedder: Embedder,
  texts: readonly string[],
  kind: 'query' | 'passage' = 'passage',
): Promise<Float32Array[]> {
  const vectors = await embedder.embed(texts, kind, signal)
  for (const vector of vectors) expect(dot(vector, vector)).toBeCloseTo(1, 4)
  return vectors
}

const none = new Float32Array()

describe('the embedded encoder', () => {
  test('puts what means the same close together, whatever the words', async () => {
    const embedder = await embedded.app.engines.embedder()
    expect(embedder.modelId).toBe(USE_LITE_MODEL_ID)
    expect(embedder.languages).toEqual(['en'])
    const [query = none] = await vectorsOf(embedder, ['when can the ships leave the port'], 'query')
    expect(query.length).toBe(embedder.dimensions)
    const passages = await vectorsOf(embedder, [
      'The tide comes in twice a day, so the boats only get out of the harbour early in the morning.',
      'Leave the dough under a damp towel until it has doubled in size.',
    ])
    expect(dot(query, passages[0] ?? none)).toBeGreaterThan(dot(query, passages[1] ?? none) + 0.2)
  })

  test('reads a long text to its end', async () => {
    const embedder = await embedded.app.engines.embedder()
    const start = 'The harbour was rebuilt after the war and the fishing fleet came back. '.repeat(12)
    const [count] = await embedder.countTokens([start], signal)
    expect(count?.tokens).toBeGreaterThan(embedder.maxTokens)
    const [plain = none, other = none] = await vectorsOf(embedder, [
      start,
      `${start} Photosynthesis turns light into sugar in the leaves of plants.`,
    ])
    expect(dot(plain, other)).toBeLessThan(0.995)
  })

  test('counts what it does not know', async () => {
    const embedder = await embedded.app.engines.embedder()
    const counts = await embedder.countTokens(['where is the station', 'где находится вокзал'], signal)
    expect(counts.map(({ unknown }) => unknown > 0)).toEqual([false, true])
  })

  test('a cancelled request ends at once and hurts no other', async () => {
    const embedder = await embedded.app.engines.embedder()
    const abort = new AbortController()
    const texts = Array.from({ length: 400 }, (_, index) => `sentence number ${index} about nothing at all`)
    const cancelled = embedder.embed(texts, 'passage', abort.signal)
    const other = vectorsOf(embedder, ['something else'], 'query')
    abort.abort(new Error('nobody waits for it'))
    expect(cancelled).rejects.toThrow('nobody waits for it')
    expect((await other).length).toBe(1)
  })

  test('a query does not wait for the compute gate, passages do', async () => {
    const { compute, ...engines } = embedded.app.engines
    const embedder = await engines.embedder()
    const release = Promise.withResolvers<void>()
    const busy = compute.run(() => release.promise)
    const passages = embedder.embed(['one'], 'passage', signal)
    expect((await vectorsOf(embedder, ['two'], 'query')).length).toBe(1)
    expect(compute.waiting).toBe(1)
    release.resolve()
    await busy
    expect((await passages).length).toBe(1)
  })
})

describe('a downloaded encoder', () => {
  test('gets its prefixes, and gives the mean of its tokens at unit length', async () => {
    const embedder = await downloaded.app.engines.embedder()
    expect(embedder.modelId).toBe(TINY_E5.id)
    const [query = none, same = none] = await vectorsOf(embedder, ['der Hafen', 'der Hafen'], 'query')
    const [passage = none, bread = none] = await vectorsOf(embedder, ['der Hafen', 'хлеб'])
    expect(dot(query, same)).toBeCloseTo(1, 5)
    // The same words, but another prefix.
    expect(dot(query, passage)).toBeLessThan(0.99)
    expect(dot(query, passage)).toBeGreaterThan(dot(query, bread))
  })

  test('embeds a text beyond its window in pieces', async () => {
    const embedder = await downloaded.app.engines.embedder()
    const long = 'boat '.repeat(200)
    const [short = none, whole = none, mixed = none] = await vectorsOf(embedder, [
      'boat '.repeat(20),
      long,
      `${long} ${'bread '.repeat(20)}`,
    ])
    expect(dot(short, whole)).toBeGreaterThan(0.97)
    expect(dot(whole, mixed)).toBeLessThan(0.999)
  })

  test('that says a wrong length is refused by name', async () => {
    const app = await createTestApp({ EARSHOT_MODELS: models.path })
    try {
      const path = join(models.path, 'e5/model.json')
      const manifest = await Bun.file(path).text()
      await Bun.write(path, manifest.replace('"dimensions": 24', '"dimensions": 25'))
      await app.app.engines.models.use(TINY_E5.id)
      const embedder = await app.app.engines.embedder()
      expect(embedder.embed(['x'], 'query', signal)).rejects.toThrow(
        /tiny-e5 gives vectors of 24 numbers, not 25/,
      )
      await Bun.sleep(0)
      await Bun.write(path, manifest)
    } finally {
      await app.close()
    }
  })

  test('that is not installed is named by the setting that wants it', async () => {
    const app = await createTestApp({ EARSHOT_EMBEDDING_MODEL: 'multilingual-e5-small' })
    try {
      expect(app.app.engines.embedder()).rejects.toThrow(
        'EARSHOT_EMBEDDING_MODEL names "multilingual-e5-small", which is not installed.',
      )
    } finally {
      await app.close()
    }
  })
})

describe('a reranker', () => {
  test('reads query and passage together, long passages to their end', async () => {
    const reranker = await downloaded.app.engines.findReranker()
    expect(reranker?.modelId).toBe(TINY_RERANKER.id)
    const passages = [
      'a storm in the winter garden',
      'the boat sailed in the harbour',
      `${'the doctor in the school and the oven. '.repeat(12)} the boat sailed in the harbour`,
    ]
    const scores = (await reranker?.score('boat harbour', passages, signal)) ?? []
    expect(scores.map((score) => score > 0.5)).toEqual([false, true, true])
  })

  test('is not there unless one is installed', async () => {
    expect(await embedded.app.engines.findReranker()).toBeUndefined()
  })
})

describe('cutting into pieces', () => {
  const upTo = (length: number) => (piece: string) => piece.length <= length

  test('happens at spaces and loses nothing', () => {
    const text = 'the quick brown fox jumps over the lazy dog'
    const pieces = piecesOf(text, upTo(12))
    expect(pieces.every((piece) => piece.length <= 12)).toBe(true)
    expect(pieces.map((piece) => piece.trim()).join(' ')).toBe(text)
  })

  test('happens anywhere where there are none, and leaves characters whole', () => {
    const text = '你好世界今天天气很好🎉🎉🎉🎉'
    const pieces = piecesOf(text, upTo(4))
    expect(pieces.join('')).toBe(text)
    expect(pieces.every((piece) => piece.isWellFormed())).toBe(true)
  })

  test('of nothing gives nothing, and a character that does not fit stays', () => {
    expect(piecesOf(' \n ', upTo(10))).toEqual([])
    expect(piecesOf('ab', upTo(0))).toEqual(['a', 'b'])
  })
})
