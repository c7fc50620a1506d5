// ffprobe and ffmpeg on files that strangers send. They may read that one file and nothing else: no other protocol,
// no format that refers to further files, no network, and bounded time, memory and output.

import { runProgram, startProgram } from '../lib/process.ts'
import { type Infer, parser, t } from '../lib/schema.ts'
import { Problem } from '../lib/problem.ts'
import type { Config } from '../config.ts'
import { type Limits, sandboxed } from './sandbox.ts'

/** What decodePcm delivers: signed 16 bit little endian, mono. */
export const PCM_BYTES_PER_SECOND = 32_000

/** Demuxers that keep to the file they are given. Playlists (hls, concat, dash …) read other files and are not here. */
const FORMATS =
  'mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,asf,flv,live_flv,mp3,wav,w64,aac,ogg,flac,mpeg,mpegts,mpegvideo,m4v'
const CONFINED = ['-protocol_whitelist', 'file', '-format_whitelist', FORMATS]

const MEMORY_BYTES = 2 * 1_024 ** 3
const PROBE_LIMITS: Limits = { cpuS: 60, memoryBytes: MEMORY_BYTES, fileBytes: 0, network: false }
const PROBE_TIMEOUT_MS = 120_000
const PROBE_STDOUT_BYTES = 1_024 * 1_024

/** An hour of audio takes about 2 CPU-seconds; this allows for 60 times that, on slow machines and heavy codecs. */
const decodeLimits = (maxS: number): Limits => ({
  cpuS: 60 + maxS / 30,
  memoryBytes: MEMORY_BYTES,
  fileBytes: 0,
  network: false,
})

export interface MediaProbe {
  /** As the container states it; absent when it does not (live recordings). An estimate for headerless mp3. */
  readonly durationS: number | undefined
  /** ffmpeg's names of the container, for example ['mov', 'mp4', 'm4a', '3gp', '3g2', 'mj2']. */
  readonly formatNames: readonly string[]
  readonly hasAudio: boolean
  /** Moving pictures; a cover image does not count. */
  readonly hasVideo: boolean
  readonly audioCodec: string | undefined
  readonly title: string | undefined
  readonly artist: string | undefined
  /** Recording date from the container's tags, epoch ms. */
  readonly createdAt: number | undefined
}

export interface PcmStream {
  /** 16 kHz mono s16le. Errors with the same Problem as `done`. Cancelling it ends ffmpeg. */
  readonly stream: ReadableStream<Uint8Array<ArrayBuffer>>
  /** Settles when ffmpeg has ended: bytes delivered, more than 0. Rejections need not be handled. */
  readonly done: Promise<number>
}

/** All failures are Problem('audio_extraction_failed'), or the signal's reason. `path` is a local file. */
export interface Ffmpeg {
  probe(path: string, options: { signal: AbortSignal }): Promise<MediaProbe>
  /** Decodes the first audio track, at most `maxS` seconds of it. */
  decodePcm(path: string, options: { signal: AbortSignal; maxS: number }): PcmStream
  /** First line of `ffmpeg -version`, for `doctor`. Throws Problem when ffmpeg or ffprobe does not run as what it should be. */
  version(options: { signal: AbortSignal }): Promise<string>
}

export function createFfmpeg(config: Pick<Config, 'ffmpegPath' | 'ffprobePath'>): Ffmpeg {
  const ffmpeg = (): string => locate('ffmpeg', config.ffmpegPath, 'EARSHOT_FFMPEG')
  const ffprobe = (): string => locate('ffprobe', config.ffprobePath, 'EARSHOT_FFPROBE')
  return {
    probe: (path, { signal }) => probe(ffprobe(), path, signal),
    decodePcm: (path, { signal, maxS }) => decodePcm(ffmpeg(), path, signal, maxS),
    async version({ signal }) {
      await versionOf('ffprobe', ffprobe(), signal)
      return await versionOf('ffmpeg', ffmpeg(), signal)
    },
  }
}

function locate(name: string, configured: string | undefined, setting: string): string {
  const path = configured ?? Bun.which(name, { PATH: process.env['PATH'] ?? '' })
  if (path !== null) return path
  throw new Problem(
    'audio_extraction_failed',
    `${name} is not installed on this server: install ffmpeg, or set ${setting} to its path`,
  )
}

async function versionOf(name: string, path: string, signal: AbortSignal): Promise<string> {
  const { exitCode, stdout } = await runProgram({ command: [path, '-hide_banner', '-version'], signal })
  const line = stdout.split('\n', 1)[0] ?? ''
  if (exitCode === 0 && line.startsWith(`${name} version`)) return line
  throw new Problem(
    'audio_extraction_failed',
    `${path} does not work as ${name}: install ffmpeg, or set EARSHOT_${name.toUpperCase()} to its path`,
  )
}

