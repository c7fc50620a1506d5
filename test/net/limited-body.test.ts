// The reader of strangers' bodies where nobody waits for the next chunk.

import { expect, test } from 'bun:test'
import { limitedBody } from '../../src/net/limited-body.ts'

/** Gives one chunk, then whatever happens to the controller. */
function openBody(): { body: ReadableStream<Uint8Array>; fail: (reason: Error) => void } {
  let fail: (reason: Error) => void = () => undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new Uint8Array(10))
      fail = (reason) => controller.error(reason)
    },
  })
  return { body, fail }
}

test('a body that breaks while its reader is busy, by the same abort, leaves no rejection that nobody handles', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown): void => void unhandled.push(reason)
  process.on('unhandledRejection', note)
  try {
    const { body, fail } = openBody()
    const leave = new AbortController()
    const reading = (async () => {
      for await (const _ of limitedBody(body, { maxBytes: 100 }, leave.signal)) {
        // As a fetch does it: its body fails with the signal's reason while the reader still writes to the disk.
        leave.abort(new Error('left'))
        fail(new Error('left'))
      }
    })()
    await expect(reading).rejects.toThrow('left')
    // Rejections are reported once the microtasks are done.
    await new Promise((resolve) => setImmediate(resolve))
    expect(unhandled).toEqual([])
  } finally {
    process.off('unhandledRejection', note)
  }
})
