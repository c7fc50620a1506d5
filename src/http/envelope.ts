// The one place where failures become answers: the contract's error envelope, and what must never leak stays in the log.

import type { Log } from '../lib/log.ts'
import { asError, isDiskFull, Problem, type ProblemCode } from '../lib/problem.ts'
import type { Schema } from '../lib/schema.ts'

/** What a handler answers with. `body` becomes JSON, or is sent as it is where a `contentType` is named. */
export interface Answer<Body = unknown> {
  readonly httpStatus: number
  readonly body: Body
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string>>
}

export function answer<Body>(httpStatus: number, body: Body): Answer<Body> {
  return { httpStatus, body }
}

/** A file of its own instead of the envelope: one of the route's `texts`. */
export function textAnswer(contentType: string, text: string): Answer<never> {
  return { httpStatus: 200, contentType, body: text as never }
}

/** The body as it is sent and kept. */
export function bodyText({ body, contentType }: Answer): string {
  return contentType === undefined ? JSON.stringify(body) : String(body)
}

export interface Success<Data> {
  readonly status: 'success'
  readonly data: Data
}

/** The envelope of every successful answer. `beside` holds what the contract puts next to `data` (such as `usage`). */
export function success<Data>(data: Data): Success<Data>
export function success<Data, Beside extends object>(data: Data, beside: Beside): Success<Data> & Beside
export function success(data: unknown, beside: object = {}): object {
  return { status: 'success', data, ...beside }
}

/** 503 and 429 always say when to come back. */
const RETRY_AFTER_S = 10

/** Faults on our side that no reading of ours helps with. */
const WITHOUT_DOCS: ReadonlySet<ProblemCode> = new Set([
  'internal_server_error',
  'upstream_failed',
  'not_found',
])

export function problemAnswer(problem: Problem, publicUrl: string): Answer {
  const { httpStatus, publicCode, code } = problem
  const waitS = httpStatus === 503 || httpStatus === 429 ? (problem.retryAfterS ?? RETRY_AFTER_S) : undefined
  return {
    httpStatus,
    body: {
      status: 'error',
      ...(publicCode === undefined ? {} : { error: publicCode }),
      ...(httpStatus === 402 ? { error_code: publicCode } : {}),
      message: problem.message,
      ...(httpStatus === 503 ? { retry_after_seconds: waitS } : {}),
      ...(WITHOUT_DOCS.has(code) ? {} : { docs_url: `${publicUrl}/docs/errors#${code}` }),
    },
    ...(waitS === undefined ? {} : { headers: { 'retry-after': String(Math.ceil(waitS)) } }),
  }
}

/** How an endpoint tells failures whose clients know another form than the envelope. */
export interface FailureForm {
  readonly schema: Schema
  readonly answer: (problem: Problem, publicUrl: string) => Answer
}

/** Any thrown value → the Problem to answer with. Bugs are logged with the request's id and answered without detail. */
export function problemOfThrown(thrown: unknown, log: Log): Problem {
  if (thrown instanceof Problem) {
    if (thrown.httpStatus >= 500) log.warn({ err: thrown }, 'request failed')
    return thrown
  }
  log.error({ err: asError(thrown) }, 'unexpected error')
  if (isDiskFull(thrown)) {
    return new Problem(
      'system_overload',
      'The disk of this server is full. Nothing was accepted. Try again later.',
    )
  }
  return new Problem(
    'internal_server_error',
    'Something went wrong on the server. Quote the X-Request-Id of this answer when you report it.',
  )
}
