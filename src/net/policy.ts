// What outgoing requests may reach: public addresses, and what the operator trusts. The one place that decides it.

import type { Config } from '../config.ts'
import { Problem, type ProblemCode } from '../lib/problem.ts'
import { type Address, canonicalHost, isInNetwork, isPublicAddress, parseAddress } from './addresses.ts'

export type EgressPolicy = Pick<Config, 'trustedHosts' | 'hostOverrides'>

/** All addresses of a name. Rejects when it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>

/** Addresses that were checked and may be connected to, in order of preference. */
export interface Target {
  readonly addresses: readonly string[]
  readonly port: number
}

/** The policy forbids it. Never thrown for a fault of the network. */
export class EgressDenied extends Error {
  override readonly name = 'EgressDenied'
}

const MAX_URL_LENGTH = 4_096

/** Names that resolvers give to this machine or its neighbours, whatever the DNS says. */
const LOCAL_NAMES = [
  'localhost',
  'local',
  'localdomain',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'home.arpa',
]

/** Ports on which speaking HTTP can do harm to other protocols: the "bad ports" of the WHATWG Fetch standard. */
const BAD_PORTS = new Set(
  (
    '0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 ' +
    '135 137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 ' +
    '995 1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  )
    .split(' ')
    .map(Number),
)

/**
 * A URL that a caller gave us, decided without asking the DNS (the egress proxy does that later). Throws
 * Problem('invalid_url') for malformed ones and Problem('unsupported_url') for schemes other than http(s), credentials,
 * and hosts that are neither public nor trusted.
 */
export function checkUrl(text: string, policy: EgressPolicy): URL {
  const refuse = (code: ProblemCode, reason: string): Problem =>
    new Problem(code, `The URL "${shorten(text)}" ${reason}`)
  const trimmed = text.trim()
  if (trimmed.length > MAX_URL_LENGTH)
    throw refuse('invalid_url', `is longer than ${MAX_URL_LENGTH} characters`)
  // Parsers repair these silently, each in its own way: what one checks another may not fetch.
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\u0000-\u0020\u007f\\]/.test(trimmed))
    throw refuse('invalid_url', 'contains white space or backslashes')
  const url = URL.parse(trimmed)
  if (!url || url.protocol.includes('.')) throw refuse('invalid_url', 'is not an absolute http(s) URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw refuse('unsupported_url', `has the scheme "${url.protocol}"; only http and https are supported`)
  }
  if (!/^https?:\/\/[^/]/i.test(trimmed)) throw refuse('invalid_url', 'is not an absolute http(s) URL')
  if (url.username !== '' || url.password !== '' || /^https?:\/\/[^/?#]*@/i.test(trimmed)) {
    throw refuse('unsupported_url', 'contains a user name or password; give one that needs none')
  }
  const host = canonicalHost(url.hostname)
  if (host === undefined) throw refuse('invalid_url', 'has no valid host')
  const port = portOf(url)
  if (findOverride(host, port, policy) || isTrustedName(host, port, policy)) return url
  const address = parseAddress(host)
  if (address ? !isAllowed(address, policy) : isLocalName(host)) {
    throw refuse('unsupported_url', 'points at a private or local address; only public hosts can be reached')
  }
  if (BAD_PORTS.has(port))
    throw refuse('unsupported_url', `uses port ${port}, which is not used for web pages`)
  return url
}

/**
 * Where a connection to `host:port` may go. Throws EgressDenied when the policy forbids it (one private address among
 * public ones is enough), and what `resolve` throws when the name has no address.
 */
export async function checkTarget(
  hostText: string,
  port: number,
  policy: EgressPolicy,
  resolve: Resolve,
): Promise<Target> {
  const host = canonicalHost(hostText)
  if (host === undefined) throw new EgressDenied(`"${hostText}" is not a host`)
  const override = findOverride(host, port, policy)
  if (override) return { addresses: [override.toHost], port: override.toPort }
  const trusted = isTrustedName(host, port, policy)
  const literal = parseAddress(host)
  if (!literal && !trusted && isLocalName(host)) throw new EgressDenied(`${host} is a local name`)
  const found = literal ? [literal.address] : await resolve(host)
  const addresses = found.map((text) => parseAddress(text) ?? deny(`${host} has the address "${text}"`))
  if (addresses.length === 0) throw new Error(`${host} has no address`)
  if (!trusted) {
    const bad = addresses.find((address) => !isAllowed(address, policy))
    if (bad) throw new EgressDenied(`${host} is ${bad.address}, which is neither public nor trusted`)
    if (BAD_PORTS.has(port) && addresses.every(isPublicAddress))
      throw new EgressDenied(`port ${port} is blocked`)
  }
  // IPv4 first: a machine with a half-configured IPv6 is more common than one without IPv4.
  const ordered = addresses.toSorted((a, b) => a.family - b.family)
  return { addresses: ordered.map(({ address }) => address), port }
}

/** True when the operator named this host (or its network, for literals): plain http is then acceptable for webhooks. */
export function isTrustedUrl(url: URL, policy: EgressPolicy): boolean {
  const host = canonicalHost(url.hostname)
  if (host === undefined) return false
  const address = parseAddress(host)
  return (
    isTrustedName(host, portOf(url), policy) || (address !== undefined && isTrustedAddress(address, policy))
  )
}

export function portOf(url: URL): number {
  return url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
}

function deny(reason: string): never {
  throw new EgressDenied(reason)
}

const isAllowed = (address: Address, policy: EgressPolicy): boolean =>
  isPublicAddress(address) || isTrustedAddress(address, policy)

const isTrustedAddress = (address: Address, { trustedHosts }: EgressPolicy): boolean =>
  trustedHosts.some((entry) => entry.kind === 'network' && isInNetwork(address, entry.address, entry.prefix))

const sameHost = (configured: string, host: string): boolean => canonicalHost(configured) === host

const isTrustedName = (host: string, port: number, { trustedHosts }: EgressPolicy): boolean =>
  trustedHosts.some(
    (entry) => entry.kind === 'host' && sameHost(entry.host, host) && (entry.port ?? port) === port,
  )

const findOverride = (
  host: string,
  port: number,
  { hostOverrides }: EgressPolicy,
): EgressPolicy['hostOverrides'][number] | undefined =>
  hostOverrides.find((entry) => sameHost(entry.host, host) && (entry.port ?? port) === port)

/** Single-label names too: what they resolve to depends on the machine's search list. */
const isLocalName = (host: string): boolean =>
  !host.includes('.') || LOCAL_NAMES.some((name) => host === name || host.endsWith(`.${name}`))

const shorten = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
