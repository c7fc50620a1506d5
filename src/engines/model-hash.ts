// SHA-256 of large files without holding up the event loop, and a memory of what was hashed, so that gigabytes are
// read once and not at every start.

import { open, stat } from 'node:fs/promises'
import { createGate } from '../lib/gate.ts'
import { readJsonFile, writeJsonFile } from '../lib/json-file.ts'
import { parser, t } from '../lib/schema.ts'

/** About a millisecond of hashing between two turns of the event loop. */
const CHUNK_BYTES = 1_048_576

export type Sha256Hasher = Bun.CryptoHasher

/** Feeds `path` into `hasher`, up to `endBytes`; returns the number of bytes read. */
export async function hashInto(
  hasher: Sha256Hasher,
  path: string,
  options: { readonly endBytes?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<number> {
  const file = await open(path, 'r')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    const end = options.endBytes ?? Number.POSITIVE_INFINITY
    let position = 0
    while (position < end) {
      options.signal?.throwIfAborted()
      const wanted = Math.min(CHUNK_BYTES, end - position)
      const { bytesRead } = await file.read(buffer, 0, wanted, position)
      if (bytesRead === 0) break
      hasher.update(buffer.subarray(0, bytesRead))
      position += bytesRead
    }
    return position
  } finally {
    await file.close()
  }
}

/** Lower-case hex. Rejects when the file cannot be read or the signal aborts. */
export async function hashFile(path: string, signal?: AbortSignal): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  await hashInto(hasher, path, { signal })
  return hasher.digest('hex')
}

const Memory = parser(
  t.Record(
    t.String(),
    t.Object({ sizeBytes: t.Number(), mtimeMs: t.Number(), inode: t.Number(), sha256: t.String() }),
  ),
)

export interface HashMemory {
  /** The file's hash; read from disk only when size, time or inode changed. `fresh` always reads. */
  hashOf(path: string, options?: { readonly fresh?: boolean; readonly signal?: AbortSignal }): Promise<string>
  /** For a file whose bytes were hashed while they were written. */
  remember(path: string, sha256: string): Promise<void>
}

/** `memoryPath` is a JSON file; when it cannot be written, files are only hashed more often. */
export function createHashMemory(memoryPath: string): HashMemory {
  const running = new Map<string, Promise<string>>()
  // One file at a time: disks are read faster in one go, and one core is left alone.
  const gate = createGate(1)

  async function remember(path: string, sha256: string): Promise<void> {
    const { size, mtimeMs, ino } = await stat(path)
    try {
      // Read again: another process may have added to it.
      const entries = readJsonFile(memoryPath, Memory, {})
      writeJsonFile(memoryPath, { ...entries, [path]: { sizeBytes: size, mtimeMs, inode: ino, sha256 } })
    } catch {
      // A read-only data folder costs time, not correctness.
    }
  }

  async function hashAndRemember(path: string, signal: AbortSignal | undefined): Promise<string> {
    const before = await stat(path)
    const sha256 = await hashFile(path, signal)
    const after = await stat(path)
    // A file that changed while it was read is hashed again at the next question.
    if (before.mtimeMs === after.mtimeMs && before.size === after.size) await remember(path, sha256)
    return sha256
  }

  return {
    remember,
    async hashOf(path, options = {}) {
      const { size, mtimeMs, ino } = await stat(path)
      const known = readJsonFile(memoryPath, Memory, {})[path]
      const same = known?.sizeBytes === size && known.mtimeMs === mtimeMs && known.inode === ino
      if (same && options.fresh !== true) return known.sha256
      const shared = running.get(path)
      if (shared && options.signal === undefined) return await shared
      const hashing = gate
        .run(() => hashAndRemember(path, options.signal), options.signal)
        .finally(() => running.delete(path))
      running.set(path, hashing)
      return await hashing
    },
  }
}
