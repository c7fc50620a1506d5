// Reads the weights of a TensorFlow.js graph model, and makes 8-bit ones of them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseOrThrow, parser, t } from '../../src/lib/schema.ts'

const MANIFEST = parser(
  t.Object({
    weightsManifest: t.Array(
      t.Object({
        paths: t.Array(t.String()),
        weights: t.Array(
          t.Object({
            name: t.String(),
            dtype: t.Union([t.Literal('float32'), t.Literal('int32')]),
            shape: t.Array(t.Integer()),
          }),
        ),
      }),
    ),
  }),
)

/** Finds a constant by the end of its name. Throws unless exactly one float32 constant ends so. */
export type Weights = (suffix: string) => Float32Array

/** Constants of the graph model in `folder` (model.json and its shards). Both types are four bytes wide. */
export function readWeights(folder: string): Weights {
  const model: unknown = JSON.parse(readFileSync(join(folder, 'model.json'), 'utf8'))
  const weights = new Map<string, Float32Array>()
  for (const group of parseOrThrow(MANIFEST, model, 'model.json').weightsManifest) {
    const bytes = Buffer.concat(group.paths.map((path) => readFileSync(join(folder, path))))
    let at = 0
    for (const { name, dtype, shape } of group.weights) {
      const end = at + 4 * shape.reduce((product, size) => product * size, 1)
      const copy = Uint8Array.from(bytes.subarray(at, end))
      if (dtype === 'float32') weights.set(name, new Float32Array(copy.buffer))
      at = end
    }
    if (at !== bytes.length)
      throw new Error(`model.json describes ${at} bytes of weights, not ${bytes.length}`)
  }
  return (suffix) => {
    const [found, ...others] = [...weights].filter(([name]) => name.endsWith(suffix))
    if (!found || others.length > 0) throw new Error(`not exactly one weight ends with ${suffix}`)
    return found[1]
  }
}

export interface Quantized {
  readonly values: Int8Array
  readonly scales: Float32Array
}

/** Symmetric 8 bit with one scale per column (`columns`) or per row of a matrix in row order. */
export function quantize(matrix: Float32Array, columns: number, scaled: 'columns' | 'rows'): Quantized {
  const groupOf = (index: number): number =>
    scaled === 'columns' ? index % columns : Math.trunc(index / columns)
  const scales = new Float32Array(scaled === 'columns' ? columns : matrix.length / columns)
  for (const [index, value] of matrix.entries()) {
    const group = groupOf(index)
    scales[group] = Math.max(scales[group] ?? 0, Math.abs(value))
  }
  for (const [group, largest] of scales.entries()) scales[group] = largest / 127 || 1
  const values = Int8Array.from(matrix, (value, index) => {
    return Math.max(-127, Math.min(127, Math.round(value / (scales[groupOf(index)] ?? 1))))
  })
  return { values, scales }
}
