// The in-process proxy that every outgoing byte passes: our own fetches, yt-dlp, browsers, webhooks.
// It resolves a name once, checks every address, and connects to a checked one, through the site's upstream proxy where the
// operator named one: a name cannot change its mind in between.

import { timingSafeEqual } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Log } from '../lib/log.ts'
import { randomText } from '../lib/id.ts'
import { findSite, type SiteProxy } from '../lib/site-list.ts'
import { SECOND } from '../lib/time.ts'
import { canonicalHost } from './addresses.ts'
import { checkTarget, EgressDenied, type EgressPolicy, type Resolve, type Target } from './policy.ts'
import { type ProxyRequest, parseProxyRequest, ProxyRequestError } from './proxy-request.ts'
import { connectThrough, UpstreamError } from './upstream.ts'

export interface EgressLimits {
  readonly headMs: number
  readonly resolveMs: number
  readonly connectMs: number
  /** A connection on which nothing moves for so long is closed. */
  readonly idleMs: number
  readonly headBytes: number
  readonly connections: number
}

const LIMITS: EgressLimits = {
  headMs: 10 * SECOND,
  resolveMs: 10 * SECOND,
  connectMs: 10 * SECOND,
  idleMs: 120 * SECOND,
  headBytes: 32_768,
  connections: 512,
}

const MAX_ADDRESSES_TRIED = 3

export interface EgressOptions extends EgressPolicy {
  readonly log: Log
  readonly resolve?: Resolve
  readonly limits?: Partial<EgressLimits>
  /** Connections to hosts of these sites go through these proxies; to others, none does. */
  readonly siteProxies?: readonly SiteProxy[]
  /** PEM file of further authorities, for upstream proxies that are spoken to over TLS. */
  readonly extraCa?: string | undefined
}

export interface Egress {
  /** `http://user:password@127.0.0.1:port`, as HTTP clients take it. The credential lives as long as this process. */
  readonly proxyUrl: string
  readonly port: number
  readonly policy: EgressPolicy
  /** Throws EgressDenied when a connection there would be refused now. */
  check(host: string, port: number): Promise<void>
  /** Ends every connection and stops listening. */
  close(): Promise<void>
}

const systemResolve: Resolve = async (name) =>
  (await lookup(name, { all: true, verbatim: true })).map(({ address }) => address)

/** Listens on a free port of 127.0.0.1. */
export async function createEgress(options: EgressOptions): Promise<Egress> {
  const policy: EgressPolicy = { trustedHosts: options.trustedHosts, hostOverrides: options.hostOverrides }
  const limits = { ...LIMITS, ...options.limits }
  const user = 'earshot'
  const password = randomText(32)
  const resolve = options.resolve ?? systemResolve
  const target = (host: string, port: number): Promise<Target> =>
    checkTarget(host, port, policy, (name) => within(limits.resolveMs, resolve(name), `resolving ${name}`))
  const proxyFor = (host: string): SiteProxy | undefined =>
    findSite(canonicalHost(host) ?? host, options.siteProxies ?? [])
  const connectVia = (host: string, address: string, port: number): Promise<Socket> => {
    const proxy = proxyFor(host)
    if (!proxy) return connectTo(address, port, limits.connectMs)
    return connectThrough(proxy, address, port, { timeoutMs: limits.connectMs, extraCa: options.extraCa })
  }
  const context: Context = {
    limits,
    target,
    connectVia,
    log: options.log,
    credential: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
  }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    client.on('close', () => sockets.delete(client))
    sockets.add(client)
    if (sockets.size > limits.connections) return refuse(client, 503, 'Too-Many-Connections')
    serve(client, context).catch((error: unknown) => {
      options.log.error({ err: error }, 'egress connection')
      client.destroy()
    })
  })
  const port = await listen(server)
  return {
    proxyUrl: `http://${user}:${password}@127.0.0.1:${port}`,
    port,
    policy,
    async check(host, port) {
      await target(host, port)
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}

interface Context {
  readonly limits: EgressLimits
  readonly target: (host: string, port: number) => Promise<Target>
  /** A connection to the checked address, on the way that is `host`'s. */
  readonly connectVia: (host: string, address: string, port: number) => Promise<Socket>
  readonly log: Log
  readonly credential: string
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      if (address !== null && typeof address === 'object') resolve(address.port)
      else reject(new Error('the egress proxy has no port'))
    })
  })
}

