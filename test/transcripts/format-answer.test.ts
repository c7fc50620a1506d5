// `format` at every endpoint whose answer is a transcript, on a real recording.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Elysia } from 'elysia'
import { copyFileSync } from 'node:fs'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { createTask } from '../../src/jobs/tasks.ts'
import { createServer } from '../../src/server.ts'
import { FORMATS } from '../../src/transcripts/formats.ts'
import { formatFlag } from '../../src/transcripts/format-answer.ts'
import { createWorker, type Worker } from '../../src/worker.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { formOf } from '../support/files.ts'
import { JFK_PATH } from '../support/speech.ts'
import { type SpeechSite, startSpeechSite } from '../support/speech-site.ts'

setDefaultTimeout(60_000)

let site: SpeechSite
let support: TestApp
let http: Elysia
let worker: Worker
let key = ''
let accountId = ''

beforeAll(async () => {
  site = startSpeechSite()
  copyFileSync(JFK_PATH, site.file('jfk.mp3'))
  support = await createTestApp({ EARSHOT_TRUSTED_HOSTS: site.host, EARSHOT_RATE_LIMITS: 'off' })
  accountId = createAccount(support.app, 'client', 'custom').id
  key = createKey(support.app, accountId, { name: '', permissions: 'all', expiresAt: undefined }).text
  http = createServer(support.app, () => 'http://earshot.test')
  worker = createWorker(support.app)
  worker.start()
})
afterAll(async () => {
  await worker.stop(0)
  await support.close()
  await site.stop()
})

function call(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Response> {
  const json = body instanceof FormData ? {} : { 'content-type': 'application/json' }
  const request = new Request(`http://localhost/v1${path}`, {
    method,
    headers: { 'x-api-key': key, ...json, ...headers },
    ...(body ? { body: body instanceof FormData ? body : JSON.stringify(body) } : {}),
  })
  return http.handle(request)
}

const TYPES = {
  text: 'text/plain; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  vtt: 'text/vtt; charset=utf-8',
  tsv: 'text/tab-separated-values; charset=utf-8',
} as const

/** What each form of the recording begins with. */
const BEGINNINGS = {
  text: /^And so,? my fellow Americans/,
  srt: /^1\n00:00:0\d,\d{3} --> 00:00:\d\d,\d{3}\nAnd so,? my/,
  vtt: /^WEBVTT\n\n00:00:0\d\.\d{3} --> 00:00:\d\d\.\d{3}\nAnd so,? my/,
  tsv: /^start\tend\ttext\n\d+\t\d+\tAnd so,? my/,
} as const

async function expectForms(path: string): Promise<void> {
  for (const format of ['text', 'srt', 'vtt', 'tsv'] as const) {
    const reply = await call('GET', `${path}format=${format}`)
    expect([reply.status, reply.headers.get('content-type')]).toEqual([200, TYPES[format]])
    expect(reply.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await reply.text()).toMatch(BEGINNINGS[format])
  }
  const json = await call('GET', `${path}format=json`)
  expect(await json.json()).toMatchObject({ status: 'success', data: {} })
}

test('the synchronous form answers with the file, again under its Idempotency-Key', async () => {
  const body = { video_url: site.url('/jfk.mp3'), format: 'vtt' }
  const first = await call('POST', '/transcribe', body, { 'idempotency-key': 'one' })
  const again = await call('POST', '/transcribe', body, { 'idempotency-key': 'one' })
  for (const reply of [first, again]) expect(reply.headers.get('content-type')).toBe(TYPES.vtt)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const text = await first.text()
  expect(text).toMatch(BEGINNINGS.vtt)
  expect(await again.text()).toBe(text)
})

test('polls of a completed task answer in every form, although the task wanted plain text', async () => {
  const body = { video_url: site.url('/jfk.mp3'), transcript_text: true }
  const submitted = (await (await call('POST', '/transcribe/async', body)).json()) as {
    data: { task_id: string }
  }
  const path = `/transcribe/${submitted.data.task_id}`
  await worker.drain()
  await expectForms(`${path}?`)
  expect(await (await call('GET', path)).json()).toMatchObject({
    data: { result: { transcript: expect.any(String) } },
  })
})

test('a task in work, and one that failed, answer with the envelope whatever form was asked for', async () => {
  const stages = [{ kind: 'nothing', lane: 'webhooks', attempts: 1 } as const]
  const task = createTask(support.app, {
    accountId,
    jobType: 'transcribe',
    isSync: false,
    request: {},
    stages,
  })
  const reply = await call('GET', `/transcribe/${task.id}?format=srt`)
  expect(await reply.json()).toMatchObject({ data: { task_status: 'processing' } })
})

test('a file answers in every form, under its own name', async () => {
  const bytes = await Bun.file(JFK_PATH).bytes()
  const uploaded = await call(
    'POST',
    '/upload/file',
    formOf(bytes, 'A talk é.v2.mp3', { wait_for_completion: 'true' }),
  )
  const { file_id: fileId } = (await uploaded.json()) as { file_id: string }
  await expectForms(`/file/${fileId}?`)
  const srt = await call('GET', `/file/${fileId}?format=srt`)
  expect(srt.headers.get('content-disposition')).toStartWith('inline; filename="A talk _.v2.srt"')
})

test('all videos of a post, and forms that do not exist, are refused', async () => {
  const several = { video_url: site.url('/jfk.mp3'), all_videos: true, format: 'srt' }
  expect((await call('POST', '/transcribe', several)).status).toBe(400)
  const reply = await call('POST', '/transcribe', { video_url: site.url('/jfk.mp3'), format: 'docx' })
  expect(await reply.json()).toMatchObject({
    error: 'invalid_parameter',
    message: '"format" must be one of json, text, srt, vtt, tsv.',
  })
  expect((await call('GET', `/files?format=docx`)).status).toBe(200)
})

test('what may be asked for is what there is', () => {
  const literals = (formatFlag['anyOf'] as readonly { readonly const: string }[]).map((one) => one.const)
  expect(literals).toEqual([...FORMATS])
})
