// Which profiles can be scraped: plain data, one row per platform.

import type { Config } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { checkUrl } from '../net/policy.ts'

interface Platform {
  readonly name: string
  readonly hosts: readonly string[]
  /** The first group is the profile's name. */
  readonly path: RegExp
  readonly url: (name: string) => string
}

/** Those whose lists tell times and likes of every video. */
const PLATFORMS: readonly Platform[] = [
  {
    name: 'TikTok',
    hosts: ['tiktok.com', 'www.tiktok.com', 'm.tiktok.com'],
    path: /^\/@([\w.-]+)\/?$/,
    url: (name) => `https://www.tiktok.com/@${name}`,
  },
]

/**
 * The address to ask. Throws Problem `invalid_url`, `unsupported_url` (not public, or no profile) or
 * `unsupported_platform`.
 */
export function profileAddress(text: string, policy: Pick<Config, 'trustedHosts' | 'hostOverrides'>): string {
  const url = checkUrl(text, policy)
  const host = url.hostname.replace(/\.$/, '')
  const platform = PLATFORMS.find(({ hosts }) => hosts.includes(host))
  const names = PLATFORMS.map(({ name }) => name).join(', ')
  if (!platform) {
    throw new Problem(
      'unsupported_platform',
      `Profiles of ${url.host} cannot be scraped. Supported platforms: ${names}.`,
    )
  }
  const name = platform.path.exec(url.pathname)?.[1]
  if (name === undefined) {
    throw new Problem(
      'unsupported_url',
      `The URL is no profile of ${platform.name}. Give one such as ${platform.url('name')}.`,
    )
  }
  return platform.url(name)
}
