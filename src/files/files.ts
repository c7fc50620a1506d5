// Uploaded files: what is known of each, and which namespaces it is in. Owns the tables `files` and `file_namespaces`.
// Every change of status names the status before it, so that whoever comes second changes nothing.

import type { App } from '../app.ts'
import { isId, newId } from '../lib/id.ts'
import { Problem, type ProblemCode } from '../lib/problem.ts'

type Context = Pick<App, 'db' | 'now'>

export const FILE_STATUSES = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const
/** `pending`: its bytes are still arriving. */
export type FileStatus = (typeof FILE_STATUSES)[number]

export interface StoredFile {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly sizeBytes: number
  /** Null while pending; also when it was cancelled before its bytes were there. */
  readonly mediaType: string | null
  /** SHA-256 of the content: names the blob. */
  readonly sha256: string | null
  readonly durationS: number | null
  readonly originalAt: number | null
  readonly language: string | null
  readonly status: FileStatus
  readonly errorCode: ProblemCode | null
  readonly errorMessage: string | null
  /** Complete when the status is `completed`. */
  readonly transcriptId: string | null
  /** Names the present or last processing; what it costs is charged to this name. */
  readonly runId: string
  readonly createdAt: number
  readonly updatedAt: number
}

interface Row {
  readonly id: string
  readonly account_id: string
  readonly name: string
  readonly size_bytes: number
  readonly media_type: string | null
  readonly sha256: string | null
  readonly duration_s: number | null
  readonly original_at: number | null
  readonly language: string | null
  readonly status: string
  readonly error_code: string | null
  readonly error_message: string | null
  readonly transcript_id: string | null
  readonly run_id: string
  readonly created_at: number
  readonly updated_at: number
}

const COLUMNS = `id, account_id, name, size_bytes, media_type, sha256, duration_s, original_at, language, status,
  error_code, error_message, transcript_id, run_id, created_at, updated_at`

