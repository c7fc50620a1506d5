// TikTok, as yt-dlp's extractors read it: profile pages, the list of a profile's videos in pages of 15, video pages with
// captions, and the ways in which all of them refuse.

import { html, type Platform, scriptJson, silence } from './platform.ts'
import { tiktokSearch } from './tiktok-search.ts'

export const TIKTOK_PAGE = 15

/** The newest video of a profile; the others are a day older each. */
export const TIKTOK_NEWEST_S = Date.UTC(2026, 0, 20, 12) / 1_000
const DAY_S = 86_400
const FIRST_ID = 7_300_000_000_000_000_000n

/** How many videos each profile shows. */
const PROFILES: Readonly<Record<string, number>> = {
  thousand: 1_000,
  forty: 40,
  pinned: 40,
  empty: 0,
  closed: 40,
  limited: 40,
  slow: 40,
  broken: 40,
  interrupted: 40,
}

const secUidOf = (name: string): string => `MS4wLjABAAAA${name.padEnd(64, 'a')}`
const nameOf = (secUid: string): string =>
  Object.keys(PROFILES).find((name) => secUidOf(name) === secUid) ?? ''

/** Video number `index` of a profile, 0 being the newest. */
export function tiktokVideo(index: number): Record<string, unknown> {
  return {
    id: String(FIRST_ID + BigInt(index)),
    desc: `clip number ${index} #claim`,
    createTime: TIKTOK_NEWEST_S - index * DAY_S,
    author: { id: '1', uniqueId: 'cheesefan', nickname: 'Cheese Fan', secUid: secUidOf('thousand') },
    music: { title: 'original sound', authorName: 'Cheese Fan, Friend', duration: 30 },
    video: {
      duration: 2,
      cover: 'https://p16.tiktokcdn.com/c.jpg',
      width: 160,
      height: 120,
      format: 'mp4',
      playAddr: 'https://v16.tiktokcdn.com/v.mp4',
      subtitleInfos: [
        { Url: 'https://v16.tiktokcdn.com/eng-US.vtt', LanguageCodeName: 'eng-US', Format: 'webvtt' },
      ],
    },
    // Likes fall and rise again, so that filters meet both.
    stats: {
      playCount: 1_000 + index,
      diggCount: index % 100,
      shareCount: 5,
      commentCount: 6,
      collectCount: 1,
    },
  }
}

const universalData = (scope: object): Response =>
  html(
    `<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">${scriptJson({ __DEFAULT_SCOPE__: scope })}</script>`,
  )

function profilePage(name: string): Response {
  if (name === 'private') return universalData({ 'webapp.user-detail': { statusCode: 10_222 } })
  if (name === 'captcha') return html('<title>Security Check</title><p>Please wait...</p>')
  const count = PROFILES[name]
  if (count === undefined) return html('not here', 404)
  const userInfo = { user: { secUid: secUidOf(name) }, stats: { videoCount: count }, itemList: [] }
  return universalData({ 'webapp.user-detail': { statusCode: 0, userInfo } })
}

/** Pages go from new to old; `cursor` is the time (ms) before which to begin. */
function itemList(url: URL, request: Request): Response | Promise<Response> {
  const name = nameOf(url.searchParams.get('secUid') ?? '')
  const beforeS = Number(url.searchParams.get('cursor')) / 1_000
  const first = beforeS > TIKTOK_NEWEST_S
  if (name === 'limited') return new Response('{}', { status: 429 })
  if (name === 'slow') return silence(request)
  if (name === 'broken') return new Response('{"itemList":[{"id":"1"', { status: 200 })
  if (name === 'closed') return Response.json({ itemList: [], hasMorePrevious: true })
  if (name === 'interrupted' && !first) return new Response('', { status: 500 })
  const all = Array.from({ length: PROFILES[name] ?? 0 }, (_, index) => tiktokVideo(index))
  const left = all.filter(({ createTime }) => Number(createTime) < beforeS)
  // A profile may pin old videos; they come first, on the first page only.
  const pinned = name === 'pinned' && first ? [tiktokVideo(38), tiktokVideo(37)] : []
  const page = [...pinned, ...left.slice(0, TIKTOK_PAGE - pinned.length)]
  return Response.json({ itemList: page, hasMorePrevious: left.length > TIKTOK_PAGE - pinned.length })
}

/** Video indexes whose pages refuse, and the status TikTok gives for it. */
const REFUSALS: Readonly<Record<number, number>> = { 900: 10_204, 901: 10_216, 902: 10_231 }

export const TIKTOK_REFUSED = { geo: 900, private: 901, removed: 902 }

function videoPage(id: string): Response {
  const index = Number(BigInt(id) - FIRST_ID)
  const statusCode = REFUSALS[index] ?? 0
  if (statusCode !== 0) return universalData({ 'webapp.video-detail': { statusCode } })
  const itemInfo = { itemStruct: tiktokVideo(index) }
  return universalData({ 'webapp.video-detail': { statusCode, itemInfo } })
}

const CAPTIONS = `WEBVTT

00:00:00.120 --> 00:00:01.000
a clip about cheese

00:00:01.000 --> 00:00:01.900
and its friends
`

export const tiktok: Platform = {
  hosts: ['www.tiktok.com', 'v16.tiktokcdn.com', 'p16.tiktokcdn.com'],
  answer(url, request) {
    const { pathname } = url
    if (pathname.endsWith('.vtt')) return new Response(CAPTIONS, { headers: { 'content-type': 'text/vtt' } })
    if (url.hostname !== 'www.tiktok.com') return undefined
    if (pathname === '/api/creator/item_list/') return itemList(url, request)
    const search = tiktokSearch(url, request)
    if (search) return search
    const video = /^\/@[\w.]+\/video\/(\d+)/.exec(pathname)?.[1]
    if (video !== undefined) return videoPage(video)
    const name = /^\/@([\w.]+)\/?$/.exec(pathname)?.[1]
    return name === undefined ? undefined : profilePage(name)
  },
}

export const tiktokUrl = (index: number): string =>
  `https://www.tiktok.com/@cheesefan/video/${FIRST_ID + BigInt(index)}`
