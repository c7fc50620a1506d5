// What clients of other interfaces need is inside the compiled binary: OpenAI's client and the official client of the Model
// Context Protocol, over HTTP and with the binary as the program that they start.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import OpenAI from 'openai'
import { copyElsewhere, type Elsewhere } from '../support/elsewhere.ts'
import { wordsOf } from '../support/samples.ts'
import { JFK } from '../support/e2e.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { JFK_PATH } from '../support/speech.ts'

setDefaultTimeout(120_000)

let elsewhere: Elsewhere
let server: TestServer
let key: string

beforeAll(async () => {
  elsewhere = await copyElsewhere()
  const { path } = elsewhere.folder
  server = await startServer({ binary: `${path}/earshot`, cwd: path })
  key = await server.createKey()
})
afterAll(async () => {
  await server.close()
  elsewhere[Symbol.dispose]()
})

test('OpenAI’s client transcribes a recording, and is refused as by OpenAI', async () => {
  const client = new OpenAI({ apiKey: key, baseURL: `${server.url}/v1`, maxRetries: 0 })
  const file = new File([Bun.file(JFK_PATH)], 'jfk.mp3')
  const stream = await client.audio.transcriptions.create({ file, model: 'whisper-1', stream: true })
  const done = (await Array.fromAsync(stream)).at(-1)
  expect(wordsOf(done?.type === 'transcript.text.done' ? done.text : '')).toEqual(wordsOf(JFK))
  const refused = client.audio.translations.create({ file, model: 'whisper-1' })
  const error = await refused.catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ status: 400, param: 'model', message: expect.stringContaining('translate') })
})

test('tools work over HTTP, and through the binary as a program', async () => {
  const requestInit = { headers: { 'x-api-key': key } }
  const [command = '', ...args] = elsewhere.command(['mcp'])
  const env = { ...server.env, EARSHOT_URL: server.url, EARSHOT_API_KEY: key }
  for (const transport of [
    new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), { requestInit }),
    new StdioClientTransport({ command, args, env, cwd: elsewhere.folder.path }),
  ]) {
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(transport)
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('transcribe_video')
    const usage = await client.callTool({ name: 'get_usage', arguments: {} })
    expect(usage.structuredContent).toMatchObject({
      usage: { transcription_hour: { used: expect.any(Number) } },
    })
    const refused = await client.callTool({ name: 'ask_file', arguments: { file_id: 'x', question: 'Who?' } })
    expect(refused).toMatchObject({ isError: true })
    await client.close()
  }
})
