// A webhook receiver on a local port that keeps every request as it came, and checks signatures on its own.

import { createHmac, timingSafeEqual } from 'node:crypto'

export interface Received {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** The raw bytes, as latin1 text would blur them: compare these. */
  readonly bytes: Uint8Array
  readonly body: string
}

export type Answer = (request: Received, index: number) => Response | Promise<Response>

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Resolves once `count` requests have come. */
  arrived(count: number): Promise<void>
  close(): Promise<void>
}

/** `answer` defaults to an empty 200. */
export function createReceiver(answer: Answer = () => new Response()): Receiver {
  const received: Received[] = []
  const waiting: { count: number; resolve: () => void }[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const bytes = new Uint8Array(await request.arrayBuffer())
      const entry: Received = {
        method: request.method,
        headers: Object.fromEntries(request.headers),
        bytes,
        body: new TextDecoder().decode(bytes),
      }
      received.push(entry)
      for (const { count, resolve } of waiting) if (received.length >= count) resolve()
      return answer(entry, received.length - 1)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}/hook?token=1`,
    received,
    async arrived(count) {
      if (received.length >= count) return
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.push({ count, resolve })
      await promise
    },
    async close() {
      await server.stop(true)
    },
  }
}

/** As a careful receiver does it: any of the `v1` may match, in constant time. Knows nothing of the product's code. */
export function isSignedWith(secret: string, { headers, bytes }: Received): boolean {
  const parts = (headers['x-service-signature'] ?? '').split(',').map((part) => part.split('='))
  const t = parts.find(([name]) => name === 't')?.[1] ?? ''
  if (!/^\d{10}$/.test(t)) return false
  const expected = createHmac('sha256', Buffer.from(secret, 'utf8'))
    .update(Buffer.concat([Buffer.from(`${t}.`), bytes]))
    .digest()
  return parts
    .filter(([name, value]) => name === 'v1' && /^[0-9a-f]{64}$/.test(value ?? ''))
    .some(([, value]) => timingSafeEqual(expected, Buffer.from(value ?? '', 'hex')))
}

export function signedAt({ headers }: Received): number {
  return Number(/^t=(\d+),/.exec(headers['x-service-signature'] ?? '')?.[1])
}
