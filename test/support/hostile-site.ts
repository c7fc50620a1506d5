// A public site that wants the product to reach a private address for it: by redirects, pages, lists of media. Each path
// of it is one attempt.

import type { Tripwire } from './tripwire.ts'

export interface HostileSite {
  /** `127.0.0.1:port` */
  readonly host: string
  /** Paths, each one attempt. */
  readonly attempts: readonly string[]
  /** Requests so far, as paths. */
  readonly requests: readonly string[]
  stop(): Promise<void>
}

type Attempt = (request: Request) => Response

const html =
  (head: string, body = ''): Attempt =>
  () =>
    new Response(`<!doctype html><html><head><title>Page</title>${head}</head><body>${body}</body></html>`, {
      headers: { 'content-type': 'text/html' },
    })
const text =
  (type: string, body: string): Attempt =>
  () =>
    new Response(body, { headers: { 'content-type': type } })
const redirect =
  (status: number, to: string): Attempt =>
  () =>
    new Response(null, { status, headers: { location: to.replaceAll(/[^!-~]/g, encodeURIComponent) } })
const hls = (...lines: readonly string[]): Attempt =>
  text('application/vnd.apple.mpegurl', ['#EXTM3U', '#EXT-X-VERSION:7', ...lines, ''].join('\n'))

/** Names that the test's resolver leads to private addresses. */
export const REBOUND_NAMES: Readonly<Record<string, readonly string[]>> = {
  'loop.rebound.example': ['127.0.0.1'],
  'loop6.rebound.example': ['::1'],
  'mixed.rebound.example': ['93.184.216.34', '127.0.0.1'],
  'mapped.rebound.example': ['::ffff:127.0.0.1'],
  'nat64.rebound.example': ['64:ff9b::7f00:1'],
  '6to4.rebound.example': ['2002:7f00:1::'],
  'teredo.rebound.example': ['2001:0:7f00:1::'],
  'any.rebound.example': ['0.0.0.0'],
  'any6.rebound.example': ['::'],
  'metadata.rebound.example': ['169.254.169.254'],
  'cgnat.rebound.example': ['100.64.0.1'],
  'lan.rebound.example': ['192.168.0.1'],
  'linklocal.rebound.example': ['fe80::1'],
  'unique.rebound.example': ['fd00:ec2::254'],
}

type Attempts = Readonly<Record<string, Attempt>>

const secret = (port: number): string => `http://127.0.0.1:${port}/secret.mp4`

function attemptsOn(port: number): Attempts {
  return { ...redirectsTo(port), ...pagesWith(port), ...listsOf(port) }
}

function redirectsTo(port: number): Attempts {
  const target = secret(port)
  const locations: Readonly<Record<string, string>> = {
    decimal: `http://2130706433:${port}/a.mp4`,
    octal: `http://0177.0.0.1:${port}/a.mp4`,
    hex: `http://0x7f.1:${port}/a.mp4`,
    v6: `http://[::1]:${port}/a.mp4`,
    mapped: `http://[::ffff:127.0.0.1]:${port}/a.mp4`,
    any: `http://0.0.0.0:${port}/a.mp4`,
    name: `http://localhost:${port}/a.mp4`,
    dotted: `http://loop.rebound.example.:${port}/a.mp4`,
    rebound: `http://loop.rebound.example:${port}/a.mp4`,
    relative: `//127.0.0.1:${port}/a.mp4`,
    credentials: `http://hostile.example@127.0.0.1:${port}/a.mp4`,
    wide: `http://１２７.０.０.１:${port}/a.mp4`,
    file: 'file:///etc/passwd',
    gopher: `gopher://127.0.0.1:${port}/_GET`,
    ftp: `ftp://127.0.0.1:${port}/a.mp4`,
    unix: 'http+unix://%2Frun%2Fdocker.sock/info',
    twice: '/redirect/301',
  }
  return {
    ...Object.fromEntries(
      [301, 302, 303, 307, 308].map((status) => [`/redirect/${status}`, redirect(status, target)]),
    ),
    ...Object.fromEntries(
      Object.entries(locations).map(([name, to]) => [`/to/${name}.mp4`, redirect(302, to)]),
    ),
    // The first look is fine; the download is led astray.
    '/later.mp4': later(target),
  }
}

