// The proxy itself, spoken to byte by byte, and our own requests through it.

import { afterAll, describe, expect, test } from 'bun:test'
import { connect, createServer } from 'node:net'
import { readConfig } from '../../src/config.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem } from '../../src/lib/problem.ts'
import { createEgress, type Egress, type EgressOptions } from '../../src/net/egress.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { limitedBody } from '../../src/net/limited-body.ts'
import { makeCertificates } from '../support/site-certificates.ts'

const closers: (() => unknown)[] = []
afterAll(async () => {
  for (const close of closers) await close()
})

interface Setup extends Partial<EgressOptions> {
  readonly trusted?: string
  readonly overrides?: string
}

async function startEgress({ trusted = '', overrides = '', ...options }: Setup = {}): Promise<Egress> {
  const config = readConfig({ EARSHOT_TRUSTED_HOSTS: trusted, EARSHOT_HOST_OVERRIDES: overrides })
  const { trustedHosts, hostOverrides } = config
  const egress = await createEgress({ trustedHosts, hostOverrides, log: silentLog(), ...options })
  closers.push(() => egress.close())
  return egress
}

const seen: string[] = []
const site = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const url = new URL(request.url)
    const body = await request.text()
    seen.push(`${request.method} ${url.pathname}${url.search} ${request.headers.get('host')} ${body}`)
    if (url.pathname === '/to') return Response.redirect(url.searchParams.get('url') ?? '', 302)
    if (url.pathname === '/loop') return Response.redirect('/loop', 302)
    if (url.pathname === '/headers') return Response.json(Object.fromEntries(request.headers))
    return new Response(`hello from ${url.pathname}`)
  },
})
closers.push(() => site.stop(true))
const here = `127.0.0.1:${site.port}`
const signal = new AbortController().signal

function authorization(egress: Egress): string {
  const { username, password } = new URL(egress.proxyUrl)
  return `Proxy-Authorization: Basic ${Buffer.from(`${username}:${password}`).toString('base64')}\r\n`
}

/** Everything the proxy answers to these bytes, until it closes the connection. */
function speak(egress: Egress, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(egress.port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(answer))
  })
}

const statusOf = (answer: string): number => Number(answer.split(' ')[1] ?? 0)

