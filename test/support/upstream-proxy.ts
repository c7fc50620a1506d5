// An upstream proxy of an operator on localhost: HTTP CONNECT or SOCKS 5 on one port, with a log-in, and what it was asked.

import { connect, createServer, type Socket } from 'node:net'

export interface UpstreamProxy {
  readonly port: number
  /** Where it was asked to connect to, as `address:port`, in order. */
  readonly targets: readonly string[]
  /** Everything that clients said before the tunnel, as latin1. */
  readonly heads: readonly string[]
  stop(): Promise<void>
}

export interface UpstreamProxyOptions {
  readonly user?: string
  readonly password?: string
  /** Answers this instead of serving; '' stays silent. */
  readonly answer?: string
}

export async function startUpstreamProxy(options: UpstreamProxyOptions = {}): Promise<UpstreamProxy> {
  const targets: string[] = []
  const heads: string[] = []
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    sockets.add(client)
    client.on('error', () => client.destroy())
    client.once('data', (first: Buffer) => {
      if (options.answer !== undefined) return void client.write(options.answer)
      const serve = first[0] === 5 ? serveSocks : serveHttp
      serve(client, first, options, { targets, heads }).catch(() => client.destroy())
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    targets,
    heads,
    async stop() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

interface Seen {
  readonly targets: string[]
  readonly heads: string[]
}

type Serve = (client: Socket, first: Buffer, options: UpstreamProxyOptions, seen: Seen) => Promise<void>

const serveHttp: Serve = async (client, first, { user = '', password = '' }, { targets, heads }) => {
  const head = first.toString('latin1')
  heads.push(head)
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  if (user !== '' && !head.includes(expected)) {
    return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n')
  }
  const target = /^CONNECT (\S+) HTTP\/1\.1\r\n/.exec(head)?.[1] ?? ''
  targets.push(target)
  const upstream = await open(target)
  client.write('HTTP/1.1 200 Connection established\r\nVia: 1.1 test\r\n\r\n')
  join(client, upstream)
}

const serveSocks: Serve = async (client, first, { user = '', password = '' }, { targets, heads }) => {
  heads.push(first.toString('latin1'))
  const method = user === '' ? 0 : 2
  const offered = [...first.subarray(2)].includes(method)
  client.write(Uint8Array.of(5, offered ? method : 255))
  if (!offered) return void client.end()
  if (method === 2) {
    const login = await next(client)
    const name = login.subarray(2, 2 + (login[1] ?? 0)).toString()
    const word = login.subarray(3 + name.length).toString()
    const right = name === user && word === password
    client.write(Uint8Array.of(1, right ? 0 : 1))
    if (!right) return void client.end()
  }
  const request = await next(client)
  const host =
    request[3] === 1
      ? [...request.subarray(4, 8)].join('.')
      : (request.subarray(4, 20).toString('hex').match(/.{4}/g) ?? []).join(':')
  const target = `${request[3] === 1 ? host : `[${host}]`}:${request.readUInt16BE(request.length - 2)}`
  targets.push(target)
  const upstream = await open(target)
  client.write(Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 80))
  join(client, upstream)
}

const next = (client: Socket): Promise<Buffer> => new Promise((resolve) => client.once('data', resolve))

function open(target: string): Promise<Socket> {
  const url = new URL(`http://${target}`)
  if (url.hostname !== '127.0.0.1') return Promise.reject(new Error('nothing but this machine'))
  return new Promise((resolve, reject) => {
    const socket = connect(Number(url.port || '80'), url.hostname.replace(/^\[|\]$/g, ''), () =>
      resolve(socket),
    )
    socket.once('error', reject)
  })
}

function join(client: Socket, upstream: Socket): void {
  for (const socket of [client, upstream]) socket.on('error', () => socket.destroy())
  client.pipe(upstream)
  upstream.pipe(client)
  client.on('close', () => upstream.destroy())
  upstream.on('close', () => client.destroySoon())
}
