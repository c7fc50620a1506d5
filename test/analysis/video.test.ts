// Videos whose transcript is not known yet: the whole way from a URL to an analysis, what it costs, and who is told.

import { afterAll, afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { type AnalysisBench, startAnalysisBench } from '../support/analysis.ts'
import { makeTone } from '../support/make-media.ts'
import { type MediaSite, startMediaSite } from '../support/media-site.ts'
import { createReceiver, type Receiver } from '../support/receiver.ts'
import { addRecording, startSpeechSite } from '../support/speech-site.ts'

const SCHEMA = { speaker: { type: 'String', description: 'Name of the speaker' } }
const TONE_S = 2
/** A page that is no video platform, two seconds of an hour that is a third of a credit, and one unit. */
const TONE_MICROS = 100 + Math.ceil((TONE_S / 3_600 / 3) * 1e6) + 10_000

let site: MediaSite
let receiver: Receiver
let bench: AnalysisBench

beforeAll(() => {
  site = startMediaSite()
  makeTone(site.file('other.mp3'), TONE_S)
  receiver = createReceiver()
})
afterAll(async () => {
  await site.stop()
  await receiver.close()
})
beforeEach(() => open({}))
afterEach(() => bench.close())

async function open(env: Readonly<Record<string, string>>): Promise<void> {
  const hosts = [site.host, new URL(receiver.url).host].join(',')
  bench = await startAnalysisBench({ EARSHOT_TRUSTED_HOSTS: hosts, ...env })
}

function servicesOf(usage: { charges: { service_type: string }[] }): string[] {
  return usage.charges.map(({ service_type }) => service_type)
}

test('the transcript is made first, and everything is charged once', async () => {
  const ask = () =>
    bench.call('POST', '/analyze/video', { video_url: site.url('/tone.mp3'), include_usage: true })
  const first = await ask()
  expect(first.status).toBe(200)
  expect(first.body.data).toMatchObject({ transcript: [], video_info: { url: site.url('/tone.mp3') } })
  expect(servicesOf(first.body.usage).toSorted()).toEqual([
    'analysis_request',
    'standard_request',
    'transcription_hour',
  ])
  expect(Math.abs(bench.spentMicros() - TONE_MICROS)).toBeLessThan(10)
  const spent = bench.spentMicros()
  const requests = site.requests.length
  const second = await ask()
  expect(second.body.data).toEqual(first.body.data)
  expect(second.body.usage.total_credits).toBe(0)
  expect(bench.spentMicros()).toBe(spent)
  expect(site.requests.length).toBe(requests)
})

test('a transcript that /transcribe made serves both kinds of analysis', async () => {
  await bench.call('POST', '/transcribe', { video_url: site.url('/tone.mp3') })
  const before = bench.spentMicros()
  const requests = site.requests.length
  const body = { video_url: site.url('/tone.mp3') }
  expect((await bench.call('POST', '/analyze/video', body)).status).toBe(200)
  expect((await bench.call('POST', '/extract/video', { ...body, schema: SCHEMA })).body.data).toEqual({
    speaker: null,
  })
  expect(bench.spentMicros() - before).toBe(20_000)
  expect(site.requests.length).toBe(requests)
})

test('the engine gets ready while the transcript is made, once, and only where an analysis follows', async () => {
  const getsReady = spyOn(bench.support.app.engines, 'prepareAnalysis')
  await bench.call('POST', '/transcribe', { video_url: site.url('/other.mp3') })
  expect(getsReady).toHaveBeenCalledTimes(0)
  for (let time = 0; time < 2; time++) {
    const { status } = await bench.call('POST', '/analyze/video', { video_url: site.url('/tone.mp3') })
    expect(status).toBe(200)
    expect(getsReady).toHaveBeenCalledTimes(1)
  }
})

test('what is gone is 404, and costs nothing', async () => {
  for (const [path, body] of [
    ['/analyze/video', {}],
    ['/extract/video', { schema: SCHEMA }],
  ] as const) {
    const reply = await bench.call('POST', path, { video_url: site.url('/missing.mp3'), ...body })
    expect({ status: reply.status, error: reply.body.error }).toEqual({
      status: 404,
      error: 'video_not_found',
    })
  }
  expect(bench.spentMicros()).toBe(0)
})

test('long media: refused by the synchronous extraction, taken by its async twin and by analysis', async () => {
  await bench.close()
  await open({ EARSHOT_SYNC_MAX_MEDIA_S: '1' })
  const body = { video_url: site.url('/tone.mp3'), schema: SCHEMA }
  const sync = await bench.call('POST', '/extract/video', body)
  expect({ status: sync.status, error: sync.body.error }).toEqual({ status: 400, error: 'video_too_long' })
  // The request for the metadata stays charged, the analysis does not.
  expect(bench.spentMicros()).toBe(100)
  const { body: submitted } = await bench.call('POST', '/extract/video/async', body)
  await bench.worker.drain()
  const poll = await bench.call('GET', `/extract/video/${submitted.data.task_id}`)
  expect(poll.body.data.task_status).toBe('completed')
  const other = await bench.call('POST', '/analyze/video', { video_url: site.url('/other.mp3') })
  expect(other.status).toBe(200)
})

test('the end of an async extraction is told: the bare result, as extract_video.completed', async () => {
  const { body } = await bench.call('POST', '/extract/video/async', {
    video_url: site.url('/tone.mp3'),
    schema: SCHEMA,
    webhook_url: receiver.url,
  })
  expect(body.data.webhook_url).toBe(receiver.url)
  await receiver.arrived(1)
  const event = JSON.parse(receiver.received[0]?.body ?? '')
  expect(event).toMatchObject({
    type: 'extract_video.completed',
    data: {
      task_id: body.data.task_id,
      job_type: 'extract_video',
      check_status_url: `/v1/extract/video/${body.data.task_id}`,
      result: { speaker: null },
      result_truncated: false,
    },
  })
  await bench.worker.drain()
  const poll = await bench.call('GET', `/extract/video/${body.data.task_id}`)
  expect(poll.body.data.webhook).toMatchObject({ status: 'delivered', attempts: 1 })
})

test('what is said in a recording is analysed, and the answer points into it', async () => {
  const speech = startSpeechSite()
  await bench.close()
  await open({ EARSHOT_TRUSTED_HOSTS: speech.host })
  try {
    addRecording(speech, new URL('../samples/sample-2-weather.wav', import.meta.url).pathname, 'weather.wav')
    const url = speech.url('/weather.wav')
    const { status, body } = await bench.call('POST', '/analyze/video', {
      video_url: url,
      query: 'What will the weather be like?',
    })
    expect(status).toBe(200)
    const { transcript, transcript_analysis: analysis, video_info } = body.data
    expect(transcript.length).toBeGreaterThan(3)
    expect(video_info.speech_model).toBe('moonshine-tiny-en')
    expect(analysis.summary.length).toBeGreaterThan(20)
    const best = transcript[analysis.query_answer.best_segment_index]
    if (best) expect(analysis).toMatchObject({ timestamp: best.start, relevant_text: best.text })
  } finally {
    await speech.stop()
  }
}, 60_000)
