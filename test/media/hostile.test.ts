// Media and servers made to do harm. Each gets its error (or a right result); no process and no file stays behind.

import { afterAll, afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { PCM_BYTES_PER_SECOND } from '../../src/engines/ffmpeg.ts'
import { Problem } from '../../src/lib/problem.ts'
import { downloadItem, type DownloadItemOptions, type DownloadedMedia } from '../../src/media/download.ts'
import { resolveSource, selectItems } from '../../src/media/source.ts'
import { createMediaDeps, runningPrograms } from '../support/media-deps.ts'
import { startMediaSite } from '../support/media-site.ts'
import { ffmpeg, makeTone } from '../support/make-media.ts'

setDefaultTimeout(60_000)

const site = startMediaSite()
const deps = await createMediaDeps({ EARSHOT_TRUSTED_HOSTS: site.host, EARSHOT_MAX_MEDIA_BYTES: '30000000' })
const signal = new AbortController().signal
let folder = ''

afterEach(() => expect(runningPrograms()).toEqual([]))
afterAll(async () => {
  await site.stop()
  await deps.close()
})

/** Resolve, download, decode: the way every URL goes. Seconds of audio. */
async function listen(url: string, options: Partial<DownloadItemOptions> = {}): Promise<number> {
  folder = deps.folder()
  const media = await download(url, options)
  const { stream } = deps.ffmpeg.decodePcm(media.path, { signal, maxS: deps.config.maxMediaS })
  let size = 0
  for await (const chunk of stream) size += chunk.byteLength
  return size / PCM_BYTES_PER_SECOND
}

async function download(url: string, options: Partial<DownloadItemOptions>): Promise<DownloadedMedia> {
  const source = await resolveSource(url, deps, { folder, signal: options.signal ?? signal })
  const [item] = selectItems(source, { index: undefined, all: false })
  if (!item) throw new Error('nothing was selected')
  return downloadItem(item, deps, { folder, signal, ...options })
}

async function failure(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof Problem) return error.code
  throw new Error(`expected a Problem, not ${String(error)}`)
}

const filesLeft = (): string[] => readdirSync(folder).filter((name) => !name.endsWith('.info.json'))

describe('what is no URL', () => {
  for (const url of ['--exec', '--exec=touch x', '-o', 'ytsearch:cats', 'file:///etc/passwd', '']) {
    test(JSON.stringify(url), async () => {
      expect(await failure(listen(url))).toMatch(/^(?:invalid|unsupported)_url$/)
    })
  }
  test('yt-dlp itself takes an option in place of a URL for a URL', async () => {
    const marker = `${deps.folder()}/marker`
    const work = deps.ytdlp.metadata(`--exec=before_dl:touch ${marker}`, { signal, maxItems: 1 })
    expect(await failure(work)).toBe('unsupported_url')
    expect(await Bun.file(marker).exists()).toBe(false)
  })
})

describe('files', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['/truncated.mp4', 'audio_extraction_failed'],
    ['/empty.mp4', 'audio_extraction_failed'],
    ['/wrong-type.mp4', 'no_videos_found'],
    ['/mute.mp4', 'audio_extraction_failed'],
    ['/playlist.mp4', 'audio_extraction_failed'],
    ['/picture.jpg', 'no_videos_found'],
  ]
  for (const [path, code] of cases) {
    test(`${path} is ${code}`, async () => {
      expect(await failure(listen(site.url(path)))).toBe(code)
      expect(filesLeft()).toEqual([])
    })
  }

  test('half an mp3 is heard as far as it goes', async () => {
    const heard = await listen(site.url('/truncated.mp3'))
    expect(heard).toBeGreaterThan(0.5)
    expect(heard).toBeLessThan(1.6)
  })

  test('an mp4 with its index at the end is heard whole', async () => {
    // ffmpeg writes the index last unless told otherwise.
    makeTone(site.file('index-last.mp4'), 3)
    const bytes = await Bun.file(site.file('index-last.mp4')).bytes()
    expect(Buffer.from(bytes).indexOf('moov')).toBeGreaterThan(Buffer.from(bytes).indexOf('mdat'))
    expect(await listen(site.url('/index-last.mp4'))).toBeCloseTo(3, 0)
  })

  test('eight hours of silence in a small file are decoded in constant memory, up to the cap', async () => {
    const tenMinutes = site.file('ten-minutes.mp3')
    ffmpeg(
      '-f',
      'lavfi',
      '-i',
      'anullsrc=r=8000:cl=mono',
      '-t',
      '600',
      '-b:a',
      '8k',
      '-write_xing',
      '0',
      tenMinutes,
    )
    const frames = await Bun.file(tenMinutes).bytes()
    await Bun.write(site.file('silence.mp3'), Buffer.concat(Array.from({ length: 48 }, () => frames)))
    const source = await resolveSource(site.url('/silence.mp3'), deps, { folder: deps.folder(), signal })
    const [item] = source.items
    if (!item) throw new Error('nothing to download')
    const media = await downloadItem(item, deps, { folder: deps.folder(), signal })
    expect(media.videoInfo.duration).toBeCloseTo(28_800, -2)
    const before = process.memoryUsage().rss
    const { stream } = deps.ffmpeg.decodePcm(media.path, { signal, maxS: 3_600 })
    let size = 0
    for await (const chunk of stream) size += chunk.byteLength
    expect(size).toBeLessThanOrEqual(3_600 * PCM_BYTES_PER_SECOND)
    expect(size).toBeGreaterThan(3_598 * PCM_BYTES_PER_SECOND)
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
  })
})

