// The OpenAPI document before strangers: a linter with all of its rules, and a client that a generator makes of it, which
// must type-check strictly and work against the server. Neither shares code with what makes the document.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { generate } from 'openapi-typescript-codegen'
import { createFirstAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { type Listening, listen } from '../../src/http/http.ts'
import { TAGS } from '../../src/http/tags.ts'
import { createServer } from '../../src/server.ts'
import { createWorker, type Worker } from '../../src/worker.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { makeTone } from '../support/make-media.ts'
import { type TemporaryFolder, temporaryFolder } from '../support/temp.ts'

setDefaultTimeout(60_000)

let testApp: TestApp
let server: Listening
let worker: Worker
let folder: TemporaryFolder
let key = ''
let text = ''

beforeAll(async () => {
  folder = temporaryFolder()
  testApp = await createTestApp({ EARSHOT_RATE_LIMITS: 'off' })
  const account = createFirstAccount(testApp.app)
  key = createKey(testApp.app, account?.id ?? '', { name: '', permissions: 'all', expiresAt: undefined }).text
  server = listen(
    createServer(testApp.app, () => 'http://earshot.test'),
    { host: '127.0.0.1', port: 0 },
  )
  worker = createWorker(testApp.app)
  worker.start()
  text = await (await fetch(`http://127.0.0.1:${server.port}/v1/openapi.json`)).text()
})
afterAll(async () => {
  await server.stop(0)
  await worker.stop(0)
  await testApp.close()
  folder[Symbol.dispose]()
})

/** The document itself is for everybody, as often as they like: nothing of it can be refused. */
const EXCEPTED = ['operation-4xx-response #/paths/~1openapi.json/get/responses']

test('passes the strictest rules of the linter of Redocly, warnings included', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const problems = await lintFromString({ source: text, config })
  const found = problems.map(({ ruleId, message, location: [place] }) => {
    const where = `${ruleId} ${place?.pointer ?? ''}`
    return EXCEPTED.includes(where) ? where : `${where}: ${message}`
  })
  expect(found).toEqual(EXCEPTED)
})

test('introduces every group of endpoints', () => {
  const { tags } = JSON.parse(text) as { tags: readonly { name: string; description: string }[] }
  for (const { name, description } of tags) expect(description).toBe(TAGS[name] ?? 'not in src/http/tags.ts')
})

/** How somebody would use the client; it is type-checked with it. */
const USE = `
import { ApiError, FilesService, NamespacesService, OpenAiService, OpenAPI, ServiceService, TranscriptionService } from './client/index.ts'

export async function use(base: string, key: string, recording: Blob) {
  OpenAPI.BASE = base
  const health = await ServiceService.getHealth()
  OpenAPI.HEADERS = { 'X-API-Key': key }
  const files = await FilesService.getFiles(2)
  const left: boolean = files.data.has_more
  const made = await NamespacesService.postNamespaces({ name: 'generated' })
  const heard = await OpenAiService.postAudioTranscriptions({ file: recording, model: 'whisper-1', response_format: 'verbose_json' })
  let code: unknown
  try {
    await TranscriptionService.postTranscribeAsync({ video_url: 'nonsense' })
  } catch (error) {
    if (error instanceof ApiError) code = [error.status, error.body.error]
  }
  return { health: health.status, left, name: made.data.name, heard, code }
}
`

const COMPILER = ['--strict', '--exactOptionalPropertyTypes', '--noEmit', '--allowImportingTsExtensions']
const TARGET = [
  '--target',
  'esnext',
  '--module',
  'esnext',
  '--moduleResolution',
  'bundler',
  '--lib',
  'esnext,dom,dom.iterable',
]

test('a client generated from it type-checks, and works against the server', async () => {
  const input = folder.write('openapi.json', text)
  await generate({ input, output: join(folder.path, 'client'), httpClient: 'fetch' })
  const use = folder.write('use.ts', USE)
  const tsc = resolve(import.meta.dir, '../../node_modules/.bin/tsc')
  const checked = Bun.spawnSync([tsc, ...COMPILER, ...TARGET, use], { cwd: folder.path })
  expect(checked.stdout.toString()).toBe('')

  const module = (await import(use)) as {
    use: (base: string, key: string, recording: Blob) => Promise<unknown>
  }
  const recording = Bun.file(makeTone(join(folder.path, 'tone.wav'), 1))
  expect(await module.use(`http://127.0.0.1:${server.port}/v1`, key, recording)).toEqual({
    health: 'success',
    left: false,
    name: 'generated',
    heard: expect.objectContaining({ task: 'transcribe', text: '', duration: expect.closeTo(1, 1) }),
    code: [400, 'invalid_url'],
  })
})
