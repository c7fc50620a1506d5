// Channels of YouTube with their videos, each about something else, and the site's search over their titles: as yt-dlp
// reads them, without continuations.

import { html, scriptJson, silence } from './platform.ts'

export interface TopicVideo {
  /** Eleven characters. */
  readonly id: string
  readonly title: string
  readonly durationS: number
  readonly views: number
  readonly uploaded: string
  readonly age: string
  /** What its written captions say, a line each two seconds; none: it has no captions. */
  readonly lines: readonly string[]
}

export interface Channel {
  readonly name: string
  readonly id: string
  /** Newest first. */
  readonly videos: TopicVideo[]
}

const FERRIES: TopicVideo = {
  id: 'topicFERRY_',
  title: 'Harbour life in winter',
  durationS: 120,
  views: 900,
  uploaded: '2021-02-03T10:00:00Z',
  age: '5 years ago',
  lines: [
    'Good morning from the old harbour in Lunden.',
    'The first ferry leaves for the island at six in the morning.',
    'In winter the boats only sail twice a day because of the ice.',
    'The captain has done this work for thirty years.',
  ],
}

const BREAD: TopicVideo = {
  id: 'topicBREAD_',
  title: 'Sourdough for beginners',
  durationS: 600,
  views: 120_000,
  uploaded: '2024-05-06T10:00:00Z',
  age: '2 years ago',
  lines: [
    'Today we bake a loaf of sourdough bread from scratch.',
    'Mix the flour with lukewarm water and let the dough rest overnight.',
    'Bake it in a very hot oven for forty minutes.',
  ],
}

const STARS: TopicVideo = {
  id: 'topicSTARS_',
  title: 'What a telescope shows',
  durationS: 1_800,
  views: 45_000,
  uploaded: '2023-08-09T10:00:00Z',
  age: '3 years ago',
  lines: [
    'Tonight the rings of Saturn can be seen with a small telescope.',
    'The planet is more than a billion kilometres away from the Earth.',
    'Our eyes need half an hour to get used to the dark.',
  ],
}

const SILENT: TopicVideo = {
  id: 'topicMUTE__',
  title: 'Ferry without a word',
  durationS: 2,
  views: 10,
  uploaded: '2022-01-01T10:00:00Z',
  age: '4 years ago',
  lines: [],
}

/** Its page never comes. */
const STUCK: TopicVideo = {
  id: 'topicSTUCK_',
  title: 'A lighthouse that never loads',
  durationS: 60,
  views: 5,
  uploaded: '2022-01-01T10:00:00Z',
  age: '4 years ago',
  lines: ['Nobody ever gets to hear this.'],
}

/** By the name after `@`. Tests publish further videos by putting them in front, and take them away again. */
export const CHANNELS: Readonly<Record<'harbour' | 'kitchen' | 'quiet' | 'empty' | 'stuck', Channel>> = {
  harbour: { name: 'Harbour and Sky', id: 'UCharbourharbourharbourAB', videos: [STARS, FERRIES] },
  kitchen: { name: 'Kitchen', id: 'UCkitchenkitchenkitchenAB', videos: [BREAD] },
  quiet: { name: 'Quiet', id: 'UCquietquietquietquietABC', videos: [SILENT] },
  stuck: { name: 'Stuck', id: 'UCstuckstuckstuckstuckABC', videos: [STUCK] },
  empty: { name: 'Empty', id: 'UCemptyemptyemptyemptyABC', videos: [] },
}

export const TOPICS = { ferries: FERRIES, bread: BREAD, stars: STARS, silent: SILENT, stuck: STUCK } as const

const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`

function videoRenderer(video: TopicVideo, channel: Channel): object {
  const byline = {
    runs: [{ text: channel.name, navigationEndpoint: { browseEndpoint: { browseId: channel.id } } }],
  }
  return {
    videoId: video.id,
    title: { runs: [{ text: video.title }] },
    lengthText: { simpleText: clock(video.durationS) },
    publishedTimeText: { simpleText: video.age },
    viewCountText: { simpleText: `${video.views.toLocaleString('en')} views` },
    ownerText: byline,
    shortBylineText: byline,
    thumbnail: {
      thumbnails: [{ url: `https://i.ytimg.com/vi/${video.id}/default.jpg`, width: 120, height: 90 }],
    },
  }
}

/** The page of a channel's videos; undefined for a channel that is not there. */
export function channelPage(pathname: string, config: object): Response | undefined {
  const name = /^\/@([\w.-]+)(?:\/videos)?\/?$/.exec(pathname)?.[1]
  if (name === undefined) return undefined
  const channel = Object.entries(CHANNELS).find(([key]) => key === name)?.[1]
  if (!channel) return new Response('This page isn’t available', { status: 404 })
  const contents = channel.videos.map((video) => {
    return { richItemRenderer: { content: { videoRenderer: videoRenderer(video, channel) } } }
  })
  const tab = {
    title: 'Videos',
    selected: true,
    endpoint: { commandMetadata: { webCommandMetadata: { url: `/@${name}/videos` } } },
    content: { richGridRenderer: { contents } },
  }
  const about = {
    title: channel.name,
    externalId: channel.id,
    description: '',
    vanityChannelUrl: `http://www.youtube.com/@${name}`,
  }
  const data = {
    metadata: { channelMetadataRenderer: about },
    contents: { twoColumnBrowseResultsRenderer: { tabs: [{ tabRenderer: tab }] } },
  }
  return html(
    `<script>ytcfg.set(${scriptJson(config)});</script><script>var ytInitialData = ${scriptJson(data)};</script>`,
  )
}

/** Queries to which the site answers with an error, or not at all. */
export const BROKEN_QUERY = 'breakdown'
export const SILENT_QUERY = 'silence'

/** Videos whose title or captions hold a word of the query (of four letters or more). */
export function searchAnswer(query: string, request: Request): Response | Promise<Response> {
  if (query.includes(BROKEN_QUERY)) return new Response('', { status: 500 })
  if (query.includes(SILENT_QUERY)) return silence(request)
  const words = query.toLowerCase().match(/\p{L}{4,}/gu) ?? []
  const found = Object.values(CHANNELS).flatMap((channel) =>
    channel.videos
      .filter(({ title, lines }) =>
        words.some((word) => [title, ...lines].join(' ').toLowerCase().includes(word)),
      )
      .map((video) => ({ videoRenderer: videoRenderer(video, channel) })),
  )
  const contents = [{ itemSectionRenderer: { contents: found } }]
  const primaryContents = { sectionListRenderer: { contents } }
  return Response.json({ contents: { twoColumnSearchResultsRenderer: { primaryContents } } })
}

/** undefined: no video of a channel. */
export function findTopic(id: string): { readonly video: TopicVideo; readonly channel: Channel } | undefined {
  for (const channel of Object.values(CHANNELS)) {
    const video = channel.videos.find((candidate) => candidate.id === id)
    if (video) return { video, channel }
  }
  return undefined
}
