// A site without an extractor of its own, through the real yt-dlp: its pages, its walls, and the operator's log-in.

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { Problem, type ProblemCode } from '../../src/lib/problem.ts'
import { downloadItem } from '../../src/media/download.ts'
import { resolveSource, selectItems, type Source } from '../../src/media/source.ts'
import { temporaryFolder } from '../support/make-media.ts'
import { createMediaDeps, type TestMedia } from '../support/media-deps.ts'
import { startPlatformSite } from '../support/platform-site.ts'
import { PORTAL_COOKIE, portalCookieFile, portalUrl } from '../support/platforms/portal.ts'

setDefaultTimeout(120_000)

const site = await startPlatformSite()
const folder = temporaryFolder()
const cookiePath = folder.file('portal.txt')
await Bun.write(cookiePath, portalCookieFile())
const visitor = await createMediaDeps(site.env)
const member = await createMediaDeps({
  ...site.env,
  EARSHOT_SITE_COOKIES: `videos.example.com=${cookiePath}`,
})
const signal = new AbortController().signal
afterAll(async () => {
  await visitor.close()
  await member.close()
  await site.stop()
  folder.remove()
})

const resolve = (path: string, deps: TestMedia = visitor): Promise<Source> =>
  resolveSource(portalUrl(path), deps, { folder: deps.folder(), signal })

async function download(source: Source, deps: TestMedia = visitor) {
  const [item] = selectItems(source, { index: undefined, all: false })
  if (!item) throw new Error('no item')
  return await downloadItem(item, deps, { folder: deps.folder(), signal })
}

describe('pages', () => {
  test.concurrent('Open Graph', async () => {
    const source = await resolve('og/1')
    expect(source.videoInfo.title).toBe('A film in Open Graph')
    expect((await download(source)).probe.hasAudio).toBe(true)
  })

  test.concurrent('JSON-LD', async () => {
    const source = await resolve('jsonld/1')
    expect(source.videoInfo).toMatchObject({
      title: 'A film in JSON-LD',
      description: 'About something',
      duration: 2,
      published_date: '2026-03-01T10:00:00.000Z',
    })
    expect((await download(source)).probe.hasAudio).toBe(true)
  })

  test.concurrent('a stream in HLS, with captions', async () => {
    expect((await resolve('hls/master.m3u8')).videoInfo.available_languages).toEqual(['en'])
    const source = await resolve('hls/1')
    expect((await download(source)).probe.hasAudio).toBe(true)
  })

  test.concurrent('a page with several videos is a post with several items; with too many it is a playlist', async () => {
    expect((await resolve('list/3')).carousel).toMatchObject({ total_items: 3, video_count: 3 })
    expect(await resolve('list/25').catch((error: unknown) => error)).toMatchObject({
      code: 'unsupported_url',
    })
  })

  test.concurrent('one that is slow, and one that says at first that it is busy', async () => {
    expect((await resolve('slow/1')).videoInfo.title).toStartWith('Slow')
    expect((await resolve(`busy/${crypto.randomUUID()}`)).videoInfo.title).toStartWith('Busy')
  })
})

describe('walls', () => {
  const walls: Readonly<Record<string, readonly [ProblemCode, boolean]>> = {
    'members/1': ['content_restricted', false],
    'adult/1': ['content_restricted', false],
    'private/1': ['content_restricted', false],
    'abroad/1': ['geo_restricted', false],
    'robot/1': ['metadata_fetch_failed', true],
    'always-busy/1': ['metadata_fetch_failed', true],
    'trouble/1': ['metadata_fetch_failed', true],
    'broken/1': ['metadata_fetch_failed', true],
    'gone/1': ['video_not_found', false],
    'empty/1': ['no_videos_found', false],
  }
  for (const [path, [code, temporary]] of Object.entries(walls)) {
    test.concurrent(`${path} is ${code}`, async () => {
      const error: unknown = await resolve(path).catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(Problem)
      expect(error).toMatchObject({ code, temporary })
    })
  }
})

describe("the operator's log-in", () => {
  test('opens the wall, for the media too, and is gone when the program has ended', async () => {
    const source = await resolve('members/1', member)
    expect(source.videoInfo.title).toStartWith('For members')
    expect((await download(source, member)).probe.hasAudio).toBe(true)
    expect(await Bun.file(cookiePath).text()).toBe(portalCookieFile())
    const copies = `${member.dataDir}/cache/cookies`
    while (readdirSync(copies).length > 0) await Bun.sleep(10)
  })

  test('is not taken along to another site, and only what belongs to its site is taken at all', async () => {
    const before = site.cookies.length
    expect((await resolve('away/1', member)).videoInfo.title).toStartWith('A partner')
    const sent = site.cookies.slice(before)
    expect(sent.filter((line) => !line.includes('videos.example.com'))).toEqual([])
    expect(sent.join()).toContain(PORTAL_COOKIE.value)
    expect(site.cookies.join()).not.toContain('a-hushhush')
    expect(site.cookies.join()).not.toContain('p-hushhush')
  })
})
