// Where a request comes from: which machine, which page, under which name. Browsers can't be made to lie here by a page;
// other programs can say what they like, so nothing here replaces a key, a cookie or a password.

import { isIP } from 'node:net'
import type { Config } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import type { Exchange } from './route.ts'

type Incoming = Pick<Exchange, 'request' | 'address'>
type Names = Pick<Config, 'publicUrl' | 'host'>

/** Headers by which a proxy on this machine says that the request comes from somewhere else. */
const FORWARDED = /^(?:forwarded|via|x-forwarded-.*|x-real-ip|cf-connecting-ip|true-client-ip)$/

/** The client runs on this machine, as far as can be told: no proxy stands between. */
export function isLocal({ address, request }: Incoming): boolean {
  return isLoopback(address) && !request.headers.keys().some((name) => FORWARDED.test(name))
}

/** Behind a proxy on this machine: the last address it added to X-Forwarded-For. Only for counting. */
export function clientAddress({ address, request }: Incoming): string {
  const last = request.headers.get('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
  return isLoopback(address) && isIP(last) !== 0 ? last : address
}

/** Without this header, which no form and no foreign page can send, nothing changes in a session's name. */
export const CONSOLE_HEADER = 'x-earshot-console'

/** Against cross-site request forgery: throws Problem `access_denied` unless a page of ours sent the request. */
export function requireOwnPage({ request }: Pick<Incoming, 'request'>, names: Names): void {
  const { headers } = request
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  const isOwn =
    headers.get(CONSOLE_HEADER) === '1' &&
    (site === null || site === 'same-origin') &&
    (origin === null || isOwnOrigin(origin, request, names))
  if (isOwn) return
  throw new Problem(
    'access_denied',
    'Only the pages of the console may do this in the name of a signed-in session. Programs send an API key instead.',
  )
}

/**
 * Against DNS rebinding, for endpoints that take keys: programs send no Origin; a browser does, and then the page must be
 * ours, under a name that is ours. Throws Problem `access_denied`.
 */
export function requireOwnOrigin({ request }: Pick<Incoming, 'request'>, names: Names): void {
  const origin = request.headers.get('origin')
  if (origin === null) return
  requireKnownHost({ request }, names)
  if (isOwnOrigin(origin, request, names)) return
  throw new Problem(
    'access_denied',
    'Pages of other sites may not call this. Programs send no Origin header.',
  )
}

function isOwnOrigin(origin: string, request: Request, { publicUrl }: Names): boolean {
  const url = URL.parse(origin)
  if (!url || url.host === '') return false
  // A proxy may pass on another Host than the browser's.
  return (
    url.host === hostOf(request)?.host ||
    (publicUrl !== undefined && url.origin === new URL(publicUrl).origin)
  )
}

/**
 * Against DNS rebinding: a foreign name that was pointed at this machine. Throws Problem `access_denied` unless the
 * client asked for an IP address, a loopback name, or a name that the settings give.
 */
export function requireKnownHost({ request }: Pick<Incoming, 'request'>, names: Names): void {
  const name = hostOf(request)?.hostname
  if (name !== undefined && (isLoopbackName(name) || isIP(name) !== 0 || isOwnName(name, names))) return
  throw new Problem(
    'access_denied',
    'The console is not served under this host name. Open it by IP address or as localhost, or set EARSHOT_PUBLIC_URL ' +
      'to the address under which it is reached.',
  )
}

/** Whether the browser was pointed at this machine itself. */
export function isLoopbackHost(request: Request): boolean {
  const name = hostOf(request)?.hostname ?? ''
  return isLoopbackName(name) || isLoopback(name)
}

function isOwnName(name: string, { publicUrl, host }: Names): boolean {
  return name === host.toLowerCase() || (publicUrl !== undefined && name === new URL(publicUrl).hostname)
}

const isLoopback = (address: string): boolean => /^(?:::ffff:)?127\.|^::1$/.test(address)
const isLoopbackName = (name: string): boolean => /^(?:.+\.)?localhost$/.test(name)

interface Host {
  /** With the port, unless it is the scheme's own. */
  readonly host: string
  /** In lower case, without brackets and a final dot. */
  readonly hostname: string
}

/** Undefined for a Host header that is none. */
function hostOf(request: Request): Host | undefined {
  // Requests that are handled in-process have none.
  const header = request.headers.get('host') ?? new URL(request.url).host
  if (!/^(?:\[[0-9a-f:.]+\]|[^\s/\\@?#:]+)(?::\d{1,5})?$/i.test(header)) return undefined
  const url = URL.parse(`http://${header}`)
  return url ? { host: url.host, hostname: url.hostname.replaceAll(/^\[|\]$|\.$/g, '') } : undefined
}
