// A quick look at transcripts that a search found: what each says about the query, and what it is about. Within a budget
// of time, because somebody waits; what could not be done in it is left out.

import type { App } from '../app.ts'
import type { Tokens } from '../billing/meters.ts'
import { transaction } from '../db/database.ts'
import type { Answer } from '../engines/extractive/types.ts'
import { SECOND } from '../lib/time.ts'
import { findTranscript, listSegments, type Segment } from '../transcripts/transcripts.ts'
import { createBuiltinEngine } from './builtin-engine.ts'
import { chooseEngine } from './choose.ts'
import {
  type AnalysisEngine,
  type EngineInfo,
  engineInfo,
  NO_TOKENS,
  type Outcome,
  plainWork,
  type Summary,
  sumTokens,
  type Work,
} from './engine.ts'
import { findSummary, saveSummary } from './store.ts'

/** Around each moment that the search found; together they fit a model at once. */
const AROUND_S = 60
const CHARACTERS_MAX = 6_000

export interface FoundTranscript {
  readonly transcriptId: string
  /** Seconds at which what was found begins, best first; empty: the whole transcript is asked. */
  readonly timestamps: readonly number[]
}

export interface FoundOptions {
  readonly query: string
  readonly signal: AbortSignal
  /** Of all together. */
  readonly budgetMs?: number
  /** The first ones are looked at, the rest are left out. */
  readonly itemsMax?: number
}

export interface FoundAnalysis {
  /** Undefined when the transcript does not answer the query. */
  readonly answer: string | undefined
  readonly summary: Summary
}

export interface FoundAnalyses {
  /** As long as what was given; undefined where time or number did not reach. */
  readonly analyses: readonly (FoundAnalysis | undefined)[]
  readonly engine: EngineInfo
  /** Of what was computed for this call; known summaries cost nothing. */
  readonly tokens: Tokens
  /** A sentence for people. */
  readonly explanation: string
}

/**
 * Asks the chosen engine about the moments that were found. Summaries are the chosen engine's where it made them before,
 * else the built-in engine's: a model takes a minute for one. Rejects only with the signal's reason: an engine that
 * fails ends the analysis, and the explanation says so.
 */
export async function analyseFound(
  app: App,
  found: readonly FoundTranscript[],
  { query, signal, budgetMs = 8 * SECOND, itemsMax = 5 }: FoundOptions,
): Promise<FoundAnalyses> {
  const looked = found.slice(0, itemsMax)
  const analyses: (FoundAnalysis | undefined)[] = found.map(() => undefined)
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(budgetMs)])
  const builtin = createBuiltinEngine(app)
  let engine: AnalysisEngine = builtin
  const used: Tokens[] = []
  try {
    engine = await chooseEngine(app)
    for (const [position, item] of looked.entries()) {
      const { analysis, tokens } = await lookAt(app, item, {
        query,
        engine,
        builtin,
        work: plainWork(inTime),
      })
      analyses[position] = analysis
      used.push(tokens)
    }
  } catch (error) {
    signal.throwIfAborted()
    if (!inTime.aborted) app.log.warn({ err: error }, 'what a search found could not be analysed')
  }
  const count = analyses.filter((analysis) => analysis !== undefined).length
  return {
    analyses,
    engine: engineInfo(engine),
    tokens: sumTokens(...used),
    explanation: `${count} of ${found.length} were analysed by ${engine.engine.name} (${engine.engine.model}).`,
  }
}

interface Look {
  readonly query: string
  readonly engine: AnalysisEngine
  readonly builtin: AnalysisEngine
  readonly work: Work
}

interface Looked {
  readonly analysis: FoundAnalysis | undefined
  readonly tokens: Tokens
}

async function lookAt(app: App, item: FoundTranscript, look: Look): Promise<Looked> {
  const { engine, query, work } = look
  // Deleted since it was found.
  if (!findTranscript(app, item.transcriptId)) return { analysis: undefined, tokens: NO_TOKENS }
  const segments = listSegments(app, item.transcriptId)
  const around = momentsOf(segments, item.timestamps)
  const answer: Outcome<Answer> = await engine.answer(around, query, work)
  const summary = await summaryOf(app, item.transcriptId, segments, look)
  return {
    analysis: {
      answer: answer.value.found ? answer.value.answer : undefined,
      summary: summary.value,
    },
    tokens: sumTokens(answer.tokens, summary.tokens),
  }
}

async function summaryOf(
  app: App,
  transcriptId: string,
  segments: readonly Segment[],
  { engine, builtin, work }: Look,
): Promise<Outcome<Summary>> {
  const known = [engine, builtin].map((one) => findSummary(app, transcriptId, one.engine)).find(Boolean)
  if (known) return { ...known, tokens: NO_TOKENS }
  const made = await builtin.summarise(segments, work)
  transaction(app.db, () => {
    if (findTranscript(app, transcriptId)) saveSummary(app, transcriptId, builtin.engine, made)
  })
  return made
}

/** The segments near the moments, in order; all of them when no moment is given. */
function momentsOf(segments: readonly Segment[], timestamps: readonly number[]): readonly Segment[] {
  if (timestamps.length === 0) return segments
  const chosen = new Set<number>()
  let characters = 0
  for (const at of timestamps) {
    for (const [index, { start, end, text }] of segments.entries()) {
      if (end < at - AROUND_S || start > at + AROUND_S || chosen.has(index)) continue
      if (characters + text.length > CHARACTERS_MAX) continue
      characters += text.length
      chosen.add(index)
    }
  }
  return segments.filter((_, index) => chosen.has(index))
}
