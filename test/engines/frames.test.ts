// The wire format of child processes: whole frames from any pieces, and limits.

import { describe, expect, test } from 'bun:test'
import { encodeFrame, type Frame, MAX_PAYLOAD_BYTES, readFrames } from '../../src/engines/frames.ts'

async function decode(bytes: Uint8Array, chunkBytes: number): Promise<Frame[]> {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }
  return Array.fromAsync(readFrames(chunks()))
}

const FRAMES = [
  { header: { id: 1, text: 'ä€😀' }, payload: new Uint8Array([1, 2, 3]) },
  { header: {}, payload: new Uint8Array() },
  { header: { id: 2 }, payload: new Uint8Array(1_000).fill(7) },
]
const STREAM = Buffer.concat(FRAMES.map((frame) => encodeFrame(frame.header, frame.payload)))

describe('frames', () => {
  for (const chunkBytes of [1, 3, 8, 100, 100_000]) {
    test(`arrive whole whatever the pieces are: ${chunkBytes} bytes`, async () => {
      expect(await decode(STREAM, chunkBytes)).toEqual(FRAMES)
    })
  }

  test('a payload is aligned for typed arrays', async () => {
    const samples = Int16Array.of(1, -2, 300)
    const [frame] = await decode(encodeFrame({ odd: 1 }, new Uint8Array(samples.buffer)), 5)
    expect(new Int16Array(frame?.payload.buffer ?? new ArrayBuffer())).toEqual(samples)
  })

  test('a stream that ends inside a frame is an error', async () => {
    await expect(decode(STREAM.subarray(0, -1), 50)).rejects.toThrow('ended inside a frame')
  })

  test('lengths over the limit are refused before anything is read', async () => {
    const huge = Buffer.alloc(8)
    huge.writeUInt32LE(2, 0)
    huge.writeUInt32LE(MAX_PAYLOAD_BYTES + 1, 4)
    await expect(decode(huge, 8)).rejects.toThrow(RangeError)
  })

  test('a header that is no object is refused', async () => {
    await expect(decode(Buffer.from([2, 0, 0, 0, 0, 0, 0, 0, 0x5b, 0x5d]), 10)).rejects.toThrow(SyntaxError)
  })
})
