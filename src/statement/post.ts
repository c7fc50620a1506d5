// What a post is to us, whichever way it was had: plain data, written down between the stages of a task.

import { type Infer, t } from '../lib/schema.ts'

const textOrNull = t.Union([t.String(), t.Null()])

export const Medium = t.Object({
  /** `animation`: moves, but has no sound. */
  kind: t.Union([t.Literal('video'), t.Literal('animation'), t.Literal('image')]),
  /** What the author wrote for those who cannot see it. */
  description: textOrNull,
  /** Seconds, where known. */
  durationS: t.Union([t.Number(), t.Null()]),
  /** Where the file lies; null: only yt-dlp knows. */
  url: textOrNull,
})
export type Medium = Infer<typeof Medium>

/** A page that the post links to, as the site shows it. */
export const Card = t.Object({ title: t.String(), description: t.String() })

export const PlainPost = t.Object({
  id: t.String(),
  /** Links in full, without those to its own media; '' when it has no words. */
  text: t.String(),
  /** As shown, and as in addresses; null when unknown. */
  author: textOrNull,
  username: textOrNull,
  /** ISO 8601. */
  publishedAt: textOrNull,
  media: t.Array(Medium),
  card: t.Union([Card, t.Null()]),
  /** Choices of its poll. */
  poll: t.Array(t.String()),
})
export type PlainPost = Infer<typeof PlainPost>

export const Post = t.Object({
  ...PlainPost.properties,
  quoted: t.Union([PlainPost, t.Null()]),
  via: t.Union([t.Literal('syndication'), t.Literal('yt-dlp'), t.Literal('browser')]),
  /** What this way does not tell. */
  note: textOrNull,
})
export type Post = Infer<typeof Post>

export interface PostVideo {
  readonly medium: Medium
  readonly post: PlainPost
  /** Among the videos and animations of its post, from 1. */
  readonly ordinal: number
  /** Among all media of its post, from 1. */
  readonly place: number
  /** Among all videos of the task, from 1: the post's own first. */
  readonly index: number
}

/** The videos that can be heard, in the order in which every stage counts them. */
export function videosOf(post: Post): readonly PostVideo[] {
  const found: PostVideo[] = []
  for (const owner of [post, ...(post.quoted ? [post.quoted] : [])]) {
    let ordinal = 0
    for (const [position, medium] of owner.media.entries()) {
      if (medium.kind !== 'image') ordinal++
      if (medium.kind !== 'video') continue
      found.push({ medium, post: owner, ordinal, place: position + 1, index: found.length + 1 })
    }
  }
  return found
}
