// How long POST /analyze/video of the compiled binary takes without a language model once the transcript of ten minutes is
// known: `bun scripts/bench/analyze-video.ts`. Prints the first request after the start (engine processes start too), one
// after that, one with a question, and one whose summary is cached. Goal: under 1 s each.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { silentLog } from '../../src/lib/log.ts'
import { evaluationSegments, knowTranscript } from '../../test/support/analysis.ts'
import { startServer } from '../../test/support/server.ts'

const FOLDER = join(import.meta.dir, '../../test/analysis-eval')
const ROUNDS = 3
/** Ten minutes at 150 words a minute. */
const WORDS = 1_500
const GOAL_MS = 1_000

const urlOf = (index: number): string => `https://media.example.com/${index}.mp4`
const requests = [
  { what: 'first request', url: urlOf(0) },
  { what: 'summary', url: urlOf(1) },
  { what: 'summary and answer', url: urlOf(2), query: 'How long is the prison sentence?' },
  { what: 'cached summary', url: urlOf(0) },
]

const talk = await tenMinutes()
console.log(`a transcript of ${talk.join(' ').split(' ').length} words in ${talk.length} segments`)
const tookMs: number[][] = []
for (let round = 0; round < ROUNDS; round++) tookMs.push(await measure())
const rows = requests.map(({ what }, at) => [what, tookMs.map((all) => `${Math.round(all[at] ?? 0)} ms`)])
console.table(Object.fromEntries(rows))
process.exitCode = Math.max(...tookMs.flat()) < GOAL_MS ? 0 : 1

async function tenMinutes(): Promise<string[]> {
  const segments: string[] = []
  let words = 0
  for (const name of readdirSync(FOLDER).filter((file) => /^(?:held-out|tuning)-/.test(file))) {
    for (const text of await evaluationSegments(name.replace('.json', ''))) {
      if (words >= WORDS) return segments
      segments.push(text)
      words += text.split(' ').length
    }
  }
  return segments
}

/** Milliseconds of each request, on a server that has just started. */
async function measure(): Promise<number[]> {
  const binary = join(import.meta.dir, '../../dist/earshot')
  const before = await startServer({ binary })
  const key = await before.createKey()
  await before.kill('SIGTERM')
  const app = await createApp({ config: readConfig({ EARSHOT_DATA: before.dataDir }), log: silentLog() })
  // Other sentences each time, so that nothing of them is remembered.
  for (const index of [0, 1, 2])
    await knowTranscript(
      app,
      urlOf(index),
      talk.map((text) => `${text} ${index}`),
    )
  await app.close()
  const server = await before.restart()
  const times: number[] = []
  for (const { url, query } of requests) {
    const body = { video_url: url, ...(query === undefined ? {} : { query }) }
    const startedAt = performance.now()
    const { status } = await server.request('POST', '/v1/analyze/video', { key, body })
    times.push(performance.now() - startedAt)
    if (status !== 200) throw new Error(`${url}: ${status}`)
  }
  await server.close()
  return times
}
