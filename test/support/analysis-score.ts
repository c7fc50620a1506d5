// Scores an analysis engine on the labelled transcripts of test/analysis-eval: the tuning set was used to tune the
// built-in engine, the held-out set to judge changes, and the fresh set was labelled without knowing the engine and must
// never be tuned on. The same scores serve the test of its goals and `scripts/bench/analysis.ts`.

import { join } from 'node:path'
import { type AnalysisEngine, plainWork, type Segments } from '../../src/analysis/engine.ts'
import type { ExtractionSchema, Value } from '../../src/engines/extractive/types.ts'
import { type Parsed, parseOrThrow, parser, t } from '../../src/lib/schema.ts'

const FOLDER = join(import.meta.dir, '../analysis-eval')
/** Nobody speaks at exactly this pace; it gives the segments times. */
const SECONDS_PER_WORD = 0.4

export const SET = parser(t.Union([t.Literal('tuning'), t.Literal('held-out'), t.Literal('fresh')]))

const CaseSchema = t.Object({
  name: t.String(),
  style: t.String(),
  set: SET.schema,
  segments: t.Array(t.String()),
  summary: t.String(),
  people: t.Array(t.String()),
  places: t.Array(t.String()),
  subjects: t.Array(t.String()),
  questions: t.Array(t.Object({ question: t.String(), segments: t.Union([t.Array(t.Integer()), t.Null()]) })),
  schema: t.Record(t.String(), t.Unsafe<ExtractionSchema[string]>(t.Any())),
  expected: t.Record(t.String(), t.Unsafe<Value>(t.Any())),
})
const CASE = parser(CaseSchema)

export interface Case {
  readonly name: string
  readonly segments: Segments
  readonly summary: string
  readonly people: readonly string[]
  readonly places: readonly string[]
  readonly subjects: readonly string[]
  /** `segments` are the ones that answer; null when none does. */
  readonly questions: readonly { readonly question: string; readonly segments: readonly number[] | null }[]
  readonly schema: ExtractionSchema
  readonly expected: Readonly<Record<string, Value>>
}

export async function loadCases(set: Parsed<typeof SET>): Promise<Case[]> {
  const names = [...new Bun.Glob(`${set}-*.json`).scanSync(FOLDER)].toSorted()
  return Promise.all(
    names.map(async (name) => {
      const raw: unknown = await Bun.file(join(FOLDER, name)).json()
      const read = parseOrThrow(CASE, raw, name)
      return Object.assign(read, { segments: timed(read.segments) })
    }),
  )
}

export function timed(texts: readonly string[]): { text: string; start: number; end: number }[] {
  let words = 0
  return texts.map((text) => {
    const start = words * SECONDS_PER_WORD
    words += text.split(' ').length
    return { text, start, end: words * SECONDS_PER_WORD }
  })
}

/** Right, missed and wrong, summed over transcripts. */
export interface Tally {
  right: number
  missed: number
  wrong: number
}

export interface Scores {
  readonly people: Tally
  readonly places: Tally
  readonly subjects: Tally
  /** One of the two best segments is one that answers. */
  readonly answers: Tally
  /** Unanswerable questions that were left unanswered. */
  readonly abstentions: Tally
  readonly fields: Tally
  /** Strings among the extracted values that nobody says. */
  invented: string[]
  /** Mean overlap of words with the reference summary, F1. */
  summaryOverlap: number
  seconds: number
  promptTokens: number
  completionTokens: number
  /** What went wrong, for whoever tunes. */
  readonly faults: string[]
}

const tally = (): Tally => ({ right: 0, missed: 0, wrong: 0 })

export async function scoreEngine(engine: AnalysisEngine, cases: readonly Case[]): Promise<Scores> {
  const scores: Scores = {
    people: tally(),
    places: tally(),
    subjects: tally(),
    answers: tally(),
    abstentions: tally(),
    fields: tally(),
    invented: [],
    summaryOverlap: 0,
    seconds: 0,
    promptTokens: 0,
    completionTokens: 0,
    faults: [],
  }
  const startedAt = performance.now()
  for (const one of cases) {
    await scoreSummary(engine, one, scores)
    for (const asked of one.questions) await scoreQuestion(engine, one, asked, scores)
    await scoreExtraction(engine, one, scores)
  }
  scores.seconds = (performance.now() - startedAt) / 1_000
  scores.summaryOverlap /= cases.length
  return scores
}

async function scoreSummary(engine: AnalysisEngine, one: Case, scores: Scores): Promise<void> {
  const { value, tokens } = await engine.summarise(one.segments, plainWork(AbortSignal.timeout(600_000)))
  count(scores, tokens)
  const namesOf = (list: readonly { name: string }[]): string[] => list.map(({ name }) => name)
  compare(scores.people, namesOf(value.people), one.people, same, `${one.name}: people`, scores.faults)
  compare(scores.places, namesOf(value.places), one.places, same, `${one.name}: places`, scores.faults)
  compare(scores.subjects, namesOf(value.keySubjects), one.subjects, overlaps, `${one.name}: subjects`, [])
  scores.summaryOverlap += overlap(value.summary, one.summary)
}

