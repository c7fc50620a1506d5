// What a model is, and the list of models that Earshot knows by hash. Data only: nothing here touches disk or network.

import catalogue from '../../models/catalogue.json' with { type: 'json' }
import { type Infer, parseOrThrow, parser, t } from '../lib/schema.ts'

export const MODEL_TASKS = ['speech', 'vad', 'embedding', 'rerank', 'llm'] as const

const Task = t.Union(MODEL_TASKS.map((task) => t.Literal(task)))
const Sha256 = t.String({ pattern: '^[0-9a-f]{64}$' })
const Id = t.String({ pattern: '^[a-z0-9][a-z0-9._-]{1,62}$' })
/** Relative, forward slashes, no `..`: it becomes a path below the model's folder. */
const FileName = t.String({ pattern: '^(?:[A-Za-z0-9_-][A-Za-z0-9._-]*/)*[A-Za-z0-9_-][A-Za-z0-9._-]*$' })

const ModelFileSchema = t.Object({
  name: FileName,
  /** Below the hub's base URL; null when the file is not on a hub. */
  path: t.Union([t.String({ pattern: '^[A-Za-z0-9._/-]+$' }), t.Null()]),
  /** null: not published; any size is accepted if the hash fits. */
  sizeBytes: t.Union([t.Integer({ minimum: 1 }), t.Null()]),
  /** null: not published; the first download pins what it saw. */
  sha256: t.Union([Sha256, t.Null()]),
})

/** How a model for text (`embedding`, `rerank`) wants its input. */
const TextTraitsSchema = t.Object({
  /** Length of the vectors; 1 for rerankers, which give one score. */
  dimensions: t.Integer({ minimum: 1, maximum: 4_096 }),
  maxTokens: t.Integer({ minimum: 8, maximum: 32_768 }),
  /** How token vectors become one: their mean, or the first one's. */
  pooling: t.Union([t.Literal('mean'), t.Literal('first')]),
  queryPrefix: t.String(),
  passagePrefix: t.String(),
  /** What the model's cosines are worth; without it they are taken for spread from 0.2 to 0.8. */
  similarity: t.Optional(
    t.Object({
      /** `sum`: measured to add up with matches by words. `gated`: only their order is used. */
      fusion: t.Union([t.Literal('sum'), t.Literal('gated')]),
      /** The cosine of texts that have nothing to do with each other, and of those that say the same. */
      unrelated: t.Number({ minimum: -1, maximum: 1 }),
      same: t.Number({ minimum: -1, maximum: 1 }),
    }),
  ),
})

const ModelSchema = t.Object({
  id: Id,
  task: Task,
  name: t.String({ minLength: 1 }),
  /** What loads it: `whisper-ggml`, `moonshine-onnx`, `silero-onnx`, `silero-ggml`, `use-lite-onnx`, `transformers-onnx`, `gguf`. */
  format: t.String({ minLength: 1 }),
  /** Part of the binary: no files, always there. */
  embedded: t.Boolean(),
  repository: t.Union([t.String(), t.Null()]),
  revision: t.Union([t.String(), t.Null()]),
  licence: t.String({ minLength: 1 }),
  /** ISO 639-1 codes; `*` alone means many languages. */
  languages: t.Array(t.String({ pattern: '^(?:[a-z]{2}|\\*)$' }), { minItems: 1 }),
  /** Estimate of what a process that uses it needs, weights included. */
  memoryBytes: t.Integer({ minimum: 1 }),
  /** Cores from which on it keeps up: speech twice as fast as real time, others without long waits. */
  coresMin: t.Integer({ minimum: 1 }),
  /** Within a task, the higher one is preferred on a machine that can run both. 0: only when asked for. */
  rank: t.Integer({ minimum: 0 }),
  notes: t.String(),
  /** False for multilingual speech models that were not taught to translate into English. */
  translates: t.Optional(t.Boolean()),
  text: t.Optional(TextTraitsSchema),
  files: t.Array(ModelFileSchema),
})

export const CatalogueSchema = t.Object({ version: t.Literal(1), models: t.Array(ModelSchema) })

/** `model.json` (with `files`) or `<file>.json` (with `sha256`) beside weights that the catalogue does not list. */
export const ManifestSchema = t.Object({
  id: Id,
  task: Task,
  format: t.String({ minLength: 1 }),
  languages: t.Array(t.String({ pattern: '^(?:[a-z]{2}|\\*)$' }), { minItems: 1 }),
  name: t.Optional(t.String()),
  licence: t.Optional(t.String()),
  notes: t.Optional(t.String()),
  translates: t.Optional(t.Boolean()),
  text: t.Optional(TextTraitsSchema),
  memoryBytes: t.Optional(t.Integer({ minimum: 1 })),
  sha256: t.Optional(Sha256),
  files: t.Optional(t.Array(t.Object({ name: FileName, sha256: Sha256 }), { minItems: 1 })),
})

/** The embedded sentence encoder. */
export const USE_LITE_MODEL_ID = 'use-lite-en'

export type TextTraits = Infer<typeof TextTraitsSchema>
export type Similarity = NonNullable<TextTraits['similarity']>
export type ModelTask = (typeof MODEL_TASKS)[number]
export type ModelFile = Infer<typeof ModelFileSchema>
export type Manifest = Infer<typeof ManifestSchema>

export interface Model extends Infer<typeof ModelSchema> {
  /** Folder of a manifest's files; undefined for models of the catalogue. */
  readonly manifestFolder?: string
}

/** The catalogue that ships with Earshot. */
export const CATALOGUE: readonly Model[] = parseOrThrow(
  parser(CatalogueSchema),
  catalogue,
  'models/catalogue.json',
).models

const MEMORY_UNKNOWN_BYTES = 1_000_000_000

/**
 * A manifest's model: usable by its id, but never chosen by itself (rank 0). `besideFile` is the weights file of a
 * `<file>.json`. Undefined when the manifest names no file with a hash.
 */
export function manifestModel(
  manifest: Manifest,
  folder: string,
  besideFile: string | undefined,
): Model | undefined {
  const single =
    besideFile !== undefined && manifest.sha256 !== undefined
      ? [{ name: besideFile, sha256: manifest.sha256 }]
      : []
  const files = (manifest.files ?? single).map(({ name, sha256 }) => ({
    name,
    sha256,
    path: null,
    sizeBytes: null,
  }))
  if (files.length === 0) return undefined
  return {
    id: manifest.id,
    task: manifest.task,
    name: manifest.name ?? manifest.id,
    format: manifest.format,
    embedded: false,
    repository: null,
    revision: null,
    licence: manifest.licence ?? 'unknown',
    languages: manifest.languages,
    memoryBytes: manifest.memoryBytes ?? MEMORY_UNKNOWN_BYTES,
    coresMin: 1,
    rank: 0,
    notes: manifest.notes ?? '',
    ...(manifest.translates === undefined ? {} : { translates: manifest.translates }),
    ...(manifest.text ? { text: manifest.text } : {}),
    files,
    manifestFolder: folder,
  }
}
