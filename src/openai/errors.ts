// Failures in the form that clients of OpenAI's API read: { error: { message, type, param, code } }, with OpenAI's own
// statuses and codes where clients act on them. Everything else keeps the status and code it has elsewhere.

import type { Answer, FailureForm } from '../http/envelope.ts'
import { Problem, type ProblemCode } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { problemAnswer } from '../http/envelope.ts'

const ErrorSchema = t.Object({
  error: t.Object({
    message: t.String(),
    type: t.String({ examples: ['invalid_request_error'] }),
    param: t.Union([t.String({ description: 'The field at fault' }), t.Null()]),
    code: t.Union([t.String({ examples: ['model_not_found'] }), t.Null()]),
  }),
})

interface Told {
  readonly httpStatus?: number
  readonly type?: string
  readonly code?: string
}

const TOLD: Partial<Readonly<Record<ProblemCode, Told>>> = {
  unauthorized: { code: 'invalid_api_key' },
  access_denied: { type: 'insufficient_permissions', code: 'insufficient_permissions' },
  // Clients know no 402.
  limit_exceeded: { httpStatus: 429, type: 'insufficient_quota', code: 'insufficient_quota' },
  rate_limit_exceeded: { type: 'requests' },
  // Elsewhere the media is fetched; here the client sent it.
  audio_extraction_failed: { httpStatus: 400 },
}

export const openAiFailure: FailureForm = {
  schema: ErrorSchema,
  answer(problem, publicUrl) {
    const { headers } = problemAnswer(problem, publicUrl)
    const answer: Answer = { httpStatus: statusOf(problem), body: errorBody(problem) }
    // More of the same would be refused, too: the official clients do not try again when they are told so.
    const isFinal = problem.code === 'limit_exceeded'
    return isFinal
      ? { ...answer, headers: { 'x-should-retry': 'false' } }
      : headers
        ? { ...answer, headers }
        : answer
  },
}

function statusOf({ code, httpStatus }: Problem): number {
  return TOLD[code]?.httpStatus ?? httpStatus
}

/** The body alone, for a stream that has begun. */
export function errorBody(problem: Problem): object {
  const told = TOLD[problem.code]
  const type = statusOf(problem) >= 500 ? 'server_error' : 'invalid_request_error'
  return {
    error: {
      message: problem.message,
      type: told?.type ?? type,
      param: problem.field ?? null,
      code: told?.code ?? problem.code,
    },
  }
}

/** A field that does not say what it must. */
export function invalid(field: string, message: string): Problem {
  return new Problem('invalid_parameter', message, { field })
}
