// YouTube, as yt-dlp's extractors read it without a JavaScript runtime: the watch page, the player API, caption files, a
// playlist, and the ways in which videos are refused.

import { youtubeCaptions } from './youtube-captions.ts'
import { channelPage, findTopic, searchAnswer, TOPICS } from './youtube-channels.ts'
import { html, type Platform, scriptJson, silence } from './platform.ts'

/** Video ids (eleven characters) and what they are. */
export const YOUTUBE = {
  /** Manual captions in English and German, automatic ones in English. */
  both: 'captionsBOT',
  /** Automatic captions in English only. */
  automatic: 'captionsAUT',
  none: 'captionsNON',
  /** Its addresses hold a riddle that only the player's own script can solve. */
  riddle: 'captionsNCH',
  ageGate: 'refusedAGE_',
  geo: 'refusedGEO_',
  bot: 'refusedBOT_',
  private: 'refusedPRIV',
  members: 'refusedMEMB',
  removed: 'refusedGONE',
  captcha: 'refusedCAPT',
  limited: 'refusedLIMI',
  upcoming: 'refusedSOON',
} as const

interface Refusal {
  readonly status: string
  readonly reason: string
  readonly errorScreen?: object
}

const screen = (reason: string, subreason: string): object => ({
  playerErrorMessageRenderer: { reason: { simpleText: reason }, subreason: { simpleText: subreason } },
})

/** In the words of the site. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  [YOUTUBE.ageGate]: { status: 'LOGIN_REQUIRED', reason: 'Sign in to confirm your age' },
  [YOUTUBE.bot]: { status: 'LOGIN_REQUIRED', reason: 'Sign in to confirm you’re not a bot' },
  [YOUTUBE.geo]: {
    status: 'UNPLAYABLE',
    reason: 'Video unavailable',
    errorScreen: screen(
      'Video unavailable',
      'The uploader has not made this video available in your country',
    ),
  },
  [YOUTUBE.private]: {
    status: 'LOGIN_REQUIRED',
    reason: 'Private video',
    errorScreen: screen('Private video', 'Sign in if you have been granted access to this video'),
  },
  [YOUTUBE.members]: {
    status: 'UNPLAYABLE',
    reason: 'Join this channel to get access to members-only content like this video.',
  },
  [YOUTUBE.removed]: {
    status: 'ERROR',
    reason: 'This video has been removed by the uploader',
    errorScreen: screen('Video unavailable', 'This video has been removed by the uploader'),
  },
  [YOUTUBE.captcha]: {
    status: 'UNPLAYABLE',
    reason: 'Something went wrong',
    errorScreen: { playerCaptchaViewModel: { siteKey: 'k' } },
  },
  [YOUTUBE.limited]: { status: 'UNPLAYABLE', reason: 'This content isn’t available, try again later.' },
  [YOUTUBE.upcoming]: { status: 'LIVE_STREAM_OFFLINE', reason: 'Premieres in 3 hours' },
}

interface Track {
  readonly baseUrl: string
  readonly name: { readonly simpleText: string }
  readonly languageCode: string
  readonly vssId: string
  readonly kind?: 'asr'
  readonly isTranslatable: true
}

function track(id: string, languageCode: string, asr: boolean): Track {
  const kind = asr ? '&kind=asr' : ''
  return {
    baseUrl: `https://www.youtube.com/api/timedtext?v=${id}&lang=${languageCode}${kind}`,
    name: { simpleText: languageCode },
    languageCode,
    vssId: `${asr ? 'a' : ''}.${languageCode}`,
    ...(asr ? { kind: 'asr' as const } : {}),
    isTranslatable: true,
  }
}

function captionTracks(id: string): readonly Track[] {
  const topic = findTopic(id)?.video
  if (topic) return topic.lines.length > 0 ? [track(id, 'en', false)] : []
  if (id === YOUTUBE.none) return []
  if (id === YOUTUBE.automatic) return [track(id, 'en', true)]
  return [track(id, 'en', false), track(id, 'de', false), track(id, 'en', true)]
}

const TRANSLATIONS = ['en', 'de', 'fr', 'uk'].map((languageCode) => ({
  languageCode,
  languageName: { simpleText: languageCode },
}))

function topicDetails(id: string): object {
  const topic = findTopic(id)
  if (!topic) return {}
  const { title, durationS, views } = topic.video
  const { name: author, id: channelId } = topic.channel
  return { title, lengthSeconds: String(durationS), viewCount: String(views), author, channelId }
}

function playerResponse(id: string): object {
  const refusal = REFUSALS[id]
  const details = {
    videoId: id,
    title: `Video ${id}`,
    lengthSeconds: '12',
    channelId: 'UCabcdefghijklmnopqrstuv',
    author: 'A Channel',
    shortDescription: 'About something',
    viewCount: '1234',
    keywords: ['one', 'two'],
    isLiveContent: false,
    ...(id === YOUTUBE.upcoming ? { isUpcoming: true } : {}),
    ...topicDetails(id),
    thumbnail: { thumbnails: [{ url: 'https://i.ytimg.com/vi/x/default.jpg', width: 120, height: 90 }] },
  }
  if (refusal) return { playabilityStatus: refusal, videoDetails: details }
  return {
    playabilityStatus: { status: 'OK', playableInEmbed: true },
    videoDetails: details,
    microformat: {
      playerMicroformatRenderer: {
        category: 'Education',
        uploadDate: findTopic(id)?.video.uploaded ?? '2025-03-01T10:00:00Z',
        isFamilySafe: true,
      },
    },
    streamingData: {
      expiresInSeconds: '20000',
      formats: [
        {
          itag: 18,
          url: `https://rr1---sn-test.googlevideo.com/videoplayback.mp4?itag=18&id=${id}${id === YOUTUBE.riddle ? '&n=riddle' : ''}`,
          mimeType: 'video/mp4; codecs="avc1.42001E, mp4a.40.2"',
          bitrate: 100_000,
          width: 160,
          height: 120,
          approxDurationMs: '2000',
          audioSampleRate: '44100',
          audioChannels: 1,
          qualityLabel: '144p',
          quality: 'small',
        },
      ],
    },
    captions: {
      playerCaptionsTracklistRenderer: {
        captionTracks: captionTracks(id),
        translationLanguages: TRANSLATIONS,
      },
    },
  }
}

const CONFIG = {
  INNERTUBE_API_KEY: 'k',
  INNERTUBE_CONTEXT: { client: { clientName: 'WEB', clientVersion: '2.2026', visitorData: 'v' } },
}

const PLAYER = '/s/player/0badcafe/player_ias.vflset/en_US/base.js'

function watchPage(id: string): Response {
  const name = findTopic(id)?.channel.name ?? 'A Channel'
  const owner = { videoOwnerRenderer: { title: { runs: [{ text: name }] } } }
  const contents = [{ videoSecondaryInfoRenderer: { owner } }]
  const data = { contents: { twoColumnWatchNextResults: { results: { results: { contents } } } } }
  return html(
    `<script>ytcfg.set(${scriptJson({ ...CONFIG, PLAYER_JS_URL: PLAYER })});</script><script>var ytInitialPlayerResponse = ` +
      `${scriptJson(playerResponse(id))};</script><script>var ytInitialData = ${scriptJson(data)};</script>`,
  )
}

/** A playlist of 25 videos. */
function playlistData(): object {
  const contents = Array.from({ length: 25 }, (_, index) => ({
    playlistVideoRenderer: {
      videoId: `playlist${String(index).padStart(3, '0')}`,
      title: { runs: [{ text: `Entry ${index}` }] },
      lengthSeconds: '12',
    },
  }))
  const list = { playlistVideoListRenderer: { contents, playlistId: 'PL1' } }
  const section = { sectionListRenderer: { contents: [{ itemSectionRenderer: { contents: [list] } }] } }
  return {
    metadata: { playlistMetadataRenderer: { title: 'A playlist' } },
    contents: {
      twoColumnBrowseResultsRenderer: { tabs: [{ tabRenderer: { selected: true, content: section } }] },
    },
  }
}

