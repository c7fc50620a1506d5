// Indexed channels and what is known of their videos. Owns the tables `channels` and `channel_videos`.

import type { App } from '../app.ts'
import { newId } from '../lib/id.ts'
import { HOUR } from '../lib/time.ts'

type Context = Pick<App, 'db' | 'now'>
type Values = Record<string, string | number | null>

/** Between two looks at a channel. */
export const CHECK_EVERY_MS = 6 * HOUR

export interface Channel {
  readonly id: string
  readonly accountId: string
  readonly url: string
  readonly platform: string
  readonly title: string | null
  readonly maxVideos: number
  readonly listens: boolean
  readonly checkedAt: number | null
  readonly nextCheckAt: number
  readonly error: string | null
  readonly createdAt: number
}

interface ChannelRow {
  readonly id: string
  readonly account_id: string
  readonly url: string
  readonly platform: string
  readonly title: string | null
  readonly max_videos: number
  readonly listens: number
  readonly checked_at: number | null
  readonly next_check_at: number
  readonly error: string | null
  readonly created_at: number
}

const COLUMNS = `id, account_id, url, platform, title, max_videos, listens, checked_at, next_check_at, error, created_at`

function channelOf(row: ChannelRow): Channel {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    platform: row.platform,
    title: row.title,
    maxVideos: row.max_videos,
    listens: row.listens === 1,
    checkedAt: row.checked_at,
    nextCheckAt: row.next_check_at,
    error: row.error,
    createdAt: row.created_at,
  }
}

function findOne({ db }: Pick<App, 'db'>, condition: string, values: Values): Channel | undefined {
  const row = db.query<ChannelRow, [Values]>(`select ${COLUMNS} from channels where ${condition}`).get(values)
  return row ? channelOf(row) : undefined
}

export type NewChannel = Pick<Channel, 'accountId' | 'url' | 'platform' | 'maxVideos' | 'listens'>

/** Due at once. Joins the caller's transaction. */
export function insertChannel(app: Context, channel: NewChannel): Channel {
  const id = newId()
  const now = app.now()
  app.db
    .query(
      `insert into channels (id, account_id, url, platform, max_videos, listens, next_check_at, created_at)
       values ($id, $accountId, $url, $platform, $maxVideos, $listens, $now, $now)`,
    )
    .run({ ...channel, listens: channel.listens ? 1 : 0, id, now })
  return {
    ...channel,
    id,
    title: null,
    checkedAt: null,
    nextCheckAt: now,
    error: null,
    createdAt: now,
  }
}

export function findChannel(app: Pick<App, 'db'>, id: string): Channel | undefined {
  return findOne(app, 'id = $id', { id })
}

export function findChannelByUrl(app: Pick<App, 'db'>, accountId: string, url: string): Channel | undefined {
  return findOne(app, 'account_id = $accountId and url = $url', { accountId, url })
}

/** All of the account, in the order in which they were added. */
export function listChannels({ db }: Pick<App, 'db'>, accountId: string): Channel[] {
  return db
    .query<ChannelRow, [Values]>(
      `select ${COLUMNS} from channels where account_id = $accountId order by created_at, id`,
    )
    .all({ accountId })
    .map(channelOf)
}

export function countChannels({ db }: Pick<App, 'db'>, accountId: string): number {
  return (
    db
      .query<{ n: number }, [Values]>('select count(*) as n from channels where account_id = $accountId')
      .get({ accountId })?.n ?? 0
  )
}

export function listDueChannels({ db, now }: Context, limit: number): string[] {
  return db
    .query<{ id: string }, [Values]>(
      'select id from channels where next_check_at <= $now order by next_check_at limit $limit',
    )
    .all({ now: now(), limit })
    .map((row) => row.id)
}

/** The rows of its videos go with it. Joins the caller's transaction. */
export function deleteChannel({ db }: Pick<App, 'db'>, id: string): void {
  db.query('delete from channels where id = $id').run({ id })
}

export interface Check {
  /** Null: what is known stays. */
  readonly title: string | null
  readonly error: string | null
}

/** What a look at the channel gave. Joins the caller's transaction. */
export function recordCheck(app: Context, id: string, { title, error }: Check): void {
  const now = app.now()
  app.db
    .query(
      `update channels set title = coalesce($title, title), error = $error, checked_at = $now, next_check_at = $next
       where id = $id`,
    )
    .run({ id, title, error, now, next: now + CHECK_EVERY_MS })
}

export function setChannelError({ db }: Pick<App, 'db'>, id: string, error: string | null): void {
  db.query('update channels set error = $error where id = $id').run({ id, error })
}

export type VideoState = 'pending' | 'working' | 'indexed' | 'failed'

export interface ChannelVideo {
  readonly url: string
  readonly title: string | null
  readonly state: VideoState
  readonly error: string | null
}

/** Newest first. */
export function listVideos({ db }: Pick<App, 'db'>, channelId: string, limit: number): ChannelVideo[] {
  return db
    .query<ChannelVideo, [Values]>(
      `select url, title, state, error from channel_videos where channel_id = $channelId
       order by found_at desc, position limit $limit`,
    )
    .all({ channelId, limit })
}

