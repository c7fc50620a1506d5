// A video portal without an extractor of its own: pages as sites mark them up (Open Graph, JSON-LD, HLS, lists), and the walls
// that sites put in front of them.

import { html, type Platform, scriptJson } from './platform.ts'

const HOST = 'videos.example.com'
/** Another company's: nothing of the portal's visitors is its business. */
const PARTNER = 'partner.example.net'
const CLIP = `https://cdn.${HOST}/clip.mp4`
/** What the log-in of the portal looks like. */
export const PORTAL_COOKIE = { name: 'session', value: 'open-sesame-hushhush' } as const

const page = (title: string, head = '', body = ''): Response =>
  html(`<!doctype html><html><head><title>${title}</title>${head}</head><body>${body}</body></html>`)
const video = (source: string): string => `<video src="${source}"></video>`

function jsonLd(): string {
  const object = {
    '@context': 'https://schema.org',
    '@type': 'VideoObject',
    name: 'A film in JSON-LD',
    description: 'About something',
    contentUrl: CLIP,
    duration: 'PT2S',
    uploadDate: '2026-03-01T10:00:00Z',
    thumbnailUrl: `https://${HOST}/thumbnail.jpg`,
    author: { '@type': 'Person', name: 'Some One' },
  }
  return `<script type="application/ld+json">${scriptJson(object)}</script>`
}

const meta = (property: string, content: string): string =>
  `<meta property="${property}" content="${content}">`

const m3u8 = (...lines: readonly string[]): Response =>
  new Response(`#EXTM3U\n${lines.join('\n')}\n`, {
    headers: { 'content-type': 'application/vnd.apple.mpegurl' },
  })

const SEGMENT = ['#EXT-X-TARGETDURATION:2', '#EXTINF:2.0,']

const FILES: Readonly<Record<string, () => Response>> = {
  '/hls/master.m3u8': () =>
    m3u8(
      '#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="subs",NAME="English",LANGUAGE="en",URI="/hls/en.m3u8"',
      '#EXT-X-STREAM-INF:BANDWIDTH=100000,RESOLUTION=160x120,CODECS="mp4v.20.9,mp4a.40.2",SUBTITLES="subs"',
      '/hls/media.m3u8',
    ),
  '/hls/media.m3u8': () => m3u8(...SEGMENT, CLIP, '#EXT-X-ENDLIST'),
  '/hls/en.m3u8': () => m3u8(...SEGMENT, '/hls/en.vtt', '#EXT-X-ENDLIST'),
  '/hls/en.vtt': () =>
    new Response('WEBVTT\n\n00:00:00.200 --> 00:00:01.800\nHello from a stream\n', {
      headers: { 'content-type': 'text/vtt' },
    }),
}

const PAGES: Readonly<Record<string, () => Response>> = {
  login: () => page('Log in', '', '<form action="/login"><input name="user"><input type="password"></form>'),
  'verify-age': () => page('Are you over 18?', '', '<form><button>Yes</button></form>'),
  abroad: () => new Response('Unavailable For Legal Reasons', { status: 451 }),
  private: () => new Response('Unauthorized', { status: 401 }),
  gone: () => new Response('Gone', { status: 410 }),
  empty: () => page('Nothing to see'),
  'always-busy': () => new Response('Too Many Requests', { status: 429 }),
  trouble: () => new Response('Bad Gateway', { status: 502 }),
  og: () => page('A page', meta('og:video', CLIP) + meta('og:title', 'A film in Open Graph')),
  jsonld: () => page('A page', jsonLd()),
  hls: () =>
    page('A stream', '', '<video><source src="/hls/master.m3u8" type="application/x-mpegURL"></video>'),
}

/** Requests so far for pages that are busy at first. */
const asked = new Map<string, number>()

function broken(): Response {
  let pieces = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (++pieces === 1) controller.enqueue(new TextEncoder().encode('<!doctype html><html>'))
      else controller.error(new Error('the line was cut'))
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/html' } })
}

export const portal: Platform = {
  hosts: [HOST, `cdn.${HOST}`, PARTNER],
  async answer(url, request) {
    if (url.hostname === PARTNER) {
      return url.pathname.endsWith('.mp4') ? undefined : page('A partner', '', video('/clip.mp4'))
    }
    const isMember = (request.headers.get('cookie') ?? '').includes(PORTAL_COOKIE.value)
    if (url.pathname.startsWith('/members-only') && !isMember)
      return new Response('Forbidden', { status: 403 })
    const file = FILES[url.pathname]
    if (file) return file()
    const [, kind = '', id = ''] = url.pathname.split('/')
    switch (kind) {
      case 'members':
        if (!isMember) return Response.redirect(`https://${HOST}/login?next=${url.pathname}`, 302)
        return page('For members', '', video(`https://cdn.${HOST}/members-only/clip.mp4`))
      case 'away':
        return Response.redirect(`https://${PARTNER}/landing`, 302)
      case 'adult':
        return Response.redirect(`https://${HOST}/verify-age`, 302)
      case 'robot':
        return new Response('<title>Just a moment...</title>', {
          status: 403,
          headers: { 'cf-mitigated': 'challenge', 'content-type': 'text/html' },
        })
      case 'busy':
        asked.set(id, (asked.get(id) ?? 0) + 1)
        return (asked.get(id) ?? 0) < 3 ? new Response('', { status: 429 }) : page('Busy', '', video(CLIP))
      case 'slow':
        await Bun.sleep(1_500)
        return page('Slow', '', video(CLIP))
      case 'broken':
        return broken()
      case 'list':
        return page(
          'A list',
          '',
          Array.from({ length: Number(id) }, (_, n) => video(`${CLIP}?${n}`)).join(''),
        )
      default:
        return PAGES[kind]?.()
    }
  },
}

export const portalUrl = (path: string): string => `https://${HOST}/${path}`

/** A cookie file of the portal's members, as browsers export them: with cookies of other sites, too. */
export function portalCookieFile(): string {
  const line = (domain: string, name: string, value: string): string =>
    [domain, domain.startsWith('.') ? 'TRUE' : 'FALSE', '/', 'FALSE', '4000000000', name, value].join('\t')
  return [
    '# Netscape HTTP Cookie File',
    line(`.${HOST}`, PORTAL_COOKIE.name, PORTAL_COOKIE.value),
    line(`#HttpOnly_${HOST}`, 'csrf', 'c-hushhush'),
    line('.example.com', 'above', 'a-hushhush'),
    line(`.${PARTNER}`, 'partner', 'p-hushhush'),
    '',
  ].join('\n')
}
