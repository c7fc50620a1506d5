// Stands in for the big platforms, closely enough for yt-dlp's own extractors to read them. Behind TLS, reached by host
// overrides. The shapes are what those extractors read, and nothing more: no JavaScript challenge, TLS fingerprint,
// proof-of-origin token or account is simulated.

import { makeTone, temporaryFolder } from './make-media.ts'
import { instagram } from './platforms/instagram.ts'
import type { Platform } from './platforms/platform.ts'
import { portal } from './platforms/portal.ts'
import { tiktok } from './platforms/tiktok.ts'
import { x } from './platforms/x.ts'
import { youtube } from './platforms/youtube.ts'
import { makeCertificates } from './site-certificates.ts'

export interface PlatformSite {
  /** EARSHOT_… settings that lead to it. */
  readonly env: Readonly<Record<string, string>>
  /** Requests so far, as `METHOD host/path`, in order. */
  readonly requests: readonly string[]
  /** What came along with them, as `host cookies`. */
  readonly cookies: readonly string[]
  stop(): Promise<void>
}

const PLATFORMS: readonly Platform[] = [x, instagram, tiktok, youtube, portal]

export async function startPlatformSite(): Promise<PlatformSite> {
  const hosts = PLATFORMS.flatMap((platform) => platform.hosts)
  const folder = temporaryFolder()
  const certificates = await makeCertificates(...hosts)
  const video = makeTone(folder.file('clip.mp4'), 2)
  const mute = makeTone(folder.file('mute.mp4'), 2, ['-an'])
  const requests: string[] = []
  const cookies: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    tls: certificates,
    async fetch(request) {
      const url = new URL(request.url)
      url.host = request.headers.get('host') ?? ''
      requests.push(`${request.method} ${url.hostname}${url.pathname}`)
      const cookie = request.headers.get('cookie')
      if (cookie !== null) cookies.push(`${url.hostname} ${cookie}`)
      const platform = PLATFORMS.find((candidate) => candidate.hosts.includes(url.hostname))
      const answer = await platform?.answer(url, request)
      if (answer) return answer
      if (url.pathname.endsWith('/mute.mp4')) return new Response(Bun.file(mute))
      if (url.pathname.endsWith('.mp4')) return new Response(Bun.file(video))
      return new Response('not here', { status: 404 })
    },
  })
  return {
    env: {
      EARSHOT_HOST_OVERRIDES: hosts.map((host) => `${host}:443=127.0.0.1:${server.port}`).join(','),
      EARSHOT_EXTRA_CA: certificates.caPath,
    },
    requests,
    cookies,
    async stop() {
      await server.stop(true)
      certificates.remove()
      folder.remove()
    },
  }
}
