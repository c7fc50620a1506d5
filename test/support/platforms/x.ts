// X, as yt-dlp's extractor, embedding pages and its own pages read it: the guest token, the GraphQL answer for one post, the
// syndication service, and a page whose script asks for the post. Posts that are read for their words are in x-posts.ts.

import { html, type Platform, silence } from './platform.ts'
import { interfaceOf, recordingOf, syndicationOf } from './x-posts.ts'

/** Post ids and what they hold. */
export const X_POSTS = {
  one: '111',
  two: '222',
  text: '333',
  nsfw: '444',
  guarded: '555',
  gone: '666',
  limited: '777',
}

const clip = (id: number): Record<string, unknown> => ({
  id_str: String(900 + id),
  type: 'video',
  media_url_https: 'https://pbs.twimg.com/x.jpg',
  sizes: { small: { w: 160, h: 120 } },
  original_info: { width: 160, height: 120 },
  video_info: {
    duration_millis: 2_000,
    variants: [
      { content_type: 'video/mp4', bitrate: 100_000, url: `https://video.twimg.com/vid/160x120/${id}.mp4` },
    ],
  },
})

function tweet(id: string): Record<string, unknown> {
  const clips = id === X_POSTS.text ? [] : id === X_POSTS.two ? [clip(1), clip(2)] : [clip(1)]
  const user = { id_str: '42', name: 'Some One', screen_name: 'someone' }
  const legacy = {
    id_str: id,
    created_at: 'Wed Jan 10 12:00:00 +0000 2024',
    full_text: 'A claim',
    favorite_count: 7,
    entities: { hashtags: [{ text: 'claim' }], urls: [] },
    ...(clips.length === 0 ? {} : { extended_entities: { media: clips } }),
  }
  const core = { user_results: { result: { legacy: user } } }
  return { __typename: 'Tweet', rest_id: id, legacy, views: { count: '99' }, core }
}

function post(url: URL): Response {
  const { tweetId = '' } = JSON.parse(url.searchParams.get('variables') ?? '{}') as { tweetId?: string }
  if (tweetId === X_POSTS.limited) return new Response('{}', { status: 429 })
  const refusal = { [X_POSTS.nsfw]: 'NsfwLoggedOut', [X_POSTS.guarded]: 'Protected' }[tweetId]
  const refused = { __typename: 'TweetUnavailable', reason: refusal }
  const result = tweetId === X_POSTS.gone ? undefined : refusal === undefined ? tweet(tweetId) : refused
  return Response.json({ data: { tweetResult: { result } } })
}

/** The header stands for what the scripts of the real pages sign their requests with. */
const PAGE_SCRIPT = `
const tweetId = location.pathname.split('/').at(-1)
const variables = encodeURIComponent(JSON.stringify({ tweetId }))
fetch('/i/api/graphql/x/TweetResultByRestId?variables=' + variables, { headers: { 'x-client-transaction-id': '1' } })`

function pageOrInterface(url: URL, request: Request): Response | Promise<Response> {
  if (!url.pathname.startsWith('/i/api/graphql/'))
    return html(`<!doctype html><title>X</title><script>${PAGE_SCRIPT}</script>`)
  const { tweetId = '' } = JSON.parse(url.searchParams.get('variables') ?? '{}') as { tweetId?: string }
  const known = interfaceOf(tweetId, request.headers.has('x-client-transaction-id'))
  if (known === 'silence') return silence(request)
  return known ?? post(url)
}

export const x: Platform = {
  hosts: ['x.com', 'api.x.com', 'video.twimg.com', 'cdn.syndication.twimg.com'],
  answer(url, request) {
    if (url.hostname === 'api.x.com') return Response.json({ guest_token: '1' })
    if (url.hostname === 'x.com') return pageOrInterface(url, request)
    if (url.hostname === 'video.twimg.com') return recordingOf(url.pathname.split('/').at(-1) ?? '')
    // yt-dlp's second way to a post when the first is limited, and our first.
    const id = url.searchParams.get('id') ?? ''
    if (id === X_POSTS.gone) return new Response('', { status: 404 })
    const embedded = syndicationOf(id)
    return embedded === 'silence' ? silence(request) : (embedded ?? new Response('{}', { status: 429 }))
  },
}
