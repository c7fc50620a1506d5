// Something on this machine that nobody may reach: it listens on every address of it, by TCP and UDP, and remembers
// whoever came.

import { createSocket } from 'node:dgram'
import { createServer } from 'node:net'

export interface Tripwire {
  readonly port: number
  /** Whoever came, with the first line they sent. */
  readonly touched: readonly string[]
  /** Forgets them, and says who they were. */
  forget(): readonly string[]
  close(): void
}

export async function startTripwire(): Promise<Tripwire> {
  const touched: string[] = []
  const server = createServer((socket) => {
    const index = touched.push('tcp') - 1
    socket.on('error', () => undefined)
    socket.once('data', (data) => {
      touched[index] = `tcp ${data.toString('latin1').split('\r\n')[0] ?? ''}`
      socket.end(
        'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nAccess-Control-Allow-Origin: *\r\nConnection: close\r\n\r\n',
      )
    })
  })
  // The unspecified address of IPv6 takes connections to IPv4 too.
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '::', ipv6Only: false }, resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  const udp = createSocket({ type: 'udp6', ipv6Only: false })
  udp.on('message', (message) => void touched.push(`udp ${message.byteLength} bytes`))
  await new Promise<void>((resolve) => udp.bind(port, '::', resolve))
  return {
    port,
    touched,
    forget: () => touched.splice(0),
    close() {
      server.close()
      udp.close()
    },
  }
}