function pagesWith(port: number): Attempts {
  const target = secret(port)
  const ld = { '@context': 'https://schema.org', '@type': 'VideoObject', name: 'x', contentUrl: target }
  return {
    '/refresh': html(`<meta http-equiv="refresh" content="0; url=${target}">`),
    '/video': html('', `<video src="${target}"></video>`),
    '/og': html(`<meta property="og:video" content="${target}"><meta property="og:title" content="x">`),
    '/json-ld': html(`<script type="application/ld+json">${JSON.stringify(ld)}</script>`),
    '/player': html(
      '',
      `<script>jwplayer("a").setup({file: "${target}", image: "${target}", tracks: [{file: "${target}"}]})</script>`,
    ),
    '/iframe': html('', `<iframe src="http://127.0.0.1:${port}/embed/1"></iframe>`),
  }
}

function listsOf(port: number): Attempts {
  const target = secret(port)
  return {
    '/master.m3u8': hls('#EXT-X-STREAM-INF:BANDWIDTH=1', `http://127.0.0.1:${port}/v.m3u8`),
    '/segments.m3u8': hls(
      '#EXT-X-TARGETDURATION:2',
      '#EXTINF:2,',
      `http://127.0.0.1:${port}/0.ts`,
      '#EXT-X-ENDLIST',
    ),
    '/key.m3u8': hls(
      '#EXT-X-TARGETDURATION:2',
      `#EXT-X-KEY:METHOD=AES-128,URI="http://127.0.0.1:${port}/k"`,
      '#EXTINF:2,',
      '/silence.ts',
      '#EXT-X-ENDLIST',
    ),
    '/map.m3u8': hls(
      '#EXT-X-TARGETDURATION:2',
      `#EXT-X-MAP:URI="http://127.0.0.1:${port}/i.mp4"`,
      '#EXTINF:2,',
      '/silence.ts',
      '#EXT-X-ENDLIST',
    ),
    '/sound.m3u8': hls(
      `#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="a",URI="http://127.0.0.1:${port}/a.m3u8"`,
      `#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="s",LANGUAGE="en",URI="http://127.0.0.1:${port}/s.m3u8"`,
      '#EXT-X-STREAM-INF:BANDWIDTH=1,AUDIO="a",SUBTITLES="s"',
      '/segments.m3u8',
    ),
    '/dash.mpd': text(
      'application/dash+xml',
      `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT2S">
       <Period><BaseURL>http://127.0.0.1:${port}/</BaseURL><AdaptationSet mimeType="audio/mp4"><Representation id="1" bandwidth="1"
       codecs="mp4a.40.2"><BaseURL>a.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>`,
    ),
    '/hidden-list.mp4': text(
      'video/mp4',
      `#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:${port}/0.ts\n#EXT-X-ENDLIST\n`,
    ),
    '/concat.mp4': text('video/mp4', `ffconcat version 1.0\nfile 'http://127.0.0.1:${port}/0.ts'\n`),
    '/feed.rss': text(
      'application/rss+xml',
      `<?xml version="1.0"?><rss version="2.0"><channel><title>x</title><item><title>y</title><enclosure url="${target}"
       type="video/mp4"/><link>${target}</link></item></channel></rss>`,
    ),
  }
}

function later(target: string): Attempt {
  let looks = 0
  return () =>
    looks++ === 0
      ? new Response(new Uint8Array([0, 0, 0, 24, 0x66, 0x74, 0x79, 0x70]), {
          headers: { 'content-type': 'video/mp4' },
        })
      : new Response(null, { status: 302, headers: { location: target } })
}

export function startHostileSite({ port }: Tripwire): HostileSite {
  const attempts = attemptsOn(port)
  const requests: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      const { pathname } = new URL(request.url)
      requests.push(pathname)
      if (pathname === '/silence.ts')
        return new Response('no sound', { headers: { 'content-type': 'video/mp2t' } })
      if (pathname === '/browser') return browserPage(port)
      return attempts[pathname]?.(request) ?? new Response('not here', { status: 404 })
    },
  })
  return {
    host: `127.0.0.1:${server.port}`,
    attempts: Object.keys(attempts),
    requests,
    stop: () => server.stop(true),
  }
}

