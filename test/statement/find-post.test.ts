// The ways to a post: the lightest that works is taken, and what each does not tell is said.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { App } from '../../src/app.ts'
import { Problem } from '../../src/lib/problem.ts'
import { getPost } from '../../src/statement/find-post.ts'
import type { Post } from '../../src/statement/post.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { X_POSTS } from '../support/platforms/x.ts'
import { X_CLAIMS } from '../support/platforms/x-posts.ts'
import { findChromium } from '../../src/engines/browser.ts'

setDefaultTimeout(60_000)

const signal = new AbortController().signal
let site: PlatformSite
let testApp: TestApp

beforeAll(async () => {
  site = await startPlatformSite()
  testApp = await createTestApp({ ...site.env, EARSHOT_SITE_PAUSE_S: '0.1' })
})
afterAll(async () => {
  await testApp.close()
  await site.stop()
})

const get = (id: string): Promise<Post> => getPost(testApp.app, { id, signal })

/** As on a machine that has no browser. */
function getWithoutBrowser(id: string): Promise<Post> {
  const { engines, fetcher } = testApp.app
  const browser: App['engines']['browser'] = {
    path: undefined,
    session: () => Promise.reject(new Error('there is no browser')),
  }
  return getPost({ engines: { ...engines, browser }, fetcher }, { id, signal })
}

const problemOf = async (post: Promise<Post>): Promise<unknown> => {
  const error: unknown = await post.catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Problem)
  return error
}

test('a post that visitors cannot have is no passing fault: nobody asks again', async () => {
  const error = await problemOf(get(X_CLAIMS.withheld))
  expect(error).toMatchObject({ code: 'upstream_failed', temporary: false })
})

test('a site that limits is asked once more after a pause, and is a passing fault', async () => {
  const before = site.requests.length
  const error = await problemOf(getWithoutBrowser(X_POSTS.limited))
  expect(error).toMatchObject({ code: 'upstream_failed', temporary: true })
  const asked = site.requests.slice(before).filter((request) => request.includes('cdn.syndication'))
  // By ourselves, and by yt-dlp, which asks there too.
  expect(asked.length).toBe(2 + 2)
})

test('without a browser a long post is cut, and says so', async () => {
  const post = await getWithoutBrowser(X_CLAIMS.long)
  expect(post.text).toHaveLength(275)
  expect(post.note).toContain('cut')
})

test('whoever gives up while the site is asked ends it', async () => {
  const controller = new AbortController()
  const before = site.requests.length
  const asked = getPost(testApp.app, { id: X_CLAIMS.silent, signal: controller.signal })
  while (site.requests.length === before) await Bun.sleep(10)
  controller.abort(new Error('enough'))
  expect(await asked.catch((error: unknown) => String(error))).toBe('Error: enough')
})

const settings = { chromiumPath: undefined, extraCa: undefined }
const chromium = findChromium(settings)
if (chromium === undefined) console.log('No Chromium on this machine: posts are not read through it.')

test.skipIf(chromium === undefined)(
  'a browser reads what only pages are given, and long posts whole',
  async () => {
    expect(await get(X_CLAIMS.page)).toMatchObject({
      text: 'Only browsers see me.',
      via: 'browser',
      author: 'Some One',
      publishedAt: '2024-01-10T12:00:00.000Z',
    })
    const long = await get(X_CLAIMS.long)
    expect(long.text).toEndWith('That is the end.')
    expect(long).toMatchObject({ via: 'browser', note: null })
  },
)
