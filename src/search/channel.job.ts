// A look at an indexed channel: its newest videos → those that are not known yet → a task for each, a few at a time. The
// tasks are those of any transcription (captions where there are some, else speech), so they are charged, resumed and
// reverted like any other; what follows each one's end starts the next.

import { findAccount } from '../accounts/accounts.ts'
import type { App } from '../app.ts'
import { balance, requireCredit } from '../billing/balance.ts'
import { priceMicros } from '../billing/meters.ts'
import { defineJob } from '../jobs/job.ts'
import { enqueue } from '../jobs/queue.ts'
import { defineSchedule } from '../jobs/schedule.ts'
import { completeTask, createTask, failTask, findTask } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { HOUR, MINUTE } from '../lib/time.ts'
import { canonicalUrl } from '../media/canonical-url.ts'
import { asYtdlpInfo, videoInfoOf } from '../media/video-info.ts'
import { checkUrl } from '../net/policy.ts'
import { metadataMeter } from '../transcripts/charges.ts'
import { fetchJob } from '../transcripts/fetch.job.ts'
import { transcribeJob } from '../transcripts/transcribe.job.ts'
import { indexTranscript } from './library-index.ts'
import { listAddress } from './channel-url.ts'
import {
  addVideos,
  type Channel,
  countVideos,
  countWorking,
  endVideo,
  findChannel,
  findVideoOfTask,
  hasVideo,
  listDueChannels,
  listPendingVideos,
  type PendingVideo,
  recordCheck,
  setChannelError,
  startVideo,
} from './channels.ts'

/** In work at a time, of all channels of an account: nobody's own transcription waits long behind them. */
const VIDEOS_AT_ONCE = 2
/** New videos of one look, once the channel is known. */
const NEW_MAX = 200
/** Lists are newest first but for some pinned ones: behind so many known ones in a row there is nothing new. */
const KNOWN_IN_A_ROW = 5
/** Entries of one look, whatever they are. */
const SCANNED_MAX = 5_000
const TITLE_CHARACTERS_MAX = 500
const ATTEMPTS_MAX = 3
const DUE_TOGETHER = 100

const checkArgs = parser(t.Object({ channelId: t.String() }))

/** Without the network there is nothing to look at. */
export const checkChannelsSchedule = defineSchedule({
  kind: 'check_channels',
  everyMs: MINUTE,
  run(app) {
    const due = app.config.offline ? [] : listDueChannels(app, DUE_TOGETHER)
    for (const channelId of due) planCheck(app, channelId)
    return Promise.resolve()
  },
})

/** Joins the caller's transaction. */
export function planCheck(app: App, channelId: string): void {
  enqueue(app, checkChannelJob, { channelId }, { uniqueKey: `channel:${channelId}`, owner: channelId })
}

export const checkChannelJob = defineJob<Parsed<typeof checkArgs>>({
  kind: 'check_channel',
  lane: 'lists',
  attempts: 3,
  timeoutMs: HOUR / 2,
  args: checkArgs,
  async run({ args: { channelId }, signal }, app) {
    const channel = findChannel(app, channelId)
    if (!channel) return undefined
    // Nobody could see what is found.
    if (findAccount(app, channel.accountId)?.disabledAt !== undefined) {
      return () => recordCheck(app, channelId, { title: null, error: 'The account is disabled.' })
    }
    const { title, videos } = await listNew(app, channel, signal)
    return () => {
      if (!findChannel(app, channelId)) return
      addVideos(app, channelId, videos)
      recordCheck(app, channelId, { title, error: null })
      startVideos(app, channel.accountId, channelId)
    }
  },
  failed({ channelId }, problem, app) {
    recordCheck(app, channelId, { title: null, error: problem.message })
    // What is known already does not depend on the list.
    const channel = findChannel(app, channelId)
    if (channel) startVideos(app, channel.accountId, channelId)
  },
})

interface Listed {
  readonly title: string | null
  readonly videos: readonly { readonly url: string; readonly title: string | null }[]
}

/** An empty channel is an empty list. */
async function listNew(app: App, channel: Channel, signal: AbortSignal): Promise<Listed> {
  const { pending, working, indexed, failed } = countVideos(app, channel.id)
  const isFirst = pending + working + indexed + failed === 0
  const max = isFirst ? channel.maxVideos : NEW_MAX
  const found = new Map<string, string | null>()
  let title: string | null = null
  let knownInARow = 0
  let scanned = 0
  try {
    const list = app.engines.ytdlp.list(listAddress(channel), { signal, pauseS: app.config.sitePauseS })
    for await (const event of list) {
      if (event.kind !== 'entry') continue
      if (++scanned > SCANNED_MAX) break
      const video = videoOf(app, event.entry)
      if (!video) continue
      title ??= video.channel
      if (hasVideo(app, channel.id, video.url)) knownInARow++
      else {
        knownInARow = 0
        found.set(video.url, video.title)
      }
      if (knownInARow >= KNOWN_IN_A_ROW || found.size >= max) break
    }
  } catch (error) {
    if (!(error instanceof Problem && error.code === 'no_videos_found')) throw error
  }
  return { title, videos: [...found].map(([url, name]) => ({ url, title: name })) }
}

