// Every refusal of the transcription endpoints as the contract words it, synchronous and asynchronous; who may see which
// task; the limit of running jobs; and that a known transcript is found without asking anybody.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type EndToEnd, startEndToEnd } from '../support/e2e.ts'
import { ffmpeg } from '../support/make-media.ts'
import { processesOf } from '../support/processes.ts'
import { addRecording } from '../support/speech-site.ts'
import { JFK_PATH } from '../support/speech.ts'

setDefaultTimeout(60_000)

const ACTIVE_JOBS = 3

let run: EndToEnd
beforeAll(async () => {
  run = await startEndToEnd({ EARSHOT_MAX_ACTIVE_JOBS: String(ACTIVE_JOBS) })
  addRecording(run.site, JFK_PATH, 'speech.mp3')
  await Bun.write(run.site.file('page.html'), '<!doctype html><title>A page</title><p>Nothing to hear</p>')
  await Bun.write(run.site.file('damaged.mp4'), new Uint8Array(5_000).fill(7))
})
afterAll(() => run.close())

const post = (path: string, body: unknown, key = run.key): ReturnType<EndToEnd['server']['request']> =>
  run.server.request('POST', path, { key, body })
const sync = (url: string): ReturnType<typeof post> => post('/v1/transcribe', { video_url: url })

const silence = (name: string, seconds: number): void =>
  ffmpeg('-f', 'lavfi', '-i', `anullsrc=r=8000:cl=mono:d=${seconds}`, '-b:a', '8k', run.site.file(name))

test('ten minutes and a second are too long to wait for, which is found out before any work', async () => {
  silence('long.mp3', 601)
  const reply = await sync(run.site.url('/long.mp3'))
  expect(reply.status).toBe(400)
  expect(reply.body).toMatchObject({ status: 'error', error: 'video_too_long' })
  expect(reply.body.message).toBeString()
  const engines = processesOf(run.server.env['HOME'] ?? '').filter(({ pid }) => pid !== run.server.pid)
  expect(engines).toEqual([])
})

test('ten minutes less a second are not, and the asynchronous form takes any length', async () => {
  silence('short-enough.mp3', 599)
  const reply = await sync(run.site.url('/short-enough.mp3'))
  expect(reply.status).toBe(200)
  expect(await run.transcribe(run.site.url('/long.mp3'))).toEqual([])
})

describe('what is refused at once, and creates nothing', () => {
  const cases: readonly (readonly [body: Readonly<Record<string, unknown>>, error: string])[] = [
    [{}, 'missing_parameter'],
    [{ video_url: '' }, 'missing_parameter'],
    [{ video_url: null }, 'missing_parameter'],
    [{ video_url: 7 }, 'invalid_parameter'],
    [{ video_url: 'https://example.com/a.mp4', transcript_text: 'yes' }, 'invalid_parameter'],
    [{ video_url: 'https://example.com/a?img_index=0' }, 'invalid_parameter'],
    [{ video_url: 'not a url' }, 'invalid_url'],
    [{ video_url: '--exec=touch x' }, 'invalid_url'],
    [{ video_url: '--exec' }, 'invalid_url'],
    [{ video_url: 'http://10.0.0.1/a.mp4' }, 'unsupported_url'],
    [{ video_url: 'http://localhost/a.mp4' }, 'unsupported_url'],
    [{ video_url: 'http://[::ffff:169.254.169.254]/a.mp4' }, 'unsupported_url'],
    [{ video_url: 'http://2130706433/a.mp4' }, 'unsupported_url'],
    [{ video_url: 'ftp://example.com/a.mp4' }, 'unsupported_url'],
    [{ video_url: 'file:///etc/passwd' }, 'unsupported_url'],
    [{ video_url: 'https://user:secret@example.com/a.mp4' }, 'unsupported_url'],
  ]
  test.each(cases)('%j is %s', async (body, error) => {
    for (const path of ['/v1/transcribe', '/v1/transcribe/async']) {
      const reply = await post(path, body)
      expect(reply.status).toBe(400)
      expect(reply.body).toMatchObject({ status: 'error', error })
      expect(reply.body.message).toBeString()
      expect(reply.body.data).toBeUndefined()
    }
  })
})

