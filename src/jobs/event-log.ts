// What happened to tasks and files in work, written in the transaction in which it happened, so that a reader who knows
// the last id it has seen goes on behind it without loss or doubling, whatever died in between. Owns the table `events`.

import type { App } from '../app.ts'

type Context = Pick<App, 'db' | 'signals'>

export type EndType = 'completed' | 'failed' | 'cancelled'
type EventType = 'segments' | 'restarted' | EndType

/** What an event is about. */
export interface Subject {
  /** Of the task or the file. */
  readonly id: string
  readonly accountId: string
  /** Of the task; `file` for the processing of a file. */
  readonly jobType: string
}

export interface LoggedEvent {
  readonly id: number
  readonly subjectId: string
  readonly jobType: string
  readonly type: EventType
  readonly data: unknown
}

/** Segments of one window of speech. Milliseconds are whole. */
export interface SegmentsEvent {
  /** 1-based position of the media within its post; 1 for a single video or file. */
  readonly item: number
  /** 0-based position of the first of them within the transcript. */
  readonly first: number
  readonly segments: readonly { readonly text: string; readonly start: number; readonly end: number }[]
}

function write(app: Context, subject: Subject, type: EventType, data: unknown, expiresAt?: number): void {
  app.db
    .query(
      `insert into events (account_id, subject_id, job_type, type, data, expires_at)
       values ($accountId, $subjectId, $jobType, $type, $data, $expiresAt)`,
    )
    .run({
      accountId: subject.accountId,
      subjectId: subject.id,
      jobType: subject.jobType,
      type,
      data: JSON.stringify(data),
      expiresAt: expiresAt ?? null,
    })
  app.signals.eventLogged.emit({ accountId: subject.accountId, subjectId: subject.id })
}

/** In the transaction that stores the segments. */
export function logSegments(app: Context, subject: Subject, event: SegmentsEvent): void {
  if (event.segments.length > 0) write(app, subject, 'segments', event)
}

/** The work starts over: what was told of the item's segments (of all items, without `item`) holds no more. */
export function logRestart(app: Context, subject: Subject, item?: number): void {
  write(app, subject, 'restarted', { item: item ?? null })
}

/** In the transaction that ends the work. What is kept of the subject goes at `expiresAt` (epoch ms). */
export function logEnd(
  app: Context,
  subject: Subject,
  end: { readonly type: EndType; readonly error?: unknown; readonly expiresAt: number },
): void {
  write(app, subject, end.type, { error: end.error ?? null })
  app.db
    .query('update events set expires_at = $expiresAt where subject_id = $id and expires_at is null')
    .run({ expiresAt: end.expiresAt, id: subject.id })
}

/** Of a subject that is gone, or whose work begins anew: nobody shall read what was said before. */
export function forgetEvents({ db }: Pick<App, 'db'>, subjectId: string): void {
  db.query('delete from events where subject_id = $subjectId').run({ subjectId })
}

export interface EventFilter {
  readonly accountId: string
  /** Absent: of all. */
  readonly subjectId?: string | undefined
  readonly jobTypes: readonly string[]
  /** Only from this id on. */
  readonly from: number
  readonly limit: number
}

/** In the order in which they were committed. */
export function listEvents({ db }: Pick<App, 'db'>, filter: EventFilter): LoggedEvent[] {
  const { accountId, subjectId, from, limit } = filter
  // One query each: their indexes differ.
  const whose = subjectId === undefined ? 'account_id = $accountId' : 'subject_id = $subjectId'
  const values = {
    ...(subjectId === undefined ? { accountId } : { subjectId }),
    jobTypes: JSON.stringify(filter.jobTypes),
    from,
    limit,
  }
  return db
    .query<EventRow, [Record<string, string | number>]>(
      `select id, subject_id, job_type, type, data from events
       where ${whose} and id >= $from and job_type in (select value from json_each($jobTypes))
       order by id limit $limit`,
    )
    .all(values)
    .map((row) => ({
      id: row.id,
      subjectId: row.subject_id,
      jobType: row.job_type,
      type: row.type,
      data: JSON.parse(row.data) as unknown,
    }))
}

interface EventRow {
  readonly id: number
  readonly subject_id: string
  readonly job_type: string
  readonly type: EventType
  readonly data: string
}

/** The id of the event that says how the subject ended; undefined while it is in work, and when that is not kept any more. */
export function findEndId({ db }: Pick<App, 'db'>, subjectId: string): number | undefined {
  const row = db
    .query<{ id: number }, [{ subjectId: string }]>(
      `select id from events where subject_id = $subjectId and type in ('completed', 'failed', 'cancelled')`,
    )
    .get({ subjectId })
  return row?.id
}

/** The id of the latest event there ever was; 0 when there was none. */
export function lastEventId({ db }: Pick<App, 'db'>): number {
  // Not max(id): the latest may have expired.
  const row = db.query<{ seq: number }, []>(`select seq from sqlite_sequence where name = 'events'`).get()
  return row?.seq ?? 0
}

/** Removes expired ones, at most `limit`. */
export function pruneEvents({ db, now }: Pick<App, 'db' | 'now'>, limit: number): number {
  return db
    .query(
      'delete from events where id in (select id from events where expires_at <= $now order by expires_at limit $limit)',
    )
    .run({ now: now(), limit }).changes
}
