// Routes → an HTTP server. Everything that holds for every request is here: ids, headers, errors, methods, logging.

import { Elysia } from 'elysia'
import { isId, newId } from '../lib/id.ts'
import type { Log } from '../lib/log.ts'
import type { Metrics } from '../lib/metrics.ts'
import { asError, Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { type Answer, bodyText, type FailureForm, problemAnswer, problemOfThrown } from './envelope.ts'
import type { Idempotency } from './idempotency.ts'
import type { Exchange, Route } from './route.ts'

export interface HttpOptions {
  readonly routes: readonly Route[]
  readonly log: Log
  readonly metrics?: Metrics
  /** Base of `docs_url`. Asked per answer: with port 0 it is known only after listening. */
  readonly publicUrl: () => string
  /** Needed by routes that charge. */
  readonly idempotency?: Idempotency
}

/** What we need of Bun's server; absent for requests that are handled in-process. */
interface Connection {
  requestIP(request: Request): { readonly address: string } | null
  timeout(request: Request, seconds: number): void
}

const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cache-control': 'no-store',
}

export function createHttp(options: HttpOptions): Elysia {
  const http = new Elysia({
    // Bun's own router would answer wrong methods itself; Elysia's lets us.
    systemRouter: false,
    nativeStaticResponse: false,
    // The default finds no route when the Host header has fewer than four characters.
    handler: { standardHostname: false },
  })
  const byPath = Map.groupBy(options.routes, (route) => route.base + route.path)
  for (const [path, routes] of byPath) {
    const pattern = path.replaceAll(/\{(\w+)\}/g, ':$1')
    for (const route of routes) {
      http.route(
        route.method,
        pattern,
        ({ request, server, params }) => handle(options, route, { request, server, params: params ?? {} }),
        { parse: 'none' },
      )
    }
    http.all(pattern, ({ request }) => otherMethod(options, routes, request), { parse: 'none' })
  }
  http.onError(({ code, error, request }) => {
    const thrown = code === 'NOT_FOUND' ? notFound() : error
    const exchange = createExchange(options, request, 'unknown')
    const response = refuse(options, exchange, thrown, undefined)
    noteEnd(options, exchange, response, 0)
    return response
  })
  return http
}

function notFound(): Problem {
  return new Problem('not_found', 'There is nothing at this address. The API reference is at /docs.')
}

interface Incoming {
  readonly request: Request
  readonly server: Connection | null
  readonly params: Exchange['params']
}

async function handle(options: HttpOptions, route: Route, incoming: Incoming): Promise<Response> {
  const { request, server, params } = incoming
  const address = server?.requestIP(request)?.address ?? 'unknown'
  const endpoint = `${route.method} ${route.base === '/v1' ? '' : route.base}${route.path}`
  const exchange: Exchange = { ...createExchange(options, request, address), endpoint, params }
  if (route.slow) server?.timeout(request, 0)
  const startedAt = performance.now()
  const response = await respond(options, route, exchange)
  noteEnd(options, exchange, response, performance.now() - startedAt)
  return response
}

/** One line and one count per request: names, ids and numbers of ours, nothing that the client chose but its request id. */
function noteEnd(options: HttpOptions, exchange: Exchange, response: Response, tookMs: number): void {
  const { endpoint, address, params, trail } = exchange
  const asked = params['task_id'] ?? ''
  options.metrics?.requestEnded(endpoint, response.status, tookMs / SECOND)
  exchange.log.info(
    {
      endpoint,
      httpStatus: response.status,
      tookMs: Math.round(tookMs * 10) / 10,
      address,
      account: trail.accountId,
      keyId: trail.keyId,
      session: trail.sessionId,
      task: trail.taskId ?? (isId(asked) ? asked : undefined),
    },
    'request',
  )
}