describe('what the site says', () => {
  const cases: readonly (readonly [path: string, error: string, httpStatus: number])[] = [
    ['/missing.mp4', 'video_not_found', 404],
    ['/status/410/gone.mp4', 'video_not_found', 404],
    ['/status/403/members.mp4', 'content_restricted', 403],
    ['/status/451/elsewhere.mp4', 'geo_restricted', 451],
    ['/page.html', 'no_videos_found', 400],
    ['/damaged.mp4', 'audio_extraction_failed', 500],
  ]
  test.each(cases)('%s is %s', async (path, error, httpStatus) => {
    const url = run.site.url(path)
    const reply = await sync(url)
    expect(reply.body).toMatchObject({ status: 'error', error })
    expect(reply.body.message).toBeString()
    expect(reply.status).toBe(httpStatus)
    const task = await run.ended(await run.submit(url))
    expect(task).toMatchObject({
      task_status: 'failed',
      result: null,
      error: { error, http_status: httpStatus },
    })
    expect(task.error.message).toBe(reply.body.message)
    expect(Object.keys(task.error).toSorted()).toEqual(['error', 'http_status', 'message'])
  })
})

test('unknown, malformed and foreign tasks read the same', async () => {
  await run.server.command('accounts', 'create', 'stranger', '--plan', 'custom')
  const stranger = await run.server.createKey('--account', 'stranger')
  const taskId = await run.submit(run.site.url('/missing.mp4'))
  await run.ended(taskId)
  const poll = (id: string, key: string): ReturnType<typeof post> =>
    run.server.request('GET', `/v1/transcribe/${id}`, { key })
  for (const [id, key] of [
    [taskId, stranger],
    ['01900000-0000-7000-8000-000000000000', run.key],
    ['nonsense', run.key],
    [`${taskId}x`, run.key],
    ['..%2Fhealth', run.key],
    ["'%20or%201=1", run.key],
  ] as const) {
    const reply = await poll(id, key)
    expect(reply.status).toBe(404)
    expect(reply.body).toMatchObject({ status: 'error', error: 'task_not_found' })
  }
  expect((await poll(taskId, run.key)).status).toBe(200)
  for (const key of ['', 'ear_wrong']) expect((await poll(taskId, key)).status).toBe(401)
})

test('one job more than may run is too_many_active_jobs, until one has ended', async () => {
  const hold = run.site.hold('speech.mp3')
  const url = (index: number): string => run.site.url(`/speech.mp3?${index}`)
  const ids: string[] = []
  for (let index = 0; index < ACTIVE_JOBS; index++) ids.push(await run.submit(url(index)))
  const refused = await post('/v1/transcribe/async', { video_url: url(ACTIVE_JOBS) })
  expect(refused.status).toBe(429)
  expect(refused.body).toMatchObject({ status: 'error', error: 'too_many_active_jobs' })
  hold.release()
  for (const id of ids) expect((await run.ended(id)).task_status).toBe('completed')
  expect((await run.ended(await run.submit(url(ACTIVE_JOBS)))).task_status).toBe('completed')
})

test('a known transcript is found under all names of its URL, without a request to the site', async () => {
  const url = run.site.url('/speech.mp3')
  const first = await run.ended(await run.submit(url))
  expect(first.result.transcript.length).toBeGreaterThan(0)
  const asked = run.site.requests.length
  for (const suffix of [
    '',
    '#t=30',
    '?utm_source=letter&utm_medium=mail',
    '?fbclid=abc#top',
    '?igsh=1&gclid=2',
  ]) {
    const task = await run.ended(await run.submit(url + suffix))
    expect(task.result).toEqual(first.result)
    expect((await sync(url + suffix)).body.data).toEqual(first.result)
  }
  expect(run.site.requests.length).toBe(asked)
})