/** What is live, or is no address that may be asked, is left out; it may come with a later look. */
function videoOf(app: App, entry: Readonly<Record<string, unknown>>) {
  const info = asYtdlpInfo(entry)
  const address = typeof info?.webpage_url === 'string' ? info.webpage_url : info?.url
  if (!info || typeof address !== 'string') return undefined
  if (info.live_status === 'is_live' || info.live_status === 'is_upcoming') return undefined
  try {
    const url = canonicalUrl(checkUrl(address, app.config).href)
    const { title, channel } = videoInfoOf(info, url)
    return { url, title: cut(title), channel: cut(channel) }
  } catch {
    return undefined
  }
}

const cut = (text: string | null): string | null => text?.slice(0, TITLE_CHARACTERS_MAX) ?? null

/**
 * Begins as many videos of the account's channels as may be in work. `againIn`: a channel that was just looked at, of which
 * those are tried anew that failed for a reason that may have passed. In a transaction of the caller.
 */
export function startVideos(app: App, accountId: string, againIn: string | null = null): void {
  const limit = Math.max(0, VIDEOS_AT_ONCE - countWorking(app, accountId))
  for (const video of listPendingVideos(app, accountId, { againIn, limit })) {
    try {
      startTask(app, accountId, video)
    } catch (refusal) {
      if (!(refusal instanceof Problem)) throw refusal
      // No credits, or too much to do: the next look tries again.
      setChannelError(app, video.channelId, refusal.message)
      return
    }
  }
}

function startTask(app: App, accountId: string, { channelId, url, listens }: PendingVideo): void {
  requireCredit(balance(app, accountId), priceMicros(app.config.meters, metadataMeter(url), 1))
  const request = { video_url: url, transcript_text: false, all_videos: false, transcribe: listens }
  const task = createTask(app, {
    accountId,
    jobType: 'channel_video',
    isSync: false,
    request: { ...request, channel_id: channelId },
    stages: [fetchJob, transcribeJob, indexVideoJob],
    after: [channelVideoEndedJob],
  })
  startVideo(app, { channelId, url, taskId: task.id })
}

const indexArgs = parser(
  t.Object({
    taskId: t.String(),
    transcripts: t.Array(t.Object({ transcriptId: t.Optional(t.String()) })),
  }),
)

/** The last stage: the transcript becomes searchable in the transaction that ends the task. */
const indexVideoJob = defineJob<Parsed<typeof indexArgs>>({
  kind: 'index_video',
  lane: 'analysis',
  attempts: 5,
  timeoutMs: HOUR,
  args: indexArgs,
  async run({ args: { taskId, transcripts }, signal }, app) {
    const transcriptId = transcripts[0]?.transcriptId ?? ''
    const write = await indexTranscript(app, transcriptId, signal)
    return () => {
      write()
      completeTask(app, taskId, { transcript_id: transcriptId })
    }
  },
  failed: ({ taskId }, problem, app) => failTask(app, taskId, problem),
})

/** What may be different at the next look. */
const PASSING: ReadonlySet<string | null> = new Set([
  'limit_exceeded',
  'video_unavailable',
  'metadata_fetch_failed',
  'audio_extraction_failed',
  'transcription_failed',
  'internal_server_error',
  'system_overload',
  null,
])

const endedArgs = parser(t.Object({ taskId: t.String() }))

/** Follows the end of each video's task, whatever its outcome. */
const channelVideoEndedJob = defineJob<Parsed<typeof endedArgs>>({
  kind: 'channel_video_ended',
  lane: 'analysis',
  attempts: 5,
  timeoutMs: MINUTE,
  args: endedArgs,
  run({ args: { taskId } }, app) {
    return Promise.resolve(() => {
      const error = findTask(app, taskId)?.error
      const tried = findVideoOfTask(app, taskId)?.attempts ?? ATTEMPTS_MAX
      const isOver =
        error && (!PASSING.has(error.error) || (tried >= ATTEMPTS_MAX && error.error !== 'limit_exceeded'))
      const state = error ? (isOver ? 'failed' : 'pending') : 'indexed'
      const ended = endVideo(app, taskId, { state, error: error?.message ?? null })
      const channel = ended && findChannel(app, ended.channelId)
      if (channel) startVideos(app, channel.accountId)
    })
  },
})

/** For the worker's list. */
export const CHANNEL_JOBS = [checkChannelJob, indexVideoJob, channelVideoEndedJob] as const
