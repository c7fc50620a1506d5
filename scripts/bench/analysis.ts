// How good the installed analysis engine is, on transcripts written and labelled for this project:
// `bun scripts/bench/analysis.ts [--set held-out|tuning|fresh] [--faults]`. EARSHOT_* choose the model as they do for
// the server; without one the built-in engine answers. That one was tuned on the tuning set; only the fresh set was
// labelled without knowing it.

import { parseArgs } from 'node:util'
import { chooseEngine } from '../../src/analysis/choose.ts'
import { readConfig } from '../../src/config.ts'
import { createEngines } from '../../src/engines/engines.ts'
import { silentLog } from '../../src/lib/log.ts'
import { parseOrThrow } from '../../src/lib/schema.ts'
import {
  accuracy,
  f1,
  loadCases,
  precision,
  recall,
  SET,
  scoreEngine,
  type Scores,
  type Tally,
} from '../../test/support/analysis-score.ts'

const { values } = parseArgs({
  options: {
    set: { type: 'string', default: 'held-out' },
    faults: { type: 'boolean', default: false },
  },
})

const set = parseOrThrow(SET, values.set, 'the set')
const config = readConfig(process.env)
const engines = createEngines({ config, log: silentLog(), proxyUrl: 'http://127.0.0.1:9' })
try {
  const engine = await chooseEngine({ config, engines })
  const cases = await loadCases(set)
  const scores = await scoreEngine(engine, cases)
  console.log(`${engine.engine.name} ${engine.engine.model}, ${cases.length} transcripts (${set})\n`)
  print(scores, cases.length)
  if (values.faults) console.log(`\n${scores.faults.join('\n')}`)
} finally {
  await engines.close()
}

function print(scores: Scores, transcripts: number): void {
  const found = (name: string, tally: Tally): string =>
    `| ${name} | F1 ${f1(tally).toFixed(2)} (precision ${precision(tally).toFixed(2)}, recall ${recall(tally).toFixed(2)}) |`
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  const lines = [
    '| Measure | Score |',
    '|---|---|',
    found('People', scores.people),
    found('Places', scores.places),
    found('Key subjects', scores.subjects),
    `| Answering segment among the best two | ${percent(accuracy(scores.answers))} |`,
    `| Abstains where there is no answer | ${percent(accuracy(scores.abstentions))} |`,
    `| Extracted values right | ${percent(accuracy(scores.fields))} |`,
    `| Extracted strings that nobody says | ${scores.invented.length} |`,
    `| Summary, ROUGE-1 F1 against the reference | ${scores.summaryOverlap.toFixed(2)} |`,
    `| Seconds per transcript (summary, 5 questions, extraction) | ${(scores.seconds / transcripts).toFixed(2)} |`,
    `| Tokens per transcript, read and written | ${Math.round(scores.promptTokens / transcripts)} + ${Math.round(scores.completionTokens / transcripts)} |`,
  ]
  console.log(lines.join('\n'))
}
