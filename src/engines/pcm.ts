// Reads exact numbers of samples from a stream of s16le bytes that arrives in pieces of any size.

export interface PcmReader {
  /** Samples read or skipped so far. */
  readonly position: number
  /** Exactly `count` samples, fewer only at the end of the stream. */
  read(count: number): Promise<Int16Array>
  skip(count: number): Promise<void>
  /** Ends the stream's source. */
  close(): Promise<void>
}

/** Holds no more than what was asked for and one piece of the stream: the source is held back meanwhile. */
export function createPcmReader(stream: ReadableStream<Uint8Array<ArrayBuffer>>): PcmReader {
  const reader = stream.getReader()
  let piece: Uint8Array = new Uint8Array()
  let ended = false
  let position = 0

  /** Up to `bytes` bytes through `use`; returns how many there were. */
  async function take(bytes: number, use: (part: Uint8Array, at: number) => void): Promise<number> {
    let done = 0
    while (done < bytes && !ended) {
      if (piece.byteLength === 0) {
        const next = await reader.read()
        ended = next.done
        piece = next.value ?? new Uint8Array()
        continue
      }
      const part = piece.subarray(0, bytes - done)
      use(part, done)
      done += part.byteLength
      piece = piece.subarray(part.byteLength)
    }
    return done
  }

  return {
    get position() {
      return position
    },
    async read(count) {
      const bytes = new Uint8Array(count * 2)
      const got = await take(bytes.byteLength, (part, at) => bytes.set(part, at))
      const samples = new Int16Array(bytes.buffer, 0, got >> 1)
      position += samples.length
      return samples
    },
    async skip(count) {
      const got = await take(count * 2, () => undefined)
      position += got >> 1
    },
    async close() {
      // A stream that has failed rejects; its error has already been seen by read().
      await reader.cancel().catch(() => undefined)
    },
  }
}
