// Finds the weights by which the built-in engine ranks answers, on the tuning set of the evaluation alone, and writes
// src/engines/extractive/answer-weights.json: `bun scripts/fit-answers.ts [--check]`. `--check` writes nothing and says how
// good weights are on transcripts that they were not found on (six parts, each ranked with what the others give).

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConfig } from '../src/config.ts'
import { createEngines } from '../src/engines/engines.ts'
import { ANSWER_FEATURES, answerFeatures } from '../src/engines/extractive/answer-features.ts'
import { probabilities, product, shareAmongSegments } from '../src/engines/extractive/answer-ranking.ts'
import { createDocument, readText, splitText } from '../src/engines/extractive/document.ts'
import { understand } from '../src/engines/extractive/question.ts'
import { rankSentences } from '../src/engines/extractive/relevance.ts'
import type { IndexedSentence } from '../src/engines/extractive/text-index.ts'
import { silentLog } from '../src/lib/log.ts'
import { type Case, loadCases } from '../test/support/analysis-score.ts'

const TARGET = join(import.meta.dir, '../src/engines/extractive/answer-weights.json')
const ENCODER = 'use-lite-en'
const PARTS = 6
/** Regularisation (ridge), steps, and the rate of Adam (Kingma and Ba 2015, arXiv 1412.6980). */
const RIDGE = 5
const STEPS = 200
const RATE = 0.05

/** A question that is answered: what speaks for each sentence, and which ones are in a segment that answers. */
interface Example {
  readonly part: number
  readonly sentences: readonly IndexedSentence[]
  readonly rows: readonly Float64Array[]
  readonly right: readonly boolean[]
  readonly gold: readonly number[]
}

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const engines = createEngines({
  config: readConfig(process.env),
  log: silentLog(),
  proxyUrl: 'http://127.0.0.1:9',
})
try {
  const cases = await loadCases('tuning')
  const examples = (await Promise.all(cases.map((one, at) => examplesOf(one, at % PARTS)))).flat()
  if (values.check) check(examples)
  else {
    const weights = fit(examples)
    const named = ANSWER_FEATURES.map((name, at) => [name, Number((weights[at] ?? 0).toFixed(4))])
    writeFileSync(TARGET, `${JSON.stringify(Object.fromEntries(named), null, 2)}\n`)
    console.log(`${examples.length} questions, written: ${TARGET}`)
  }
} finally {
  await engines.close()
}

async function examplesOf({ segments, questions }: Case, part: number): Promise<Example[]> {
  const embedder = await engines.findEmbedder(ENCODER)
  if (!embedder) throw new Error(`there is no ${ENCODER}`)
  const text = splitText({ segments })
  const signal = AbortSignal.timeout(600_000)
  const passages = [...new Set(text.sentences.map((sentence) => sentence.text))]
  const queries = questions.map(({ question }) => question)
  const vectors = new Map<string, Float32Array>()
  for (const [at, vector] of (await embedder.embed(passages, 'passage', signal)).entries()) {
    vectors.set(passages[at] ?? '', vector)
  }
  const asked = await embedder.embed(queries, 'query', signal)
  const { index, entities } = createDocument(readText(text), vectors)
  return questions.flatMap(({ question: words, segments: gold }, at): Example[] => {
    if (gold === null) return []
    const question = understand(words)
    const vector = asked[at]
    const ranked = rankSentences(index, question, vector, entities)
    const { sentences } = index
    const right = sentences.map(({ firstSegment, lastSegment }) =>
      gold.some((segment) => segment >= firstSegment && segment <= lastSegment),
    )
    return [{ part, sentences, rows: answerFeatures(index, { question, vector, ranked }), right, gold }]
  })
}

/** Softmax regression over the sentences of each transcript; columns are brought to one scale while it is sought. */
function fit(examples: readonly Example[]): Float64Array {
  const scales = scalesOf(examples)
  const width = ANSWER_FEATURES.length
  const weights = new Float64Array(width)
  const mean = new Float64Array(width)
  const square = new Float64Array(width)
  for (let step = 1; step <= STEPS; step++) {
    const gradient = weights.map((weight) => (RIDGE * weight) / examples.length)
    for (const example of examples)
      addGradient(gradient, example, { weights, scales, share: examples.length })
    for (let at = 0; at < width; at++) {
      const slope = gradient[at] ?? 0
      mean[at] = 0.9 * (mean[at] ?? 0) + 0.1 * slope
      square[at] = 0.999 * (square[at] ?? 0) + 0.001 * slope ** 2
      const corrected = (mean[at] ?? 0) / (1 - 0.9 ** step)
      const size = Math.sqrt((square[at] ?? 0) / (1 - 0.999 ** step)) + 1e-8
      weights[at] = (weights[at] ?? 0) - (RATE * corrected) / size
    }
  }
  return weights.map((weight, at) => weight / (scales[at] ?? 1))
}

function addGradient(
  gradient: Float64Array,
  { rows, right }: Example,
  { weights, scales, share }: { weights: Float64Array; scales: Float64Array; share: number },
): void {
  const scaled = weights.map((weight, at) => weight / (scales[at] ?? 1))
  const likely = probabilities(rows.map((row) => product(row, scaled)))
  const rightly = likely.reduce((sum, value, at) => sum + (right[at] === true ? value : 0), 0)
  if (rightly === 0) return
  for (const [at, row] of rows.entries()) {
    const value = likely[at] ?? 0
    const error = value - (right[at] === true ? value / rightly : 0)
    for (let column = 0; column < row.length; column++) {
      const input = (row[column] ?? 0) / (scales[column] ?? 1)
      gradient[column] = (gradient[column] ?? 0) + (error * input) / share
    }
  }
}

/** Standard deviation of each column. */
function scalesOf(examples: readonly Example[]): Float64Array {
  const rows = examples.flatMap((example) => example.rows)
  return Float64Array.from(ANSWER_FEATURES, (_, column) => {
    const mean = rows.reduce((sum, row) => sum + (row[column] ?? 0), 0) / rows.length
    const variance = rows.reduce((sum, row) => sum + ((row[column] ?? 0) - mean) ** 2, 0) / rows.length
    return Math.max(Math.sqrt(variance), 1e-3)
  })
}

function check(examples: readonly Example[]): void {
  let before = 0
  let after = 0
  const relevance = Float64Array.from(ANSWER_FEATURES, (name) => (name === 'relevance' ? 100 : 0))
  for (let part = 0; part < PARTS; part++) {
    const weights = fit(examples.filter((example) => example.part !== part))
    for (const example of examples.filter((one) => one.part === part)) {
      if (isAmongBestTwo(example, relevance)) before++
      if (isAmongBestTwo(example, weights)) after++
    }
  }
  const percent = (count: number): string => `${((100 * count) / examples.length).toFixed(1)} %`
  console.log(`an answering segment among the best two, of ${examples.length} questions:`)
  console.log(`by relevance alone ${percent(before)}, with weights from other transcripts ${percent(after)}`)
}

function isAmongBestTwo({ sentences, rows, gold }: Example, weights: Float64Array): boolean {
  const likely = probabilities(rows.map((row) => product(row, weights)))
  const best = shareAmongSegments(sentences, likely).slice(0, 2)
  return best.some(({ segment }) => gold.includes(segment))
}