async function serve(client: Socket, context: Context): Promise<void> {
  const { limits, target, log, credential } = context
  client.setNoDelay(true)
  const head = await readHead(client, limits)
  if (head === undefined) return void client.destroy()
  let request: ProxyRequest
  try {
    request = parseProxyRequest(head.text)
  } catch (error) {
    if (!(error instanceof ProxyRequestError)) throw error
    return refuse(client, error.status, 'Bad-Request')
  }
  if (!sameText(request.authorization ?? '', credential)) return refuse(client, 407, 'Credential-Required')
  const name = `${request.host}:${request.port}`
  try {
    const upstream = await connectToAny(
      request.host,
      await target(request.host, request.port),
      context,
      client,
    )
    log.debug({ target: name, address: upstream.remoteAddress }, 'egress')
    forward(client, upstream, request, head.rest, limits)
  } catch (error) {
    const denied = error instanceof EgressDenied
    log[denied || error instanceof UpstreamError ? 'warn' : 'debug'](
      { target: name, reason: String(error) },
      denied ? 'egress denied' : 'egress failed',
    )
    refuse(client, denied ? 403 : 502, denied ? 'Egress-Denied' : 'Egress-Failed')
  }
}

/** Text up to the blank line and the bytes after it; undefined when it does not come in time or is too long. */
function readHead(client: Socket, limits: EgressLimits): Promise<{ text: string; rest: Buffer } | undefined> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0)
    const finish = (head?: { text: string; rest: Buffer }): void => {
      clearTimeout(timer)
      client.off('data', onData)
      client.off('close', onClose)
      client.pause()
      resolve(head)
    }
    const onClose = (): void => finish()
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk])
      const end = bytes.indexOf('\r\n\r\n')
      if (end > limits.headBytes || (end < 0 && bytes.length > limits.headBytes)) return finish()
      if (end >= 0) finish({ text: bytes.subarray(0, end).toString('latin1'), rest: bytes.subarray(end + 4) })
    }
    const timer = setTimeout(finish, limits.headMs)
    client.on('data', onData)
    client.on('close', onClose)
  })
}

async function connectToAny(
  host: string,
  target: Target,
  { connectVia }: Context,
  client: Socket,
): Promise<Socket> {
  let failure: unknown = new Error('no address')
  for (const address of target.addresses.slice(0, MAX_ADDRESSES_TRIED)) {
    if (client.destroyed) throw new Error('the client has gone')
    try {
      return await connectVia(host, address, target.port)
    } catch (error) {
      failure = error
      // The next address would meet the same refusal.
      if (error instanceof UpstreamError) break
    }
  }
  throw failure
}

function connectTo(host: string, port: number, timeoutMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true })
    const timer = setTimeout(
      () => socket.destroy(new Error(`no connection within ${timeoutMs} ms`)),
      timeoutMs,
    )
    socket.once('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    socket.once('connect', () => {
      clearTimeout(timer)
      resolve(socket)
    })
  })
}

/** CONNECT becomes a tunnel. Anything else passes exactly one request: the next one must connect, and is checked, again. */
function forward(
  client: Socket,
  upstream: Socket,
  request: ProxyRequest,
  rest: Buffer,
  limits: EgressLimits,
): void {
  for (const socket of [client, upstream]) {
    socket.setTimeout(limits.idleMs, () => socket.destroy())
    socket.on('error', () => socket.destroy())
  }
  client.on('close', () => upstream.destroy())
  // What the other side has sent already still gets through.
  upstream.on('close', () => client.destroySoon())
  if (client.destroyed) return void upstream.destroy()
  upstream.pipe(client)
  if (request.head === undefined) {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n')
    if (rest.length > 0) upstream.write(rest)
    client.pipe(upstream)
    return
  }
  upstream.write(request.head, 'latin1')
  let left = request.bodyBytes
  const pass = (chunk: Buffer): void => {
    if (chunk.length > left) return void client.destroy()
    left -= chunk.length
    if (upstream.write(chunk)) return
    client.pause()
    upstream.once('drain', () => client.resume())
  }
  if (rest.length > 0) pass(rest)
  client.on('data', pass)
  client.resume()
}

function refuse(client: Socket, status: number, reason: string): void {
  // Browsers give their credential only when asked.
  const challenge = status === 407 ? 'Proxy-Authenticate: Basic realm="egress"\r\n' : ''
  client.end(
    `HTTP/1.1 ${status} ${reason}\r\nX-Egress: ${reason}\r\n${challenge}Content-Length: 0\r\nConnection: close\r\n\r\n`,
  )
  // Closing with bytes unread would reset the connection and lose the answer: swallow them, but not for long.
  client.resume()
  client.setTimeout(SECOND, () => client.destroy())
}

function sameText(given: string, expected: string): boolean {
  const a = Buffer.from(given)
  const b = Buffer.from(expected)
  return a.length === b.length && timingSafeEqual(a, b)
}

async function within<T>(ms: number, work: Promise<T>, what: string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
