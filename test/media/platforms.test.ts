// Posts of big platforms through yt-dlp's own extractors, against a stand-in for the sites.

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Problem } from '../../src/lib/problem.ts'
import { downloadItem } from '../../src/media/download.ts'
import { resolveSource, selectItems, type Source } from '../../src/media/source.ts'
import { createMediaDeps } from '../support/media-deps.ts'
import { startPlatformSite } from '../support/platform-site.ts'
import { TIKTOK_REFUSED, tiktokUrl } from '../support/platforms/tiktok.ts'
import { X_POSTS } from '../support/platforms/x.ts'
import { type YOUTUBE, youtubeUrl } from '../support/platforms/youtube.ts'

setDefaultTimeout(60_000)

async function problemAt(url: string): Promise<unknown> {
  const error: unknown = await resolve(url).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Problem)
  return error
}

const site = await startPlatformSite()
const deps = await createMediaDeps(site.env)
const signal = new AbortController().signal
afterAll(async () => {
  await deps.close()
  await site.stop()
})

const resolve = (url: string): Promise<Source> => resolveSource(url, deps, { folder: deps.folder(), signal })
const post = (id: string): string => `https://x.com/someone/status/${id}`

describe('X', () => {
  test('a post with one video', async () => {
    const source = await resolve(post(X_POSTS.one))
    expect(source.carousel).toBeUndefined()
    expect(source.videoInfo).toMatchObject({ channel: 'Some One', duration: 2, likes: 7, views: 99 })
    const [item] = selectItems(source, { index: undefined, all: false })
    if (!item) throw new Error('no item')
    const media = await downloadItem(item, deps, { folder: deps.folder(), signal })
    expect(media.probe.hasAudio).toBe(true)
  })

  test('a post with two videos is a carousel', async () => {
    const source = await resolve(post(X_POSTS.two))
    expect(source.carousel).toEqual({ total_items: 2, video_count: 2, image_count: 0 })
    const [item] = selectItems(source, { index: 2, all: false })
    if (!item) throw new Error('no item')
    expect(item.videoInfo.carousel_info?.selected_index).toBe(2)
    expect((await downloadItem(item, deps, { folder: deps.folder(), signal })).probe.hasVideo).toBe(true)
  })

  const refusals: readonly (readonly [keyof typeof X_POSTS, string, boolean])[] = [
    ['text', 'no_videos_found', false],
    ['nsfw', 'content_restricted', false],
    ['guarded', 'content_restricted', false],
    ['gone', 'no_videos_found', false],
    ['limited', 'metadata_fetch_failed', true],
  ]
  for (const [name, code, temporary] of refusals) {
    test(`a post that is ${name} is ${code}`, async () => {
      expect(await problemAt(post(X_POSTS[name]))).toMatchObject({ code, temporary })
    })
  }
})

test('an Instagram carousel counts images, and its videos can be had one by one', async () => {
  const source = await resolve('https://www.instagram.com/p/CARO/?img_index=3')
  expect(source.carousel).toEqual({ total_items: 3, video_count: 2, image_count: 1 })
  expect(selectItems(source, { index: undefined, all: true }).map(({ index }) => index)).toEqual([2, 3])
  expect(() => selectItems(source, { index: 1, all: false })).toThrow('image')
  const [item] = selectItems(source, { index: 3, all: false })
  if (!item) throw new Error('no item')
  expect((await downloadItem(item, deps, { folder: deps.folder(), signal })).videoInfo.duration).toBe(2)
})

describe('YouTube', () => {
  test('a video, with the languages of its captions', async () => {
    const source = await resolve(youtubeUrl('both'))
    expect(source.videoInfo).toMatchObject({
      channel: 'A Channel',
      category: 'Education',
      keywords: ['one', 'two'],
      available_languages: ['en', 'de'],
      published_date: '2025-03-01T00:00:00.000Z',
    })
    const [item] = selectItems(source, { index: undefined, all: false })
    if (!item) throw new Error('no item')
    expect((await downloadItem(item, deps, { folder: deps.folder(), signal })).probe.hasAudio).toBe(true)
  })

  const refusals: readonly (readonly [keyof typeof YOUTUBE, string])[] = [
    ['ageGate', 'content_restricted'],
    ['private', 'content_restricted'],
    ['members', 'content_restricted'],
    ['geo', 'geo_restricted'],
    ['removed', 'video_not_found'],
    ['bot', 'metadata_fetch_failed'],
    ['captcha', 'metadata_fetch_failed'],
    ['limited', 'metadata_fetch_failed'],
    ['upcoming', 'video_unavailable'],
    ['riddle', 'metadata_fetch_failed'],
  ]
  for (const [name, code] of refusals) {
    test(`a video behind "${name}" is ${code}`, async () => {
      expect(await problemAt(youtubeUrl(name))).toMatchObject({ code })
    })
  }

  test('a playlist is no video', async () => {
    const error = await problemAt('https://www.youtube.com/playlist?list=PL1')
    expect(error).toMatchObject({ code: 'unsupported_url' })
  })
})

describe('TikTok', () => {
  test('a video', async () => {
    const source = await resolve(tiktokUrl(3))
    expect(source.videoInfo).toMatchObject({ title: 'clip number 3 #claim', channel: 'Cheese Fan', likes: 3 })
  })

  const refusals = { geo: 'geo_restricted', private: 'content_restricted', removed: 'video_unavailable' }
  for (const [name, code] of Object.entries(refusals)) {
    test(`a video that is ${name} is ${code}`, async () => {
      const index = TIKTOK_REFUSED[name as keyof typeof TIKTOK_REFUSED]
      expect(await problemAt(tiktokUrl(index))).toMatchObject({ code })
    })
  }
})
