// How an endpoint is declared: one value that says what it takes, who may call it and what it answers.
// Routing, validation, the reference and GET /health all read the same value.
// Order of refusals: 401, 429, 403 (the admission), then 400 (query, body), then whatever the handler throws.

import type { Log } from '../lib/log.ts'
import { Problem, type ProblemCode } from '../lib/problem.ts'
import type { Infer, Schema } from '../lib/schema.ts'
import { readJsonBody, refuseLargeBody } from './body.ts'
import type { Answer, FailureForm } from './envelope.ts'
import { type Claim, fingerprintOf, type Idempotency } from './idempotency.ts'
import { bodyChecker, queryChecker } from './validation.ts'

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

/** '' for pages, `/console/api` for what the console's own pages ask. */
export type Base = '/v1' | '/console/api' | ''

/** One request under way. */
export interface Exchange {
  readonly request: Request
  readonly requestId: string
  /** The client's IP address; 'unknown' when there is none (in-process requests). */
  readonly address: string
  /** Headers that the answer will carry, whatever the outcome. */
  readonly headers: Headers
  /** Such as `POST /transcribe`, `GET /console/api/tasks`: the name that limits go by. */
  readonly endpoint: string
  readonly params: Readonly<Record<string, string | undefined>>
  readonly log: Log
  /** What became known on the way, for the log and for what follows the answer. */
  readonly trail: Trail
  /** For routes that charge. */
  readonly idempotency: Idempotency | undefined
  /** What the caller calls fields of the body: its name → ours. */
  readonly fieldNames?: Readonly<Record<string, string>>
}

/** Filled in as a request passes: the admission notes the caller, the route its Idempotency-Key, a handler the task. */
export interface Trail {
  accountId?: string
  keyId?: string
  sessionId?: string
  taskId?: string
  claim?: Claim
}

/** Decides who may call. Throws Problem `unauthorized`, `rate_limit_exceeded` or `access_denied`. */
export interface Admission<Caller> {
  /** Shown in the reference. Undefined: needs no key. */
  readonly permission: string | undefined
  admit(exchange: Exchange): Caller
}

type ParamNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParamNames<Rest>
  : never

export interface Call<Path extends string, Caller, Body, Query> extends Exchange {
  readonly caller: Caller
  readonly params: Readonly<Record<ParamNames<Path>, string>>
  readonly query: Query
  readonly body: Body
  /** Aborts when the client leaves. */
  readonly signal: AbortSignal
  /**
   * For routes that charge: runs `work` in one transaction, in which its answer is also written under the request's
   * Idempotency-Key. What `work` creates and charges thus happens once, whenever the process dies and however often the
   * client asks. A route that takes a stream names the `content` it received (such as its SHA-256) and may get the answer
   * of a former request back, without `work` having run.
   */
  readonly commit: <Reply>(work: () => Answer<Reply>, content?: string) => Answer<Reply> | Response
  /**
   * For routes that charge, take a stream and answer only when the work is done: the answer of a former request with the
   * same Idempotency-Key and `content`. Undefined: this one is the first, and what it returns will be kept.
   */
  readonly findFormer: (content: string) => Response | undefined
}

export interface RouteSpec<
  Path extends string,
  Caller,
  Body extends Schema,
  Query extends Schema,
  Responses extends Readonly<Record<number, Schema>>,
> {
  readonly method: Method
  /** Below /v1, with `{name}` for parameters: `/transcribe/{task_id}`. */
  readonly path: Path
  readonly summary: string
  readonly description?: string
  /** Group in the reference. */
  readonly tag: string
  /** Absent: anyone may call. */
  readonly auth?: Admission<Caller>
  /** An object schema. Absent: no body is read; a handler may stream `request.body` if `takesStream` is set. */
  readonly body?: Body
  /** Replaces the JSON reader for endpoints that take other content types too. */
  readonly readBody?: (request: Request) => Promise<unknown>
  readonly takesStream?: boolean
  /** The fields of a multipart form that the handler reads from the stream, for the reference. */
  readonly form?: Schema
  /**
   * Honours Idempotency-Key: for every POST that charges. The handler makes what it creates in `commit`; an answer that
   * it merely returns is kept as soon as it is known. Not kept: 5xx, 401, 403, 429, thrown 402, faults of body and query.
   */
  readonly charges?: boolean
  /** An object schema of booleans, numbers and strings. */
  readonly query?: Query
  /** HTTP status → whole body, for each successful answer. */
  readonly responses: Responses
  /** Other media types that a 200 may have instead, sent as a `Response`: such as `text/vtt`. For the reference. */
  readonly texts?: readonly string[]
  /** Problems of its own, for the reference; the common ones are implied. */
  readonly errors?: readonly ProblemCode[]
  /** Absent: the envelope of the contract. */
  readonly failure?: FailureForm
  /** The answer may take minutes: the connection's idle time-out is lifted. */
  readonly slow?: boolean
  /** Where the path is mounted. Only what is below /v1 is part of the API and of the reference. */
  readonly base?: Base
}

