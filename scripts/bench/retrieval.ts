// How well search finds what was looked for: recall@1, recall@5 and mean reciprocal rank of words alone, vectors alone and
// both fused, per kind of query, alone and among 2,000 distractors; and what a relevance_score of so much is worth.
// `bun scripts/bench/retrieval.ts [DISTRACTORS…]`

import { createTestApp } from '../../test/support/app.ts'
import { createRetrieval, KINDS, type Measured, type Retrieval, WAYS } from '../../test/support/retrieval.ts'

const counts = process.argv.slice(2).map(Number)

const percent = (share: number): string => String(Math.round(share * 100)).padStart(3)
const cell = ({ recall1, recall5, reciprocal }: Measured): string =>
  `${percent(recall1)} ${percent(recall5)}  ${reciprocal.toFixed(2)}`

function print(retrieval: Retrieval): void {
  console.log(`${''.padEnd(18)}${WAYS.map((way) => way.padEnd(16)).join('')}`)
  const row = (name: string, measure: (way: (typeof WAYS)[number]) => Measured): void => {
    const cells = WAYS.map((way) => cell(measure(way)).padEnd(16)).join('')
    console.log(`${name.padEnd(12)}${String(measure('fused').queries).padStart(4)}  ${cells}`)
  }
  for (const kind of KINDS) row(kind, (way) => retrieval.measure(way, 'all', kind))
  for (const half of ['tuning', 'rest', 'all'] as const) row(half, (way) => retrieval.measure(way, half))
}

/** Of the first hits with such a relevance, how many are right; queries for what is not there included. */
function printRelevance({ fused, unanswerable }: Retrieval): void {
  const first = [
    ...fused.map(({ findings, answer }) => ({ hit: findings.hits[0], answer })),
    ...unanswerable.map((findings) => ({ hit: findings.hits[0], answer: '' })),
  ]
  for (let from = 0; from < 1; from += 0.2) {
    const within = first.filter(({ hit }) => hit && hit.relevance >= from && hit.relevance < from + 0.2)
    const right = within.filter(({ hit, answer }) => hit?.fileId === answer).length
    const share = within.length === 0 ? '' : `${percent(right / within.length)} % right`
    console.log(
      `relevance ${from.toFixed(1)}–${(from + 0.2).toFixed(1)}: ${String(within.length).padStart(3)} ${share}`,
    )
  }
}

for (const count of counts.length > 0 ? counts : [0, 2_000]) {
  const testApp = await createTestApp()
  try {
    console.log(`\n64 passages, ${count} distractors: recall@1, recall@5 (%), MRR`)
    const retrieval = await createRetrieval(testApp.app, count)
    print(retrieval)
    printRelevance(retrieval)
  } finally {
    await testApp.close()
  }
}