async function respond(options: HttpOptions, route: Route, exchange: Exchange): Promise<Response> {
  let response: Response
  let refused = false
  try {
    response = send(exchange, await route.run(exchange))
  } catch (thrown) {
    refused = true
    response = refuse(options, exchange, thrown, route.failure)
  }
  try {
    await exchange.trail.claim?.settle(response, refused)
  } catch (error) {
    // The answer is right; a repetition will be done anew.
    exchange.log.error({ err: asError(error) }, 'could not keep an answer for its Idempotency-Key')
  }
  return response
}

function createExchange(options: HttpOptions, request: Request, address: string): Exchange {
  const requestId = requestIdOf(request)
  const headers = new Headers(SECURITY_HEADERS)
  headers.set('x-request-id', requestId)
  const log = options.log.child({ requestId })
  return {
    request,
    requestId,
    address,
    headers,
    endpoint: 'none',
    params: {},
    log,
    trail: {},
    idempotency: options.idempotency,
  }
}

function requestIdOf(request: Request): string {
  const sent = request.headers.get('x-request-id') ?? ''
  return /^[\w.:-]{1,64}$/.test(sent) ? sent : newId()
}

function send(exchange: Exchange, reply: Answer | Response): Response {
  if (reply instanceof Response) {
    for (const [name, value] of exchange.headers) {
      if (!reply.headers.has(name)) reply.headers.set(name, value)
    }
    return reply
  }
  for (const [name, value] of Object.entries(reply.headers ?? {})) exchange.headers.set(name, value)
  const { httpStatus: status, contentType } = reply
  if (contentType === undefined) return Response.json(reply.body, { status, headers: exchange.headers })
  exchange.headers.set('content-type', contentType)
  return new Response(bodyText(reply), { status, headers: exchange.headers })
}

function refuse(
  options: HttpOptions,
  exchange: Exchange,
  thrown: unknown,
  failure: FailureForm | undefined,
): Response {
  // Nobody reads this answer, and work that stopped because its client left is no fault.
  if (exchange.request.signal.aborted) return new Response(null, { status: 499 })
  const problem = problemOfThrown(thrown, exchange.log)
  return send(exchange, (failure?.answer ?? problemAnswer)(problem, options.publicUrl()))
}

function otherMethod(options: HttpOptions, routes: readonly Route[], request: Request): Response {
  const methods = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  const allow = [...new Set([...methods, 'OPTIONS'])].join(', ')
  const exchange = createExchange(options, request, 'unknown')
  exchange.headers.set('allow', allow)
  const response =
    request.method === 'OPTIONS'
      ? new Response(null, { status: 204, headers: exchange.headers })
      : refuse(options, exchange, otherMethodProblem(allow), routes[0]?.failure)
  noteEnd(options, exchange, response, 0)
  return response
}

function otherMethodProblem(allow: string): Problem {
  return new Problem('method_not_allowed', `This address takes ${allow} only.`)
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
}

const IDLE_TIMEOUT_S = 60

export interface Listening {
  /** The real one, also when any free port was asked for. */
  readonly port: number
  /** Accepts nothing more at once; answers under way may finish for `graceMs`, then their connections are cut. */
  stop(graceMs: number): Promise<void>
}

/** Starts to accept connections. Throws a Problem when that address cannot be had. */
export function listen(http: Elysia, options: ListenOptions): Listening {
  try {
    http.listen({
      hostname: options.host,
      port: options.port,
      // Two servers would otherwise share one port without a word.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_S,
      // Bun's own refusal is no envelope. Routes refuse large bodies themselves, and an unread body takes no memory.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      development: false,
    })
  } catch (cause) {
    throw new Problem(
      'internal_server_error',
      `Cannot listen on ${options.host}:${options.port} (${asError(cause).message}). ` +
        'Stop what uses it, or choose another with --host and --port.',
      { cause },
    )
  }
  const { server } = http
  if (!server) throw new Error('the server did not start')
  return {
    port: server.port ?? options.port,
    async stop(graceMs) {
      const finished = server.stop(false)
      await Promise.race([finished, Bun.sleep(graceMs)])
      await server.stop(true)
    },
  }
}
