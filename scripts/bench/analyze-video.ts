// How long POST /analyze/video takes without a language model once the transcript of ten minutes is known:
// `bun scripts/bench/analyze-video.ts`. Prints the first request (engine processes start), one after that, one with a
// question, and one whose summary is cached.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { evaluationSegments, startAnalysisBench } from '../../test/support/analysis.ts'

const FOLDER = join(import.meta.dir, '../../test/analysis-eval')
/** Ten minutes at 150 words a minute. */
const WORDS = 1_500

const bench = await startAnalysisBench()
try {
  const names = readdirSync(FOLDER)
    .filter((name) => /^(?:held-out|tuning)-/.test(name))
    .map((name) => name.replace('.json', ''))
  const talk: string[] = []
  let words = 0
  for (const name of names) {
    for (const text of await evaluationSegments(name)) {
      if (words >= WORDS) break
      talk.push(text)
      words += text.split(' ').length
    }
  }
  console.log(`a transcript of ${words} words in ${talk.length} segments`)
  // Other sentences each time, so that nothing of them is remembered.
  for (const [index, [what, query]] of [
    ['first request', undefined],
    ['summary', undefined],
    ['summary and answer', 'How long is the prison sentence?'],
  ].entries()) {
    const url = `https://media.example.com/${index}.mp4`
    await bench.know(
      url,
      talk.map((text) => `${text} ${index}`),
    )
    await measure(String(what), { video_url: url, ...(query === undefined ? {} : { query }) })
  }
  await measure('cached summary', { video_url: 'https://media.example.com/0.mp4' })
} finally {
  await bench.close()
}

async function measure(what: string, body: object): Promise<void> {
  const startedAt = performance.now()
  const { status } = await bench.call('POST', '/analyze/video', body)
  if (status !== 200) throw new Error(`${what}: ${status}`)
  console.log(`${what}: ${Math.round(performance.now() - startedAt)} ms`)
}