describe('the proxy', () => {
  test('passes a plain request on to a trusted host, without the proxy headers', async () => {
    const egress = await startEgress({ trusted: here })
    const answer = await speak(
      egress,
      `GET http://${here}/headers HTTP/1.1\r\nHost: evil.example\r\n${authorization(egress)}X-A: b\r\n\r\n`,
    )
    expect(statusOf(answer)).toBe(200)
    expect(answer).toContain(`"host":"${here}"`)
    expect(answer).toContain('"x-a":"b"')
    expect(answer).not.toContain('proxy-authorization')
  })

  test('tunnels CONNECT to a trusted host', async () => {
    const egress = await startEgress({ trusted: here })
    const inner = `GET /tunnel HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`
    const answer = await speak(egress, `CONNECT ${here} HTTP/1.1\r\n${authorization(egress)}\r\n${inner}`)
    expect(answer).toStartWith('HTTP/1.1 200 Connection Established')
    expect(answer).toContain('hello from /tunnel')
  })

  test('wants its credential, and a right one', async () => {
    const egress = await startEgress({ trusted: here })
    for (const header of ['', 'Proxy-Authorization: Basic eDp5\r\n', `X-${authorization(egress)}`]) {
      expect(statusOf(await speak(egress, `GET http://${here}/a HTTP/1.1\r\n${header}\r\n`))).toBe(407)
      expect(statusOf(await speak(egress, `CONNECT ${here} HTTP/1.1\r\n${header}\r\n`))).toBe(407)
    }
  })

  test('refuses private targets, by CONNECT and by plain request', async () => {
    const egress = await startEgress()
    for (const host of [
      here,
      '[::1]:80',
      '2130706433:80',
      '0x7f.1:80',
      'localhost:80',
      '169.254.169.254:80',
      '0:80',
    ]) {
      const plain = await speak(egress, `GET http://${host}/a HTTP/1.1\r\n${authorization(egress)}\r\n`)
      const tunnel = await speak(egress, `CONNECT ${host} HTTP/1.1\r\n${authorization(egress)}\r\n`)
      expect([host, statusOf(plain), statusOf(tunnel)]).toEqual([host, 403, 403])
    }
  })

  test('refuses a name when one of its addresses is private', async () => {
    const egress = await startEgress({ resolve: async () => ['93.184.216.34', '10.0.0.1'] })
    const answer = await speak(egress, `CONNECT a.example:443 HTTP/1.1\r\n${authorization(egress)}\r\n`)
    expect(answer).toStartWith('HTTP/1.1 403 Egress-Denied')
  })

  test('resolves once for each connection: a name that turns private is refused, and never connected to', async () => {
    let asked = 0
    const resolve = async (): Promise<string[]> => (asked++ === 0 ? ['192.0.2.77'] : ['127.0.0.1'])
    const egress = await startEgress({ resolve, trusted: '192.0.2.0/24', limits: { connectMs: 50 } })
    const request = `CONNECT rebind.example:${site.port} HTTP/1.1\r\n${authorization(egress)}\r\n`
    const before = seen.length
    expect(statusOf(await speak(egress, request))).toBe(502)
    expect(asked).toBe(1)
    expect(statusOf(await speak(egress, request))).toBe(403)
    expect(seen.length).toBe(before)
  })

  test('an unresolvable name is a fault, not a refusal', async () => {
    const egress = await startEgress({
      resolve: async () => {
        throw new Error('ENOTFOUND')
      },
    })
    expect(
      statusOf(await speak(egress, `CONNECT a.example:443 HTTP/1.1\r\n${authorization(egress)}\r\n`)),
    ).toBe(502)
  })

  test('refuses what two parsers could read differently', async () => {
    const egress = await startEgress({ trusted: here })
    const head = (line: string, headers = ''): string => `${line}\r\n${authorization(egress)}${headers}\r\n`
    const cases: [string, number][] = [
      [head('GET /relative HTTP/1.1'), 400],
      [head(`GET https://${here}/ HTTP/1.1`), 400],
      [head('GET ftp://example.com/ HTTP/1.1'), 400],
      [head(`GET http://u:p@${here}/ HTTP/1.1`), 400],
      [head(`CONNECT ${here}/path HTTP/1.1`), 400],
      [head('CONNECT 127.0.0.1 HTTP/1.1'), 400],
      [head('CONNECT [fe80::1%25eth0]:80 HTTP/1.1'), 400],
      [head(`GET http://${here}/ HTTP/1.1`, 'X: a\r\n folded\r\n'), 400],
      [head(`GET http://${here}/ HTTP/1.1`, 'X: a\nY: b\r\n'), 400],
      [head(`GET http://${here}/ HTTP/1.1`, 'X : a\r\n'), 400],
      [head(`POST http://${here}/ HTTP/1.1`, 'Transfer-Encoding: chunked\r\n'), 411],
      [head(`POST http://${here}/ HTTP/1.1`, 'Content-Length: 3\r\nContent-Length: 4\r\n'), 400],
      [head(`GET http://${here}/ HTTP/2.0`), 400],
    ]
    for (const [bytes, status] of cases)
      expect([bytes, statusOf(await speak(egress, bytes))]).toEqual([bytes, status])
  })

  test('a second request on the same connection does not get through', async () => {
    const egress = await startEgress({ trusted: here })
    const first = `GET http://${here}/first HTTP/1.1\r\n${authorization(egress)}\r\n`
    const before = seen.length
    await speak(egress, `${first}GET http://${here}/smuggled HTTP/1.1\r\n\r\n`)
    expect(seen.slice(before).join()).not.toContain('smuggled')
    const posted = await speak(
      egress,
      `${first.replace('GET', 'POST').replace('\r\n', '\r\nContent-Length: 4\r\n')}body`,
    )
    expect(statusOf(posted)).toBe(200)
    expect(seen.at(-1)).toContain('POST /first')
    expect(seen.at(-1)).toEndWith('body')
  })

  test('limits heads in size and time, and connections in number', async () => {
    const limits = { headMs: 30, headBytes: 1_000, connections: 1 }
    const egress = await startEgress({ trusted: here, limits })
    expect(await speak(egress, `GET http://${here}/ HTTP/1.1\r\nX: ${'a'.repeat(2_000)}\r\n\r\n`)).toBe('')
    const [slow, second] = await Promise.all([speak(egress, 'GET '), speak(egress, 'GET ')])
    expect([slow, second].filter((answer) => statusOf(answer) === 503)).toHaveLength(1)
  })

  test('a connection on which nothing moves is closed', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    closers.push(() => silent.close())
    const address = silent.address()
    const target = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const egress = await startEgress({ trusted: target, limits: { idleMs: 50 } })
    const answer = await speak(egress, `CONNECT ${target} HTTP/1.1\r\n${authorization(egress)}\r\n`)
    expect(answer).toBe('HTTP/1.1 200 Connection Established\r\n\r\n')
  })
})