describe('servers', () => {
  test('an endless stream ends at the limit', async () => {
    expect(await failure(listen(site.url('/endless.mp4')))).toBe('input_too_large')
    expect(filesLeft()).toEqual([])
  })

  test('a trickle is given up on', async () => {
    const work = listen(site.url('/slow.mp4'), { stallMs: 200, stallBytes: 1_000 })
    expect(await failure(work)).toBe('metadata_fetch_failed')
    expect(filesLeft()).toEqual([])
  })

  for (const target of [
    'http://10.0.0.1/a.mp4',
    'http://[::1]/a.mp4',
    'http://169.254.169.254/latest/',
    'http://localhost/a',
  ]) {
    test(`a redirect to ${target} is not followed`, async () => {
      const url = site.url(`/redirect?to=${encodeURIComponent(target)}`)
      expect(await failure(listen(url))).toBe('unsupported_url')
    })
  }
})

describe('yt-dlp downloads', () => {
  test('a file beyond the limit is refused, whether or not its size is known', async () => {
    for (const path of ['/tone.m3u8', '/page-video']) {
      folder = deps.folder()
      const small = { ...deps, config: { ...deps.config, maxMediaBytes: 15_000 } }
      const source = await resolveSource(site.url(path), small, { folder, signal })
      const [item] = source.items
      if (!item) throw new Error('nothing to download')
      expect(await failure(downloadItem(item, small, { folder, signal }))).toBe('input_too_large')
      expect(filesLeft()).toEqual([])
    }
  })

  test('abort ends it with everything it started, at once', async () => {
    folder = deps.folder()
    const infoPath = `${folder}/endless.info.json`
    const format = {
      format_id: '0',
      url: site.url('/endless.mp4'),
      ext: 'mp4',
      protocol: 'http',
      vcodec: 'none',
    }
    await Bun.write(
      infoPath,
      JSON.stringify({ id: '1', title: 'x', extractor: 'generic', formats: [format] }),
    )
    const controller = new AbortController()
    const reason = new Error('cancelled')
    const work = deps.ytdlp.download(infoPath, {
      folder,
      maxBytes: 1e9,
      signal: controller.signal,
      onProgress: (bytes) => bytes > 100_000 && controller.abort(reason),
    })
    await expect(work).rejects.toBe(reason)
    expect(runningPrograms()).toEqual([])
    expect(filesLeft()).toEqual([])
  })

  test('a trickle is given up on', async () => {
    folder = deps.folder()
    const infoPath = `${folder}/slow.info.json`
    const format = {
      format_id: '0',
      url: site.url('/slow.mp4'),
      ext: 'mp4',
      protocol: 'http',
      vcodec: 'none',
    }
    await Bun.write(
      infoPath,
      JSON.stringify({ id: '1', title: 'x', extractor: 'generic', formats: [format] }),
    )
    const work = deps.ytdlp.download(infoPath, { folder, maxBytes: 1e9, signal, stallMs: 1_500 })
    expect(await failure(work)).toBe('metadata_fetch_failed')
  })

  test('formats that would go past the proxy are never chosen', async () => {
    for (const url of ['rtmp://127.0.0.1/live', 'ftp://127.0.0.1/a.mp4', 'file:///etc/passwd']) {
      folder = deps.folder()
      const infoPath = `${folder}/odd.info.json`
      const format = { format_id: '0', url, ext: 'mp4' }
      await Bun.write(
        infoPath,
        JSON.stringify({ id: '1', title: 'x', extractor: 'generic', formats: [format] }),
      )
      expect(await failure(deps.ytdlp.download(infoPath, { folder, maxBytes: 1e9, signal }))).toBe(
        'no_videos_found',
      )
      expect(filesLeft()).toEqual([])
    }
  })
})
