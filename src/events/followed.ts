// What can be followed: tasks by what submitted them, and files in processing. A key follows what it may poll.

import { allows, type Permission, type Permissions } from '../accounts/permissions.ts'
import type { App } from '../app.ts'
import type { Subject } from '../jobs/event-log.ts'
import { progressOf } from '../jobs/queue.ts'
import { findTask, type JobType } from '../jobs/tasks.ts'
import { isId } from '../lib/id.ts'
import { Problem, type ProblemRecord } from '../lib/problem.ts'
import { fileSubject } from '../files/processing.ts'
import { findFile, type StoredFile } from '../files/files.ts'

interface Kind {
  readonly permission: Permission
  /** Where its result is read; absent for tasks that nobody submits to poll. */
  readonly statusPath?: string
}

const KINDS: Readonly<Record<JobType | 'file', Kind>> = {
  transcribe: { permission: 'transcribe', statusPath: '/v1/transcribe' },
  audio_transcription: { permission: 'transcribe' },
  analyze_video: { permission: 'analyze' },
  analyze_file: { permission: 'analyze' },
  extract_file: { permission: 'extract' },
  extract_video: { permission: 'extract', statusPath: '/v1/extract/video' },
  post_statement: { permission: 'statement', statusPath: '/v1/post/statement' },
  shortvideo_profile: { permission: 'shortvideo', statusPath: '/v1/shortvideo/profile' },
  shortvideo_search: { permission: 'shortvideo', statusPath: '/v1/shortvideo/search' },
  search_video: { permission: 'search' },
  channel_video: { permission: 'search' },
  file: { permission: 'files:read', statusPath: '/v1/file' },
}

const kindOf = (jobType: string): Kind | undefined =>
  Object.hasOwn(KINDS, jobType) ? KINDS[jobType as keyof typeof KINDS] : undefined

export function permissionFor(jobType: string): Permission {
  return kindOf(jobType)?.permission ?? 'transcribe'
}

/** The job types that a key with these permissions may follow. */
export function jobTypesFor(permissions: Permissions): readonly string[] {
  return Object.keys(KINDS).filter((jobType) => allows(permissions, permissionFor(jobType)))
}

/** The fields by which an event says what it is about. */
export function subjectFields({ id, jobType }: Pick<Subject, 'id' | 'jobType'>): object {
  return jobType === 'file' ? { file_id: id, job_type: jobType } : { task_id: id, job_type: jobType }
}

/** The data of the event that ends a task or the processing of a file. */
export function endFields(
  subject: Pick<Subject, 'id' | 'jobType'>,
  end: { readonly type: string; readonly error: unknown },
): object {
  const path = kindOf(subject.jobType)?.statusPath
  return {
    ...subjectFields(subject),
    [subject.jobType === 'file' ? 'file_status' : 'task_status']: end.type,
    error: end.error ?? null,
    check_status_url: path === undefined ? null : `${path}/${subject.id}`,
  }
}

export interface Standing {
  readonly subject: Subject
  /** 0..1 */
  readonly progress: number
  /** How it ended; undefined while it is in work. */
  readonly end: { readonly type: string; readonly error: ProblemRecord | null } | undefined
}

/** A task or file as its account sees it; unknown, expired, synchronous and another account's are undefined alike. */
export function findStanding(
  app: Pick<App, 'db' | 'now'>,
  accountId: string,
  id: string,
): Standing | undefined {
  if (!isId(id)) return undefined
  const task = findTask(app, id)
  if (task) {
    const isExpired = task.expiresAt !== null && task.expiresAt <= app.now()
    if (task.accountId !== accountId || task.isSync || isExpired) return undefined
    const isOver = task.status !== 'processing'
    return {
      subject: { id, accountId, jobType: task.jobType },
      progress: isOver ? 1 : progressOf(app, id),
      end: isOver ? { type: task.status, error: task.error } : undefined,
    }
  }
  const file = findFile(app, id)
  return file?.accountId === accountId ? standingOfFile(app, file) : undefined
}

function standingOfFile(app: Pick<App, 'db'>, file: StoredFile): Standing {
  const isOver = file.status !== 'pending' && file.status !== 'processing'
  const { errorCode, errorMessage } = file
  const error =
    errorCode === null
      ? null
      : { error: errorCode, message: errorMessage ?? '', http_status: statusOf(errorCode) }
  return {
    subject: fileSubject(file),
    // The file's row changes when its processing begins: what was reported before was another run.
    progress: isOver ? 1 : progressOf(app, file.id, file.updatedAt),
    end: isOver ? { type: file.status, error } : undefined,
  }
}

function statusOf(code: NonNullable<StoredFile['errorCode']>): number {
  return new Problem(code, '').httpStatus
}

/** Whose progress it is; undefined when nobody may follow it. */
export function findSubject(app: Pick<App, 'db'>, owner: string): Subject | undefined {
  const task = findTask(app, owner)
  if (task) return task.isSync ? undefined : task
  const file = findFile(app, owner)
  return file && fileSubject(file)
}