async function problemOf(work: Promise<unknown>): Promise<{ code: string; temporary: boolean }> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Problem)) throw new Error(`expected a Problem, not ${String(error)}`)
  return { code: error.code, temporary: error.temporary }
}

describe('our own requests', () => {
  test('follow redirects, and judge each one', async () => {
    const fetcher = createFetcher(await startEgress({ trusted: here }))
    const to = (url: string): string => `http://${here}/to?url=${encodeURIComponent(url)}`
    const fetched = await fetcher.fetch(to(to(`http://${here}/end`)), { signal })
    expect(fetched.url.pathname).toBe('/end')
    expect(await new Response(fetched.body).text()).toBe('hello from /end')
    for (const bad of [
      'http://10.0.0.1/',
      'http://localhost/',
      'file:///etc/passwd',
      'http://[::1]/',
      'http://u@a.com/',
    ]) {
      expect((await problemOf(fetcher.fetch(to(bad), { signal }))).code).toBe('unsupported_url')
    }
    expect((await problemOf(fetcher.fetch(`http://${here}/loop`, { signal }))).code).toBe(
      'metadata_fetch_failed',
    )
    const kept = await fetcher.fetch(to('http://10.0.0.1/'), { signal, maxRedirects: 0 })
    expect([kept.status, kept.headers.get('location')]).toEqual([302, 'http://10.0.0.1/'])
  })

  test('do not carry secrets to another origin', async () => {
    const fetcher = createFetcher(await startEgress({ overrides: `other.test:80=${here}`, trusted: here }))
    const url = `http://${here}/to?url=http://other.test/headers`
    const { body } = await fetcher.fetch(url, {
      signal,
      headers: { Authorization: 'x', cookie: 'y', 'x-ok': 'z' },
    })
    const headers: unknown = await new Response(body).json()
    expect(headers).toMatchObject({ 'x-ok': 'z', host: 'other.test' })
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('cookie')
  })

  test('names that resolve to private addresses are unsupported, unresolvable ones a temporary fault', async () => {
    const fetcher = createFetcher(
      await startEgress({
        resolve: async (name) => {
          if (name === 'gone.example') throw new Error('ENOTFOUND')
          return ['10.0.0.1']
        },
      }),
    )
    for (const scheme of ['http', 'https']) {
      expect(await problemOf(fetcher.fetch(`${scheme}://intern.example/`, { signal }))).toEqual({
        code: 'unsupported_url',
        temporary: false,
      })
      expect(await problemOf(fetcher.fetch(`${scheme}://gone.example/`, { signal }))).toEqual({
        code: 'metadata_fetch_failed',
        temporary: true,
      })
    }
  })

  test('a name that turns private between check and connection is not reached', async () => {
    let asked = 0
    const resolve = async (): Promise<string[]> => (asked++ === 0 ? ['93.184.216.34'] : ['127.0.0.1'])
    const fetcher = createFetcher(await startEgress({ resolve }))
    const before = seen.length
    expect((await problemOf(fetcher.fetch(`http://rebind.example:${site.port}/`, { signal }))).code).toBe(
      'unsupported_url',
    )
    expect(seen.length).toBe(before)
  })

  test('TLS is verified, against further authorities where given', async () => {
    const certificates = await makeCertificates('tls.test')
    const secure = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      tls: certificates,
      fetch: () => new Response('safe'),
    })
    closers.push(
      () => secure.stop(true),
      () => certificates.remove(),
    )
    const overrides = `tls.test:443=127.0.0.1:${secure.port},wrong.test:443=127.0.0.1:${secure.port}`
    const egress = await startEgress({ overrides })
    const knowing = createFetcher(egress, { extraCa: certificates.caPath })
    expect(await new Response((await knowing.fetch('https://tls.test/', { signal })).body).text()).toBe(
      'safe',
    )
    expect((await problemOf(knowing.fetch('https://wrong.test/', { signal }))).code).toBe(
      'metadata_fetch_failed',
    )
    const unknowing = createFetcher(egress)
    expect((await problemOf(unknowing.fetch('https://tls.test/', { signal }))).code).toBe(
      'metadata_fetch_failed',
    )
  })

  test('a refused tunnel is a failure, never an answer', async () => {
    let asked = 0
    const resolve = async (): Promise<string[]> => (asked++ % 2 === 0 ? ['93.184.216.34'] : ['127.0.0.1'])
    const fetcher = createFetcher(await startEgress({ resolve }))
    const { code } = await problemOf(fetcher.fetch('https://rebind.example/', { signal }))
    expect(['unsupported_url', 'metadata_fetch_failed']).toContain(code)
  })

  test('a server that never answers is given up on, and abort ends the wait', async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    closers.push(() => silent.close())
    const address = silent.address()
    const target = `127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
    const fetcher = createFetcher(await startEgress({ trusted: target }))
    expect(await problemOf(fetcher.fetch(`http://${target}/`, { signal, timeoutMs: 30 }))).toEqual({
      code: 'metadata_fetch_failed',
      temporary: true,
    })
    const reason = new Error('no longer wanted')
    await expect(fetcher.fetch(`http://${target}/`, { signal: AbortSignal.abort(reason) })).rejects.toBe(
      reason,
    )
  })
})

