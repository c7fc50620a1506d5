// TikTok's search page as a browser sees it: a page whose script fetches the first results, an interface that gives further
// ones only to those who sign as that script does, and the walls that visitors meet. The query says which.

import { html, silence } from './platform.ts'

export const SEARCH_PAGE = 12
/** How many results a query has. */
const RESULTS: Readonly<Record<string, number>> = { cheese: 100, few: 5, none: 0 }

export const SEARCH_NEWEST_S = Date.UTC(2026, 0, 31, 11) / 1_000
const HOUR_S = 3_600

function result(index: number): Record<string, unknown> {
  // Relevance is no order of time: odd ones are newer.
  const age = index % 2 === 0 ? 200 + index : index
  return {
    id: String(7_400_000_000_000_000_000n + BigInt(index)),
    desc: `result ${index} #cheese #größe`,
    createTime: SEARCH_NEWEST_S - age * 5 * HOUR_S,
    author: { id: '77', uniqueId: 'cheesefan', nickname: 'Cheese Fan', secUid: 'MS4w' },
    music: { id: '5', title: 'a song', authorName: 'A Band', duration: 30 },
    video: { duration: 15 },
    stats: {
      playCount: 1_000 - index,
      diggCount: (index * 37) % 100,
      shareCount: 1,
      commentCount: 2,
      collectCount: '3',
    },
  }
}

/** What the page's own script does with every request of the interface. */
const SCRIPT = `
const plain = window.fetch
window.fetch = (address, options) => {
  const url = new URL(address, location.href)
  if (url.pathname.startsWith('/api/search/')) url.searchParams.set('X-Signature', String(url.searchParams.get('offset')) + 'ok')
  return plain(url, options)
}
const query = new URL(location.href).searchParams.get('q')
`

const FETCHES = `fetch('/api/search/item/full/?offset=0&count=12&keyword=' + encodeURIComponent(query))`

function page(body: string, script: string): Response {
  return html(`<!doctype html><title>Search</title><body>${body}<script>${SCRIPT}${script}</script>`)
}

function searchPage(query: string): Response {
  if (query === 'captcha') return page('<div id="captcha-verify-container">Slide</div>', '')
  if (query === 'late captcha') {
    return page(
      '',
      `setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<div class="Captcha_x">Slide</div>'), 300)`,
    )
  }
  if (query === 'login') return Response.redirect('https://www.tiktok.com/login?redirect_url=x', 302)
  if (query === 'limited') return html('slow down', 429)
  const canary = /^canary (\S+)$/.exec(query)?.[1]
  if (canary !== undefined) return page(pryingBody(canary), `${prying(canary)};${FETCHES}`)
  return page('', FETCHES)
}

/** Ways in which a page may try to reach what is private. */
function pryingBody(canary: string): string {
  return `<iframe src="http://${canary}/frame"></iframe><link rel="stylesheet" href="http://${canary}/style"><script src="http://${canary}/script"></script><img src="http://${canary}/image"><iframe src="file:///etc/passwd"></iframe>`
}

function prying(canary: string): string {
  const port = canary.split(':')[1] ?? ''
  return `for (const host of ['${canary}', 'localhost:${port}', '[::1]:${port}', '0.0.0.0:${port}', '127.1:${port}', '2130706433:${port}', '169.254.169.254'])
    { fetch('http://' + host + '/fetch', { mode: 'no-cors' }).catch(() => 0); navigator.sendBeacon('http://' + host + '/beacon'); try { new WebSocket('ws://' + host + '/socket') } catch {} }
  new RTCPeerConnection({ iceServers: [{ urls: 'stun:${canary}' }] }).createDataChannel('x')`
}

/** undefined for other addresses. */
export function tiktokSearch(url: URL, request: Request): Response | Promise<Response> | undefined {
  if (url.pathname === '/search/video') return searchPage(url.searchParams.get('q') ?? '')
  if (url.pathname === '/login') return html('<p>Log in to TikTok</p>')
  if (url.pathname !== '/api/search/item/full/') return undefined
  const query = url.searchParams.get('keyword') ?? ''
  const offset = Number(url.searchParams.get('offset'))
  if (url.searchParams.get('X-Signature') !== `${offset}ok`) return new Response('', { status: 200 })
  if (query === 'slow') return silence(request)
  if (query === 'broken') return new Response('{"item_list":[', { status: 200 })
  if (query === 'refused') return Response.json({ status_code: 2_484, item_list: [] })
  if (query === 'limited later' && offset > 0) return new Response('', { status: 429 })
  const total = RESULTS[query] ?? 100
  const last = Math.min(total, offset + SEARCH_PAGE)
  const item_list = Array.from({ length: Math.max(0, last - offset) }, (_, index) => result(offset + index))
  return Response.json({
    status_code: 0,
    item_list,
    has_more: last < total ? 1 : 0,
    cursor: offset + SEARCH_PAGE,
  })
}