async function scoreQuestion(
  engine: AnalysisEngine,
  one: Case,
  asked: Case['questions'][number],
  scores: Scores,
): Promise<void> {
  const work = plainWork(AbortSignal.timeout(600_000))
  const { value, tokens } = await engine.answer(one.segments, asked.question, work)
  count(scores, tokens)
  if (asked.segments === null) {
    if (!value.found) scores.abstentions.right++
    else {
      scores.abstentions.wrong++
      scores.faults.push(`${one.name}: answered "${asked.question}" with "${value.answer}"`)
    }
    return
  }
  const best = [value.bestSegmentIndex, ...value.relevantSegmentIndexes]
  const [first, second] = new Set(best)
  const right = value.found && asked.segments.some((index) => index === first || index === second)
  if (right) scores.answers.right++
  else {
    scores.answers[value.found ? 'wrong' : 'missed']++
    scores.faults.push(`${one.name}: "${asked.question}" got ${first},${second} not ${asked.segments.join()}`)
  }
}

async function scoreExtraction(engine: AnalysisEngine, one: Case, scores: Scores): Promise<void> {
  const { value, tokens } = await engine.extract(
    one.segments,
    { schema: one.schema, instruction: '' },
    plainWork(AbortSignal.timeout(600_000)),
  )
  count(scores, tokens)
  const said = plain(one.segments.map(({ text }) => text).join(' '))
  for (const [name, expected] of Object.entries(one.expected)) {
    const got = value[name] ?? null
    if (one.schema[name]?.type !== 'Enum') {
      scores.invented.push(...stringsOf(got).filter((text) => !said.includes(plain(text))))
    }
    if (isRight(got, expected)) scores.fields.right++
    else {
      scores.fields[got === null ? 'missed' : 'wrong']++
      scores.faults.push(`${one.name}.${name}: ${JSON.stringify(got)} not ${JSON.stringify(expected)}`)
    }
  }
}

/** A string is right when it contains what was expected; a list when it has half of it, and half of it is right. */
function isRight(got: Value, expected: Value): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(got)) return false
    const texts = stringsOf(got)
    const found = stringsOf(expected).filter((want) => texts.some((text) => overlaps(text, want)))
    const fitting = texts.filter((text) => stringsOf(expected).some((want) => overlaps(text, want)))
    return found.length * 2 >= expected.length && fitting.length * 2 >= texts.length
  }
  if (typeof expected === 'string') return typeof got === 'string' && plain(got).includes(plain(expected))
  return got === expected
}

export function stringsOf(value: Value): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(stringsOf)
  return []
}

function count(scores: Scores, tokens: { readonly prompt: number; readonly completion: number }): void {
  scores.promptTokens += tokens.prompt
  scores.completionTokens += tokens.completion
}

function compare(
  sum: Tally,
  got: readonly string[],
  expected: readonly string[],
  isSame: (a: string, b: string) => boolean,
  ...[what, faults]: [string, string[]]
): void {
  const wrong = got.filter((name) => !expected.some((want) => isSame(name, want)))
  const missed = expected.filter((want) => !got.some((name) => isSame(name, want)))
  sum.right += expected.length - missed.length
  sum.missed += missed.length
  sum.wrong += wrong.length
  if (wrong.length + missed.length > 0) faults.push(`${what}: missed ${missed.join()}; wrong ${wrong.join()}`)
}

/** Lower case, words and digits only, articles away. */
export function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

const same = (a: string, b: string): boolean =>
  plain(a).replace(/^the /, '') === plain(b).replace(/^the /, '')
const overlaps = (a: string, b: string): boolean => plain(a).includes(plain(b)) || plain(b).includes(plain(a))

/** ROUGE-1 F1. */
function overlap(a: string, b: string): number {
  const left = plain(a).split(' ')
  const right = plain(b).split(' ')
  const rest = [...right]
  let shared = 0
  for (const word of left) {
    const at = rest.indexOf(word)
    if (at < 0) continue
    rest.splice(at, 1)
    shared++
  }
  return (2 * shared) / (left.length + right.length)
}

export function f1({ right, missed, wrong }: Tally): number {
  return right === 0 ? 0 : (2 * right) / (2 * right + missed + wrong)
}

export function precision({ right, wrong }: Tally): number {
  return right === 0 ? 0 : right / (right + wrong)
}

export function recall({ right, missed }: Tally): number {
  return right === 0 ? 0 : right / (right + missed)
}

/** Share of all that was right. */
export function accuracy({ right, missed, wrong }: Tally): number {
  return right === 0 ? 0 : right / (right + missed + wrong)
}
