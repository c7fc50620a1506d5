// From a URL to a file on disk, against a local site, with the real yt-dlp and ffmpeg.

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readdirSync } from 'node:fs'
import { Problem } from '../../src/lib/problem.ts'
import { downloadItem } from '../../src/media/download.ts'
import { resolveSource, selectItems, type Source } from '../../src/media/source.ts'
import { createMediaDeps } from '../support/media-deps.ts'
import { startMediaSite } from '../support/media-site.ts'
import { makeCertificates } from '../support/site-certificates.ts'

// Starting yt-dlp takes a second of a core that others may be using too.
setDefaultTimeout(60_000)

const site = startMediaSite()
const deps = await createMediaDeps({ EARSHOT_TRUSTED_HOSTS: site.host })
const signal = new AbortController().signal
afterAll(async () => {
  await site.stop()
  await deps.close()
})

const resolve = (path: string): Promise<Source> =>
  resolveSource(path.includes('://') ? path : site.url(path), deps, { folder: deps.folder(), signal })

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof Problem) return error.code
  throw new Error(`expected a Problem, not ${String(error)}`)
}

function only(source: Source): Source['items'][number] {
  const [item] = source.items
  if (!item || source.items.length !== 1) throw new Error(`expected one item, not ${source.items.length}`)
  return item
}

describe('plain media files', () => {
  for (const path of [
    '/tone.mp4',
    '/tone.mp3',
    '/tone.webm',
    '/tone.mkv',
    '/untyped',
    '/redirect?to=/tone.wav',
  ]) {
    test(`${path} is recognised without yt-dlp, and downloaded`, async () => {
      const item = only(await resolve(path))
      expect(item.way.via).toBe('direct')
      const folder = deps.folder()
      const seen: number[] = []
      const media = await downloadItem(item, deps, {
        folder,
        signal,
        onProgress: (bytes) => seen.push(bytes),
      })
      expect(media.videoInfo.duration).toBeCloseTo(2, 0)
      expect(media.videoInfo.url).toBe(site.url(path))
      expect(seen.at(-1)).toBe(Bun.file(media.path).size)
    })
  }
  test('their faults have the codes of the contract', async () => {
    const expected = {
      404: 'video_not_found',
      403: 'content_restricted',
      401: 'content_restricted',
      451: 'geo_restricted',
    }
    for (const [status, code] of Object.entries(expected)) {
      expect(await codeOf(resolve(`/status/${status}/a.mp4`))).toBe(code)
    }
    expect(await codeOf(resolve('/status/503/a.mp4'))).toBe('metadata_fetch_failed')
    expect(await codeOf(resolve('/nowhere.mp4'))).toBe('video_not_found')
  })
})

describe('pages, by the real yt-dlp', () => {
  test('a page with a video element', async () => {
    const source = await resolve('/page-video')
    const media = await downloadItem(only(source), deps, { folder: deps.folder(), signal })
    expect(media.probe.hasAudio).toBe(true)
    expect(media.videoInfo.duration).toBeCloseTo(2, 0)
    expect(source.carousel).toBeUndefined()
  })
  test('a page that names its video for social networks', async () => {
    const source = await resolve('/page-og')
    expect(source.videoInfo.title).toBe('OG')
    expect((await downloadItem(only(source), deps, { folder: deps.folder(), signal })).probe.hasAudio).toBe(
      true,
    )
  })
  test('an HLS playlist', async () => {
    const item = only(await resolve('/tone.m3u8'))
    expect(item.way.via).toBe('info')
    const media = await downloadItem(item, deps, { folder: deps.folder(), signal })
    expect(media.probe.durationS).toBeCloseTo(2, 0)
  })
  test('a page without media', async () =>
    expect(await codeOf(resolve('/page-empty'))).toBe('no_videos_found'))
  test('a page that is missing', async () =>
    expect(await codeOf(resolve('/status/404'))).toBe('video_not_found'))
  test('a page whose video is at a private address', async () => {
    const item = only(await resolve('/page-private'))
    const folder = deps.folder()
    expect(await codeOf(downloadItem(item, deps, { folder, signal }))).toBe('unsupported_url')
    expect(readdirSync(folder)).toEqual([])
  })
  test('through TLS with a further authority', async () => {
    const certificates = await makeCertificates('video.test')
    const secure = startMediaSite(certificates)
    const own = await createMediaDeps({
      EARSHOT_HOST_OVERRIDES: `video.test:443=${secure.host}`,
      EARSHOT_EXTRA_CA: certificates.caPath,
    })
    const source = await resolveSource('https://video.test/page-video', own, { folder: own.folder(), signal })
    const media = await downloadItem(only(source), own, { folder: own.folder(), signal })
    expect(media.probe.hasAudio).toBe(true)
    await own.close()
    await secure.stop()
    certificates.remove()
  })
})

describe('posts with several items', () => {
  test('the first video is meant unless img_index or all_videos says otherwise', async () => {
    const source = await resolve('/page-two?img_index=2')
    expect(source.carousel).toEqual({ total_items: 2, video_count: 2, image_count: 0 })
    const indices = (choice: Parameters<typeof selectItems>[1]): number[] =>
      selectItems(source, choice).map(({ index }) => index)
    expect(indices({ index: undefined, all: false })).toEqual([1])
    expect(indices({ index: 2, all: false })).toEqual([2])
    expect(indices({ index: undefined, all: true })).toEqual([1, 2])
    const [second] = selectItems(source, { index: 2, all: false })
    expect(second?.videoInfo.carousel_info?.selected_index).toBe(2)
    expect(() => selectItems(source, { index: 3, all: false })).toThrow('img_index')
    if (!second) throw new Error('no second item')
    const media = await downloadItem(second, deps, { folder: deps.folder(), signal })
    expect(media.probe.formatNames).toContain('webm')
  })

  test('images count, and cannot be transcribed', async () => {
    const entries = [
      { title: 'picture', formats: [] },
      { title: 'clip', formats: [{ url: 'https://a.com/1.mp4' }], duration: 5 },
    ]
    const ytdlp = {
      ...deps.ytdlp,
      metadata: async () => ({
        info: { _type: 'playlist', title: 'Post', entries },
        noMedia: new Problem('no_videos_found', 'nothing there'),
      }),
    }
    const source = await resolveSource(
      site.url('/page-empty'),
      { ...deps, ytdlp },
      { folder: deps.folder(), signal },
    )
    expect(source.carousel).toEqual({ total_items: 2, video_count: 1, image_count: 1 })
    expect(selectItems(source, { index: undefined, all: false }).map(({ index }) => index)).toEqual([2])
    expect(() => selectItems(source, { index: 1, all: false })).toThrow('image')
    entries.pop()
    const images = resolveSource(
      site.url('/page-empty'),
      { ...deps, ytdlp },
      { folder: deps.folder(), signal },
    )
    expect(await codeOf(images)).toBe('no_videos_found')
  })
})

test('a media file that is too long for the request is refused', async () => {
  const item = only(await resolve('/tone.mp3'))
  const folder = deps.folder()
  expect(await codeOf(downloadItem(item, deps, { folder, signal, maxS: 1 }))).toBe('video_too_long')
  expect(readdirSync(folder)).toEqual([])
  expect(existsSync(folder)).toBe(true)
})
