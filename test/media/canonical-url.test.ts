// Many spellings, one video – and never one spelling for two.

import { describe, expect, test } from 'bun:test'
import { canonicalUrl, withoutItemIndex } from '../../src/media/canonical-url.ts'

const SAME: Readonly<Record<string, readonly string[]>> = {
  'https://www.youtube.com/watch?v=dQw4w9WgXcQ': [
    'https://youtu.be/dQw4w9WgXcQ?si=abc',
    'https://m.youtube.com/watch?v=dQw4w9WgXcQ&t=30s',
    'http://youtube.com/watch?list=PL1&v=dQw4w9WgXcQ#x',
    'https://www.youtube.com/shorts/dQw4w9WgXcQ',
    'https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?autoplay=1',
    'https://music.youtube.com/watch?v=dQw4w9WgXcQ&feature=share',
    'https://www.youtube.com/live/dQw4w9WgXcQ',
  ],
  'https://x.com/i/status/123': [
    'https://twitter.com/someone/status/123?s=20',
    'https://mobile.twitter.com/someone/status/123',
    'https://x.com/Someone/status/123?t=a&s=1',
    'https://x.com/i/web/status/123',
  ],
  'https://www.instagram.com/p/Cabc_1-x/': [
    'https://instagram.com/reel/Cabc_1-x/?igsh=zz',
    'https://www.instagram.com/someone/p/Cabc_1-x?img_index=2',
    'https://www.instagram.com/reels/Cabc_1-x/',
  ],
  'https://www.tiktok.com/@a.b/video/77': [
    'https://m.tiktok.com/@a.b/video/77?lang=en',
    'https://www.tiktok.com/@a.b/video/77',
  ],
  'https://example.com/v?a=1&b=2': [
    'https://EXAMPLE.com:443/v?b=2&a=1#t=5',
    'https://example.com/v?a=1&utm_source=x&b=2&fbclid=y',
    ' https://example.com./v?a=1&b=2&img_index=3',
  ],
}

for (const [canonical, spellings] of Object.entries(SAME)) {
  describe(canonical, () => {
    for (const spelling of [canonical, ...spellings]) {
      test(spelling, () => expect(canonicalUrl(spelling)).toBe(canonical))
    }
  })
}

test('different videos stay different', () => {
  const urls = [
    'https://example.com/v?id=1',
    'https://example.com/v?id=2',
    'https://example.com/V?id=1',
    'http://example.com/v?id=1',
    'https://example.com:8443/v?id=1',
    'https://www.youtube.com/watch?v=dQw4w9WgXcQ',
    'https://www.youtube.com/watch?v=dQw4w9WgXcR',
    'https://www.youtube.com/@channel',
    'https://www.youtube.com/playlist?list=PL1',
    'https://x.com/a/status/1',
    'https://x.com/a/status/1/video/2',
    'https://www.tiktok.com/@a/video/1',
    'https://www.tiktok.com/@b/video/1',
  ]
  expect(new Set(urls.map(canonicalUrl)).size).toBe(urls.length)
})

test('the item index is no part of the post', () => {
  expect(withoutItemIndex('https://a.com/p/1/?img_index=2&x=1')).toBe('https://a.com/p/1/?x=1')
  expect(withoutItemIndex('https://a.com/p/1?b=%20')).toBe('https://a.com/p/1?b=%20')
})