export function hasVideo({ db }: Pick<App, 'db'>, channelId: string, url: string): boolean {
  const row = db
    .query<{ found: number }, [Values]>(
      'select 1 as found from channel_videos where channel_id = $channelId and url = $url',
    )
    .get({ channelId, url })
  return row !== null
}

/** New ones, newest first; those that are known stay as they are. Joins the caller's transaction. */
export function addVideos(
  { db, now }: Context,
  channelId: string,
  videos: readonly { readonly url: string; readonly title: string | null }[],
): void {
  const insert = db.query(
    `insert into channel_videos (channel_id, url, title, state, found_at, position)
     values ($channelId, $url, $title, 'pending', $now, $position) on conflict do nothing`,
  )
  for (const [position, { url, title }] of videos.entries()) {
    insert.run({ channelId, url, title, position, now: now() })
  }
}

export interface PendingVideo {
  readonly channelId: string
  readonly url: string
  readonly listens: boolean
}

/** Of all channels of the account, those found last first. `againIn`: of this one, also what was tried before. */
export function listPendingVideos(
  { db }: Pick<App, 'db'>,
  accountId: string,
  { againIn, limit }: { readonly againIn: string | null; readonly limit: number },
): PendingVideo[] {
  return db
    .query<{ channelId: string; url: string; listens: number }, [Values]>(
      `select v.channel_id as channelId, v.url, c.listens
       from channels c join channel_videos v on v.channel_id = c.id and v.state = 'pending'
       where c.account_id = $accountId and (v.attempts = 0 or c.id = $againIn)
       order by v.attempts, v.found_at desc, v.position limit $limit`,
    )
    .all({ accountId, againIn, limit })
    .map(({ channelId, url, listens }) => ({ channelId, url, listens: listens === 1 }))
}

/** Videos of the account's channels that are in work. */
export function countWorking({ db }: Pick<App, 'db'>, accountId: string): number {
  return (
    db
      .query<{ n: number }, [Values]>(
        `select count(*) as n from channels c join channel_videos v on v.channel_id = c.id and v.state = 'working'
         where c.account_id = $accountId`,
      )
      .get({ accountId })?.n ?? 0
  )
}

/** Joins the transaction that creates the task. */
export function startVideo(
  { db }: Pick<App, 'db'>,
  { channelId, url, taskId }: { readonly channelId: string; readonly url: string; readonly taskId: string },
): void {
  db.query(
    `update channel_videos set state = 'working', task_id = $taskId, attempts = attempts + 1, error = null
     where channel_id = $channelId and url = $url`,
  ).run({ channelId, url, taskId })
}

/** Joins the caller's transaction. Undefined: the channel was removed meanwhile, or the video was settled before. */
export function endVideo(
  { db }: Pick<App, 'db'>,
  taskId: string,
  { state, error }: { readonly state: VideoState; readonly error: string | null },
): { readonly channelId: string } | undefined {
  return (
    db
      .query<{ channelId: string }, [Values]>(
        `update channel_videos set state = $state, error = $error, task_id = null
         where task_id = $taskId returning channel_id as channelId`,
      )
      .get({ taskId, state, error }) ?? undefined
  )
}

export function findVideoOfTask(
  { db }: Pick<App, 'db'>,
  taskId: string,
): { readonly attempts: number } | undefined {
  return (
    db
      .query<{ attempts: number }, [Values]>('select attempts from channel_videos where task_id = $taskId')
      .get({ taskId }) ?? undefined
  )
}

/** Tasks of the channel that are in work. */
export function listWorkingTasks({ db }: Pick<App, 'db'>, channelId: string): string[] {
  return db
    .query<{ task_id: string }, [Values]>(
      `select task_id from channel_videos where channel_id = $channelId and task_id is not null`,
    )
    .all({ channelId })
    .map((row) => row.task_id)
}

/** Videos of this channel that no other channel of the account has too. */
export function listOnlyVideos({ db }: Pick<App, 'db'>, { id, accountId }: Channel): string[] {
  return db
    .query<{ url: string }, [Values]>(
      `select url from channel_videos v where channel_id = $id and not exists (
         select 1 from channels c join channel_videos o on o.channel_id = c.id
         where c.account_id = $accountId and c.id <> $id and o.url = v.url)`,
    )
    .all({ id, accountId })
    .map((row) => row.url)
}

export type VideoCounts = Readonly<Record<VideoState, number>>

export function countVideos({ db }: Pick<App, 'db'>, channelId: string): VideoCounts {
  const rows = db
    .query<{ state: VideoState; n: number }, [Values]>(
      'select state, count(*) as n from channel_videos where channel_id = $channelId group by state',
    )
    .all({ channelId })
  const counts: Record<VideoState, number> = { pending: 0, working: 0, indexed: 0, failed: 0 }
  for (const { state, n } of rows) counts[state] = n
  return counts
}
