// Indexed channels in the API: added, shown, removed. What is in them is found with POST /search/video.

import type { Account } from '../accounts/accounts.ts'
import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { balance, requireCredit } from '../billing/balance.ts'
import { PLAN_TERMS } from '../billing/plans.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { cancelOwned } from '../jobs/queue.ts'
import { discardTask } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import { transaction } from '../db/database.ts'
import { listUnheld, removeFromLibrary } from '../transcripts/library.ts'
import { channelAddress } from './channel-url.ts'
import { planCheck, startVideos } from './channel.job.ts'
import {
  type Channel,
  countChannels,
  countVideos,
  deleteChannel,
  findChannel,
  findChannelByUrl,
  insertChannel,
  listChannels,
  listOnlyVideos,
  listVideos,
  listWorkingTasks,
  type VideoCounts,
} from './channels.ts'
import { removeVideoDocument } from './store.ts'

const VIDEOS_DEFAULT = 30
const VIDEOS_MAX = 500
/** Also of plans without a limit. */
const CHANNELS_MAX = 1_000
const SHOWN_MAX = 500

const orNull = <S extends Parameters<typeof t.Union>[0][number]>(schema: S) => t.Union([schema, t.Null()])
const instant = t.String({ format: 'date-time' })

const ChannelRecord = t.Object({
  id: t.String({ format: 'uuid' }),
  channel_url: t.String(),
  platform: t.String({ examples: ['YouTube'] }),
  title: orNull(t.String({ description: 'Null until it was first looked at' })),
  status: t.Union(
    ['pending', 'indexing', 'indexed', 'failed'].map((status) => t.Literal(status)),
    {
      description: 'failed: the last look at it found no list; error_message says why, and it is tried again',
    },
  ),
  max_videos: t.Integer(),
  transcribe: t.Boolean(),
  videos: t.Object({
    pending: t.Integer({ description: 'Found, and to be transcribed' }),
    indexed: t.Integer({ description: 'Searchable' }),
    failed: t.Integer({ description: 'Given up; GET /channels/{channel_id} says why' }),
  }),
  error_message: orNull(t.String()),
  created_at: instant,
  last_checked_at: orNull(instant),
  next_check_at: instant,
})

const VideoRecord = t.Object({
  url: t.String(),
  title: orNull(t.String()),
  status: t.Union(['pending', 'indexed', 'failed'].map((status) => t.Literal(status))),
  error_message: orNull(t.String()),
})

const Removed = t.Object({ status: t.Literal('success'), message: t.String() })
const oneChannel = t.Object({ status: t.Literal('success'), data: ChannelRecord })

export function channelRoutes(app: App, auth: Guard): readonly Route[] {
  return [addRoute(app, auth), listRoute(app, auth), showRoute(app, auth), removeRoute(app, auth)]
}

function addRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/channels',
      tag: 'Channels',
      summary: 'Index a channel: keep its videos transcribed and searchable',
      description:
        'Its newest videos are transcribed in the background, from captions where there are some, and billed like ' +
        'POST /analyze/video without the analysis; new ones follow as they are found, every few hours. POST /search/video ' +
        'finds them, also without the internet. A channel that is indexed already is answered with 200.',
      auth: auth('search'),
      body: t.Object({
        channel_url: t.String({
          description: 'URL of a YouTube channel or a TikTok profile',
          examples: ['https://www.youtube.com/@example'],
        }),
        max_videos: t.Optional(
          t.Integer({
            description: 'So many of its newest videos to begin with (default 30)',
            minimum: 1,
            maximum: VIDEOS_MAX,
          }),
        ),
        transcribe: t.Optional(
          t.Boolean({
            description: 'false: only videos that have captions (default true: others are listened to)',
          }),
        ),
      }),
      charges: true,
      responses: { 200: oneChannel, 201: oneChannel },
      errors: ['invalid_url', 'unsupported_url', 'unsupported_platform', 'limit_exceeded'],
    },
    ({ body, caller, commit }) => {
      const address = channelAddress(body.channel_url, app.config)
      return commit(() => {
        const { account } = caller
        const known = findChannelByUrl(app, account.id, address.url)
        if (known) return answer(200, success(recordOf(app, known)))
        requirePlace(app, account)
        const maxVideos = body.max_videos ?? VIDEOS_DEFAULT
        const listens = body.transcribe ?? true
        const channel = insertChannel(app, { ...address, accountId: account.id, maxVideos, listens })
        if (!app.config.offline) planCheck(app, channel.id)
        return answer(201, success(recordOf(app, channel)))
      })
    },
  )
}

