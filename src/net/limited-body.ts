// Bodies from strangers: at most so many bytes, and never slower than a trickle that only wants to hold us up.

import { Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'

export interface BodyLimits {
  readonly maxBytes: number
  /** At least `stallBytes` must arrive in every `stallMs` of waiting; time that the reader takes does not count. */
  readonly stallMs?: number
  readonly stallBytes?: number
}

export const STALL_MS = 60 * SECOND
export const STALL_BYTES = 16_384

/**
 * The chunks of `body`. Throws Problem('input_too_large') past `maxBytes`, a temporary
 * Problem('metadata_fetch_failed') when it stalls or breaks off, or the signal's reason. The source is cancelled when
 * the reader stops.
 */
export async function* limitedBody(
  body: ReadableStream<Uint8Array>,
  limits: BodyLimits,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { maxBytes, stallMs = STALL_MS, stallBytes = STALL_BYTES } = limits
  const reader = body.getReader()
  let total = 0
  let arrived = 0
  let waitedMs = 0
  try {
    let reading = nextOf(reader)
    for (;;) {
      const startedAt = performance.now()
      const result = await within(reading, Math.max(1, stallMs - waitedMs), signal)
      waitedMs += performance.now() - startedAt
      if (result !== 'late') {
        if (result.done) return
        const chunk = result.value
        total += chunk.byteLength
        arrived += chunk.byteLength
        if (total > maxBytes) throw tooLarge(maxBytes)
        yield chunk
        reading = nextOf(reader)
      }
      if (arrived >= stallBytes) [arrived, waitedMs] = [0, 0]
      else if (waitedMs >= stallMs) throw interrupted(`fewer than ${stallBytes} bytes came in ${stallMs} ms`)
    }
  } finally {
    // Not awaited: a source that hangs may hang in its cancellation too.
    reader.cancel().catch(() => undefined)
  }
}

/** Marked as handled: nobody may be waiting for it any more when it fails, as the signal had its say before. */
function nextOf<T>(reader: ReadableStreamDefaultReader<T>): ReturnType<typeof reader.read> {
  const reading = reader.read()
  reading.catch(() => undefined)
  return reading
}

async function within<T>(reading: Promise<T>, ms: number, signal: AbortSignal): Promise<T | 'late'> {
  signal.throwIfAborted()
  const { promise: stopped, resolve, reject } = Promise.withResolvers<'late'>()
  const timer = setTimeout(resolve, ms, 'late' as const)
  const onAbort = (): void => reject(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([reading, stopped])
  } catch (error) {
    signal.throwIfAborted()
    throw interrupted(error)
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

export function tooLarge(maxBytes: number): Problem {
  return new Problem(
    'input_too_large',
    `The media is larger than the ${maxBytes} bytes that this server accepts`,
  )
}

function interrupted(cause: unknown): Problem {
  return new Problem('metadata_fetch_failed', 'The server of the media stopped answering; try again later', {
    cause,
    temporary: true,
  })
}
