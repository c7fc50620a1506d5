// The speech API in-process: what is refused and how, what it costs, and what is left when something goes wrong. A tone
// of two seconds holds no speech, but has a length to pay for.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Elysia } from 'elysia'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { balance } from '../../src/billing/balance.ts'
import { charge } from '../../src/billing/ledger.ts'
import { newId } from '../../src/lib/id.ts'
import { createServer } from '../../src/server.ts'
import { createWorker, type Worker } from '../../src/worker.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { storedIn } from '../support/files.ts'
import { ffmpeg, makeTone, temporaryFolder } from '../support/make-media.ts'
import { writeRandomWhisper } from '../support/random-whisper.ts'

const TONE_S = 2
const TRIAL_MICROS = 5_000_000

const media = temporaryFolder()
const models = temporaryFolder()
let support: TestApp
let http: Elysia
let worker: Worker
let key: string
let accountId: string

beforeAll(async () => {
  for (const name of ['tone.wav', 'tone.mp4']) makeTone(media.file(name), TONE_S)
  for (const name of ['tone.flac', 'tone.ogg']) ffmpeg('-i', media.file('tone.wav'), media.file(name))
  ffmpeg('-i', media.file('tone.mp4'), '-an', media.file('silent.mp4'))
  addTranslator()
  support = await createTestApp({
    EARSHOT_RATE_LIMITS: 'off',
    EARSHOT_MAX_UPLOAD_BYTES: '1000000',
    EARSHOT_MODELS: `${models.path}:${resolve(import.meta.dir, '../../models')}`,
    EARSHOT_SPEECH_MODEL: 'moonshine-tiny-en',
  })
  http = createServer(support.app, () => 'http://earshot.test')
  worker = createWorker(support.app)
  worker.start()
})
afterAll(async () => {
  await worker.stop(0)
  await support.close()
  media.remove()
  models.remove()
})

beforeEach(() => {
  accountId = createAccount(support.app, newId(), 'trial').id
  key = createKey(support.app, accountId, { name: '', permissions: 'all', expiresAt: undefined }).text
})

/** A multilingual model that says nonsense. */
function addTranslator(): void {
  const path = models.file('random.bin')
  writeRandomWhisper(path, { multilingual: true, width: 64, layers: 1 })
  const manifest = { id: 'random-whisper', task: 'speech', format: 'whisper-ggml', languages: ['*'] }
  const file = {
    name: 'random.bin',
    sha256: new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex'),
  }
  writeFileSync(models.file('model.json'), JSON.stringify({ ...manifest, files: [file] }))
}

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any
}

type Fields = Readonly<Record<string, string | readonly string[]>>

function formWith(fields: Fields, name: string | undefined = 'tone.wav'): FormData {
  const form = new FormData()
  if (name !== '') form.append('file', new Blob([readFileSync(media.file(name))]), name)
  for (const [field, values] of Object.entries(fields)) {
    for (const value of [values].flat()) form.append(field, value)
  }
  return form
}

