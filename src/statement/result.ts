// The shapes of claim analyses in answers.

import { AXES, type Axis } from '../engines/extractive/axes.ts'
import { type Infer, t } from '../lib/schema.ts'
import type { Post } from './post.ts'
import { postUrl } from './post-id.ts'

const textOrNull = t.Union([t.String(), t.Null()])
const axis = (name: Axis) => t.String({ enum: Object.keys(AXES[name]) })

/** `data` of the synchronous answer and `result` of the task. */
export const StatementData = t.Object({
  final_statement: t.String({ description: 'The claim of the post in the voice of its author' }),
  statement_query: t.String({ description: 'A search query for checking it' }),
  detailed_analysis: t.String({ description: 'Claim, context, evidence and stance, in 3 to 5 sentences' }),
  topics: t.Array(t.String(), { minItems: 3, maxItems: 8 }),
  entities: t.Array(t.String(), { maxItems: 8 }),
  claim_type: axis('claim_type'),
  intent: axis('intent'),
  tone: axis('tone'),
  emotion: axis('emotion'),
  authority: axis('authority'),
  post_text: textOrNull,
  post_media_summary: textOrNull,
  quoted_post_text: textOrNull,
  quoted_media_summary: textOrNull,
})
export type StatementData = Infer<typeof StatementData>

/** `post_info` beside `data`: which post that was, and how it was had. */
export const PostInfo = t.Object({
  id: t.String(),
  url: t.String(),
  author: textOrNull,
  username: textOrNull,
  published_date: textOrNull,
  fetched_via: t.String({ description: 'syndication, yt-dlp or browser' }),
  note: t.Union([t.String({ description: 'What could not be had of the post' }), t.Null()]),
})
export type PostInfo = Infer<typeof PostInfo>

export function postInfo(post: Post): PostInfo {
  return {
    id: post.id,
    url: postUrl(post.id),
    author: post.author,
    username: post.username,
    published_date: post.publishedAt,
    fetched_via: post.via,
    note: post.note,
  }
}
