// The Model Context Protocol with its official client, over HTTP and through `earshot mcp`: the same tools with the same
// permissions, limits and prices as the endpoints.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { tmpdir } from 'node:os'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { databasePath } from '../../src/db/database.ts'
import { commandLine, earshot } from '../support/earshot.ts'
import { type MediaSite, startMediaSite } from '../support/media-site.ts'
import { startServer, type TestServer } from '../support/server.ts'

setDefaultTimeout(120_000)

const TOOLS = [
  'transcribe_video',
  'analyze_video',
  'search_videos',
  'search_files',
  'ask_file',
  'get_transcript',
  'list_files',
  'get_usage',
]

let site: MediaSite
let server: TestServer
let key: string
let http: Client
let stdio: Client

beforeAll(async () => {
  site = startMediaSite()
  server = await startServer({ env: { EARSHOT_TRUSTED_HOSTS: site.host, EARSHOT_OFFLINE: '1' } })
  key = await server.createKey()
  const connected = await Promise.all([overHttp(key), overStdio()])
  ;[http, stdio] = connected
})
afterAll(async () => {
  await Promise.all([http.close(), stdio.close()])
  await server.close()
  await site.stop()
})

async function overHttp(apiKey: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const headers = { authorization: `Bearer ${apiKey}` }
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit: { headers } }),
  )
  return client
}

async function overStdio(): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' })
  const [command = '', ...args] = commandLine(['mcp'])
  const env = { ...server.env, EARSHOT_URL: server.url, EARSHOT_API_KEY: key }
  await client.connect(new StdioClientTransport({ command, args, env, cwd: tmpdir() }))
  return client
}

const call = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<CallToolResult> => (await client.callTool({ name, arguments: args })) as CallToolResult

const textOf = ({ content }: CallToolResult): string => (content[0]?.type === 'text' ? content[0].text : '')

/** Rows of the server's database. */
function rows(sql: string): unknown[] {
  const db = new Database(databasePath(server.dataDir), { readonly: true })
  try {
    return db.query(sql).all()
  } finally {
    db.close()
  }
}

for (const [way, clientOf] of [
  ['HTTP', () => http],
  ['stdio', () => stdio],
] as const) {
  describe(`over ${way}`, () => {
    test('lists the tools with schemas of input and output', async () => {
      const client = clientOf()
      expect(client.getServerVersion()?.name).toBe('earshot')
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(TOOLS)
      for (const tool of tools) {
        expect(tool.description?.length).toBeGreaterThan(30)
        expect(tool.inputSchema.type).toBe('object')
        expect(tool.outputSchema?.type).toBe('object')
      }
      const byName = new Map(tools.map((tool) => [tool.name, tool]))
      expect(byName.get('transcribe_video')?.inputSchema.required).toEqual(['video_url'])
      expect(byName.get('get_usage')?.annotations?.readOnlyHint).toBe(true)
    })

    // The client checks every structured result against the schema of its tool.
    test('transcribes with progress, and reads files, usage and searches', async () => {
      const client = clientOf()
      await client.listTools()
      const progress: number[] = []
      const args = { video_url: site.url('/tone.mp3'), with_times: true }
      const result = await client.callTool({ name: 'transcribe_video', arguments: args }, undefined, {
        onprogress: (told) => progress.push(told.progress),
      })
      expect(result.structuredContent).toMatchObject({ result: { transcript: [] } })
      expect(progress[0]).toBe(0)
      const files = await call(client, 'list_files', { limit: 5 })
      expect(files.structuredContent).toMatchObject({ files: [], total_count: 0, limit: 5 })
      expect(JSON.parse(textOf(files))).toEqual(files.structuredContent)
      const usage = await call(client, 'get_usage')
      expect(usage.structuredContent).toMatchObject({ subscription: { plan_id: 'custom' } })
      expect((await call(client, 'search_files', { query: 'ferry' })).structuredContent).toMatchObject({
        results: [],
      })
      expect((await call(client, 'search_videos', { query: 'ferry' })).structuredContent).toMatchObject({
        query: 'ferry',
      })
    })

    test('tells a model what was wrong and what to do', async () => {
      const refused: readonly [string, Record<string, unknown>, RegExp][] = [
        ['transcribe_video', {}, /^missing_parameter: "video_url" is required/],
        ['transcribe_video', { video_url: 7 }, /^invalid_parameter: "video_url" must be a string/],
        ['transcribe_video', { video_url: 'http://127.0.0.1:1/' }, /^unsupported_url: /],
        ['transcribe_video', { video_url: site.url('/missing.mp3') }, /^video_not_found: /],
        ['analyze_video', { video_url: 'nonsense' }, /^invalid_url: /],
        ['list_files', { limit: 1_000 }, /^invalid_parameter: "limit" must be a whole number from 1 to 100/],
        ['get_transcript', { file_id: '../usage' }, /^file_not_found: /],
        ['ask_file', { file_id: '?', question: 'Who?' }, /^file_not_found: /],
        ['no_such_tool', {}, /^There is no tool "no_such_tool"/],
      ]
      for (const [name, args, message] of refused) {
        const result = await call(clientOf(), name, args)
        expect({ name, isError: result.isError }).toEqual({ name, isError: true })
        expect(textOf(result)).toMatch(message)
      }
    })

    test('a call that is cancelled ends its task', async () => {
      const mine = `request like '%endless.mp4?${way}%'`
      const leaving = new AbortController()
      const args = { video_url: site.url(`/endless.mp4?${way}`) }
      const cut = await clientOf()
        .callTool({ name: 'transcribe_video', arguments: args }, undefined, {
          onprogress() {
            expect(rows(`select 1 from tasks where ${mine}`)).toHaveLength(1)
            leaving.abort()
          },
          signal: leaving.signal,
        })
        .catch(() => 'cancelled')
      expect(cut).toBe('cancelled')
      await until(() => rows(`select 1 from tasks where ${mine}`).length === 0)
      expect(rows(`select 1 from tasks where status = 'processing'`)).toEqual([])
    })
  })
}

