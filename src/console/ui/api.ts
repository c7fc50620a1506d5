// How the console asks the server. Every answer is the API's envelope; every refusal becomes an ApiError with its message.
// Cookies carry the session; the header is what cross-site requests cannot send.

import { signedOut } from './session-state.ts'

/** What the server requires of every request of a session that changes something. */
export const CONSOLE_HEADER = { 'X-Earshot-Console': '1' } as const

export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly httpStatus: number
  /** Machine code; '' where the contract has none, and when the server could not be reached (status 0). */
  readonly code: string
  readonly retryAfterS: number | undefined
  /** The whole answer, for refusals that bring something along. */
  readonly body: unknown

  constructor(
    message: string,
    about: { httpStatus: number; code?: string; retryAfterS?: number; body?: unknown },
  ) {
    super(message)
    this.httpStatus = about.httpStatus
    this.code = about.code ?? ''
    this.retryAfterS = about.retryAfterS
    this.body = about.body
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

export interface CallOptions {
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

/** The whole envelope: for endpoints with something beside `data`, such as `engine`. Throws ApiError. */
export async function call<Body>(method: Method, path: string, options: CallOptions = {}): Promise<Body> {
  const { body, signal } = options
  let response: Response
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: { ...CONSOLE_HEADER, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    })
  } catch (error) {
    if (signal?.aborted === true) throw error
    throw new ApiError('The server cannot be reached. Is it running? Your work here is kept; try again.', {
      httpStatus: 0,
    })
  }
  if (response.ok) return (await response.json()) as Body
  throw await refusal(response, path)
}

async function refusal(response: Response, path: string): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined)
  const { error, message } = (typeof body === 'object' && body !== null ? body : {}) as {
    readonly error?: unknown
    readonly message?: unknown
  }
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  // The attempt to sign in is answered with 401, too.
  if (response.status === 401 && path !== '/console/api/session') signedOut()
  return new ApiError(typeof message === 'string' ? message : `The server answered ${response.status}.`, {
    httpStatus: response.status,
    body,
    ...(typeof error === 'string' ? { code: error } : {}),
    ...(Number.isNaN(retryAfter) ? {} : { retryAfterS: retryAfter }),
  })
}

interface Envelope<Data> {
  readonly data: Data
}

/** The `data` of a GET. */
export async function get<Data>(path: string, signal?: AbortSignal): Promise<Data> {
  return (await call<Envelope<Data>>('GET', path, { signal })).data
}

/** The `data` of a request that changes something. */
export async function send<Data = unknown>(
  method: Exclude<Method, 'GET'>,
  path: string,
  body?: unknown,
): Promise<Data> {
  return (await call<Envelope<Data>>(method, path, { body })).data
}

/** Whether it is a refusal with this machine code. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApiError && error.code === code
}

/** What a person reads about any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** `path('/v1/file/', id, '/retry')`: the parts at odd places are encoded. */
export function path(...parts: readonly string[]): string {
  return parts.map((part, index) => (index % 2 === 1 ? encodeURIComponent(part) : part)).join('')
}
