// The messages between us and the process of the built-in engine: a task as JSON, then the vectors it asked for.

import type { Task } from './tasks.ts'
import type { Vectors } from './types.ts'

const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT

/** u32 LE length of the JSON text, the text, zeros up to a multiple of four, then the vectors in the order of `texts`. */
export function encodeTask(
  task: Task,
  texts: readonly string[] = [],
  vectors: Vectors = new Map(),
): Uint8Array {
  const known = texts.filter((text) => vectors.has(text))
  const json = Buffer.from(JSON.stringify({ task, texts: known }), 'utf8')
  const offset = vectorsOffset(json.byteLength)
  const dimensions = vectors.get(known[0] ?? '')?.length ?? 0
  const payload = new Uint8Array(offset + known.length * dimensions * FLOAT_BYTES)
  new DataView(payload.buffer).setUint32(0, json.byteLength, true)
  payload.set(json, FLOAT_BYTES)
  const numbers = new Float32Array(payload.buffer, offset)
  for (const [index, text] of known.entries()) numbers.set(vectors.get(text) ?? [], index * dimensions)
  return payload
}

export function decodeTask(payload: Uint8Array<ArrayBuffer>): { task: Task; vectors: Vectors } {
  const length = new DataView(payload.buffer).getUint32(0, true)
  const text = Buffer.from(payload.buffer, FLOAT_BYTES, length).toString('utf8')
  // Only our own side of this file writes it.
  const { task, texts } = JSON.parse(text) as { task: Task; texts: readonly string[] }
  const numbers = new Float32Array(payload.buffer, vectorsOffset(length))
  const dimensions = texts.length === 0 ? 0 : numbers.length / texts.length
  const vectors = texts.map((one, index): [string, Float32Array] => [
    one,
    numbers.subarray(index * dimensions, (index + 1) * dimensions),
  ])
  return { task, vectors: new Map(vectors) }
}

function vectorsOffset(jsonBytes: number): number {
  return FLOAT_BYTES + Math.ceil(jsonBytes / FLOAT_BYTES) * FLOAT_BYTES
}