async function until(check: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!check()) {
    if (Date.now() > deadline) throw new Error('waited in vain')
    await Bun.sleep(5)
  }
}

describe('the endpoint', () => {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  const accept = 'application/json, text/event-stream'
  const post = (headers: Record<string, string>, body: unknown = list) =>
    server.request('POST', '/mcp', { body, headers: { accept, ...headers } })

  test('takes a key either way, and refuses without one', async () => {
    expect((await post({})).status).toBe(401)
    expect((await post({ 'x-api-key': 'ear_wrong' })).status).toBe(401)
    const reply = await post({ 'x-api-key': key })
    expect(reply.status).toBe(200)
    expect(reply.body).toContain('transcribe_video')
  })

  test('refuses pages of other sites, and names that were pointed at this machine', async () => {
    const own = new URL(server.url)
    const headers = { 'x-api-key': key }
    expect((await post({ ...headers, origin: server.url })).status).toBe(200)
    for (const origin of ['https://evil.example', 'null', `http://evil.example:${own.port}`]) {
      expect((await post({ ...headers, origin })).status).toBe(403)
    }
    const rebound = { origin: `http://evil.example:${own.port}`, host: `evil.example:${own.port}` }
    expect((await post({ ...headers, ...rebound })).status).toBe(403)
  })

  test('takes one message of the protocol, and nothing else', async () => {
    const headers = { 'x-api-key': key }
    for (const body of [[list, list], 'text', 7, '{']) {
      expect((await post(headers, body)).body).toMatchObject({ error: 'invalid_parameter' })
    }
    expect((await post({ ...headers, accept: 'application/json' })).status).toBe(406)
    const large = await post(headers, { ...list, params: { text: 'x'.repeat(1_100_000) } })
    expect(large.body).toMatchObject({ error: 'input_too_large' })
    for (const method of ['GET', 'DELETE']) {
      expect((await server.request(method, '/mcp', { key })).status).toBe(405)
    }
    for (const requestId of [1, 'x', null, {}]) {
      const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }
      expect((await post(headers, cancel)).status).toBeLessThan(500)
    }
  })

  test('a key may do through tools what it may do without', async () => {
    const limited = await overHttp(await server.createKey('--permissions', 'usage'))
    expect((await call(limited, 'get_usage')).isError).toBeUndefined()
    const refused = await call(limited, 'transcribe_video', { video_url: site.url('/tone.mp3') })
    expect(textOf(refused)).toStartWith('access_denied: ')
    await limited.close()
  })

  test('what an account lacks is said as everywhere', async () => {
    await server.command('accounts', 'create', 'empty', '--plan', 'trial')
    await server.command('credits', 'grant', 'empty', '0.001')
    const other = await overHttp(await server.createKey('--account', 'empty'))
    const files = await call(other, 'list_files')
    expect(files.structuredContent).toMatchObject({ total_count: 0 })
    await server.command('accounts', 'disable', 'empty')
    expect(await call(other, 'list_files').catch(() => 'refused')).toBe('refused')
    await other.close()
  })
})

test('earshot mcp says what is missing, and why a server does not answer', async () => {
  const cwd = tmpdir()
  expect(await earshot(['mcp'], { cwd })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('EARSHOT_API_KEY'),
  })
  const wrong = await earshot(['mcp', '--url', 'ftp://x'], { cwd, env: { EARSHOT_API_KEY: 'ear_x' } })
  expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('address of a server') })
  const [command = '', ...args] = commandLine(['mcp', '--url', 'http://127.0.0.1:1'])
  const client = new Client({ name: 'test', version: '1' })
  const transport = new StdioClientTransport({
    command,
    args,
    env: { EARSHOT_API_KEY: 'ear_x' },
    stderr: 'ignore',
  })
  const failure = await client.connect(transport).catch((error: unknown) => error)
  expect(String(failure)).toContain('http://127.0.0.1:1')
})
