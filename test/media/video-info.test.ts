// yt-dlp's JSON → the API's video_info. Extractors fill in what they like, so every field may be anything.

import { expect, test } from 'bun:test'
import { asYtdlpInfo, videoInfoOf, videoInfoOfFile, type YtdlpInfo } from '../../src/media/video-info.ts'

const infoOf = (value: unknown): YtdlpInfo => {
  const info = asYtdlpInfo(value)
  if (!info) throw new Error('not an object')
  return info
}

test('every known field arrives', () => {
  const info = infoOf({
    title: 'A talk',
    description: 'About things',
    thumbnails: [{ url: 'https://a.com/small.jpg' }, { url: 'https://a.com/large.jpg' }],
    webpage_url: 'https://a.com/watch/1',
    uploader: 'Someone',
    uploader_url: 'https://a.com/someone',
    duration: 61.23456,
    view_count: 1_000,
    like_count: 10,
    timestamp: 1_700_000_000,
    categories: ['Education', 'Science'],
    tags: ['a', 'b'],
    language: 'en',
    subtitles: { en: [], de: [], live_chat: [] },
  })
  expect(videoInfoOf(info, 'https://asked.com/')).toEqual({
    title: 'A talk',
    description: 'About things',
    thumbnail: 'https://a.com/large.jpg',
    url: 'https://a.com/watch/1',
    channel: 'Someone',
    channel_url: 'https://a.com/someone',
    duration: 61.235,
    views: 1_000,
    likes: 10,
    published_date: '2023-11-14T22:13:20.000Z',
    category: 'Education',
    keywords: ['a', 'b'],
    selected_language: 'en',
    available_languages: ['en', 'de'],
  })
})

test('what is unknown or nonsense is null, and never throws', () => {
  const nothing = videoInfoOf(infoOf({}), 'https://asked.com/')
  expect(nothing).toMatchObject({ title: null, duration: null, keywords: null, url: 'https://asked.com/' })
  const odd = infoOf({
    title: ['x'],
    thumbnails: [null],
    webpage_url: 'javascript:alert(1)',
    duration: -1,
    view_count: '12',
    timestamp: 1e300,
    upload_date: 'yesterday',
    categories: 'one',
    tags: [1, 'ok', null],
    subtitles: 'none',
    automatic_captions: { 'en-orig': [], fr: [], de: [] },
  })
  expect(videoInfoOf(odd, 'https://asked.com/')).toMatchObject({
    title: null,
    thumbnail: null,
    url: 'https://asked.com/',
    duration: null,
    views: null,
    published_date: null,
    category: null,
    keywords: ['ok'],
    available_languages: ['en'],
  })
  expect(videoInfoOf(infoOf({ upload_date: '20240229' }), 'x').published_date).toBe(
    '2024-02-29T00:00:00.000Z',
  )
  for (const value of [null, 'text', 3, [], undefined]) expect(asYtdlpInfo(value)).toBeUndefined()
})

test('a plain file is called by its tags, or else by its name', () => {
  const probe = {
    durationS: 2.00049,
    formatNames: ['mp3'],
    hasAudio: true,
    hasVideo: false,
    audioCodec: 'mp3',
    title: undefined,
    artist: 'Someone',
    createdAt: Date.UTC(2024, 0, 2),
  }
  expect(videoInfoOfFile('https://a.com/x/my%20talk.mp3?y', probe)).toMatchObject({
    title: 'my talk.mp3',
    channel: 'Someone',
    duration: 2,
    published_date: '2024-01-02T00:00:00.000Z',
  })
  expect(videoInfoOfFile('https://a.com/%ZZ.mp3', { ...probe, title: 'Tagged' }).title).toBe('Tagged')
})
