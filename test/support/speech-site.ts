// A local web site with recordings, for tests of the whole way from a URL to a transcript. It counts what is asked of
// it, and can hold an answer back in the middle so that a test decides what happens meanwhile.

import { join } from 'node:path'
import { ffmpeg, FORMATS, temporaryFolder } from './make-media.ts'

export interface SpeechSite {
  /** `127.0.0.1:port` */
  readonly host: string
  readonly folder: string
  /** Path of a file of the site on disk. */
  file(name: string): string
  url(path: string): string
  /** Requests so far, as `METHOD /path`. */
  readonly requests: readonly string[]
  /**
   * Downloads of this file stop before their end. `reached` resolves when one has; `release` lets all go on. The first
   * request for a file passes: it is the product's look at what kind of file it is.
   */
  hold(name: string): { reached: Promise<void>; release(): void }
  stop(): Promise<void>
}

interface Hold {
  readonly reached: PromiseWithResolvers<void>
  readonly released: PromiseWithResolvers<void>
}

export function startSpeechSite(): SpeechSite {
  const folder = temporaryFolder()
  const requests: string[] = []
  const holds = new Map<string, Hold>()

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      requests.push(`${request.method} ${pathname}`)
      const status = /^\/status\/(\d+)/.exec(pathname)?.[1]
      if (status !== undefined) return new Response('no', { status: Number(status) })
      const name = pathname.slice(1).replaceAll('/', '')
      const file = Bun.file(folder.file(name))
      if (!(await file.exists())) return new Response('not here', { status: 404 })
      const isLook = requests.filter((line) => line.endsWith(` ${pathname}`)).length === 1
      const hold = isLook ? undefined : holds.get(name)
      return hold ? held(await file.bytes(), file.type, hold) : new Response(file)
    },
  })

  return {
    host: `127.0.0.1:${server.port}`,
    folder: folder.path,
    file: (name) => folder.file(name),
    url: (path) => `http://127.0.0.1:${server.port}${path}`,
    requests,
    hold(name) {
      const hold = { reached: Promise.withResolvers<void>(), released: Promise.withResolvers<void>() }
      holds.set(name, hold)
      return {
        reached: hold.reached.promise,
        release() {
          holds.delete(name)
          hold.released.resolve()
        },
      }
    },
    async stop() {
      await server.stop(true)
      folder.remove()
    },
  }
}

/** All but the end at once, the end after the release. */
function held(bytes: Uint8Array<ArrayBuffer>, type: string, { reached, released }: Hold): Response {
  const step = Math.max(1, Math.ceil(bytes.length / 64))
  let at = 0
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (at + step >= bytes.length) {
          reached.resolve()
          await released.promise
        }
        controller.enqueue(bytes.slice(at, at + step))
        at += step
        if (at >= bytes.length) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { 'content-type': type, 'content-length': String(bytes.length) } })
}

/** Puts the recording on the site as `NAME.FORMAT`, with a test picture where the format carries video. */
export function addRecording(site: SpeechSite, source: string, name: string, codec = codecOf(name)): void {
  const isSound = /\.(?:wav|mp3|m4a)$/.test(name)
  const picture = [
    '-f',
    'lavfi',
    '-i',
    'testsrc=size=64x64:rate=5',
    '-map',
    '0:a:0',
    '-map',
    '1:v:0',
    '-shortest',
  ]
  ffmpeg('-i', source, ...(isSound ? [] : picture), ...codec, join(site.folder, name))
}

function codecOf(name: string): readonly string[] {
  return FORMATS[name.slice(name.lastIndexOf('.') + 1)] ?? []
}

const SILENCE = 'anullsrc=r=16000:cl=mono'

/** A wav of parts one after the other: a stretch of a file in seconds, or so many seconds of silence. */
export function joinAudio(
  path: string,
  parts: readonly ({ file: string; fromS?: number; toS?: number } | { silenceS: number })[],
  codec: readonly string[] = [],
): void {
  const inputs = parts.flatMap((part) => {
    if ('silenceS' in part) return ['-f', 'lavfi', '-t', String(part.silenceS), '-i', SILENCE]
    const from = part.fromS === undefined ? [] : ['-ss', String(part.fromS)]
    const to = part.toS === undefined ? [] : ['-to', String(part.toS)]
    return [...from, ...to, '-i', part.file]
  })
  const same = parts.map(
    (_, index) => `[${index}:a]aformat=sample_rates=16000:channel_layouts=mono[a${index}]`,
  )
  const all = parts.map((_, index) => `[a${index}]`).join('')
  const graph = `${same.join(';')};${all}concat=n=${parts.length}:v=0:a=1[out]`
  ffmpeg(...inputs, '-filter_complex', graph, '-map', '[out]', ...codec, path)
}
