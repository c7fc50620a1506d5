// A line to a server that a test can cut: connections through it die at once, and new ones are refused until it is mended.

import { connect, createServer, type Socket } from 'node:net'

export interface CutLine {
  /** The server's address through the line. */
  readonly url: string
  /** Cuts it when so many more bytes have gone to the server; those do arrive. */
  cutAfter(bytes: number): void
  mend(): void
  stop(): void
}

/** To the server at `target`, such as `http://127.0.0.1:8787`. */
export async function startCutLine(target: string): Promise<CutLine> {
  const { hostname, port } = new URL(target)
  const open = new Set<Socket>()
  let isCut = false
  let leftBytes = Number.POSITIVE_INFINITY
  const listener = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(Number(port), hostname)
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.end()
      })
    }
    far.pipe(near)
    near.on('data', (chunk: Buffer) => {
      far.write(chunk.subarray(0, leftBytes))
      leftBytes -= chunk.byteLength
      if (leftBytes > 0) return
      isCut = true
      for (const socket of open) socket.end()
      near.destroy()
    })
  })
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
  const address = listener.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    cutAfter(bytes) {
      leftBytes = bytes
    },
    mend() {
      isCut = false
      leftBytes = Number.POSITIVE_INFINITY
    },
    stop() {
      isCut = true
      for (const socket of open) socket.destroy()
      listener.close()
    },
  }
}
