// The videos of a post as items of a task: where each is had from, under which key its transcript is kept, and what is
// known of it. A transcript made here serves `/transcribe` of the same post, and the other way round.

import type { App } from '../app.ts'
import type { JobContext } from '../jobs/job.ts'
import type { Task } from '../jobs/tasks.ts'
import { openSpool } from '../media/spool.ts'
import { resolveSource, type SourceItem } from '../media/source.ts'
import type { VideoInfo } from '../media/video-info.ts'
import { DEFAULT_ITEM, fetchItem, itemKeys, mediaDeps } from '../transcripts/fetch-item.ts'
import type { FetchedItem } from '../transcripts/stage.ts'
import { type PlainPost, type Post, type PostVideo, videosOf } from './post.ts'
import { postUrl } from './post-id.ts'

const TITLE_CHARACTERS_MAX = 80

/**
 * Media in the task's spool, known transcripts, or why there is neither. Throws `video_too_long` where the task is
 * synchronous, what another attempt may mend, and the signal's reason.
 */
export async function fetchVideos(
  context: JobContext<{ readonly taskId: string }>,
  app: App,
  task: Task,
  post: Post,
): Promise<FetchedItem[]> {
  const videos = videosOf(post)
  if (videos.length === 0) return []
  const folder = openSpool(app, task.id)
  const known = post.via === 'yt-dlp' ? await ytdlpItems(context, app, { post, folder }) : undefined
  const fetched: FetchedItem[] = []
  for (const [position, video] of videos.entries()) {
    const keyOf = await itemKeys(app, postUrl(video.post.id))
    const item = known?.[position] ?? itemOf(video)
    const one = await fetchItem(context, app, {
      item: { ...item, index: video.index },
      folder,
      position,
      count: videos.length,
      // The first one is what the post's own URL gives.
      cacheKey: keyOf(video.ordinal === 1 ? DEFAULT_ITEM : video.ordinal),
      ...(task.isSync ? { maxS: app.config.syncMaxMediaS } : {}),
      // A claim can be judged without a video that cannot be had; the answer says that it is missing.
      spoilsAll: ({ code }) => code === 'video_too_long',
    })
    const { duration } = one.videoInfo
    fetched.push({ ...one, videoInfo: { ...infoOf(video.post, video), duration: duration ?? null } })
  }
  return fetched
}

/** The descriptions that yt-dlp wrote when it was asked for the post, or would write again. */
async function ytdlpItems(
  context: JobContext<{ readonly taskId: string }>,
  app: App,
  { post, folder }: { readonly post: Post; readonly folder: string },
): Promise<readonly SourceItem[]> {
  const { signal } = context
  const source = await context.step('resolve', () =>
    resolveSource(postUrl(post.id), mediaDeps(app), { folder, signal }),
  )
  return source.items.filter(({ kind }) => kind === 'video')
}

function itemOf(video: PostVideo): SourceItem {
  const { medium, post, index, place } = video
  const page = `${postUrl(post.id)}/video/${place}`
  return {
    index,
    kind: 'video',
    way:
      medium.url === null
        ? { via: 'page', url: page }
        : { via: 'direct', media: { url: medium.url, declared: true } },
    videoInfo: infoOf(post, video),
    durationS: medium.durationS ?? undefined,
  }
}

/** As yt-dlp would tell it, so that whoever transcribes the post later finds it so. */
function infoOf(post: PlainPost, { medium }: PostVideo): VideoInfo {
  const { author, username, text } = post
  const line = text.replaceAll(/\s+/g, ' ').slice(0, TITLE_CHARACTERS_MAX).toWellFormed()
  return {
    title: [author, line].filter((part) => part !== null && part !== '').join(' - ') || null,
    description: text === '' ? null : text,
    thumbnail: null,
    url: postUrl(post.id),
    channel: author,
    channel_url: username === null ? null : `https://x.com/${username}`,
    duration: medium.durationS,
    views: null,
    likes: null,
    published_date: post.publishedAt,
    category: null,
    keywords: null,
    selected_language: null,
    available_languages: null,
  }
}
