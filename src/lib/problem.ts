// The one error class for what a caller can understand, and every code the API may answer with.

/** Code → HTTP status. `code` in the envelope is the key, except for the two listed in `WITHOUT_CODE`. */
export const PROBLEMS = {
  request_body_required: 400,
  missing_parameter: 400,
  invalid_parameter: 400,
  invalid_url: 400,
  unsupported_url: 400,
  unsupported_platform: 400,
  no_videos_found: 400,
  video_too_long: 400,
  invalid_schema: 400,
  input_too_large: 400,
  invalid_cursor: 400,
  unauthorized: 401,
  limit_exceeded: 402,
  access_denied: 403,
  content_restricted: 403,
  video_not_found: 404,
  video_unavailable: 404,
  transcript_not_available: 404,
  file_not_found: 404,
  task_not_found: 404,
  no_subscription: 404,
  not_found: 404,
  model_not_found: 404,
  method_not_allowed: 405,
  storage_quota_exceeded: 413,
  rate_limit_exceeded: 429,
  too_many_active_jobs: 429,
  geo_restricted: 451,
  metadata_fetch_failed: 500,
  audio_extraction_failed: 500,
  transcription_failed: 500,
  extraction_failed: 500,
  internal_server_error: 500,
  upstream_failed: 502,
  system_overload: 503,
  storage_not_configured: 503,
} as const satisfies Record<string, number>

export type ProblemCode = keyof typeof PROBLEMS

/** The contract gives 401 and 502 no machine code: the envelope leaves `error` out. */
const WITHOUT_CODE: ReadonlySet<ProblemCode> = new Set(['unauthorized', 'upstream_failed'])

export interface ProblemOptions {
  readonly cause?: unknown
  /** Another attempt may succeed (a network fault, a crashed engine): a job is retried instead of failed. */
  readonly temporary?: boolean
  /** For 429 and 503: seconds after which to try again. */
  readonly retryAfterS?: number
  /** Name of the field of the request that is at fault. */
  readonly field?: string
}

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly temporary: boolean
  readonly retryAfterS: number | undefined
  readonly field: string | undefined

  /** `message` says what was wrong with what, and what to do; callers of the API read it. */
  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.temporary = options.temporary ?? false
    this.retryAfterS = options.retryAfterS
    this.field = options.field
  }

  get httpStatus(): number {
    return PROBLEMS[this.code]
  }

  /** The code as the envelope shows it; undefined where the contract has none. */
  get publicCode(): string | undefined {
    return WITHOUT_CODE.has(this.code) ? undefined : this.code
  }
}

/** The JSON form in which a failed task keeps its problem. `error` is null where the contract has no code. */
export interface ProblemRecord {
  readonly error: string | null
  readonly message: string
  readonly http_status: number
}

export function problemRecord(problem: Problem): ProblemRecord {
  return { error: problem.publicCode ?? null, message: problem.message, http_status: problem.httpStatus }
}

/** A failed task's record as the Problem it was made from, for the synchronous twin of an async endpoint. */
export function problemOfRecord(record: ProblemRecord): Problem {
  const code = Object.keys(PROBLEMS).find((name): name is ProblemCode => name === record.error)
  return new Problem(code ?? 'upstream_failed', record.message)
}

/** Any thrown value as an Error, for logs and `cause`. */
export function asError(value: unknown): Error {
  return value instanceof Error ? value : new Error(String(value))
}

/** What file systems and SQLite say when nothing more can be written. */
export function isDiskFull(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL'
}
