// Which channels and profiles can be indexed: plain data, one row per form of address.

import type { Config } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { checkUrl } from '../net/policy.ts'

interface Platform {
  readonly name: string
  readonly hosts: readonly string[]
  /** The first group is what the address is made of. */
  readonly forms: readonly { readonly path: RegExp; readonly url: (name: string) => string }[]
  readonly example: string
}

/** What may follow the name on YouTube: the tabs of a channel. */
const TAB = '(?:/(?:videos|featured|streams|shorts|playlists|community|about))?/?$'

/** Platforms that list a channel to visitors without an account, newest first. */
const PLATFORMS: readonly Platform[] = [
  {
    name: 'YouTube',
    hosts: ['youtube.com', 'www.youtube.com', 'm.youtube.com'],
    forms: [
      {
        path: new RegExp(`^/(@[\\w.%-]+)${TAB}`),
        url: (name) => `https://www.youtube.com/${name.toLowerCase()}`,
      },
      {
        path: new RegExp(`^/(channel/UC[\\w-]{22})${TAB}`),
        url: (name) => `https://www.youtube.com/${name}`,
      },
      {
        path: new RegExp(`^/((?:c|user)/[\\w.%-]+)${TAB}`),
        url: (name) => `https://www.youtube.com/${name}`,
      },
    ],
    example: 'https://www.youtube.com/@name',
  },
  {
    name: 'TikTok',
    hosts: ['tiktok.com', 'www.tiktok.com', 'm.tiktok.com'],
    forms: [{ path: /^\/(@[\w.-]+)\/?$/, url: (name) => `https://www.tiktok.com/${name}` }],
    example: 'https://www.tiktok.com/@name',
  },
]

export interface ChannelAddress {
  readonly platform: string
  /** One spelling for the many of one channel. */
  readonly url: string
}

/**
 * Throws Problem `invalid_url`, `unsupported_url` (not public, or no channel) or `unsupported_platform`.
 */
export function channelAddress(
  text: string,
  policy: Pick<Config, 'trustedHosts' | 'hostOverrides'>,
): ChannelAddress {
  const url = checkUrl(text, policy)
  const host = url.hostname.replace(/\.$/, '')
  const platform = PLATFORMS.find(({ hosts }) => hosts.includes(host))
  if (!platform) {
    const names = PLATFORMS.map(({ name }) => name).join(', ')
    throw new Problem(
      'unsupported_platform',
      `Channels of ${url.host} cannot be indexed. Supported platforms: ${names}.`,
    )
  }
  for (const { path, url: addressOf } of platform.forms) {
    const name = path.exec(url.pathname)?.[1]
    if (name !== undefined) return { platform: platform.name, url: addressOf(name) }
  }
  throw new Problem(
    'unsupported_url',
    `The URL is no channel of ${platform.name}. Give one such as ${platform.example}.`,
  )
}

/** What yt-dlp is asked to list: the videos of a channel, not its shorts, live streams and playlists. */
export function listAddress({ platform, url }: ChannelAddress): string {
  return platform === 'YouTube' ? `${url}/videos` : url
}
