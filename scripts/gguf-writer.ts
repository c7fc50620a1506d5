// Writes files in the GGUF format, version 3, for small test models.
// Source of the format: docs/gguf.md of the ggml project.

export type GgufValue =
  | { readonly type: 'u32' | 'f32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly value: readonly string[] }
  | { readonly type: 'i32s'; readonly value: readonly number[] }

export interface GgufTensor {
  readonly name: string
  /** Fastest-moving dimension first: a matrix of R rows and C columns is [C, R]. */
  readonly dimensions: readonly number[]
  readonly data: Float32Array | Float16Array
}

const ALIGNMENT = 32
const TYPE = { u32: 4, i32: 5, f32: 6, bool: 7, string: 8, array: 9 }
const TENSOR_F32 = 0
const TENSOR_F16 = 1

/** Scalars and lists of metadata in the given order, then the tensors. */
export function ggufBytes(
  metadata: Readonly<Record<string, GgufValue>>,
  tensors: readonly GgufTensor[],
): Uint8Array {
  const parts: Buffer[] = []
  const entries = Object.entries(metadata)
  parts.push(Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(entries.length))
  for (const [key, value] of entries) parts.push(text(key), ...encoded(value))
  let offset = 0
  for (const { name, dimensions, data } of tensors) {
    parts.push(text(name), u32(dimensions.length), ...dimensions.map(u64))
    parts.push(u32(data instanceof Float16Array ? TENSOR_F16 : TENSOR_F32), u64(offset))
    offset = aligned(offset + data.byteLength)
  }
  const head = Buffer.concat(parts)
  const body = tensors.map(({ data }) => padded(Buffer.from(data.buffer, data.byteOffset, data.byteLength)))
  return new Uint8Array(Buffer.concat([padded(head), ...body]))
}

function encoded(value: GgufValue): Buffer[] {
  switch (value.type) {
    case 'u32':
      return [u32(TYPE.u32), u32(value.value)]
    case 'f32':
      return [u32(TYPE.f32), f32(value.value)]
    case 'bool':
      return [u32(TYPE.bool), Buffer.of(value.value ? 1 : 0)]
    case 'string':
      return [u32(TYPE.string), text(value.value)]
    case 'strings':
      return [u32(TYPE.array), u32(TYPE.string), u64(value.value.length), ...value.value.map(text)]
    case 'i32s':
      return [u32(TYPE.array), u32(TYPE.i32), u64(value.value.length), ...value.value.map(u32)]
  }
}

const aligned = (size: number): number => Math.ceil(size / ALIGNMENT) * ALIGNMENT

const padded = (bytes: Buffer): Buffer =>
  Buffer.concat([bytes, Buffer.alloc(aligned(bytes.length) - bytes.length)])

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'utf8')
  return Buffer.concat([u64(bytes.length), bytes])
}
