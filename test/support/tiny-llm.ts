// The tiny language model as a file, and as an installed model for engines that take one.

import type { InstalledModel } from '../../src/engines/model-store.ts'
import { sha256 } from '../../src/lib/id.ts'
import { tinyLlm } from '../../scripts/tiny-llm.ts'
import type { TemporaryFolder } from './temp.ts'

export const TINY_LLM_ID = 'tiny-llm'

/** Writes the weights and a manifest, so that a folder of models has it. */
export function writeTinyLlm(folder: TemporaryFolder): InstalledModel {
  const bytes = tinyLlm()
  const hash = sha256(bytes)
  const path = folder.write('tiny-llm/tiny.gguf', bytes)
  const manifest = { id: TINY_LLM_ID, task: 'llm', format: 'gguf', languages: ['*'], sha256: hash }
  folder.write('tiny-llm/tiny.gguf.json', JSON.stringify(manifest))
  return {
    id: TINY_LLM_ID,
    task: 'llm',
    name: TINY_LLM_ID,
    format: 'gguf',
    embedded: false,
    repository: null,
    revision: null,
    licence: 'MIT',
    languages: ['*'],
    memoryBytes: 1_000_000_000,
    coresMin: 1,
    rank: 0,
    notes: '',
    files: [{ name: 'tiny.gguf', path: null, sizeBytes: bytes.byteLength, sha256: hash }],
    manifestFolder: `${folder.path}/tiny-llm`,
    path,
    folder: `${folder.path}/tiny-llm`,
  }
}
