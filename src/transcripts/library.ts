// The online videos of an account: those that it has had transcribed or taken the captions of. Transcripts are shared by
// all accounts, libraries are not: which videos somebody has is asked here alone. Owns the table `library_videos`.

import type { App } from '../app.ts'
import type { Task } from '../jobs/tasks.ts'
import { findTranscript, readCacheKey } from './transcripts.ts'

type Context = Pick<App, 'db' | 'now'>

export interface LibraryKey {
  readonly accountId: string
  /** Canonical. */
  readonly url: string
  /** 1-based index within a carousel; 0 when the URL names none. */
  readonly item: number
}

export interface LibraryEntry {
  readonly accountId: string
  /** Of the transcript: whatever model and language, it says which video it is. Null: no online video, nothing is kept. */
  readonly cacheKey: string | null
  /** Complete. */
  readonly transcriptId: string
  /** Asked for by the account itself, not merely found in a channel that it has indexed. */
  readonly isOwn: boolean
}

/** For what a task has made or found. Joins the caller's transaction. */
export function keepVideo(
  app: Context,
  { accountId, jobType }: Pick<Task, 'accountId' | 'jobType'>,
  cacheKey: string | null,
  transcriptId: string,
): void {
  addToLibrary(app, { accountId, cacheKey, transcriptId, isOwn: jobType !== 'channel_video' })
}

/** Puts the video into the account's library, or another transcript in its place. Joins the caller's transaction. */
export function addToLibrary(app: Context, entry: LibraryEntry): void {
  const { accountId, cacheKey, transcriptId, isOwn } = entry
  const transcript = findTranscript(app, transcriptId)
  if (!transcript || cacheKey === null) return
  const { canonicalUrl: url, item } = readCacheKey(cacheKey)
  const date = transcript.videoInfo['published_date']
  const published = typeof date === 'string' ? Date.parse(date) : Number.NaN
  app.db
    .query(
      `insert into library_videos
         (account_id, url, item, transcript_id, is_own, duration_s, published_at, added_at)
       values ($accountId, $url, $item, $transcriptId, $isOwn, $durationS, $publishedAt, $now)
       on conflict (account_id, url, item) do update set
         is_own = max(is_own, excluded.is_own), transcript_id = excluded.transcript_id,
         duration_s = excluded.duration_s, published_at = excluded.published_at,
         indexed_at = iif(transcript_id = excluded.transcript_id, indexed_at, null)`,
    )
    .run({
      accountId,
      url,
      item,
      transcriptId,
      isOwn: isOwn ? 1 : 0,
      durationS: transcript.durationS,
      publishedAt: Number.isNaN(published) ? null : published,
      now: app.now(),
    })
}

/** Takes out what is there only because of channels; returns the transcript's id. Joins the caller's transaction. */
export function removeFromLibrary(
  { db }: Pick<App, 'db'>,
  { accountId, url, item }: LibraryKey,
): string | undefined {
  return db
    .query<{ transcript_id: string }, [Record<string, string | number>]>(
      `delete from library_videos where account_id = $accountId and url = $url and item = $item and is_own = 0
       returning transcript_id`,
    )
    .get({ accountId, url, item })?.transcript_id
}

export interface LibraryFilter {
  /** Epoch ms; a video whose date is not known is left out by either. */
  readonly fromAt?: number | undefined
  readonly untilAt?: number | undefined
  /** Seconds. A video whose length is not known is left out. */
  readonly durationMaxS?: number | undefined
}

const SHOWN_MAX = 20_000

/** Transcripts of the account's videos, those added last first, at most 20,000. */
export function listLibrary(
  { db }: Pick<App, 'db'>,
  accountId: string,
  filter: LibraryFilter = {},
): string[] {
  return db
    .query<{ transcript_id: string }, [Record<string, string | number | null>]>(
      `select transcript_id from library_videos
       where account_id = $accountId
         and ($fromAt is null or published_at >= $fromAt) and ($untilAt is null or published_at < $untilAt)
         and ($durationMaxS is null or duration_s <= $durationMaxS)
       order by added_at desc limit $limit`,
    )
    .all({
      accountId,
      fromAt: filter.fromAt ?? null,
      untilAt: filter.untilAt ?? null,
      durationMaxS: filter.durationMaxS ?? null,
      limit: SHOWN_MAX,
    })
    .map((row) => row.transcript_id)
}

/** Id of the transcript that the account has of this video. */
export function findInLibrary(
  { db }: Pick<App, 'db'>,
  { accountId, url, item }: LibraryKey,
): string | undefined {
  return db
    .query<{ transcript_id: string }, [Record<string, string | number>]>(
      'select transcript_id from library_videos where account_id = $accountId and url = $url and item = $item',
    )
    .get({ accountId, url, item })?.transcript_id
}

/** Transcripts that are still to be taken into the index, those added first; of one account, or of all. */
export function listUnindexed({ db }: Pick<App, 'db'>, accountId: string | null, limit: number): string[] {
  return db
    .query<{ transcript_id: string }, [{ accountId: string | null; limit: number }]>(
      `select transcript_id from library_videos
       where indexed_at is null and ($accountId is null or account_id = $accountId)
       group by transcript_id order by min(added_at) limit $limit`,
    )
    .all({ accountId, limit })
    .map((row) => row.transcript_id)
}

/** For everybody who has it. Joins the caller's transaction. */
export function markIndexed(app: Context, transcriptId: string): void {
  app.db
    .query(
      'update library_videos set indexed_at = $now where transcript_id = $transcriptId and indexed_at is null',
    )
    .run({ transcriptId, now: app.now() })
}

/** Of these transcripts, those that are in nobody's library. */
export function listUnheld({ db }: Pick<App, 'db'>, transcriptIds: readonly string[]): string[] {
  return db
    .query<{ id: string }, [{ ids: string }]>(
      `select value as id from json_each($ids)
       where not exists (select 1 from library_videos where transcript_id = value)`,
    )
    .all({ ids: JSON.stringify(transcriptIds) })
    .map((row) => row.id)
}
