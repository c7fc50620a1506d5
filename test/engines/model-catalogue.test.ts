// The catalogue that ships: complete, consistent and safe to turn into URLs and paths.

import { expect, test } from 'bun:test'
import { CATALOGUE, CatalogueSchema, ManifestSchema } from '../../src/engines/model-catalogue.ts'
import { recommend } from '../../src/engines/model-choice.ts'
import { parser } from '../../src/lib/schema.ts'
import catalogue from '../../models/catalogue.json' with { type: 'json' }
import demo from '../../models/demo-whisper/model.json' with { type: 'json' }

const files = CATALOGUE.flatMap((model) => model.files.map((file) => ({ model, file })))

test('fits its schema, and so does the demo model’s manifest', () => {
  expect(parser(CatalogueSchema).parse(catalogue).ok).toBe(true)
  expect(parser(ManifestSchema).parse(demo).ok).toBe(true)
  const outside = { ...demo, files: [{ name: '../x', sha256: '0'.repeat(64) }] }
  expect(parser(ManifestSchema).parse(outside).ok).toBe(false)
})

test('has every id and every hash once', () => {
  const ids = CATALOGUE.map((model) => model.id)
  expect(ids.length).toBe(new Set(ids).size)
  const hashes = files.flatMap(({ file }) => file.sha256 ?? [])
  expect(hashes.length).toBe(new Set(hashes).size)
})

test('says where each file of a downloadable model is, at the revision it names', () => {
  for (const { model, file } of files) {
    expect(file.path).toStartWith(`${model.repository}/resolve/${model.revision ?? 'main'}/`)
    expect(file.path).not.toContain('..')
  }
  expect(CATALOGUE.every((model) => model.embedded === (model.files.length === 0))).toBe(true)
})

test('has the published hash of the large file of every model', () => {
  const unchecked = CATALOGUE.filter((model) => !model.embedded && model.files[0]?.sha256 === null)
  expect(unchecked.map((model) => model.id)).toEqual([])
})

test('has built-in models for speech, voice activity and sentences', () => {
  expect(CATALOGUE.filter((model) => model.embedded).map((model) => model.id)).toEqual([
    'moonshine-tiny-en',
    'silero-vad-v6',
    'use-lite-en',
  ])
})

test('recommends by cores and memory', () => {
  const gb = 1_000_000_000
  expect(recommend(CATALOGUE, { cores: 1, memoryBytes: gb }).speech).toBe('whisper-base-q8_0')
  expect(recommend(CATALOGUE, { cores: 2, memoryBytes: 4 * gb }).speech).toBe('whisper-small-q8_0')
  expect(recommend(CATALOGUE, { cores: 4, memoryBytes: 8 * gb }).speech).toBe('whisper-large-v3-turbo-q8_0')
  expect(recommend(CATALOGUE, { cores: 1, memoryBytes: 0.3 * gb }).speech).toBeUndefined()
  expect(recommend(CATALOGUE, { cores: 2, memoryBytes: 4 * gb }).rerank).toBeUndefined()
  expect(recommend(CATALOGUE, { cores: 2, memoryBytes: 4 * gb }).llm).toBe('qwen3.5-2b-q4_k_m')
})
