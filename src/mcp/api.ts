// The API as tools see it: requests that never leave the process, with the key that the client of the tools sent. Whatever
// holds for those endpoints – permissions, limits, prices – thus holds for tools.

import { problemOfRecord } from '../lib/problem.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import type { ToolContext } from './tool.ts'

/** Answers a request as if it had come over the network. */
export type Handle = (request: Request) => Promise<Response>

const KEY_HEADERS = ['x-api-key', 'authorization'] as const

const Answer = parser(
  t.Object({
    data: t.Optional(t.Unknown()),
    error: t.Optional(t.String()),
    error_code: t.Optional(t.String()),
    message: t.Optional(t.String()),
  }),
)

/** `client`: the headers of the request that called the tool. */
export function createApi(
  handle: Handle,
  client: Headers,
  signal: AbortSignal,
): Pick<ToolContext, 'get' | 'post'> {
  const headers = new Headers({ 'content-type': 'application/json' })
  for (const name of KEY_HEADERS) {
    const value = client.get(name)
    if (value !== null) headers.set(name, value)
  }
  const ask = async (path: string, init: RequestInit): Promise<unknown> => {
    const response = await handle(new Request(`http://localhost/v1${path}`, { ...init, headers, signal }))
    signal.throwIfAborted()
    const answer = Answer.parse(await response.json())
    if (!answer.ok) throw new Error(`${path} did not answer with an envelope`)
    if (response.ok) return answer.value.data
    throw refusal(answer.value, response.status)
  }
  return {
    get(path, query = {}) {
      const search = new URLSearchParams()
      for (const [name, value] of Object.entries(query)) {
        if (value !== undefined) search.set(name, String(value))
      }
      return ask(`${path}?${search.toString()}`, { method: 'GET' })
    },
    post: (path, body) => ask(path, { method: 'POST', body: JSON.stringify(body) }),
  }
}

function refusal(
  { data, error, error_code, message = '' }: Parsed<typeof Answer>,
  httpStatus: number,
): Error {
  // A search that ran out of credits midway answers with what it has.
  const partial = data === undefined ? '' : ` Found until then: ${JSON.stringify(data)}`
  const code = httpStatus === 402 ? 'limit_exceeded' : (error ?? error_code ?? null)
  return problemOfRecord({ error: code, message: message + partial, http_status: httpStatus })
}
