// The whisper path over HTTP, with the demo model of models/: words, times, and a worker that is killed in the middle.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { resolve } from 'node:path'
import { type EndToEnd, scoreOverHttp, startEndToEnd } from '../support/e2e.ts'
import { processesOf } from '../support/processes.ts'
import { readSamples } from '../support/samples.ts'
import { scoreTable, totalOf } from '../support/score.ts'
import { addRecording } from '../support/speech-site.ts'

setDefaultTimeout(180_000)

let run: EndToEnd
beforeAll(async () => {
  run = await startEndToEnd({
    EARSHOT_MODELS: resolve(import.meta.dir, '../../models'),
    EARSHOT_SPEECH_MODEL: 'whisper-demo-en',
  })
})
afterAll(() => run.close())

const samples = readSamples('vocabulary-')

test('the vocabulary recordings: at most 5 % of the words wrong, 95 % of the starts right', async () => {
  const scores = await scoreOverHttp(run, samples)
  console.log(`Over HTTP, whisper.cpp with the demo model:\n${scoreTable(scores)}`)
  const { words, errors, sentences, startsRight } = totalOf(scores)
  expect(errors / words).toBeLessThanOrEqual(0.05)
  expect(startsRight / sentences).toBeGreaterThanOrEqual(0.95)
})

test('a worker that is killed in the middle changes nothing in the result', async () => {
  const { site, server } = run
  const longest = samples.find(({ name }) => name === 'vocabulary-long-0')
  if (!longest) throw new Error('no samples')
  // In the cache since the test before.
  const expected = await run.transcribe(site.url(`/${longest.name}.wav`))
  expect(expected.length).toBeGreaterThan(1)

  // Another name: nothing of it is cached.
  addRecording(site, longest.wavPath, 'killed.wav')
  const workers = (): number[] =>
    processesOf(server.env['HOME'] ?? '')
      .filter(({ commandLine }) => commandLine.includes('whisper-worker'))
      .map(({ pid }) => pid)
  const taskId = await run.submit(site.url('/killed.wav'))
  await untilBusy(workers)
  const [victim] = workers()
  if (victim === undefined) throw new Error('no worker to kill')
  process.kill(victim, 'SIGKILL')
  const task = await run.ended(taskId)
  expect(task.task_status).toBe('completed')
  expect(task.result.transcript).toEqual(expected)
  expect(workers()).not.toContain(victim)
})

/** Waits until a worker has computed for a tenth of a second more than now. */
async function untilBusy(workers: () => readonly number[]): Promise<void> {
  const before = ticksOf(workers())
  const until = Date.now() + 60_000
  for (;;) {
    const now = await ticksOf(workers())
    if (now >= (await before) + 10) return
    if (Date.now() > until) throw new Error('no worker got to work')
    await Bun.sleep(2)
  }
}

/** CPU time in hundredths of a second. */
async function ticksOf(pids: readonly number[]): Promise<number> {
  let ticks = 0
  for (const pid of pids) {
    const stat = await Bun.file(`/proc/${pid}/stat`)
      .text()
      .catch(() => '')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    ticks += Number(fields[11] ?? 0) + Number(fields[12] ?? 0)
  }
  return ticks
}
