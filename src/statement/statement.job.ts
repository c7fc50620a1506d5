// A post and the transcripts of its videos → the analysis of its claim; the end of a statement task.

import { settleAnalysis } from '../analysis/charges.ts'
import { chooseEngine } from '../analysis/choose.ts'
import { type AnalysisEngine, engineInfo, sumTokens, type Work } from '../analysis/engine.ts'
import { jobWork } from '../analysis/stage.ts'
import { saveRun } from '../analysis/store.ts'
import type { App } from '../app.ts'
import { defineTaskJob } from '../jobs/task-job.ts'
import { completeTask } from '../jobs/tasks.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { MINUTE } from '../lib/time.ts'
import { hear, type HeardVideo, VideoOutcome } from './heard.ts'
import { type MediaWords, mediaWords } from './media-words.ts'
import { type PlainPost, Post, videosOf } from './post.ts'
import { postInfo } from './result.ts'

const args = parser(t.Object({ taskId: t.String(), post: Post, transcripts: t.Array(VideoOutcome) }))

export const statementJob = defineTaskJob<Parsed<typeof args>>({
  kind: 'statement',
  lane: 'analysis',
  // Models are asked again within an attempt, too.
  attempts: 2,
  timeoutMs: 60 * MINUTE,
  args,
  async run(context, app, task) {
    const { post, transcripts } = context.args
    const chosen = await chooseEngine(app)
    const media = await hearAll(app, chosen, { post, transcripts }, jobWork(context, [0, 0.5]))
    const texts = {
      text: post.text,
      mediaText: media.own.words,
      quotedText: [post.quoted?.text ?? '', media.quoted?.words ?? ''].join('\n').trim(),
    }
    const outcome = await chosen.statement(texts, jobWork(context, [0.5, 1]))
    return () => {
      for (const { save } of media.heard) save()
      settleAnalysis(app, task, sumTokens(outcome.tokens, ...media.heard.map(({ tokens }) => tokens)))
      saveRun(app, task.id, { engine: engineInfo(chosen, outcome), videoInfo: postInfo(post) })
      completeTask(app, task.id, {
        ...outcome.value,
        post_text: post.text || null,
        post_media_summary: media.own.summary,
        quoted_post_text: post.quoted?.text || null,
        quoted_media_summary: media.quoted?.summary ?? null,
      })
    }
  },
})

interface Media {
  readonly heard: readonly HeardVideo[]
  readonly own: MediaWords
  readonly quoted: MediaWords | undefined
}

async function hearAll(
  app: App,
  engine: AnalysisEngine,
  { post, transcripts }: Pick<Parsed<typeof args>, 'post' | 'transcripts'>,
  work: Work,
): Promise<Media> {
  const heard: (HeardVideo & { readonly of: PlainPost })[] = []
  const videos = videosOf(post)
  for (const video of videos) {
    const outcome = transcripts.find(({ index }) => index === video.index)
    heard.push({ ...(await hear(app, engine, outcome, work)), of: video.post })
    work.report(heard.length / videos.length)
  }
  const wordsOf = (part: PlainPost): MediaWords =>
    mediaWords(
      part,
      heard.flatMap((one) => (one.of === part ? one.heard : [])),
    )
  return { heard, own: wordsOf(post), quoted: post.quoted ? wordsOf(post.quoted) : undefined }
}