async function send(
  fields: Fields,
  options: { name?: string; path?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Reply> {
  const response = await http.handle(
    new Request(`http://localhost/v1/audio/${options.path ?? 'transcriptions'}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...options.headers },
      body: formWith({ model: 'whisper-1', ...fields }, options.name),
      ...(options.signal ? { signal: options.signal } : {}),
    }),
  )
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}

const spentMicros = (): number => {
  const { monthlyRemainingMicros, purchasedMicros } = balance(support.app, accountId)
  return TRIAL_MICROS - monthlyRemainingMicros - purchasedMicros
}
const TONE_MICROS = Math.ceil((TONE_S / 3_600 / 3) * 1e6)

/** What is on disk beside the database. */
function kept(): readonly string[] {
  const spool = readdirSync(support.app.spoolDir, { recursive: true, encoding: 'utf8' })
  const files = Object.keys(storedIn(support.app.config.dataDir)).filter((name) => !name.startsWith('trash/'))
  return [...spool, ...files]
}

async function nothingLeft(): Promise<void> {
  for (let i = 0; i < 500 && kept().length > 0; i++) await Bun.sleep(10)
  expect(kept()).toEqual([])
}

describe('a recording', () => {
  test('is paid for by its length, and nothing of it stays', async () => {
    const reply = await send({})
    expect(reply).toMatchObject({
      status: 200,
      body: { text: '', usage: { type: 'duration', seconds: TONE_S } },
    })
    expect(spentMicros()).toBeWithin(TONE_MICROS - 2, TONE_MICROS + 2)
    await nothingLeft()
    const left = support.app.db.query('select count(*) as n from transcripts').get()
    expect(left).toEqual({ n: 0 })
  })

  test('comes in every form that clients of OpenAI send', async () => {
    for (const name of ['tone.flac', 'tone.ogg', 'tone.mp4']) {
      expect(await send({}, { name })).toMatchObject({ status: 200 })
    }
  })

  test('is answered as plain text, subtitles or in full', async () => {
    const types = { text: 'text/plain', srt: 'application/x-subrip', vtt: 'text/vtt' }
    for (const [format, type] of Object.entries(types)) {
      const reply = await send({ response_format: format })
      expect(reply.headers.get('content-type')).toBe(`${type}; charset=utf-8`)
      expect(reply.text.trim()).toBe(format === 'vtt' ? 'WEBVTT' : '')
    }
    const { body } = await send({ response_format: 'verbose_json' })
    expect(body).toMatchObject({ task: 'transcribe', language: '', text: '', segments: [] })
    expect(body.duration).toBeCloseTo(TONE_S, 1)
  })

  test('streams events that end with the whole text', async () => {
    const reply = await send({ stream: 'true' })
    expect(reply.headers.get('content-type')).toContain('text/event-stream')
    const events = reply.text.split('\n\n').filter((text) => text.startsWith('data: '))
    expect(events).toEqual(['data: {"type":"transcript.text.done","text":""}'])
    await nothingLeft()
    expect(support.app.db.query('select count(*) as n from events').get()).toEqual({ n: 0 })
  })

  test('is translated by a model that can, in whichever way it is asked for', async () => {
    for (const model of ['whisper-1', 'random-whisper']) {
      const fields = { model, response_format: 'verbose_json', prompt: 'Earshot', temperature: '0.2' }
      const reply = await send(fields, { path: 'translations' })
      expect(reply).toMatchObject({ status: 200, body: { task: 'translate' } })
    }
    expect(await send({ model: 'moonshine-tiny-en' }, { path: 'translations' })).toMatchObject({
      status: 400,
      body: { error: { param: 'model', message: expect.stringContaining('can translate into English') } },
    })
  })

  test('with an Idempotency-Key is done once, and refused for another recording', async () => {
    const headers = { 'idempotency-key': newId() }
    const first = await send({ response_format: 'srt' }, { headers })
    const second = await send({ response_format: 'srt' }, { headers })
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect([second.status, second.text]).toEqual([first.status, first.text])
    expect(spentMicros()).toBeLessThan(2 * TONE_MICROS)
    const other = await send({ response_format: 'srt' }, { headers, name: 'tone.flac' })
    expect(other).toMatchObject({ status: 400, body: { error: { code: 'invalid_parameter' } } })
    expect((await send({ stream: 'true' }, { headers })).body.error.param).toBe('stream')
  })
})

describe('a refusal has the form of OpenAI, names the field and costs nothing', () => {
  const cases: readonly [
    string,
    Fields,
    { param: string | null; code?: string; status?: number; name?: string },
  ][] = [
    ['unknown model', { model: 'whisper-9' }, { param: 'model', code: 'model_not_found', status: 404 }],
    [
      'hostile model',
      { model: '<img src=x>\r\n\0' },
      { param: 'model', code: 'model_not_found', status: 404 },
    ],
    [
      'model of another task',
      { model: 'use-lite-en' },
      { param: 'model', code: 'model_not_found', status: 404 },
    ],
    [
      'model not installed',
      { model: 'whisper-base' },
      { param: 'model', code: 'model_not_found', status: 404 },
    ],
    ['no model', { model: ' ' }, { param: 'model', code: 'missing_parameter' }],
    ['two models', { model: ['whisper-1', 'whisper-1'] }, { param: null }],
    ['speakers', { response_format: 'diarized_json' }, { param: 'response_format' }],
    ['unknown format', { response_format: 'docx' }, { param: 'response_format' }],
    ['unknown language', { language: 'xx' }, { param: 'language' }],
    ['language of no model', { language: 'de' }, { param: 'language' }],
    ['warm beyond measure', { temperature: '1e300' }, { param: 'temperature' }],
    ['temperature in words', { temperature: 'hot' }, { param: 'temperature' }],
    ['stream of subtitles', { stream: 'true', response_format: 'srt' }, { param: 'stream' }],
    ['stream of what', { stream: 'perhaps' }, { param: 'stream' }],
    [
      'word times that the engine has not',
      { response_format: 'verbose_json', 'timestamp_granularities[]': ['segment', 'word'] },
      { param: 'timestamp_granularities' },
    ],
    ['word times in json', { 'timestamp_granularities[]': 'word' }, { param: 'timestamp_granularities' }],
    ['letter times', { 'timestamp_granularities[]': 'letter' }, { param: 'timestamp_granularities' }],
    ['log probabilities', { 'include[]': 'logprobs' }, { param: 'include' }],
    ['no file', {}, { name: '', param: 'file', code: 'missing_parameter' }],
    ['no sound', {}, { name: 'silent.mp4', param: null, code: 'audio_extraction_failed' }],
  ]
  for (const [what, fields, { param, code = 'invalid_parameter', status = 400, name }] of cases) {
    test(what, async () => {
      const reply = await send(fields, name === undefined ? {} : { name })
      expect(reply).toMatchObject({
        status,
        body: { error: { type: 'invalid_request_error', param, code, message: expect.any(String) } },
      })
      expect(spentMicros()).toBe(0)
      await nothingLeft()
    })
  }

  test('too large, not media, no form, no key, no permission', async () => {
    writeFileSync(media.file('large.wav'), new Uint8Array(1_000_001))
    writeFileSync(media.file('text.wav'), 'not a recording')
    expect(await send({}, { name: 'large.wav' })).toMatchObject({
      status: 400,
      body: { error: { code: 'input_too_large' } },
    })
    expect(await send({}, { name: 'text.wav' })).toMatchObject({
      status: 400,
      body: { error: { param: 'file' } },
    })
    await nothingLeft()
    const bare = (body: string, headers: Record<string, string>) =>
      http.handle(new Request('http://localhost/v1/audio/transcriptions', { method: 'POST', headers, body }))
    const authorization = `Bearer ${key}`
    expect((await bare('{}', { authorization, 'content-type': 'application/json' })).status).toBe(400)
    expect(await (await bare('', {})).json()).toMatchObject({ error: { code: 'invalid_api_key' } })
    key = createKey(support.app, accountId, { name: '', permissions: ['usage'], expiresAt: undefined }).text
    expect(await send({})).toMatchObject({
      status: 403,
      body: { error: { code: 'insufficient_permissions' } },
    })
    const wrongMethod = await http.handle(new Request('http://localhost/v1/audio/transcriptions'))
    expect([wrongMethod.status, await wrongMethod.json()]).toMatchObject([405, { error: { param: null } }])
  })

  test('no credits: as OpenAI says it, and clients are told not to try again', async () => {
    const allHours = {
      accountId,
      reference: newId(),
      meter: 'transcription_hour',
      quantity: 15 * 3_600,
    } as const
    charge(support.app, allHours)
    const reply = await send({})
    expect(reply).toMatchObject({ status: 429, body: { error: { code: 'insufficient_quota' } } })
    expect(reply.headers.get('x-should-retry')).toBe('false')
    await nothingLeft()
  })
})

describe('a client that leaves', () => {
  for (const stream of ['false', 'true']) {
    test(`ends the work, is charged nothing and leaves nothing (stream ${stream})`, async () => {
      const leaving = new AbortController()
      const unlisten = support.app.signals.jobs.listen(({ type }) => {
        if (type === 'enqueued') leaving.abort()
      })
      const reply = await send({ stream }, { signal: leaving.signal }).catch(() => undefined)
      unlisten()
      if (stream === 'false') expect(reply?.status).toBe(499)
      await nothingLeft()
      expect(spentMicros()).toBe(0)
      expect(
        support.app.db.query('select count(*) as n from tasks where status = ?').get('processing'),
      ).toEqual({ n: 0 })
    })
  }
})

test('the name of the file is not used for anything', async () => {
  const form = formWith({ model: 'whisper-1' }, '')
  form.append('file', new Blob([readFileSync(media.file('tone.wav'))]), '../../../../etc/passwd\0.wav')
  const headers = { authorization: `Bearer ${key}` }
  const request = new Request('http://localhost/v1/audio/transcriptions', {
    method: 'POST',
    headers,
    body: form,
  })
  expect((await http.handle(request)).status).toBe(200)
  await nothingLeft()
})
