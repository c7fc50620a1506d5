// A local web site with everything a media site may do to us: files, redirects, pages, players, and bad manners.
// It listens on 127.0.0.1; reach it by trusting `host`, or by name through host overrides.

import type { Server } from 'bun'
import { FORMATS, makeTone, ffmpeg, temporaryFolder } from './make-media.ts'

export interface MediaSite {
  /** `127.0.0.1:port` */
  readonly host: string
  url(path: string): string
  /** Requests so far, as `METHOD /path`. */
  readonly requests: readonly string[]
  /** A file of the site on disk. */
  file(name: string): string
  stop(): Promise<void>
}

const TYPES: Readonly<Record<string, string>> = {
  mp4: 'video/mp4',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  m3u8: 'application/vnd.apple.mpegurl',
  ts: 'video/mp2t',
  jpg: 'image/jpeg',
}

const page = (head: string, body = ''): Response =>
  new Response(`<!doctype html><html><head><title>A page</title>${head}</head><body>${body}</body></html>`, {
    headers: { 'content-type': 'text/html; charset=utf-8' },
  })

/** A body that sends `bytes` bytes every `everyMs`, for ever. */
function endless(
  bytes: number,
  everyMs: number,
  first: Uint8Array = new Uint8Array(),
): ReadableStream<Uint8Array> {
  let started = false
  return new ReadableStream({
    async pull(controller) {
      if (started) await Bun.sleep(everyMs)
      controller.enqueue(
        started ? new Uint8Array(bytes) : first.byteLength > 0 ? first : new Uint8Array(bytes),
      )
      started = true
    },
  })
}

/** Makes a two-second tone in every format, and serves it with the rest. `tls` serves https. */
export function startMediaSite(tls?: { cert: string; key: string }): MediaSite {
  const folder = temporaryFolder()
  for (const format of Object.keys(FORMATS)) makeTone(folder.file(`tone.${format}`), 2)
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=duration=1:size=64x64:rate=5', folder.file('mute.mp4'))
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=size=64x64', '-frames:v', '1', folder.file('picture.jpg'))
  const segments = ['-f', 'hls', '-hls_time', '1', '-hls_list_size', '0', '-hls_segment_filename']
  ffmpeg(
    '-i',
    folder.file('tone.mp3'),
    '-c:a',
    'aac',
    ...segments,
    folder.file('seg%d.ts'),
    folder.file('tone.m3u8'),
  )

  const requests: string[] = []
  const server: Server<undefined> = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    ...(tls === undefined ? {} : { tls }),
    async fetch(request) {
      const url = new URL(request.url)
      requests.push(`${request.method} ${url.pathname}`)
      return (await special(url, request.headers)) ?? serveFile(url.pathname.slice(1), request)
    },
  })

  async function special(url: URL, headers: Headers): Promise<Response | undefined> {
    const { pathname, searchParams } = url
    const status = /^\/status\/(\d+)/.exec(pathname)?.[1]
    if (status !== undefined) return new Response('no', { status: Number(status) })
    switch (pathname) {
      case '/redirect':
        return Response.redirect(searchParams.get('to') ?? '/', 302)
      case '/page-video':
        return page('', '<video src="/tone.mp4"></video>')
      case '/page-og':
        return page('<meta property="og:video" content="/tone.mp4"><meta property="og:title" content="OG">')
      case '/page-two':
        return page('', '<video src="/tone.mp4"></video><video src="/tone.webm"></video>')
      case '/page-empty':
        return page('', '<p>Nothing to see</p>')
      case '/page-private':
        return page('', '<video src="http://10.0.0.1/secret.mp4"></video>')
      case '/wrong-type.mp4':
        return page('', '<p>This is a page</p>')
      case '/untyped':
        return new Response(Bun.file(folder.file('tone.mp3')), {
          headers: { 'content-type': 'application/octet-stream' },
        })
      case '/no-head.mp4':
        return new Response(Bun.file(folder.file('tone.mp4')), { headers: { 'content-type': 'video/mp4' } })
      case '/endless.mp4':
        return new Response(endless(65_536, 1), { headers: { 'content-type': 'video/mp4' } })
      case '/slow.mp4':
        return new Response(endless(1, 10), { headers: { 'content-type': 'video/mp4' } })
      case '/truncated.mp4':
      case '/truncated.mp3':
        return truncated(pathname.slice(1).replace('truncated', 'tone'))
      case '/empty.mp4':
        return new Response('', { headers: { 'content-type': 'video/mp4' } })
      case '/playlist.mp4':
        return new Response(`#EXTM3U\n#EXTINF:1,\nfile://${folder.file('tone.ts')}\n#EXT-X-ENDLIST\n`, {
          headers: { 'content-type': 'video/mp4' },
        })
      case '/needs-agent.mp3':
        return headers.get('user-agent') === null ? new Response('', { status: 403 }) : undefined
      default:
        return undefined
    }
  }

  /** The first half of the file only, though its header says otherwise nowhere: an interrupted upload. */
  async function truncated(name: string): Promise<Response> {
    const bytes = await Bun.file(folder.file(name)).bytes()
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    return new Response(bytes.slice(0, bytes.length >> 1), { headers: { 'content-type': type } })
  }

  async function serveFile(name: string, request: Request): Promise<Response> {
    const file = Bun.file(folder.file(name.replaceAll('/', '')))
    if (!(await file.exists())) return new Response('not here', { status: 404 })
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    const headers = { 'content-type': type, 'content-length': String(file.size) }
    return new Response(request.method === 'HEAD' ? null : file, { headers })
  }

  const host = `127.0.0.1:${server.port}`
  return {
    host,
    url: (path) => `${tls === undefined ? 'http' : 'https'}://${host}${path}`,
    requests,
    file: (name) => folder.file(name),
    async stop() {
      await server.stop(true)
      folder.remove()
    },
  }
}