/** A page whose scripts try every way out that a browser has. `window.done` becomes true when all have been tried. */
function browserPage(port: number): Response {
  const there = `http://127.0.0.1:${port}`
  const page = `<!doctype html><html><head><title>Page</title>
<link rel="dns-prefetch" href="//127.0.0.1:${port}"><link rel="preconnect" href="${there}"><link rel="prefetch" href="${there}/prefetch">
<link rel="preload" as="fetch" href="${there}/preload"><link rel="stylesheet" href="${there}/style.css"><link rel="icon" href="${there}/icon">
<link rel="manifest" href="${there}/manifest"><style>@font-face{font-family:f;src:url(${there}/font)} body{font-family:f;background:url(${there}/css)}</style>
</head><body>text<img src="${there}/img"><iframe src="${there}/iframe"></iframe><embed src="${there}/embed"><object data="${there}/object"></object>
<video src="${there}/video" poster="${there}/poster" preload="auto"></video><audio src="http://localhost:${port}/audio" preload="auto"></audio>
<svg><image href="${there}/svg"/></svg><form id="f" method="post" target="out" action="${there}/form"></form><iframe name="out"></iframe>
<script src="${there}/script"></script><script type="module">import('${there}/module').catch(() => {})</script><script>
const settle = (promise) => Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 3000))]).catch(() => {})
const load = (url, options) => settle(fetch(url, options))
const socket = (url) => settle(new Promise((resolve) => { const s = new WebSocket(url); s.onerror = s.onclose = s.onopen = resolve }))
const stun = () => settle(new Promise((resolve) => {
  const peer = new RTCPeerConnection({ iceServers: [{ urls: ['stun:127.0.0.1:${port}', 'stun:[::1]:${port}'] },
    { urls: ['turn:127.0.0.1:${port}?transport=udp', 'turn:127.0.0.1:${port}?transport=tcp'], username: 'a', credential: 'b' }] })
  peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && resolve()
  peer.createDataChannel('x'); peer.createOffer().then((offer) => peer.setLocalDescription(offer)).catch(resolve)
}))
const tries = [load('${there}/fetch'), load('${there}/no-cors', { mode: 'no-cors' }), load('${there}/post', { method: 'POST', body: 'x', mode: 'no-cors', keepalive: true }),
  load('http://[::1]:${port}/v6'), load('http://[::ffff:127.0.0.1]:${port}/mapped'), load('http://2130706433:${port}/decimal'), load('http://0.0.0.0:${port}/any'),
  load('http://localhost:${port}/localhost'), load('http://a.localhost:${port}/sub'), load('http://loop.rebound.example:${port}/rebound'),
  load('https://127.0.0.1:${port}/tls'), load('/redirect/302'), load('/redirect/307', { method: 'POST', body: 'x' }), load('/to/rebound.mp4'),
  socket('ws://127.0.0.1:${port}/ws'), socket('wss://127.0.0.1:${port}/wss'), socket('ws://loop.rebound.example:${port}/ws'), stun(),
  settle(new Promise((resolve) => { const x = new XMLHttpRequest(); x.onloadend = resolve; x.open('GET', '${there}/xhr'); x.send() })),
  settle(new Promise((resolve) => { const e = new EventSource('${there}/events'); e.onerror = () => { e.close(); resolve() } })),
  settle(navigator.serviceWorker ? navigator.serviceWorker.register('/sw.js') : Promise.resolve()),
  settle(new Promise((resolve) => { const w = new Worker(URL.createObjectURL(new Blob(['try{importScripts("${there}/worker")}catch{};postMessage(1)']))); w.onmessage = w.onerror = resolve })),
  settle((async () => { if (typeof WebTransport === 'function') await new WebTransport('https://127.0.0.1:${port}/wt').ready })()),
]
try { navigator.sendBeacon('${there}/beacon', 'x') } catch {}
try { window.open('${there}/popup') } catch {}
try { document.getElementById('f').submit() } catch {}
const ping = document.createElement('a'); ping.href = '#x'; ping.ping = '${there}/ping'; document.body.append(ping); ping.click()
Promise.all(tries).then(() => { window.done = tries.length })
</script></body></html>`
  return new Response(page, { headers: { 'content-type': 'text/html' } })
}
