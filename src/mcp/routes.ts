// POST /mcp: the tools over streamable HTTP. No state between requests but those in work: a restart or another server
// behind the same name is never noticed. The session id only tells the requests of one client from those of another, so
// that it can cancel its own.

import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { readJsonBody } from '../http/body.ts'
import { requireOwnOrigin } from '../http/origin.ts'
import { type Route, route } from '../http/route.ts'
import { discardTask } from '../jobs/tasks.ts'
import { isId, newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { createApi, type Handle } from './api.ts'
import { createMcpServer } from './server.ts'
import { createTools } from './tools.ts'
import type { Tool } from './tool.ts'

const SESSION_HEADER = 'mcp-session-id'

export interface McpRoutesOptions {
  readonly routes: () => readonly Route[]
  readonly handle: Handle
}

const Id = t.Union([t.String({ maxLength: 200 }), t.Number()])

/** As much of a message as is read before the SDK does. */
const Message = parser(
  t.Object({
    method: t.Optional(t.String()),
    params: t.Optional(t.Object({ requestId: t.Optional(Id) })),
  }),
)

export function mcpRoutes(app: App, auth: Guard, options: McpRoutesOptions): readonly Route[] {
  const anyKey = auth('any')
  const calls = createCalls()
  let tools: readonly Tool[] | undefined
  return [
    route(
      {
        method: 'POST',
        path: '/mcp',
        base: '',
        tag: 'Pages',
        summary: 'The tools of the Model Context Protocol',
        auth: {
          permission: 'any',
          admit(exchange) {
            requireOwnOrigin(exchange, app.config)
            return anyKey.admit(exchange)
          },
        },
        takesStream: true,
        responses: {},
        slow: true,
      },
      async ({ request, caller, signal, log }) => {
        const body = await readJsonBody(request)
        const message = messageOf(body)
        const session = sessionOf(request)
        const client = JSON.stringify([caller.account.id, caller.key?.id, session])
        const { requestId } = message.params ?? {}
        if (message.method === CANCELLED && requestId !== undefined) calls.cancel(client, requestId)
        const server = createMcpServer({
          tools: (tools ??= createTools(options.routes())),
          log,
          call: (extra, work) =>
            calls.run(client, extra.requestId, (cancelled) => {
              const until = AbortSignal.any([signal, cancelled, extra.signal])
              const api = createApi(options.handle, request.headers, until)
              return work({ ...api, discard: (taskId) => discardTask(app, taskId), signal: until })
            }),
        })
        return answered(server, { request, body, session })
      },
    ),
  ]
}

const CANCELLED = 'notifications/cancelled'

function messageOf(body: unknown): Parsed<typeof Message> {
  const message = Message.parse(body)
  if (message.ok) return message.value
  throw new Problem(
    'invalid_parameter',
    'The body must be one JSON-RPC message of the Model Context Protocol.',
  )
}

/** One that this server did not make says no more than none. */
function sessionOf({ headers }: Request): string | undefined {
  const id = headers.get(SESSION_HEADER) ?? ''
  return isId(id) ? id : undefined
}

interface Calls {
  /** Runs `work` with a signal that `cancel` with the same names aborts. */
  run<T>(client: string, id: string | number, work: (cancelled: AbortSignal) => Promise<T>): Promise<T>
  cancel(client: string, id: string | number): void
}

function createCalls(): Calls {
  const inWork = new Map<string, AbortController>()
  const nameOf = (client: string, id: string | number): string => JSON.stringify([client, id])
  return {
    async run(client, id, work) {
      const name = nameOf(client, id)
      const controller = new AbortController()
      inWork.set(name, controller)
      try {
        return await work(controller.signal)
      } finally {
        // A client that gives two requests one id can cancel the later one only.
        if (inWork.get(name) === controller) inWork.delete(name)
      }
    },
    cancel: (client, id) => inWork.get(nameOf(client, id))?.abort(),
  }
}

interface Incoming {
  readonly request: Request
  readonly body: unknown
  readonly session: string | undefined
}

async function answered(
  server: ReturnType<typeof createMcpServer>,
  { request, body, session }: Incoming,
): Promise<Response> {
  // Without a generator of ids the transport keeps no state and takes one request.
  const transport = new WebStandardStreamableHTTPServerTransport()
  await server.connect(transport)
  const response = await transport.handleRequest(request, { parsedBody: body })
  response.headers.set(SESSION_HEADER, session ?? newId())
  return response
}
