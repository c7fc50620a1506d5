// The way to a checked address through a proxy that the operator named for a site. The upstream proxy is told the address,
// never the name: whatever it would resolve the name to, it reaches what was checked here.

import { readFileSync } from 'node:fs'
import { connect, isIP, type Socket } from 'node:net'
import { rootCertificates, connect as tlsConnect } from 'node:tls'
import type { SiteProxy } from '../lib/site-list.ts'

/** The upstream proxy is the reason; its operator should know. Messages hold no credential. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError'
}

export interface UpstreamOptions {
  /** For the whole way, the proxy's answer included. */
  readonly timeoutMs: number
  /** PEM file of further authorities, for proxies of the scheme `https`. */
  readonly extraCa?: string | undefined
}

const HEAD_BYTES = 16_384

/** A connection to `address:port`, ready for use and paused. Rejects with UpstreamError. */
export async function connectThrough(
  proxy: SiteProxy,
  address: string,
  port: number,
  { timeoutMs, extraCa }: UpstreamOptions,
): Promise<Socket> {
  const socket = proxy.scheme === 'https' ? openTls(proxy, extraCa) : connect({ ...proxy, noDelay: true })
  const { host } = proxy
  const failed = Promise.withResolvers<never>()
  const fail = (reason: string): void => failed.reject(new UpstreamError(`the proxy ${host}: ${reason}`))
  const onError = (error: Error): void => fail(error.message)
  const onClose = (): void => fail('it closed the connection')
  const timer = setTimeout(() => fail(`no connection within ${timeoutMs} ms`), timeoutMs)
  socket.on('error', onError)
  socket.on('close', onClose)
  const hello = proxy.scheme === 'socks5' ? socks5 : httpConnect
  const way = hello(proxy, createReader(socket), { address, port }).catch((error: unknown) => {
    throw error instanceof UpstreamError ? error : new UpstreamError(`the proxy ${host}: ${String(error)}`)
  })
  try {
    await Promise.race([way, failed.promise])
    socket.pause()
    return socket
  } catch (error) {
    way.catch(() => undefined)
    socket.destroy()
    throw error
  } finally {
    clearTimeout(timer)
    socket.off('close', onClose)
    // A fault between here and the next listener must not end the process.
    socket.on('error', () => undefined)
    socket.off('error', onError)
  }
}

function openTls({ host, port }: SiteProxy, extraCa: string | undefined): Socket {
  const ca = extraCa === undefined ? undefined : [...rootCertificates, readFileSync(extraCa, 'utf8')]
  return tlsConnect({
    host,
    port,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  })
}

interface Goal {
  readonly address: string
  readonly port: number
}

interface Reader {
  write(bytes: Uint8Array | string): void
  /** Resolves with exactly what `take` finds enough; what is beyond it stays in the socket. */
  read(take: (bytes: Buffer) => number | undefined): Promise<Buffer>
}

function createReader(socket: Socket): Reader {
  return {
    write: (bytes) => void socket.write(bytes),
    read: (take) =>
      new Promise((resolve, reject) => {
        let bytes = Buffer.alloc(0)
        const onData = (chunk: Buffer): void => {
          bytes = Buffer.concat([bytes, chunk])
          const length = take(bytes)
          if (length === undefined && bytes.length <= HEAD_BYTES) return
          socket.off('data', onData)
          socket.pause()
          if (length === undefined) return reject(new UpstreamError('the proxy answers without end'))
          if (bytes.length > length) socket.unshift(bytes.subarray(length))
          resolve(bytes.subarray(0, length))
        }
        socket.on('data', onData)
        socket.resume()
      }),
  }
}

const exactly =
  (count: number) =>
  (bytes: Buffer): number | undefined =>
    bytes.length >= count ? count : undefined

/** RFC 9110 §9.3.6; also for plain http, so that one tunnel serves both. */
async function httpConnect(proxy: SiteProxy, reader: Reader, { address, port }: Goal): Promise<void> {
  const target = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`
  const credential = Buffer.from(`${proxy.user}:${proxy.password}`).toString('base64')
  const authorization = proxy.user === '' ? '' : `Proxy-Authorization: Basic ${credential}\r\n`
  reader.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${authorization}\r\n`)
  const head = await reader.read((bytes) => {
    const end = bytes.indexOf('\r\n\r\n')
    return end < 0 ? undefined : end + 4
  })
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1]
  if (status?.startsWith('2') === true) return
  const advice = status === '407' ? ' (it wants other credentials)' : ''
  throw new UpstreamError(`the proxy ${proxy.host} answered ${status ?? 'no HTTP'}${advice}`)
}

/** RFC 1928, with user and password by RFC 1929. */
async function socks5(proxy: SiteProxy, reader: Reader, { address, port }: Goal): Promise<void> {
  const method = proxy.user === '' ? 0 : 2
  reader.write(Uint8Array.of(5, 1, method))
  const choice = await reader.read(exactly(2))
  if (choice[0] !== 5 || choice[1] !== method)
    throw new UpstreamError(`the proxy ${proxy.host} wants another log-in`)
  if (method === 2) {
    const [user, password] = [Buffer.from(proxy.user), Buffer.from(proxy.password)]
    if (Math.max(user.length, password.length) > 255)
      throw new UpstreamError('SOCKS has no credentials that long')
    reader.write(
      Buffer.concat([Uint8Array.of(1, user.length), user, Uint8Array.of(password.length), password]),
    )
    const verdict = await reader.read(exactly(2))
    if (verdict[1] !== 0) throw new UpstreamError(`the proxy ${proxy.host} refuses the log-in`)
  }
  reader.write(
    Buffer.concat([Uint8Array.of(5, 1, 0), addressBytes(address), Uint8Array.of(port >> 8, port & 255)]),
  )
  const head = await reader.read(exactly(5))
  if (head[0] !== 5 || head[1] !== 0)
    throw new UpstreamError(`the proxy ${proxy.host} answered with code ${head[1]}`)
  // Its own address, in one of three forms, and port: of no interest. One byte of it has been read.
  const size = { 1: 4, 3: (head[4] ?? 0) + 1, 4: 16 }[head[3] ?? 0]
  if (size === undefined) throw new UpstreamError(`the proxy ${proxy.host} speaks no SOCKS 5`)
  await reader.read(exactly(size + 1))
}

/** Kind and bytes, as SOCKS wants them. */
function addressBytes(address: string): Uint8Array {
  if (isIP(address) === 4) return Uint8Array.of(1, ...address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const groups = (text: string): string[] => (text === '' ? [] : text.split(':'))
  const front = groups(head)
  const back = groups(tail ?? '')
  const middle = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0')
  const words = [...front, ...middle, ...back].map((group) => Number.parseInt(group, 16))
  return Uint8Array.of(4, ...words.flatMap((word) => [word >> 8, word & 255]))
}