const text = t.Optional(t.String())
const Tags = t.Optional(t.Record(t.String(), t.String()))
const ProbeOutput = t.Object({
  format: t.Object({ format_name: t.String(), duration: text, tags: Tags }),
  streams: t.Array(
    t.Object({
      codec_type: text,
      codec_name: text,
      duration: text,
      tags: Tags,
      disposition: t.Optional(t.Object({ attached_pic: t.Optional(t.Number()) })),
    }),
  ),
})
const PROBE = parser(ProbeOutput)

async function probe(program: string, path: string, signal: AbortSignal): Promise<MediaProbe> {
  const fields =
    'format=format_name,duration:format_tags:stream=codec_type,codec_name,duration:stream_tags:stream_disposition=attached_pic'
  const command = [program, '-v', 'error', ...CONFINED, '-of', 'json', '-show_entries', fields]
  const result = await runProgram({
    command: sandboxed([...command, '-i', `file:${path}`], PROBE_LIMITS),
    signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_TIMEOUT_MS)]),
    maxStdoutBytes: PROBE_STDOUT_BYTES,
  }).catch((error: unknown) => {
    signal.throwIfAborted()
    throw unreadable(error)
  })
  if (result.exitCode !== 0) throw unreadable(result.stderr)
  const parsed = PROBE.parse(parseJson(result.stdout))
  if (!parsed.ok) throw unreadable(`ffprobe printed something else than expected: ${parsed.fault.message}`)
  return toProbe(parsed.value)
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

function toProbe({ format, streams }: Infer<typeof ProbeOutput>): MediaProbe {
  const audio = streams.find((stream) => stream.codec_type === 'audio')
  const video = streams.find(
    (stream) => stream.codec_type === 'video' && stream.disposition?.attached_pic !== 1,
  )
  // Ogg keeps its tags on the stream, and spells them in capitals.
  const tags = new Map<string, string>()
  for (const source of [audio?.tags, video?.tags, format.tags]) {
    for (const [name, value] of Object.entries(source ?? {})) tags.set(name.toLowerCase(), value)
  }
  const durationS = Number.parseFloat(format.duration ?? audio?.duration ?? video?.duration ?? '')
  const createdAt = recordedAt(tags)
  return {
    durationS: Number.isFinite(durationS) && durationS > 0 ? durationS : undefined,
    formatNames: format.format_name.split(','),
    hasAudio: audio !== undefined,
    hasVideo: video !== undefined,
    audioCodec: audio?.codec_name,
    title: tags.get('title'),
    artist: tags.get('artist'),
    createdAt,
  }
}

/** Phones add their own tag, with the time zone; sound files often have a plain date, which must be a whole one. */
function recordedAt(tags: ReadonlyMap<string, string>): number | undefined {
  const names = ['com.apple.quicktime.creationdate', 'creation_time', 'origination_date', 'date']
  return names
    .flatMap((name) => tags.get(name) ?? [])
    .filter((text) => /^\d{4}-\d\d-\d\d/.test(text))
    .map((text) => Date.parse(text))
    .find((atMs) => atMs > 0) // Many muxers write the epoch, of 1970 or 1904, for "unknown".
}

function decodePcm(program: string, path: string, signal: AbortSignal, maxS: number): PcmStream {
  const command = [program, '-nostdin', '-hide_banner', '-v', 'error', ...CONFINED, '-i', `file:${path}`]
  command.push('-map', '0:a:0', '-vn', '-sn', '-dn', '-t', String(maxS), '-threads', '1')
  // Audio that starts late or has gaps keeps its place in time: the missing stretches become silence.
  command.push('-af', 'aresample=async=1:first_pts=0', '-ac', '1', '-ar', '16000', '-f', 's16le', 'pipe:1')
  const child = startProgram({ command: sandboxed(command, decodeLimits(maxS)), signal })
  const reader = child.stdout.getReader()
  const { promise: done, resolve, reject } = Promise.withResolvers<number>()
  done.catch(() => undefined)
  let size = 0

  async function end(): Promise<void> {
    const exitCode = await child.exited
    signal.throwIfAborted()
    if (exitCode !== 0 || size === 0) throw decodeProblem(child.stderrTail(), exitCode)
    resolve(size)
  }

  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { value, done: ended } = await reader.read()
          if (value !== undefined) {
            size += value.byteLength
            controller.enqueue(value)
          }
          if (!ended) return
          await end()
          controller.close()
        } catch (error) {
          child.kill()
          reject(error)
          controller.error(error)
        }
      },
      async cancel(reason) {
        child.kill()
        await child.exited
        reject(reason ?? new Error('the reader stopped'))
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, done }
}

function decodeProblem(stderr: string, exitCode: number | null): Problem {
  if (/matches no streams/.test(stderr)) {
    return new Problem(
      'audio_extraction_failed',
      'The media has no audio track, so there is nothing to transcribe',
      {
        cause: stderr,
      },
    )
  }
  return unreadable(exitCode === null ? `ffmpeg passed its limits and was ended. ${stderr}` : stderr)
}

function unreadable(cause: unknown): Problem {
  return new Problem(
    'audio_extraction_failed',
    'The media could not be read: it is damaged, empty, or not in a supported audio or video format',
    { cause },
  )
}
