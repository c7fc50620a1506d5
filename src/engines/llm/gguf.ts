// The head of a GGUF file: enough to know how much memory the model will take and how much text it can hold, without
// loading it. Source of the format: docs/gguf.md of the ggml project.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { Problem } from '../../lib/problem.ts'

export interface GgufHead {
  readonly architecture: string
  /** Tokens the model was trained to hold at once. */
  readonly contextTokens: number
  readonly fileBytes: number
  /** Of keys and values in 16 bits, for each token of context. An upper limit for hybrid architectures. */
  readonly cacheBytesPerToken: number
}

const HEAD_BYTES_MAX = 64 * 1_024 * 1_024
const FIRST_READ_BYTES = 65_536
/** Sizes of the scalar types 0–7 and 10–12; 8 is a string, 9 a list. */
const SCALAR_BYTES: Readonly<Record<number, number>> = {
  0: 1,
  1: 1,
  2: 2,
  3: 2,
  4: 4,
  5: 4,
  6: 4,
  7: 1,
  10: 8,
  11: 8,
  12: 8,
}
const STRING = 8
const LIST = 9

/** Throws Problem('extraction_failed') when the file is no GGUF model of a version that is known. */
export function readGgufHead(path: string): GgufHead {
  const file = openSync(path, 'r')
  try {
    const fileBytes = fstatSync(file).size
    for (let size = FIRST_READ_BYTES; size <= HEAD_BYTES_MAX; size *= 8) {
      const bytes = Buffer.alloc(Math.min(size, fileBytes))
      readSync(file, bytes, 0, bytes.length, 0)
      const metadata = scalarsOf(bytes)
      const head = metadata && headOf(metadata, fileBytes)
      if (head) return head
      if (bytes.length === fileBytes) break
    }
    throw new RangeError('it says nothing of its size')
  } catch (cause) {
    throw new Problem('extraction_failed', `${path} is no language model in GGUF format`, { cause })
  } finally {
    closeSync(file)
  }
}

type Scalars = ReadonlyMap<string, number | string>

function headOf(metadata: Scalars, fileBytes: number): GgufHead | undefined {
  const architecture = String(metadata.get('general.architecture') ?? '')
  const number = (key: string): number => Number(metadata.get(`${architecture}.${key}`) ?? 0)
  const [layers, heads] = [number('block_count'), number('attention.head_count')]
  const contextTokens = number('context_length')
  if (contextTokens === 0 || layers === 0 || number('embedding_length') === 0) return undefined
  const headWidth = number('attention.key_length') || number('embedding_length') / Math.max(1, heads)
  const valueWidth = number('attention.value_length') || headWidth
  const keyHeads = number('attention.head_count_kv') || heads
  return {
    architecture,
    contextTokens,
    fileBytes,
    cacheBytesPerToken: layers * keyHeads * (headWidth + valueWidth) * 2,
  }
}

/** Numbers and texts of the metadata as far as `bytes` reaches; lists are passed over. */
function scalarsOf(bytes: Buffer): Scalars {
  if (bytes.toString('latin1', 0, 4) !== 'GGUF') throw new SyntaxError('it does not start with GGUF')
  const version = bytes.readUInt32LE(4)
  if (version !== 2 && version !== 3) throw new SyntaxError(`its version is ${version}`)
  const found = new Map<string, number | string>()
  const count = Number(bytes.readBigUInt64LE(16))
  let at = 24

  function text(): string {
    const start = at + 8
    at = start + Number(bytes.readBigUInt64LE(at))
    return bytes.toString('utf8', start, Math.min(at, bytes.length))
  }

  function scalar(type: number): number | string {
    if (type === STRING) return text()
    const size = SCALAR_BYTES[type]
    if (size === undefined) throw new SyntaxError(`it has a value of type ${type}`)
    const start = at
    at += size
    if (type === 6) return bytes.readFloatLE(start)
    if (type === 12) return bytes.readDoubleLE(start)
    return size === 8 ? Number(bytes.readBigUInt64LE(start)) : bytes.readUIntLE(start, size)
  }

  function skipList(): void {
    const type = bytes.readUInt32LE(at)
    const length = Number(bytes.readBigUInt64LE(at + 4))
    at += 12
    const size = SCALAR_BYTES[type]
    if (size !== undefined) at += size * length
    else for (let index = 0; index < length && at < bytes.length; index++) scalar(type)
  }

  try {
    for (let index = 0; index < count; index++) {
      const key = text()
      const type = bytes.readUInt32LE(at)
      at += 4
      if (type === LIST) skipList()
      else found.set(key, scalar(type))
    }
  } catch (error) {
    // The end of what was read, in the middle of a value: tables of tokens are megabytes long.
    if (!(error instanceof RangeError)) throw error
  }
  return found
}