export const youtube: Platform = {
  hosts: ['www.youtube.com', 'rr1---sn-test.googlevideo.com', 'i.ytimg.com'],
  async answer(url, request) {
    const { pathname, searchParams } = url
    const channel = channelPage(pathname, CONFIG)
    if (channel) return channel
    if (pathname === '/') return html(`<script>ytcfg.set(${scriptJson(CONFIG)});</script>`)
    if (pathname === '/youtubei/v1/search') {
      const { query = '' } = (await request.json()) as { query?: string }
      return searchAnswer(query, request)
    }
    if (searchParams.get('v') === TOPICS.stuck.id) return silence(request)
    if (pathname === PLAYER) return new Response('var _yt_player = {}; // signatureTimestamp:20000,')
    if (pathname === '/watch') return watchPage(searchParams.get('v') ?? '')
    if (pathname === '/playlist') {
      return html(
        `<script>ytcfg.set(${scriptJson(CONFIG)});</script><script>var ytInitialData = ${scriptJson(playlistData())};</script>`,
      )
    }
    if (pathname === '/youtubei/v1/browse') return Response.json(playlistData())
    // Where an age gate is tried to be passed, in vain.
    if (pathname.startsWith('/embed/')) return html(`<script>ytcfg.set(${scriptJson(CONFIG)});</script>`)
    if (pathname === '/api/timedtext') return youtubeCaptions(searchParams)
    if (pathname !== '/youtubei/v1/player') return undefined
    const { videoId = '' } = (await request.json()) as { videoId?: string }
    if (videoId === TOPICS.stuck.id) return silence(request)
    return Response.json(playerResponse(videoId))
  },
}

export const youtubeUrl = (name: keyof typeof YOUTUBE): string =>
  `https://www.youtube.com/watch?v=${YOUTUBE[name]}`
