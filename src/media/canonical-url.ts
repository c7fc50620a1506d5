// One spelling for the many URLs of one video, so that its transcript is found again. Two videos must never share one.

/** Parameters that say where a visitor came from, never what is shown. */
const TRACKING =
  /^(?:utm_\w+|fbclid|gclid|dclid|msclkid|yclid|twclid|ttclid|igsh|igshid|mc_[ce]id|ref_src|ref_url|_ga|_gl|img_index)$/i

type Rule = (url: URL) => string | undefined

const host = (url: URL): string => url.hostname.replace(/^(?:www|m|mobile|music)\./, '')

const youtube: Rule = (url) => {
  const name = host(url)
  if (!['youtube.com', 'youtu.be', 'youtube-nocookie.com'].includes(name)) return undefined
  const inPath =
    name === 'youtu.be'
      ? /^\/([\w-]{11})(?:\/|$)/.exec(url.pathname)
      : /^\/(?:shorts|embed|live|v)\/([\w-]{11})(?:\/|$)/.exec(url.pathname)
  const id = inPath?.[1] ?? (url.pathname === '/watch' ? url.searchParams.get('v') : null)
  return id === null || !/^[\w-]{11}$/.test(id) ? undefined : `https://www.youtube.com/watch?v=${id}`
}

const x: Rule = (url) => {
  if (!['twitter.com', 'x.com'].includes(host(url))) return undefined
  const match = /^\/(?:i\/(?:web\/)?|[^/]+\/)status(?:es)?\/(\d+)(\/video\/\d+)?/.exec(url.pathname)
  return match ? `https://x.com/i/status/${match[1]}${match[2] ?? ''}` : undefined
}

const instagram: Rule = (url) => {
  if (host(url) !== 'instagram.com') return undefined
  const match = /^\/(?:[^/]+\/)?(?:p|reel|reels|tv)\/([\w-]+)/.exec(url.pathname)
  return match ? `https://www.instagram.com/p/${match[1]}/` : undefined
}

const tiktok: Rule = (url) => {
  if (host(url) !== 'tiktok.com') return undefined
  const match = /^\/(@[^/]+)\/video\/(\d+)/.exec(url.pathname)
  return match ? `https://www.tiktok.com/${match[1]}/video/${match[2]}` : undefined
}

const SITES: readonly Rule[] = [youtube, x, instagram, tiktok]

/** Key for caches, not for fetching. `text` is a URL that `checkUrl` has passed. The item of a carousel is not part of it. */
export function canonicalUrl(text: string): string {
  const url = new URL(text.trim())
  url.hash = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  for (const site of SITES) {
    const canonical = site(url)
    if (canonical !== undefined) return canonical
  }
  const names = url.searchParams.keys().toArray()
  for (const name of names) if (TRACKING.test(name)) url.searchParams.delete(name)
  url.searchParams.sort()
  return url.href
}

/** The post itself: what to ask the site for when `?img_index=N` only says which item of it is wanted. */
export function withoutItemIndex(text: string): string {
  if (!text.includes('img_index=')) return text
  const url = new URL(text)
  url.searchParams.delete('img_index')
  return url.href
}
