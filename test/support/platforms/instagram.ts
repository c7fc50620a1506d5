// Instagram, as yt-dlp's extractor reads one post: a carousel of an image and two videos.

import { html, type Platform, scriptJson } from './platform.ts'

function post(): Response {
  const item = (index: number): Record<string, unknown> => ({
    pk: `90${index}`,
    code: `C${index}`,
    video_versions:
      index === 1 ? null : [{ id: `v${index}`, url: 'https://scontent.cdninstagram.com/v.mp4' }],
    image_versions2: {
      candidates: [{ url: 'https://scontent.cdninstagram.com/i.jpg', width: 1, height: 1 }],
    },
    video_duration: 2,
  })
  const media = {
    pk: '900',
    code: 'CARO',
    caption: { text: 'A carousel' },
    user: { username: 'someone', full_name: 'Some One', pk: '5' },
    taken_at: 1_700_000_000,
    like_count: 3,
    carousel_media: [item(1), item(2), item(3)],
  }
  const data = { xig_polaris_media: { if_not_gated_logged_out: media } }
  const cache = ['RelayPrefetchedStreamCache', 'next', [], ['k', { __bbox: { result: { data } } }]]
  const page = { require: [['x', 'y', [{ __bbox: { require: [cache] } }]]] }
  return html(`<script type="application/json" data-sjs>${scriptJson(page)}</script>`)
}

export const instagram: Platform = {
  hosts: ['www.instagram.com', 'i.instagram.com', 'scontent.cdninstagram.com'],
  answer({ pathname }) {
    if (pathname.startsWith('/p/')) return post()
    if (pathname.includes('get_ruling')) return Response.json({ status: 'ok' })
    if (pathname === '/') return html('<script id="__eqmc" type="application/json">{"l":"T"}</script>')
    return undefined
  },
}
