// What the built-in engine promises, measured with its own process and the embedded encoder on the transcripts that its
// rules and thresholds were not tuned on; and that it takes its time elsewhere than on the main thread.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chooseEngine } from '../../../src/analysis/choose.ts'
import { type AnalysisEngine, plainWork } from '../../../src/analysis/engine.ts'
import { readConfig } from '../../../src/config.ts'
import { createEngines, type Engines } from '../../../src/engines/engines.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { accuracy, f1, loadCases, scoreEngine, type Scores, timed } from '../../support/analysis-score.ts'
import { temporaryFolder } from '../../support/temp.ts'

const folder = temporaryFolder()
let engines: Engines
let engine: AnalysisEngine
let scores: Scores

beforeAll(async () => {
  const config = readConfig({ EARSHOT_DATA: folder.path })
  engines = createEngines({ config, log: silentLog(), proxyUrl: 'http://127.0.0.1:9' })
  engine = await chooseEngine({ config, engines })
  scores = await scoreEngine(engine, await loadCases('held-out'))
}, 120_000)

afterAll(async () => {
  await engines.close()
  folder[Symbol.dispose]()
})

describe('on transcripts it was not tuned on, the built-in engine', () => {
  test('finds people: F1 of at least .85', () => expect(f1(scores.people)).toBeGreaterThanOrEqual(0.85))

  test('finds places: F1 of at least .8', () => expect(f1(scores.places)).toBeGreaterThanOrEqual(0.8))

  test('has an answering segment among its best two for three questions in four', () =>
    expect(accuracy(scores.answers)).toBeGreaterThanOrEqual(0.75))

  test('abstains from four in five questions that have no answer', () =>
    expect(accuracy(scores.abstentions)).toBeGreaterThanOrEqual(0.8))

  test('extracts four in five values right', () =>
    expect(accuracy(scores.fields)).toBeGreaterThanOrEqual(0.8))

  test('invents no value', () => expect(scores.invented).toEqual([]))

  test('shares words with what a person would have written as a summary', () =>
    expect(scores.summaryOverlap).toBeGreaterThanOrEqual(0.35))
})

describe('ten minutes of speech', () => {
  test('are analysed and a question answered off the main thread', async () => {
    const cases = await loadCases('held-out')
    const texts = cases.flatMap(({ segments }) => segments.map(({ text }) => text))
    const segments = timed(texts).filter(({ end }) => end <= 600)
    expect(segments.at(-1)?.end).toBeGreaterThan(590)
    expect(engine.engine.name).toBe('builtin')
    const work = plainWork(AbortSignal.timeout(30_000))
    let ticks = 0
    const timer = setInterval(() => ticks++, 5)
    const startedAt = performance.now()
    const { value } = await engine.summarise(segments, work)
    const answer = await engine.answer(segments, 'How long is the prison sentence?', work)
    const tookMs = performance.now() - startedAt
    clearInterval(timer)
    // What it takes is measured by scripts/bench/analyze-video.ts.
    console.log(
      `  ten minutes of speech: ${Math.round(tookMs)} ms, ${ticks} turns of the event loop meanwhile`,
    )
    expect(value.people.length).toBeGreaterThan(10)
    expect(answer.value.found).toBe(true)
    expect(ticks).toBeGreaterThan(10)
  }, 30_000)
})