function fileOf(row: Row): StoredFile {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    sizeBytes: row.size_bytes,
    mediaType: row.media_type,
    sha256: row.sha256,
    durationS: row.duration_s,
    originalAt: row.original_at,
    language: row.language,
    status: row.status as FileStatus,
    errorCode: row.error_code as ProblemCode | null,
    errorMessage: row.error_message,
    transcriptId: row.transcript_id,
    runId: row.run_id,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** What is known when a file begins. */
export interface NewFile {
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly sizeBytes: number
  readonly language: string | null
  readonly namespaceIds: readonly string[]
}

/** Content that is there and was looked at. */
export interface FileContent {
  readonly sha256: string
  readonly sizeBytes: number
  readonly mediaType: string
  readonly durationS: number | null
  readonly originalAt: number | null
}

/** A file without bytes yet: `pending`. Joins the caller's transaction. */
export function insertFile(app: Context, file: NewFile): StoredFile {
  const now = app.now()
  app.db
    .query(
      `insert into files (id, account_id, name, size_bytes, language, status, run_id, created_at, updated_at)
       values ($id, $accountId, $name, $sizeBytes, $language, 'pending', $runId, $now, $now)`,
    )
    .run({
      id: file.id,
      accountId: file.accountId,
      name: file.name,
      sizeBytes: file.sizeBytes,
      language: file.language,
      runId: newId(),
      now,
    })
  setNamespaces(app, file.id, file.namespaceIds)
  return getStored(app, file.id)
}

export function findFile({ db }: Pick<App, 'db'>, id: string): StoredFile | undefined {
  const row = db.query<Row, [{ id: string }]>(`select ${COLUMNS} from files where id = $id`).get({ id })
  return row ? fileOf(row) : undefined
}

/** As its account sees it: unknown and another account's read the same. Throws Problem `file_not_found`. */
export function getFile(app: Pick<App, 'db'>, accountId: string, id: string): StoredFile {
  const file = isId(id) ? findFile(app, id) : undefined
  if (file && file.accountId === accountId) return file
  throw new Problem('file_not_found', `There is no file ${id.slice(0, 64).replaceAll(/[^\w-]/g, '?')}.`)
}

function getStored(app: Pick<App, 'db'>, id: string): StoredFile {
  const file = findFile(app, id)
  if (!file) throw new Error(`file ${id} is gone`)
  return file
}

export interface FileFilter {
  readonly accountId: string
  readonly status?: FileStatus | undefined
  readonly namespaceId?: string | undefined
}

/** Newest first. */
export function listFiles(
  { db }: Pick<App, 'db'>,
  filter: FileFilter,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): { readonly files: readonly StoredFile[]; readonly totalCount: number } {
  const { accountId, status, namespaceId } = filter
  const conditions = [
    'account_id = $accountId',
    ...(status === undefined ? [] : ['status = $status']),
    ...(namespaceId === undefined
      ? []
      : ['id in (select file_id from file_namespaces where namespace_id = $namespaceId)']),
  ].join(' and ')
  const values = {
    accountId,
    ...(status === undefined ? {} : { status }),
    ...(namespaceId === undefined ? {} : { namespaceId }),
  }
  const rows = db
    .query<Row, [Record<string, string | number>]>(
      `select ${COLUMNS} from files where ${conditions} order by id desc limit $limit offset $offset`,
    )
    .all({ ...values, limit, offset })
  const count = db
    .query<{ n: number }, [Record<string, string>]>(`select count(*) as n from files where ${conditions}`)
    .get(values)
  return { files: rows.map(fileOf), totalCount: count?.n ?? 0 }
}

/** Replaces what the file is in; joins the caller's transaction. */
export function setNamespaces({ db }: Pick<App, 'db'>, fileId: string, ids: readonly string[]): void {
  db.query('delete from file_namespaces where file_id = $fileId').run({ fileId })
  const insert = db.query(
    'insert into file_namespaces (file_id, namespace_id) values ($fileId, $namespaceId)',
  )
  for (const namespaceId of new Set(ids)) insert.run({ fileId, namespaceId })
}

/** File id → ids of its namespaces. */
export function namespacesOfFiles(
  { db }: Pick<App, 'db'>,
  fileIds: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  const rows = db
    .query<{ file_id: string; namespace_id: string }, [{ ids: string }]>(
      `select file_id, namespace_id from file_namespaces
       where file_id in (select value from json_each($ids)) order by namespace_id`,
    )
    .all({ ids: JSON.stringify(fileIds) })
  const found = new Map<string, string[]>(fileIds.map((id) => [id, []]))
  for (const row of rows) found.get(row.file_id)?.push(row.namespace_id)
  return found
}

/** pending → processing: all bytes are there. False when it was cancelled meanwhile. */
export function setContent(app: Context, id: string, content: FileContent): boolean {
  const { changes } = app.db
    .query(
      `update files
       set sha256 = $sha256, size_bytes = $sizeBytes, media_type = $mediaType, duration_s = $durationS,
         original_at = $originalAt, status = 'processing', updated_at = $now
       where id = $id and status = 'pending'`,
    )
    .run({
      id,
      sha256: content.sha256,
      sizeBytes: content.sizeBytes,
      mediaType: content.mediaType,
      durationS: content.durationS,
      originalAt: content.originalAt,
      now: app.now(),
    })
  return changes === 1
}

/** failed or cancelled → processing, under a new run, whose id it returns. Undefined when it was something else. */
export function restart(app: Context, id: string): string | undefined {
  const runId = newId()
  const { changes } = app.db
    .query(
      `update files
       set status = 'processing', run_id = $runId, error_code = null, error_message = null,
         transcript_id = null, updated_at = $now
       where id = $id and status in ('failed', 'cancelled') and sha256 is not null`,
    )
    .run({ id, runId, now: app.now() })
  return changes === 1 ? runId : undefined
}

export type FileEnd =
  | { readonly status: 'completed'; readonly durationS: number }
  | { readonly status: 'failed'; readonly problem: Problem }
  | { readonly status: 'cancelled' }

/** pending or processing → its end. False when it had ended before. A duration that was known stays. */
export function endFile(app: Context, id: string, end: FileEnd): boolean {
  const { changes } = app.db
    .query(
      `update files
       set status = $status, error_code = $errorCode, error_message = $errorMessage, duration_s = coalesce(duration_s, $durationS),
         updated_at = $now
       where id = $id and status in ('pending', 'processing')`,
    )
    .run({
      id,
      status: end.status,
      errorCode: end.status === 'failed' ? end.problem.code : null,
      errorMessage: end.status === 'failed' ? end.problem.message : null,
      durationS: end.status === 'completed' ? end.durationS : null,
      now: app.now(),
    })
  return changes === 1
}

/** The transcript that the file's processing adds to. */
export function setTranscript({ db }: Pick<App, 'db'>, id: string, transcriptId: string | null): void {
  db.query('update files set transcript_id = $transcriptId where id = $id').run({ id, transcriptId })
}

/** Bytes have arrived: an upload that goes on does not expire. */
export function touchFile(app: Context, id: string): void {
  app.db
    .query(`update files set updated_at = $now where id = $id and status = 'pending'`)
    .run({ id, now: app.now() })
}

/** Joins the caller's transaction. What hangs on the row (namespaces, and what search keeps) goes with it. */
export function removeFile({ db }: Pick<App, 'db'>, id: string): void {
  db.query('delete from files where id = $id').run({ id })
}

/** Files that are still arriving (`pending`) or being processed, of all accounts. */
export function listUnfinished(
  { db }: Pick<App, 'db'>,
  status: 'pending' | 'processing',
  untouchedSince = Number.MAX_SAFE_INTEGER,
): readonly StoredFile[] {
  return db
    .query<Row, [Record<string, string | number>]>(
      `select ${COLUMNS} from files where status = $status and updated_at < $untouchedSince
       order by updated_at`,
    )
    .all({ status, untouchedSince })
    .map(fileOf)
}
