// President Kennedy's sentence over HTTP in every format, word for word, and the shapes of all answers on the way. What
// the contract promises is written down here once more, so that a wrong schema in the product cannot hide a wrong answer.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { FORMATS } from '../support/make-media.ts'
import { addRecording, joinAudio } from '../support/speech-site.ts'
import {
  type AnswerSegment,
  type EndToEnd,
  faultsOf,
  JFK,
  startEndToEnd,
  wordsHeard,
} from '../support/e2e.ts'
import { wordsOf } from '../support/samples.ts'
import { type Shape, shapeFaults } from '../support/shapes.ts'
import { JFK_PATH } from '../support/speech.ts'

setDefaultTimeout(120_000)

let run: EndToEnd
beforeAll(async () => {
  run = await startEndToEnd()
})
afterAll(() => run.close())

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

const SUBMITTED: Shape = {
  status: /^success$/,
  data: {
    task_id: UUID_V7,
    task_status: /^processing$/,
    job_type: /^transcribe$/,
    expires_at: INSTANT,
    check_status_url: /^\/v1\/transcribe\/[0-9a-f-]{36}$/,
    webhook_url: ['string', 'null'],
    message: 'string',
  },
}
const SEGMENTS: Shape = [{ text: 'string', start: 'number', end: 'number' }]
const RESULT: Shape = {
  video_info: { title: 'string', duration: 'number', url: 'string', speech_model: /^moonshine-tiny-en$/ },
  transcript: SEGMENTS,
}
const polled = (result: Shape, status: RegExp): Shape => ({
  status: /^success$/,
  data: {
    task_id: UUID_V7,
    task_status: status,
    job_type: /^transcribe$/,
    request: { video_url: 'string', transcript_text: 'boolean', all_videos: 'boolean' },
    created_at: INSTANT,
    started_at: INSTANT,
    completed_at: INSTANT,
    expires_at: INSTANT,
    check_status_url: /^\/v1\/transcribe\/[0-9a-f-]{36}$/,
    webhook: ['object', 'null'],
    result,
    error: ['null'],
  },
})

test.each(Object.keys(FORMATS))('the sentence as %s is word-perfect', async (format) => {
  addRecording(run.site, JFK_PATH, `jfk.${format}`, FORMATS[format])
  const segments = await run.transcribe(run.site.url(`/jfk.${format}`))
  expect(wordsHeard(segments)).toEqual(wordsOf(JFK))
  expect(faultsOf(segments, 11.3)).toEqual([])
})

test('with its pauses stretched to minutes it is word-perfect, and every part in its place', async () => {
  const pause = (minutes: number): { silenceS: number } => ({ silenceS: minutes * 60 })
  const part = (fromS: number, toS: number): { file: string; fromS: number; toS: number } => {
    return { file: JFK_PATH, fromS, toS }
  }
  const parts = [
    part(0, 2.6),
    pause(1),
    part(2.6, 4.6),
    pause(3),
    part(4.6, 7.95),
    pause(2),
    part(7.95, 11.05),
  ]
  joinAudio(run.site.file('stretched.wav'), parts)
  const segments = await run.transcribe(run.site.url('/stretched.wav'))
  expect(wordsHeard(segments)).toEqual(wordsOf(JFK))
  expect(faultsOf(segments, 371.05)).toEqual([])
  // Where the voice begins again in the original, and the pauses before it.
  const begins = [0.33, 3.29 + 60, 5.41 + 240, 8.15 + 360]
  for (const begin of begins) {
    expect(segments.some(({ start }) => Math.abs(start - begin) <= 0.3)).toBe(true)
  }
})

test('every field of the 202, the poll and the result is there and of its type', async () => {
  addRecording(run.site, JFK_PATH, 'shapes.mp3')
  const { server, key, site } = run
  const url = site.url('/shapes.mp3')
  const submitted = await server.request('POST', '/v1/transcribe/async', { key, body: { video_url: url } })
  expect(submitted.status).toBe(202)
  expect(shapeFaults(submitted.body, SUBMITTED)).toEqual([])
  const { task_id: taskId, check_status_url: path } = submitted.body.data
  expect(path).toBe(`/v1/transcribe/${taskId}`)

  const first = await server.request('GET', path, { key })
  expect(first.status).toBe(200)
  expect(first.body.data).toMatchObject({
    task_status: 'processing',
    completed_at: null,
    result: null,
    error: null,
  })

  const data = await run.ended(taskId)
  const last = await server.request('GET', path, { key })
  expect(shapeFaults(last.body, polled(RESULT, /^completed$/))).toEqual([])
  expect(last.body.data).toEqual(data)
  expect(data.request).toEqual({ video_url: url, transcript_text: false, all_videos: false })
  expect(data.result.video_info).toMatchObject({ url, title: 'shapes.mp3', selected_language: 'en' })
  expect(data.result.video_info.duration).toBeCloseTo(11, 0)
  const times = [data.created_at, data.started_at, data.completed_at].map((text) => Date.parse(text))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(Date.parse(data.expires_at) - Date.parse(data.completed_at)).toBe(3_600_000)
})

test('the synchronous answer carries the same data, and the text is that of the segments', async () => {
  const { server, key, site } = run
  // Two names of the same bytes: neither answer comes from the cache of the other.
  for (const name of ['waited.mp3', 'polled.mp3', 'text.mp3']) addRecording(site, JFK_PATH, name)
  const ask = (name: string, body: object = {}): ReturnType<typeof server.request> =>
    server.request('POST', '/v1/transcribe', { key, body: { video_url: site.url(`/${name}`), ...body } })

  const waited = await ask('waited.mp3')
  expect(waited.status).toBe(200)
  expect(shapeFaults(waited.body, { status: /^success$/, data: RESULT })).toEqual([])
  const polledData = (await run.ended(await run.submit(site.url('/polled.mp3')))).result
  expect(polledData.transcript).toEqual(waited.body.data.transcript)
  expect(Object.keys(polledData.video_info).toSorted()).toEqual(
    Object.keys(waited.body.data.video_info).toSorted(),
  )
  // Cached, waited for or polled: one and the same.
  expect((await ask('polled.mp3')).body.data).toEqual(polledData)

  const segments = waited.body.data.transcript as AnswerSegment[]
  const plain = segments.map(({ text }) => text).join(' ')
  expect((await ask('text.mp3', { transcript_text: true })).body.data.transcript).toBe(plain)
  const task = await run.ended(await run.submit(site.url('/waited.mp3'), { transcript_text: true }))
  expect(task.result.transcript).toBe(plain)
  expect(task.request.transcript_text).toBe(true)
})