/** Throws Problem `limit_exceeded` when the plan has no place left. */
function requirePlace(app: App, { id: accountId }: Account): void {
  const has = balance(app, accountId)
  requireCredit(has, 0)
  const { channels } = PLAN_TERMS[has.plan]
  const limit = channels === 'unlimited' ? CHANNELS_MAX : channels
  const used = countChannels(app, accountId)
  if (used < limit) return
  throw new Problem(
    'limit_exceeded',
    `The account has ${used} indexed channels, and its plan allows ${limit}. Remove one (DELETE /channels/{channel_id}) ` +
      'or change the plan. Nothing was charged.',
  )
}

function listRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'GET',
      path: '/channels',
      tag: 'Channels',
      summary: 'Indexed channels of the account, in the order in which they were added',
      auth: auth('search'),
      responses: { 200: t.Object({ status: t.Literal('success'), data: t.Array(ChannelRecord) }) },
    },
    ({ caller }) =>
      answer(200, success(listChannels(app, caller.account.id).map((channel) => recordOf(app, channel)))),
  )
}

function showRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'GET',
      path: '/channels/{channel_id}',
      tag: 'Channels',
      summary: 'An indexed channel and its newest videos',
      auth: auth('search'),
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: t.Composite([
            ChannelRecord,
            t.Object({ newest_videos: t.Array(VideoRecord, { description: `At most ${SHOWN_MAX}` }) }),
          ]),
        }),
      },
      errors: ['not_found'],
    },
    ({ caller, params }) => {
      const channel = getChannel(app, caller.account, params.channel_id)
      const videos = listVideos(app, channel.id, SHOWN_MAX).map(({ url, title, state, error }) => {
        return { url, title, status: state === 'working' ? 'pending' : state, error_message: error }
      })
      return answer(200, success({ ...recordOf(app, channel), newest_videos: videos }))
    },
  )
}

function removeRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'DELETE',
      path: '/channels/{channel_id}',
      tag: 'Channels',
      summary: 'Stop indexing a channel and take its videos out of the library',
      description:
        'Videos that the account has transcribed itself stay. What is being transcribed for the channel is cancelled and costs nothing.',
      auth: auth('search'),
      responses: { 200: Removed },
      errors: ['not_found'],
    },
    ({ caller, params }) => {
      const channel = getChannel(app, caller.account, params.channel_id)
      transaction(app.db, () => removeChannel(app, channel))
      return answer<Infer<typeof Removed>>(200, {
        status: 'success',
        message: 'The channel is no longer indexed.',
      })
    },
  )
}

function removeChannel(app: App, channel: Channel): void {
  cancelOwned(app, channel.id)
  const released = listOnlyVideos(app, channel).flatMap((url) => {
    return removeFromLibrary(app, { accountId: channel.accountId, url, item: 0 }) ?? []
  })
  for (const transcriptId of listUnheld(app, released)) removeVideoDocument(app, transcriptId)
  const working = listWorkingTasks(app, channel.id)
  deleteChannel(app, channel.id)
  for (const taskId of working) discardTask(app, taskId)
  // Others of the account may have waited for their places.
  startVideos(app, channel.accountId)
}

function getChannel(app: App, account: Account, id: string): Channel {
  const channel = findChannel(app, id)
  if (channel?.accountId === account.id) return channel
  throw new Problem('not_found', 'The account has no such channel. GET /channels lists those it has.')
}

function recordOf(app: App, channel: Channel): Infer<typeof ChannelRecord> {
  const counts = countVideos(app, channel.id)
  return {
    id: channel.id,
    channel_url: channel.url,
    platform: channel.platform,
    title: channel.title,
    status: statusOf(channel, counts),
    max_videos: channel.maxVideos,
    transcribe: channel.listens,
    videos: { pending: counts.pending + counts.working, indexed: counts.indexed, failed: counts.failed },
    error_message: channel.error,
    created_at: isoTime(channel.createdAt),
    last_checked_at: isoTimeOrNull(channel.checkedAt),
    next_check_at: isoTime(channel.nextCheckAt),
  }
}

function statusOf({ checkedAt, error }: Channel, { pending, working }: VideoCounts): string {
  if (checkedAt === null) return 'pending'
  if (error !== null) return 'failed'
  return pending + working > 0 ? 'indexing' : 'indexed'
}
