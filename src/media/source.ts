// URL → what it is: a media file, a page with one video, or a post with several items. Nothing is downloaded here
// except descriptions.

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Ffmpeg } from '../engines/ffmpeg.ts'
import type { Ytdlp } from '../engines/ytdlp.ts'
import { Problem } from '../lib/problem.ts'
import type { Fetcher } from '../net/fetch.ts'
import { checkUrl } from '../net/policy.ts'
import { withoutItemIndex } from './canonical-url.ts'
import { type DirectMedia, findDirectMedia } from './direct.ts'
import {
  asYtdlpInfo,
  type CarouselInfo,
  seconds,
  type VideoInfo,
  videoInfoOf,
  videoInfoOfFile,
  type YtdlpInfo,
} from './video-info.ts'

/** What getting media needs. */
export interface MediaDeps {
  readonly config: Pick<Config, 'maxMediaBytes' | 'maxMediaS' | 'siteCookies'>
  readonly ffmpeg: Ffmpeg
  readonly ytdlp: Ytdlp
  readonly fetcher: Fetcher
}

/** How to get an item's media: by ourselves, from a description that is on disk, or from another page. */
export type Way =
  | { readonly via: 'direct'; readonly media: DirectMedia }
  | { readonly via: 'info'; readonly infoPath: string }
  | { readonly via: 'page'; readonly url: string }

export interface SourceItem {
  /** 1-based position in the post. */
  readonly index: number
  readonly kind: 'video' | 'image'
  readonly way: Way
  readonly videoInfo: VideoInfo
  /** Before the download, where the site tells it. */
  readonly durationS: number | undefined
}

export interface Source {
  /** Of the page or post as a whole. */
  readonly videoInfo: VideoInfo
  /** At least one video among them. */
  readonly items: readonly SourceItem[]
  readonly carousel: Omit<CarouselInfo, 'selected_index'> | undefined
}

/** The largest posts of the sites that have them hold 20 items; longer lists are channels and playlists. */
export const MAX_CAROUSEL_ITEMS = 20

/**
 * `folder` receives descriptions (`item-N.info.json`). Throws Problems: `invalid_url`, `unsupported_url`,
 * `no_videos_found`, and what the site's refusal means.
 */
export async function resolveSource(
  text: string,
  deps: MediaDeps,
  options: { readonly folder: string; readonly signal: AbortSignal },
): Promise<Source> {
  const { fetcher, ytdlp } = deps
  const { signal } = options
  const url = checkUrl(withoutItemIndex(checkUrl(text, fetcher.egress.policy).href), fetcher.egress.policy)
  const media = await findDirectMedia(url, deps, signal)
  if (media) {
    const videoInfo = videoInfoOfFile(url.href, undefined)
    const item = {
      index: 1,
      kind: 'video',
      way: { via: 'direct', media },
      videoInfo,
      durationS: undefined,
    } as const
    return { videoInfo, items: [item], carousel: undefined }
  }
  const { info: raw, noMedia } = await ytdlp.metadata(url.href, { signal, maxItems: MAX_CAROUSEL_ITEMS + 1 })
  const info = asYtdlpInfo(raw) ?? {}
  refuseLive(info)
  const entries =
    info['_type'] === 'playlist' && Array.isArray(info.entries) ? (info.entries as unknown[]) : [raw]
  if (entries.length > MAX_CAROUSEL_ITEMS) {
    throw new Problem(
      'unsupported_url',
      `${url.href} is a playlist or channel; give the URL of one video, or of a post with at most ${MAX_CAROUSEL_ITEMS} items`,
    )
  }
  const items: SourceItem[] = []
  for (const [position, entry] of entries.entries()) {
    items.push(await itemOf(entry, { index: position + 1, url: url.href, folder: options.folder }))
  }
  const videoCount = items.filter(({ kind }) => kind === 'video').length
  if (videoCount === 0) throw noMedia
  const videoInfo = videoInfoOf(info, url.href)
  if (items.length === 1) return { videoInfo: items[0]?.videoInfo ?? videoInfo, items, carousel: undefined }
  const imageCount = items.length - videoCount
  return {
    videoInfo,
    items,
    carousel: { total_items: items.length, video_count: videoCount, image_count: imageCount },
  }
}

/**
 * The items that a request means: all videos, the one of `?img_index=N`, or the first video. On a carousel each item's
 * `videoInfo` says which one it is. Throws `invalid_parameter` for an index that is not there, `no_videos_found` for an image.
 */
export function selectItems(
  { items, carousel }: Source,
  choice: { readonly index: number | undefined; readonly all: boolean },
): readonly SourceItem[] {
  if (!carousel) return items
  const labelled = items.map((item) => ({
    ...item,
    videoInfo: { ...item.videoInfo, carousel_info: { ...carousel, selected_index: item.index } },
  }))
  const videos = labelled.filter(({ kind }) => kind === 'video')
  if (choice.all) return videos
  if (choice.index === undefined) return videos.slice(0, 1)
  const item = labelled[choice.index - 1]
  if (!item) {
    throw new Problem(
      'invalid_parameter',
      `img_index in video_url is ${choice.index}, but the post has ${items.length} items`,
    )
  }
  if (item.kind === 'video') return [item]
  throw new Problem('no_videos_found', `Item ${choice.index} of the post is an image, not a video`)
}

interface Place {
  readonly index: number
  readonly url: string
  readonly folder: string
}

async function itemOf(entry: unknown, { index, url, folder }: Place): Promise<SourceItem> {
  const info = asYtdlpInfo(entry) ?? {}
  const videoInfo = videoInfoOf(info, url)
  const durationS = seconds(info.duration) ?? undefined
  // A mere link: what is behind it is found out when it is wanted.
  if ((info['_type'] === 'url' || info['_type'] === 'url_transparent') && typeof info.url === 'string') {
    const way = { via: 'page', url: info.url } as const
    return { index, kind: 'video', way, videoInfo: { ...videoInfo, url: info.url }, durationS }
  }
  const infoPath = join(folder, `item-${index}.info.json`)
  const kind = hasMedia(info) ? 'video' : 'image'
  if (kind === 'video') await Bun.write(infoPath, JSON.stringify(entry))
  return { index, kind, way: { via: 'info', infoPath }, videoInfo, durationS }
}

const hasMedia = ({ formats, url }: YtdlpInfo): boolean =>
  Array.isArray(formats) ? formats.length > 0 : typeof url === 'string'

/** Throws for what has no end yet, or no beginning. */
export function refuseLive(info: YtdlpInfo): void {
  if (info.is_live !== true && info.live_status !== 'is_live' && info.live_status !== 'is_upcoming') return
  throw new Problem('video_unavailable', 'The video is live or has not begun; try again when it has ended')
}
