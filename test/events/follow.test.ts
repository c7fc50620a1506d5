// Following real work over HTTP: a recording whose server is killed in the middle, and a file, as a client sees them.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { connect } from 'node:net'
import { type AnswerSegment, type EndToEnd, startEndToEnd } from '../support/e2e.ts'
import { formOf } from '../support/files.ts'
import { readSamples } from '../support/samples.ts'
import { joinAudio } from '../support/speech-site.ts'
import { followEvents, type SseClient, type SseEvent } from '../support/sse.ts'

setDefaultTimeout(120_000)

let run: EndToEnd

beforeAll(async () => {
  run = await startEndToEnd()
  const parts = readSamples('sample-')
    .slice(0, 2)
    .flatMap(({ wavPath }) => [{ file: wavPath }, { silenceS: 2 }])
  joinAudio(run.site.file('talk.wav'), parts)
}, 120_000)
afterAll(() => run.close())

const follow = (path: string, lastId?: string): Promise<SseClient> =>
  followEvents(
    (headers) => fetch(`${run.server.url}/v1${path}`, { headers: { 'x-api-key': run.key, ...headers } }),
    lastId,
  )

const segmentOf = ({ data }: SseEvent): AnswerSegment => ({
  text: data.text,
  start: data.start,
  end: data.end,
})

test('kill -9 in the middle: the client connects again and has every segment once, in order', async () => {
  const taskId = await run.submit(run.site.url('/talk.wav'))
  const path = `/tasks/${taskId}/events`
  const seen: SseEvent[] = []
  let client = await follow(path)
  while (seen.length < 4) seen.push(await client.nextOf('segment'))
  await run.server.kill('SIGKILL')
  // What was on its way still counts; then the connection breaks.
  for (;;) {
    const event = await client.next().catch(() => undefined)
    if (!event) break
    if (event.type === 'segment') seen.push(event)
  }
  run.server = await run.server.restart()
  client = await follow(path, client.lastId)
  const rest = await client.rest()
  expect(rest.at(-1)?.type).toBe('completed')
  seen.push(...rest.filter(({ type }) => type === 'segment'))
  const task = await run.ended(taskId)
  expect(task.result.transcript.length).toBeGreaterThan(6)
  expect(seen.map(segmentOf)).toEqual(task.result.transcript)
  expect(seen.map(({ data }) => data.index)).toEqual(seen.map((_, index) => index))
  expect(rest.some(({ type }) => type === 'progress')).toBe(true)
})

test('a file is followed by its id, also long after it has ended', async () => {
  const wav = await Bun.file(run.site.file('talk.wav')).bytes()
  const reply = await fetch(`${run.server.url}/v1/upload/file`, {
    method: 'POST',
    headers: { 'x-api-key': run.key },
    body: formOf(wav, 'talk.wav', {}),
  })
  const { file_id: fileId } = (await reply.json()) as { file_id: string }
  const [one, all] = [await follow(`/tasks/${fileId}/events`), await follow('/events')]
  const events = await one.rest()
  expect(events.at(-1)).toMatchObject({
    type: 'completed',
    data: { file_id: fileId, file_status: 'completed' },
  })
  const { body } = await run.server.request('GET', `/v1/file/${fileId}`, { key: run.key })
  expect(events.filter(({ type }) => type === 'segment').map(segmentOf)).toEqual(body.data.transcript)
  expect((await all.nextOf('completed')).data.file_id).toBe(fileId)
  await all.leave()
  const again = await (await follow(`/tasks/${fileId}/events`)).rest()
  expect(again.at(-1)?.type).toBe('completed')
})

test('a graceful stop does not wait for those who follow, even if they read nothing', async () => {
  const client = await follow('/events')
  const { port } = new URL(run.server.url)
  const deaf = connect(Number(port), '127.0.0.1').pause()
  deaf.on('error', () => undefined)
  deaf.write(`GET /v1/events HTTP/1.1\r\nHost: x\r\nX-API-Key: ${run.key}\r\n\r\n`)
  await client.next(50).catch(() => undefined)
  const startedAt = performance.now()
  expect(await run.server.kill('SIGTERM')).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(5_000)
  expect(await client.next().catch(() => undefined)).toBeUndefined()
  deaf.destroy()
  run.server = await run.server.restart()
})