/** A route whose types have been checked and forgotten. */
export interface Route {
  readonly method: Method
  readonly path: string
  readonly base: Base
  readonly summary: string
  readonly description: string | undefined
  readonly tag: string
  readonly permission: string | undefined
  readonly body: Schema | undefined
  readonly form: Schema | undefined
  readonly query: Schema | undefined
  readonly responses: Readonly<Record<number, Schema>>
  readonly texts: readonly string[]
  readonly errors: readonly ProblemCode[]
  readonly failure: FailureForm | undefined
  readonly slow: boolean
  readonly charges: boolean
  /** The endpoint that this is another name of. */
  readonly aliasOf: string | undefined
  run(exchange: Exchange): Promise<Answer | Response>
}

type AnswerBody<Responses extends Readonly<Record<number, Schema>>> = {
  [Status in keyof Responses]: Infer<Extract<Responses[Status], Schema>>
}[keyof Responses]

/** A `Response` is sent as it is, for pages and files. */
export type Handler<Path extends string, Caller, Body, Query, Reply> = (
  call: Call<Path, Caller, Body, Query>,
) => Answer<Reply> | Response | Promise<Answer<Reply> | Response>

export function route<
  const Path extends string,
  Responses extends Readonly<Record<number, Schema>>,
  Caller = undefined,
  Body extends Schema = Schema,
  Query extends Schema = Schema,
>(
  spec: RouteSpec<Path, Caller, Body, Query, Responses>,
  handler: Handler<Path, Caller, Infer<Body>, Infer<Query>, AnswerBody<Responses>>,
): Route {
  const checkQuery = spec.query && queryChecker(spec.query)
  const checkBody = spec.body && bodyChecker(spec.body)
  const readBody = spec.readBody ?? readJsonBody
  return {
    method: spec.method,
    path: spec.path,
    base: spec.base ?? '/v1',
    summary: spec.summary,
    description: spec.description,
    tag: spec.tag,
    permission: spec.auth?.permission,
    body: spec.body,
    form: spec.form,
    query: spec.query,
    responses: spec.responses,
    texts: spec.texts ?? [],
    errors: spec.errors ?? [],
    failure: spec.failure,
    slow: spec.slow ?? false,
    charges: spec.charges ?? false,
    aliasOf: undefined,
    async run(exchange) {
      const { request } = exchange
      // The casts restate what the schemas beside them have just established.
      const caller = spec.auth?.admit(exchange) as Caller
      const params = readableParams(exchange.params) as Record<ParamNames<Path>, string>
      const query = checkQuery?.(new URL(request.url).searchParams) as Infer<Query>
      if (spec.takesStream !== true && spec.readBody === undefined) refuseLargeBody(request)
      const read = checkBody && withOurNames(await readBody(request), exchange.fieldNames)
      const body = checkBody?.(read) as Infer<Body>
      const call = { ...exchange, caller, params, query, body, signal: request.signal }
      if (spec.charges !== true) return handler({ ...call, commit: doesNotCharge, findFormer: doesNotCharge })
      return once(exchange, spec, [params, query, body], (once) => handler({ ...call, ...once }))
    },
  }
}

function withOurNames(body: unknown, names: Exchange['fieldNames'] = {}): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const own = Object.entries(body).map(([name, value]: [string, unknown]) => [
    Object.hasOwn(names, name) ? names[name] : name,
    value,
  ])
  return Object.keys(names).length === 0 ? body : Object.fromEntries(own)
}

type Reply = Answer | Response

interface Once {
  readonly commit: <Body>(work: () => Answer<Body>, content?: string) => Answer<Body> | Response
  readonly findFormer: (content: string) => Response | undefined
}

function doesNotCharge(): never {
  throw new Error('only a route with `charges` commits')
}

/** Runs the handler unless the same was asked for before under the same Idempotency-Key. */
async function once(
  exchange: Exchange,
  spec: { readonly slow?: boolean; readonly takesStream?: boolean },
  asked: readonly unknown[],
  run: (once: Once) => Reply | Promise<Reply>,
): Promise<Reply> {
  const { request, endpoint, trail, idempotency } = exchange
  if (!idempotency || trail.accountId === undefined)
    throw new Error(`${endpoint} charges, but knows not whom or how`)
  const incoming = { request, endpoint, accountId: trail.accountId, slow: spec.slow ?? false }
  const claim = await idempotency.claim(incoming)
  if (claim) trail.claim = claim
  // What a stream holds is known only when the handler has received it.
  const replay = spec.takesStream === true ? undefined : claim?.find(fingerprintOf(asked))
  if (replay) return replay
  const findFormer = (content: string): Response | undefined => claim?.find(fingerprintOf(asked, content))
  return run({
    findFormer,
    commit: (work, content) =>
      (content === undefined ? undefined : findFormer(content)) ?? idempotency.commit(claim, work),
  })
}

function readableParams(
  params: Readonly<Record<string, string | undefined | null>>,
): Readonly<Record<string, string>> {
  const readable: Record<string, string> = {}
  for (const [name, value] of Object.entries(params)) {
    // The router leaves null where percent-encoding is broken.
    if (typeof value !== 'string') throw new Problem('not_found', 'There is nothing at this address.')
    readable[name] = value
  }
  return readable
}
