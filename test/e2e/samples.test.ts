// The sample recordings over HTTP with the embedded engine, scored; and sounds that hold no speech.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type EndToEnd, scoreOverHttp, startEndToEnd } from '../support/e2e.ts'
import { ffmpeg } from '../support/make-media.ts'
import { readSamples } from '../support/samples.ts'
import { scoreTable, totalOf } from '../support/score.ts'

setDefaultTimeout(120_000)

let run: EndToEnd
beforeAll(async () => {
  run = await startEndToEnd()
})
afterAll(() => run.close())

test('the sample recordings: 95 % of the sentences start where they should, and the words are right', async () => {
  const scores = await scoreOverHttp(run, readSamples('sample-'))
  console.log(`Over HTTP, embedded engine:\n${scoreTable(scores)}`)
  const { words, errors, sentences, startsRight } = totalOf(scores)
  expect(startsRight / sentences).toBeGreaterThanOrEqual(0.95)
  // Synthetic voices; of real ones the embedded model hears more.
  expect(errors / words).toBeLessThan(0.15)
})

const TONES = [220, 277, 330, 440, 554].map(
  (frequency, index) => `0.18*sin(2*PI*${frequency}*t)*(0.6+0.4*sin(2*PI*${1 + index / 2}*t))`,
)
const SOUNDS: Readonly<Record<string, string>> = {
  'silence.mp3': 'anullsrc=r=16000:cl=mono:d=40',
  'white-noise.wav': 'anoisesrc=r=16000:c=white:a=0.3:d=40:seed=1',
  'pink-noise.mp3': 'anoisesrc=r=16000:c=pink:a=0.5:d=40:seed=2',
  'hum.wav': 'sine=frequency=100:sample_rate=16000:duration=40',
  // Chords that swell and a beat.
  'music.mp3': `aevalsrc='${TONES.join('+')}+0.4*sin(2*PI*60*t)*exp(-12*mod(t,0.5))':s=16000:d=40`,
}

test.each(Object.keys(SOUNDS))('%s is a success with an empty transcript', async (name) => {
  ffmpeg('-f', 'lavfi', '-i', SOUNDS[name] ?? '', run.site.file(name))
  expect(await run.transcribe(run.site.url(`/${name}`))).toEqual([])
  const text = await run.ended(await run.submit(run.site.url(`/${name}`), { transcript_text: true }))
  expect(text.result.transcript).toBe('')
})

test('without an audio track it is audio_extraction_failed, asked for either way', async () => {
  const { site, server, key } = run
  ffmpeg('-f', 'lavfi', '-i', 'testsrc=duration=2:size=64x64:rate=5', site.file('mute.mp4'))
  const url = site.url('/mute.mp4')
  const task = await run.ended(await run.submit(url))
  expect(task).toMatchObject({
    task_status: 'failed',
    result: null,
    error: { error: 'audio_extraction_failed', http_status: 500 },
  })
  expect(task.error.message).toBeString()
  const reply = await server.request('POST', '/v1/transcribe', { key, body: { video_url: url } })
  expect(reply.status).toBe(500)
  expect(reply.body).toMatchObject({
    status: 'error',
    error: 'audio_extraction_failed',
    message: task.error.message,
  })
})
