// Settings that hold for single sites, as `youtube.com=…,tiktok.com=…`, and which hosts belong to a site. Values may hold
// passwords: no message repeats them.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Lower case, without a dot in front: the host itself and everything below it. */
export type SiteName = string

export interface SiteCookies {
  readonly site: SiteName
  /** A cookie file as browsers' extensions and yt-dlp write it (Netscape's format). */
  readonly path: string
}

export interface SiteProxy {
  readonly site: SiteName
  readonly scheme: 'http' | 'https' | 'socks5'
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string
}

const DEFAULT_PORTS = { http: 80, https: 443, socks5: 1_080 } as const

/** `host` as canonicalHost gives it. */
export const belongsTo = (host: string, site: SiteName): boolean => host === site || host.endsWith(`.${site}`)

/** The entry of the narrowest site that the host belongs to. */
export function findSite<T extends { readonly site: SiteName }>(
  host: string,
  entries: readonly T[],
): T | undefined {
  return entries
    .filter(({ site }) => belongsTo(host, site))
    .toSorted((a, b) => b.site.length - a.site.length)[0]
}

/** Throws an Error whose message completes the sentence "NAME …"; so does `parseSiteProxies`. */
export function parseSiteCookies(text: string): readonly SiteCookies[] {
  return entriesOf(text).map(({ site, value }) => {
    if (!existsSync(value)) throw new Error(`names ${value} for ${site}, which does not exist`)
    return { site, path: resolve(value) }
  })
}

export function parseSiteProxies(text: string): readonly SiteProxy[] {
  return entriesOf(text).map(({ site, value }) => {
    const url = URL.parse(value)
    const scheme = (['http', 'https', 'socks5'] as const).find((name) => url?.protocol === `${name}:`)
    if (
      !url ||
      !scheme ||
      url.hostname === '' ||
      !/^\/?$/.test(url.pathname) ||
      url.search + url.hash !== ''
    ) {
      throw new Error(
        `must be site=proxy,… with proxies such as http://user:password@host:port, https://… or socks5://…; the one for ${site} is not`,
      )
    }
    return {
      site,
      scheme,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? DEFAULT_PORTS[scheme] : Number(url.port),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
    }
  })
}

function entriesOf(text: string): { site: SiteName; value: string }[] {
  const parts = text.split(',').map((part) => part.trim())
  const entries = parts
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...rest] = part.split('=')
      const site = name.trim().toLowerCase().replace(/^\./, '')
      // A single label would be a whole top-level domain.
      if (rest.length === 0 || !/^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(site)) {
        throw new Error('must be site=value,… with sites such as youtube.com')
      }
      return { site, value: rest.join('=').trim() }
    })
  const twice = entries.find(({ site }, index) => entries.findIndex((entry) => entry.site === site) !== index)
  if (twice) throw new Error(`names ${twice.site} twice`)
  return entries
}
