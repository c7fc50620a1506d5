// What X's services write → a post: odd texts, odd shapes, and nothing that a stranger could make us trip over.

import { describe, expect, test } from 'bun:test'
import { graphqlOutcome } from '../../src/statement/x-graphql.ts'
import { clean, plainPost, type StatusParts } from '../../src/statement/x-status.ts'

const PARTS: StatusParts = {
  id: '20',
  text: 'words',
  shownFrom: 0,
  entities: {},
  media: [],
  user: { name: 'Some One', screen_name: 'someone' },
  createdAt: '2024-01-10T12:00:00.000Z',
  card: new Map(),
  quotedId: '',
}
const textOf = (parts: Partial<StatusParts>): string => plainPost({ ...PARTS, ...parts }).text

const result = (more: object = {}): object => ({
  __typename: 'Tweet',
  rest_id: '20',
  legacy: { full_text: 'words', created_at: 'Wed Jan 10 12:00:00 +0000 2024', ...more },
  core: { user_results: { result: { core: { name: 'Some One', screen_name: 'someone' } } } },
})

describe('the text of a post', () => {
  test('has its links in full, but not those to its media and to what it quotes', () => {
    const text = 'See https://t.co/a and https://t.co/q https://t.co/m'
    const entities = {
      media: [{ url: 'https://t.co/m' }],
      urls: [
        { url: 'https://t.co/a', expanded_url: 'https://example.com/$&?a=1&b=2' },
        { url: 'https://t.co/q', expanded_url: 'https://x.com/b/status/7' },
        { url: 'See', expanded_url: 'nonsense' },
      ],
    }
    expect(textOf({ text, entities, quotedId: '7' })).toBe('See https://example.com/$&?a=1&b=2 and')
  })

  test('begins behind the names that it answers to, whatever number says where', () => {
    expect(textOf({ text: '@a @b yes', shownFrom: 6 })).toBe('yes')
    expect(textOf({ text: 'No way @b', shownFrom: 6 })).toBe('No way @b')
    for (const shownFrom of [-1, 1e9, Number.NaN, '3', null]) {
      expect(textOf({ text: 'No way', shownFrom })).toBe('No way')
    }
  })

  test('is unescaped once and has no characters that nobody sees', () => {
    expect(textOf({ text: 'a &amp;lt; b &gt; c' })).toBe('a &lt; b > c')
    expect(clean('a\u0000\u202Eb\uD800  c \n\n\n\n d\t')).toBe('a b\uFFFD c\n\n d')
  })
})

test('media of other kinds and shapes are left out; of a video the smallest file is taken', () => {
  const variants = [
    { content_type: 'application/x-mpegURL', url: 'https://video.example.com/a.m3u8' },
    { bitrate: 9, url: 'https://video.example.com/large.mp4?tag=1' },
    { bitrate: 2, url: 'https://video.example.com/small.mp4' },
    { bitrate: 1, url: 'file:///private.mp4' },
    { bitrate: 0, url: 7 },
  ]
  const media = [
    { type: 'video', video_info: { duration_millis: 1_500, variants }, ext_alt_text: 'a &lt;b&gt;' },
    { type: 'video', video_info: { duration_millis: -1, variants: 'none' } },
    { type: 'constructor' },
    { type: '__proto__' },
    null,
    7,
    { type: 'photo', ext_alt_text: 7 },
  ]
  expect(plainPost({ ...PARTS, media }).media).toEqual([
    { kind: 'video', description: 'a <b>', durationS: 1.5, url: 'https://video.example.com/small.mp4' },
    { kind: 'video', description: null, durationS: null, url: null },
    { kind: 'image', description: null, durationS: null, url: null },
  ])
})

describe('an answer of the interface', () => {
  const outcome = (value: unknown) => graphqlOutcome('20', JSON.stringify(value))
  const single = (value: unknown) => outcome({ data: { tweetResult: { result: value } } })

  test('is a post, also with a remark of the site, repeated by another, or in a conversation', () => {
    const entry = { entryId: 'tweet-20', content: { itemContent: { tweet_results: { result: result() } } } }
    const conversation = { instructions: [{}, { entries: [{ entryId: 'tweet-19' }, entry] }] }
    for (const found of [
      single(result()),
      single({ __typename: 'TweetWithVisibilityResults', tweet: result() }),
      single(result({ full_text: 'RT @a: wor…', retweeted_status_result: { result: result() } })),
      outcome({ data: { threaded_conversation_with_injections_v2: conversation } }),
    ]) {
      expect(found).toMatchObject({ post: { id: '20', text: 'words', username: 'someone', via: 'browser' } })
    }
  })

  test('that says there is none is believed; anything else is a failure', () => {
    expect(single(undefined)).toHaveProperty('absent')
    expect(single({ __typename: 'TweetUnavailable', reason: 'Protected' })).toHaveProperty('absent')
    expect(single({ __typename: 'TweetTombstone', tombstone: {} })).toHaveProperty('absent')
    for (const value of [null, 7, [], {}, { data: null }, { errors: [{ message: 'no' }] }]) {
      expect(outcome(value)).toHaveProperty('failed')
    }
    for (const value of [{}, 7, { legacy: { full_text: 7 } }]) expect(single(value)).toHaveProperty('failed')
    expect(graphqlOutcome('20', '<html>')).toHaveProperty('failed')
  })
})
