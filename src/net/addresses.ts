// Which IP addresses are public. Everything that is not clearly a global unicast address counts as private, so that
// a range nobody thought of is refused, not reached.

import { BlockList, isIP } from 'node:net'

export interface Address {
  readonly family: 4 | 6
  /** Canonical text: dotted quad, or the WHATWG form of IPv6 without brackets. */
  readonly address: string
}

/** IANA IPv4 Special-Purpose Address Registry, plus multicast and the retired 6to4 relay range. */
const SPECIAL_V4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

/** Only 2000::/3 is global unicast; these parts of it are not (IANA IPv6 Special-Purpose Address Registry). */
const SPECIAL_IN_GLOBAL_V6: readonly (readonly [string, number])[] = [
  ['2001::', 23], // Teredo, benchmarking, ORCHID and other protocol assignments
  ['2001:db8::', 32],
  ['2002::', 16], // 6to4: would carry a private IPv4 address in disguise
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
]

const specialV4 = new BlockList()
for (const [net, prefix] of SPECIAL_V4) specialV4.addSubnet(net, prefix, 'ipv4')
const globalV6 = new BlockList()
globalV6.addSubnet('2000::', 3, 'ipv6')
const specialV6 = new BlockList()
for (const [net, prefix] of SPECIAL_IN_GLOBAL_V6) specialV6.addSubnet(net, prefix, 'ipv6')

/** The address that `text` is, or undefined when it is none. IPv4-mapped IPv6 becomes IPv4; zone ids are no addresses. */
export function parseAddress(text: string): Address | undefined {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text
  const version = isIP(bare)
  if (version === 4) return { family: 4, address: bare }
  if (version !== 6) return undefined
  const canonical = URL.parse(`http://[${bare}]/`)?.hostname.slice(1, -1)
  if (canonical === undefined) return undefined
  const mapped = embeddedV4(canonical, '::ffff:')
  return mapped === undefined ? { family: 6, address: canonical } : { family: 4, address: mapped }
}

/** The IPv4 address in the last 32 bits, if the canonical IPv6 address starts with `prefix` and has nothing between. */
function embeddedV4(canonical: string, prefix: string): string | undefined {
  if (!canonical.startsWith(prefix)) return undefined
  const groups = canonical.slice(prefix.length).split(':')
  if (groups.length > 2 || groups.some((group) => !/^[0-9a-f]{1,4}$/.test(group))) return undefined
  const [high, low] = groups.length === 2 ? groups : ['0', groups[0]]
  const bits = Number.parseInt(high ?? '0', 16) * 65_536 + Number.parseInt(low ?? '0', 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 255).join('.')
}

/** True for global unicast addresses only. NAT64's well-known prefix counts as the IPv4 address inside it. */
export function isPublicAddress({ family, address }: Address): boolean {
  if (family === 4) return !specialV4.check(address, 'ipv4')
  const translated = embeddedV4(address, '64:ff9b::')
  if (translated !== undefined) return !specialV4.check(translated, 'ipv4')
  return globalV6.check(address, 'ipv6') && !specialV6.check(address, 'ipv6')
}

export function isInNetwork({ family, address }: Address, network: string, prefix: number): boolean {
  const parsed = parseAddress(network)
  if (parsed?.family !== family) return false
  const list = new BlockList()
  list.addSubnet(parsed.address, prefix, family === 4 ? 'ipv4' : 'ipv6')
  return list.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/**
 * The host that a resolver or a browser would understand: odd literals (2130706433, 0x7f.1, 0177.0.0.1, full-width
 * digits) become dotted quads, names lower-case ASCII without trailing dot. undefined when it is no host.
 */
export function canonicalHost(text: string): string | undefined {
  const bracketed = isIP(text) === 6 ? `[${text}]` : text
  if (/[\s/?#@\\%]/.test(bracketed)) return undefined
  const url = URL.parse(`http://${bracketed}/`)
  if (!url || url.port !== '' || url.hostname === '') return undefined
  const host = url.hostname.replace(/\.$/, '')
  const address = parseAddress(host)
  return address?.address ?? (host === '' || host.startsWith('[') ? undefined : host)
}
