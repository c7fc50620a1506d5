// earshot transcribe: one file or URL, no server, no database. The transcript goes to stdout or a file, the rest to stderr.

import { type Command, Option } from 'commander'
import { createWriteStream, existsSync, mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'
import type { Config } from '../config.ts'
import { createEngines, type Engines } from '../engines/engines.ts'
import { createLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { downloadItem } from '../media/download.ts'
import { resolveSource, selectItems } from '../media/source.ts'
import { type VideoInfo, videoInfoOfFile } from '../media/video-info.ts'
import { createEgress } from '../net/egress.ts'
import { createFetcher, type Fetcher } from '../net/fetch.ts'
import { FORMATS, formatTranscript, type TranscriptFormat } from '../transcripts/formats.ts'
import { findItemIndex } from '../transcripts/request.ts'
import type { SegmentWithWords } from '../transcripts/subtitle-tokens.ts'
import { segmentOf } from '../transcripts/transcripts.ts'
import { createProgress, type Progress } from './progress.ts'
import { configOf } from './settings.ts'

interface Options {
  readonly format: TranscriptFormat
  readonly out?: string
  readonly language?: string
}

export function registerTranscribe(program: Command): void {
  program
    .command('transcribe <file-or-url>')
    .description('transcribe one file or URL without a server; "-" reads the media from stdin')
    .addOption(new Option('--format <format>', 'form of the transcript').choices(FORMATS).default('text'))
    .option('--out <file>', 'write to this file instead of stdout')
    .option('--language <code>', 'spoken language (ISO 639-1), for models that know several')
    .action((input: string, options: Options, command: Command) =>
      transcribe(input, options, configOf(command)),
    )
}

interface Tools {
  readonly config: Config
  readonly engines: Engines
  readonly fetcher: Fetcher
  readonly folder: string
  readonly signal: AbortSignal
  readonly progress: Progress
}

async function transcribe(input: string, options: Options, config: Config): Promise<void> {
  const log = createLog(config.log, 'error')
  const egress = await createEgress({ ...config, log })
  const engines = createEngines({ config, log, proxyUrl: egress.proxyUrl })
  const folder = mkdtempSync(join(tmpdir(), 'earshot-'))
  const progress = createProgress((part) => `${Math.round(part)} %`)
  const tools = {
    config,
    engines,
    fetcher: createFetcher(egress, config),
    folder,
    progress,
    signal: interrupted(),
  }
  try {
    const media = await obtain(input, tools)
    const segments = await listen(media, options, tools)
    progress.stop()
    const text = formatTranscript(options.format, { videoInfo: { ...media.videoInfo }, segments })
    if (options.out === undefined) await writeOut(text)
    else writeFile(options.out, text)
  } finally {
    progress.stop()
    await engines.close()
    await egress.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Aborts on Ctrl-C and SIGTERM, so that no process and no temporary file is left behind. */
function interrupted(): AbortSignal {
  const abort = new AbortController()
  const stop = (): void => abort.abort(new Problem('internal_server_error', 'Interrupted.'))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  return abort.signal
}

interface LocalMedia {
  readonly path: string
  readonly videoInfo: VideoInfo
}

async function obtain(input: string, tools: Tools): Promise<LocalMedia> {
  if (/^https?:\/\//i.test(input)) return download(input, tools)
  const path = input === '-' ? await spoolStdin(tools) : resolve(input)
  if (!existsSync(path)) throw new Problem('file_not_found', `There is no file ${path}.`)
  const probe = await tools.engines.ffmpeg.probe(path, { signal: tools.signal })
  return { path, videoInfo: videoInfoOfFile(pathToFileURL(path).href, probe) }
}

async function spoolStdin({ folder, signal }: Tools): Promise<string> {
  const path = join(folder, 'stdin')
  await pipeline(Readable.from(process.stdin), createWriteStream(path), { signal })
  return path
}

async function download(url: string, tools: Tools): Promise<LocalMedia> {
  const { config, engines, fetcher, folder, progress, signal } = tools
  const deps = { config, ffmpeg: engines.ffmpeg, ytdlp: engines.ytdlp, fetcher }
  const source = await resolveSource(url, deps, { folder, signal })
  const [item] = selectItems(source, { index: findItemIndex(url), all: false })
  if (!item) throw new Problem('no_videos_found', `${url} holds no video.`)
  const onProgress = (bytes: number, total: number | undefined): void =>
    progress.update('Fetching', total === undefined ? 0 : (100 * bytes) / total, 100)
  return downloadItem(item, deps, { folder, signal, onProgress })
}

async function listen(media: LocalMedia, options: Options, tools: Tools): Promise<SegmentWithWords[]> {
  const engine = await tools.engines.speechEngine()
  const durationMs = (media.videoInfo.duration ?? 0) * 1_000
  const segments: SegmentWithWords[] = []
  await tools.engines.speech.transcribe(media.path, {
    engine,
    language: engine.multilingual ? options.language : undefined,
    signal: tools.signal,
    maxS: tools.config.maxMediaS,
    onWindow: (found) => {
      segments.push(...found.map((one) => ({ ...segmentOf(one), words: one.words?.map(segmentOf) })))
    },
    onProgress: ({ positionMs }) =>
      tools.progress.update('Transcribing', Math.min(100, (100 * positionMs) / Math.max(1, durationMs)), 100),
  })
  return segments
}

/** Complete or not at all. */
function writeFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}

function writeOut(text: string): Promise<void> {
  return new Promise((done, fail) => {
    process.stdout.write(text, (error) => (error ? fail(error) : done()))
  })
}