describe('limited bodies', () => {
  const drain = async (
    body: ReadableStream<Uint8Array>,
    limits: Parameters<typeof limitedBody>[1],
  ): Promise<number> => {
    let size = 0
    for await (const chunk of limitedBody(body, limits, signal)) size += chunk.byteLength
    return size
  }
  const endless = (
    bytes: number,
    everyMs: number,
  ): { stream: ReadableStream<Uint8Array>; cancelled: () => boolean } => {
    let cancelled = false
    const stream = new ReadableStream<Uint8Array>({
      async pull(controller) {
        if (everyMs > 0) await Bun.sleep(everyMs)
        controller.enqueue(new Uint8Array(bytes))
      },
      cancel() {
        cancelled = true
      },
    })
    return { stream, cancelled: () => cancelled }
  }

  test('an endless one ends at its limit, and its source is told', async () => {
    const source = endless(1_000, 0)
    expect((await problemOf(drain(source.stream, { maxBytes: 50_000 }))).code).toBe('input_too_large')
    expect(source.cancelled()).toBe(true)
  })

  test('a trickle is ended even though it never quite stops', async () => {
    const source = endless(1, 5)
    const limits = { maxBytes: 1_000_000, stallMs: 60, stallBytes: 1_000 }
    expect(await problemOf(drain(source.stream, limits))).toEqual({
      code: 'metadata_fetch_failed',
      temporary: true,
    })
  })

  test('a finite one arrives whole, however slow its reader', async () => {
    const body = new Response('x'.repeat(10_000)).body
    if (body === null) throw new Error('no body')
    expect(await drain(body, { maxBytes: 10_000 })).toBe(10_000)
  })
})
