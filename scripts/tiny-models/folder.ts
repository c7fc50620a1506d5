// Writes the files of a small model into a folder, with the manifest by which Earshot finds it there.

import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sha256 } from '../../src/lib/id.ts'

export interface TinyModel {
  readonly id: string
  readonly task: 'embedding' | 'rerank'
  readonly dimensions: number
  readonly maxTokens: number
  readonly queryPrefix: string
  readonly passagePrefix: string
  /** File name → content; the first is the graph. */
  readonly files: Readonly<Record<string, Uint8Array | string>>
}

/** Afterwards `EARSHOT_MODELS=folder` and the model's id are enough to use it. */
export function writeModel(folder: string, model: TinyModel): void {
  const { id, task, files, ...traits } = model
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  const manifest = {
    id,
    task,
    format: 'transformers-onnx',
    languages: ['*'],
    text: { ...traits, pooling: 'mean' },
    files: Object.entries(files).map(([name, content]) => ({ name, sha256: sha256(content) })),
  }
  writeFileSync(join(folder, 'model.json'), JSON.stringify(manifest, null, 2))
}

/** The same numbers in -1..1 for the same seed (mulberry32). */
export function seededNumbers(seed: number, length: number): Float32Array {
  let state = seed
  return Float32Array.from({ length }, () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1
  })
}
