// earshot mcp: the tools of a running server for clients that start programs. It passes messages between its standard
// streams and the server's /mcp, so both ways have the same tools; stdout carries nothing but the protocol.

import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
} from '@modelcontextprotocol/sdk/types.js'
import { type Command, Option } from 'commander'
import { CLIENT_VARIABLES } from '../config.ts'
import { asError, Problem } from '../lib/problem.ts'
import { parser, t } from '../lib/schema.ts'
import { note } from './output.ts'

const DEFAULT_URL = 'http://127.0.0.1:8787'
/** JSON-RPC's range for faults of a server. */
const UNREACHABLE = -32_000

interface Options {
  readonly url: string
  readonly key?: string
}

export function registerMcp(program: Command): void {
  program
    .command('mcp')
    .description(
      'offer the tools of a running server to a client of the Model Context Protocol, on stdin and stdout',
    )
    .addOption(
      new Option('--url <url>', 'address of the server').env(CLIENT_VARIABLES.url).default(DEFAULT_URL),
    )
    .addOption(
      new Option('--key <key>', 'API key; other users can see flags, so better the variable').env(
        CLIENT_VARIABLES.key,
      ),
    )
    .action(async (options: Options) => bridge(options))
}

/** Resolves when stdin has ended. */
async function bridge({ url, key }: Options): Promise<void> {
  if (key === undefined) {
    throw new Problem(
      'unauthorized',
      `Set ${CLIENT_VARIABLES.key} to an API key. "earshot keys create" makes one.`,
    )
  }
  const server = new StreamableHTTPClientTransport(endpointOf(url), {
    requestInit: { headers: { 'x-api-key': key } },
  })
  const client = new StdioServerTransport()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const pending = new Set<Promise<void>>()
  let initializing: string | number | undefined
  client.onmessage = (message) => {
    if (isInitializeRequest(message) && isJSONRPCRequest(message)) initializing = message.id
    const sent = pass(server, message).catch((error: unknown) =>
      answerFailure(client, message, { url, error }),
    )
    pending.add(sent)
    void sent.finally(() => pending.delete(sent))
  }
  server.onmessage = (message) => {
    // The protocol's version goes into every later request.
    const version = 'id' in message && message.id === initializing ? versionOf(message) : undefined
    if (version !== undefined) server.setProtocolVersion(version)
    pass(client, message).catch(end)
  }
  server.onerror = (error) => note(`earshot mcp: ${error.message}`)
  client.onerror = (error) => note(`earshot mcp: ${error.message}`)
  process.stdin.once('end', () => end())
  process.stdin.once('close', () => end())
  await server.start()
  await client.start()
  await ended
  await Promise.all(pending)
  await server.close()
  await client.close()
}

/** Throws Problem `invalid_url`. */
function endpointOf(url: string): URL {
  const parsed = URL.parse(url)
  if (parsed && ['http:', 'https:'].includes(parsed.protocol)) return new URL('/mcp', parsed)
  throw new Problem(
    'invalid_url',
    `${CLIENT_VARIABLES.url} must be the address of a server, such as ${DEFAULT_URL}.`,
  )
}

async function pass(to: Transport, message: JSONRPCMessage): Promise<void> {
  await to.send(message)
}

interface Failure {
  readonly url: string
  readonly error: unknown
}

/** A client that waits for an answer is told why there is none. */
async function answerFailure(
  client: Transport,
  message: JSONRPCMessage,
  { url, error }: Failure,
): Promise<void> {
  const text = `The server at ${url} did not take the request: ${asError(error).message}`
  note(`earshot mcp: ${text}`)
  if (!isJSONRPCRequest(message)) return
  await client.send({ jsonrpc: '2.0', id: message.id, error: { code: UNREACHABLE, message: text } })
}

const Initialized = parser(t.Object({ result: t.Object({ protocolVersion: t.String() }) }))

function versionOf(message: JSONRPCMessage): string | undefined {
  const parsed = Initialized.parse(message)
  return parsed.ok ? parsed.value.result.protocolVersion : undefined
}
