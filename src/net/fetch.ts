// Our own HTTP requests. They pass the egress proxy like everything else, and every redirect is judged anew.

import { readFileSync } from 'node:fs'
import { rootCertificates } from 'node:tls'
import { asError, Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import type { Egress } from './egress.ts'
import { checkUrl, EgressDenied, portOf } from './policy.ts'

export interface FetchOptions {
  readonly method?: 'GET' | 'HEAD' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** Until the headers of each hop have come; the body has its own limits. Default 20 s. */
  readonly timeoutMs?: number
  /** Default 10; 0 gives redirects back as they are. */
  readonly maxRedirects?: number
}

export interface Fetched {
  /** Where the last hop led. */
  readonly url: URL
  readonly status: number
  readonly headers: Headers
  /** Not limited yet: read it through `limitedBody`, or cancel it. */
  readonly body: ReadableStream<Uint8Array> | null
}

export interface Fetcher {
  readonly egress: Egress
  /**
   * Rejects with Problem('invalid_url' | 'unsupported_url') for URLs (of any hop) that may not be fetched, with a
   * temporary Problem('metadata_fetch_failed') for faults of the network, or with the signal's reason. Any HTTP status
   * is a success here.
   */
  fetch(url: string, options: FetchOptions): Promise<Fetched>
}

const TIMEOUT_MS = 20 * SECOND
const MAX_REDIRECTS = 10
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

const SECRETS: ReadonlySet<string> = new Set(['authorization', 'cookie', 'x-api-key'])

/** `extraCa`: path of a PEM file with further certificate authorities. */
export function createFetcher(
  egress: Egress,
  options: { readonly extraCa?: string | undefined } = {},
): Fetcher {
  const ca =
    options.extraCa === undefined ? undefined : [...rootCertificates, readFileSync(options.extraCa, 'utf8')]
  return {
    egress,
    async fetch(text, request) {
      let url = checkUrl(text, egress.policy)
      let { method = 'GET' } = request
      let { headers = {}, body } = request
      const maxRedirects = request.maxRedirects ?? MAX_REDIRECTS
      for (let hops = 0; ; hops++) {
        const response = await hop(url, {
          ...request,
          method,
          headers,
          ...(body === undefined ? {} : { body }),
        })
        const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null
        if (location === null || maxRedirects === 0) return { ...pick(response), url }
        await response.body?.cancel()
        if (hops === maxRedirects) throw failed(url, `it redirects more than ${maxRedirects} times`, false)
        const next = checkUrl(URL.parse(location, url.href)?.href ?? location, egress.policy)
        if (next.origin !== url.origin) headers = withoutSecrets(headers)
        // As browsers do: only 307 and 308 repeat a POST.
        if (method === 'POST' && response.status < 307) [method, body] = ['GET', undefined]
        url = next
      }
    },
  }

  async function hop(url: URL, request: FetchOptions): Promise<Response> {
    const { signal, timeoutMs = TIMEOUT_MS } = request
    signal.throwIfAborted()
    // The timer covers the headers only, so it is not AbortSignal.timeout.
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs)
    try {
      await egress.check(url.hostname, portOf(url))
      return await fetch(url.href, {
        method: request.method ?? 'GET',
        headers: { 'user-agent': 'Mozilla/5.0 (compatible; Earshot)', ...request.headers },
        ...(request.body === undefined ? {} : { body: request.body }),
        ...(ca === undefined ? {} : { tls: { ca } }),
        proxy: egress.proxyUrl,
        redirect: 'manual',
        // A kept connection would carry further requests past the check of their names.
        keepalive: false,
        signal: AbortSignal.any([signal, late.signal]),
      }).then(refuseProxyAnswers(url))
    } catch (error) {
      signal.throwIfAborted()
      throw asProblem(url, late.signal.aborted ? late.signal.reason : error)
    } finally {
      clearTimeout(timer)
    }
  }
}

const pick = ({ status, headers, body }: Response): Omit<Fetched, 'url'> => ({ status, headers, body })

/** For plain http the proxy's own refusals look like answers of the server. */
const refuseProxyAnswers = (url: URL) => (response: Response) => {
  if (url.protocol === 'https:' || !response.headers.has('x-egress')) return response
  throw response.status === 403
    ? new EgressDenied(url.host)
    : new Error(`the connection to ${url.host} failed`)
}

function withoutSecrets(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !SECRETS.has(name.toLowerCase())))
}

function asProblem(url: URL, error: unknown): Problem {
  if (error instanceof Problem) return error
  if (!(error instanceof EgressDenied)) return failed(url, asError(error).message, true, error)
  return new Problem(
    'unsupported_url',
    `${url.host} is a private or local address; only public hosts can be reached`,
    { cause: error },
  )
}

function failed(url: URL, reason: string, temporary: boolean, cause?: unknown): Problem {
  return new Problem('metadata_fetch_failed', `${url.host} could not be reached: ${reason}`, {
    cause,
    temporary,
  })
}
