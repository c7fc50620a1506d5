// What each kind of task is called, where its result is read, and what it is about, in words.

import type { TaskData } from '../../task-routes.ts'

interface Kind {
  readonly label: string
  /** The poll's address, to which the id is added. */
  readonly poll: string
}

const KINDS: Readonly<Record<string, Kind>> = {
  transcribe: { label: 'Transcription', poll: '/v1/transcribe/' },
  extract_video: { label: 'Extraction', poll: '/v1/extract/video/' },
  post_statement: { label: 'Post', poll: '/v1/post/statement/' },
  shortvideo_profile: { label: 'Profile', poll: '/v1/shortvideo/profile/' },
  shortvideo_search: { label: 'Video search', poll: '/v1/shortvideo/search/' },
}

export function labelOf(jobType: string): string {
  return KINDS[jobType]?.label ?? jobType.replaceAll('_', ' ')
}

/** Undefined for kinds whose result cannot be polled. */
export function pollOf(jobType: string): string | undefined {
  return KINDS[jobType]?.poll
}

const SUBJECTS = ['video_url', 'profile_url', 'query', 'post_id', 'file_id'] as const

/** What it was asked about, as it was sent. */
export function subjectOf({ request }: Pick<TaskData, 'request'>): string {
  for (const name of SUBJECTS) {
    const value = request[name]
    if (typeof value === 'string' && value !== '') return value
  }
  return ''
}

export function addressOf({ task_id, job_type }: Pick<TaskData, 'task_id' | 'job_type'>): string {
  return `/tasks/${encodeURIComponent(task_id)}${job_type === 'transcribe' ? '' : `?kind=${encodeURIComponent(job_type)}`}`
}
