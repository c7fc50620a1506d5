// Post id → the post, and the media of its videos on disk; the first stage of a statement task.

import { defineTaskJob } from '../jobs/task-job.ts'
import { startNextStage } from '../jobs/tasks.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { chargeMetadata } from '../transcripts/charges.ts'
import { chargeItem, FETCH_ATTEMPTS } from '../transcripts/fetch-item.ts'
import { TRANSCRIBE_KIND } from '../transcripts/transcribe.job.ts'
import { getPost } from './find-post.ts'
import { postIdOf, postUrl } from './post-id.ts'
import { fetchVideos } from './videos.ts'

const args = parser(t.Object({ taskId: t.String() }))

export const fetchPostJob = defineTaskJob<Parsed<typeof args>>({
  kind: 'fetch_post',
  lane: 'net',
  attempts: FETCH_ATTEMPTS,
  timeoutMs: 8 * HOUR,
  args,
  async run(context, app, task) {
    const id = postIdOf(String(task.request['post_id']), app.config)
    // Whichever way the post is had, it is one request.
    chargeMetadata(app, task, postUrl(id))
    const post = await context.step('post', () => getPost(app, { id, signal: context.signal }))
    const items = await fetchVideos(context, app, task, post)
    const images = [...post.media, ...(post.quoted?.media ?? [])].filter(({ kind }) => kind === 'image')
    return () => {
      for (const item of items) chargeItem(app, task, item)
      if (items.length === 0) {
        startNextStage(app, task.id, { post, transcripts: [] }, { past: TRANSCRIBE_KIND })
        return
      }
      const totalItems = items.length + images.length
      const carousel = { totalItems, videoCount: items.length, imageCount: images.length }
      startNextStage(app, task.id, { items, carousel, handed: { post } })
    }
  },
})
