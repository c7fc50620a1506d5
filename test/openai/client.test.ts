// OpenAI's official client against a running server with real engines, and a server that is killed in the middle.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import OpenAI, { AuthenticationError, NotFoundError } from 'openai'
import { storedIn } from '../support/files.ts'
import { readSamples, wordsOf } from '../support/samples.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { JFK_PATH } from '../support/speech.ts'

setDefaultTimeout(120_000)

let server: TestServer
let key: string
let client: OpenAI

beforeAll(async () => {
  server = await startServer({
    env: {
      EARSHOT_MODELS: resolve(import.meta.dir, '../../models'),
      EARSHOT_SPEECH_MODEL: 'moonshine-tiny-en',
    },
  })
  key = await server.createKey()
  client = clientOf(key)
})
afterAll(() => server.close())

const clientOf = (apiKey: string): OpenAI =>
  new OpenAI({ apiKey, baseURL: `${server.url}/v1`, maxRetries: 0 })
const recording = (): File => new File([Bun.file(JFK_PATH)], 'jfk.mp3')

test('lists the models, and finds one by its name', async () => {
  const ids = (await client.models.list()).data.map(({ id }) => id)
  expect(ids).toEqual(expect.arrayContaining(['whisper-1', 'gpt-4o-transcribe', 'whisper-demo-en']))
  expect(await client.models.retrieve('gpt-4o-mini-transcribe-2025-12-15')).toMatchObject({ object: 'model' })
  const refusal = (asked: Promise<unknown>): Promise<unknown> => asked.catch((error: unknown) => error)
  expect(await refusal(client.models.retrieve('whisper-9'))).toBeInstanceOf(NotFoundError)
  expect(await refusal(clientOf('ear_wrong').models.list())).toBeInstanceOf(AuthenticationError)
})

test('streams the text piece by piece: the pieces are the whole text, and the same as without stream', async () => {
  const stream = await client.audio.transcriptions.create({
    file: recording(),
    model: 'gpt-4o-transcribe',
    language: 'en',
    stream: true,
  })
  const pieces: string[] = []
  let whole: string | undefined
  for await (const event of stream) {
    if (event.type === 'transcript.text.delta') pieces.push(event.delta)
    if (event.type === 'transcript.text.done') whole = event.text
  }
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.join('')).toBe(whole ?? '')
  const { text } = await client.audio.transcriptions.create({ file: recording(), model: 'whisper-1' })
  expect(text).toBe(whole ?? '')
  expect(text).toContain('ask what you can do for your country')
})

test('gets the times of words and segments from a Whisper model', async () => {
  const sample = readSamples('vocabulary-').toSorted((a, b) => a.samples.length - b.samples.length)[0]
  if (!sample) throw new Error('no samples')
  const answer = await client.audio.transcriptions.create({
    file: new File([Bun.file(sample.wavPath)], 'a.wav'),
    model: 'whisper-demo-en',
    response_format: 'verbose_json',
    timestamp_granularities: ['word', 'segment'],
  })
  expect(wordsOf(answer.text)).toEqual(wordsOf(sample.text))
  expect(answer.language).toBe('english')
  const { words = [], segments = [] } = answer
  expect(words.map(({ word }) => word).join(' ')).toBe(answer.text)
  expect(words.map(({ start }) => start)).toEqual(words.map(({ start }) => start).toSorted((a, b) => a - b))
  expect(segments.map(({ text }) => text).join(' ')).toBe(answer.text)
  for (const segment of segments) {
    expect(segment.avg_logprob).toBeWithin(-1, 0)
    expect(segment.compression_ratio).toBeGreaterThan(0)
  }
})

test('a server killed in the middle has charged nothing and keeps nothing of the recording', async () => {
  const spool = join(server.dataDir, 'spool')
  const inSpool = (): string[] => readdirSync(spool, { recursive: true, encoding: 'utf8' })
  const used = async (): Promise<number> =>
    Number((await server.request('GET', '/v1/usage', { key })).body.data.usage.transcription_hour.used)
  const before = await used()
  const body = new FormData()
  body.set('model', 'whisper-1')
  body.set('file', recording())
  const headers = { authorization: `Bearer ${key}` }
  const asked = fetch(`${server.url}/v1/audio/transcriptions`, { method: 'POST', headers, body }).catch(
    () => 'cut',
  )
  await until(() => inSpool().some((name) => name.endsWith('audio')))
  await server.kill('SIGKILL')
  expect(await asked).toBe('cut')
  server = await server.restart()
  await until(() => inSpool().length === 0)
  expect(Object.keys(storedIn(server.dataDir)).filter((name) => name.startsWith('incoming/'))).toEqual([])
  expect(await used()).toBe(before)
  client = clientOf(key)
  const { usage: paid } = await client.audio.transcriptions.create({ file: recording(), model: 'whisper-1' })
  expect(paid).toEqual({ type: 'duration', seconds: 11 })
  expect((await used()) - before).toBeCloseTo(11 / 3_600, 4)
})

async function until(check: () => boolean): Promise<void> {
  const deadline = Date.now() + 60_000
  while (!check()) {
    if (Date.now() > deadline) throw new Error('waited in vain')
    await Bun.sleep(1)
  }
}
