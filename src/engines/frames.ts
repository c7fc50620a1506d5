// The wire format between us and our child processes, the same in TypeScript and in C++:
// u32 LE header length, u32 LE payload length, JSON header (UTF-8), payload bytes. Both lengths are limited.

export const MAX_HEADER_BYTES = 4 * 1_024 * 1_024
export const MAX_PAYLOAD_BYTES = 64 * 1_024 * 1_024
const LENGTHS_BYTES = 8

/** What a frame says. Whoever reads a field checks its type: the other side may be another program. */
export type FrameHeader = Readonly<Record<string, unknown>>

export interface Frame {
  readonly header: FrameHeader
  readonly payload: Uint8Array<ArrayBuffer>
}

/** Throws a RangeError when header or payload is too large. */
export function encodeFrame(header: FrameHeader, payload: Uint8Array = new Uint8Array()): Uint8Array {
  const text = Buffer.from(JSON.stringify(header), 'utf8')
  checkLengths(text.byteLength, payload.byteLength)
  const frame = Buffer.allocUnsafe(LENGTHS_BYTES + text.byteLength + payload.byteLength)
  frame.writeUInt32LE(text.byteLength, 0)
  frame.writeUInt32LE(payload.byteLength, 4)
  frame.set(text, LENGTHS_BYTES)
  frame.set(payload, LENGTHS_BYTES + text.byteLength)
  return frame
}

/**
 * Frames in the order in which they arrive; ends with the stream. Throws a RangeError on lengths over the limits and
 * a SyntaxError on a header that is not a JSON object or a stream that ends inside a frame: nothing after that can
 * be trusted. Each payload starts at offset 0 of a buffer of its own.
 */
export async function* readFrames(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Frame> {
  let chunks: Uint8Array[] = []
  let size = 0
  let needed = LENGTHS_BYTES
  for await (const chunk of stream) {
    chunks.push(chunk)
    size += chunk.byteLength
    // Chunks are joined only when a whole frame has come, so a large payload is not copied once per chunk.
    while (size >= needed) {
      const buffer = Buffer.concat(chunks, size)
      const headerBytes = buffer.readUInt32LE(0)
      const payloadBytes = buffer.readUInt32LE(4)
      checkLengths(headerBytes, payloadBytes)
      const total = LENGTHS_BYTES + headerBytes + payloadBytes
      const whole = size >= total
      if (whole) yield decodeFrame(buffer, headerBytes, total)
      const rest = whole ? buffer.subarray(total) : buffer
      chunks = [rest]
      size = rest.byteLength
      needed = whole ? LENGTHS_BYTES : total
    }
  }
  if (size > 0) throw new SyntaxError(`the stream ended inside a frame, after ${size} bytes of it`)
}

function decodeFrame(buffer: Buffer, headerBytes: number, totalBytes: number): Frame {
  const start = LENGTHS_BYTES + headerBytes
  const header: unknown = JSON.parse(buffer.toString('utf8', LENGTHS_BYTES, start))
  if (!isObject(header)) throw new SyntaxError('the header of a frame is not a JSON object')
  return { header, payload: new Uint8Array(buffer.subarray(start, totalBytes)) }
}

function checkLengths(headerBytes: number, payloadBytes: number): void {
  if (headerBytes > MAX_HEADER_BYTES) throw new RangeError(`a frame has a header of ${headerBytes} bytes`)
  if (payloadBytes > MAX_PAYLOAD_BYTES) throw new RangeError(`a frame has a payload of ${payloadBytes} bytes`)
}

function isObject(value: unknown): value is FrameHeader {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
