// Asking the server to analyse a file, and what it has said already: kept while the page is open, since each question costs
// credits.

import { signal } from '@preact/signals'
import type { Analysis, EngineName } from '../api-types.ts'
import { call } from '../api.ts'

export interface Answered {
  readonly question: string
  readonly answer: string
  /** Seconds; undefined when the transcript does not answer it. */
  readonly atS: number | undefined
  readonly quoted: string
}

export interface Known {
  readonly summary: Analysis | undefined
  readonly engine: EngineName | undefined
  /** Oldest first. */
  readonly answers: readonly Answered[]
}

/** What identifies what is analysed, with the part of the request that names it. */
export interface Analysed {
  readonly path: '/v1/analyze/file' | '/v1/analyze/video'
  readonly body: { readonly file_id: string } | { readonly video_url: string }
}

const NOTHING: Known = { summary: undefined, engine: undefined, answers: [] }
const known = signal<ReadonlyMap<string, Known>>(new Map())

const keyOf = ({ body }: Analysed): string => JSON.stringify(body)

export function knownOf(what: Analysed): Known {
  return known.value.get(keyOf(what)) ?? NOTHING
}

function learn(what: Analysed, learnt: Known): void {
  known.value = new Map([...known.peek(), [keyOf(what), learnt]])
}

interface Reply {
  readonly data: { readonly transcript_analysis: Analysis }
  readonly engine?: EngineName
}

/** Throws ApiError. */
export async function summarise(what: Analysed): Promise<void> {
  const { data, engine } = await call<Reply>('POST', what.path, { body: what.body })
  learn(what, { ...knownOf(what), summary: data.transcript_analysis, engine })
}

/** Brings the summary along. Throws ApiError. */
export async function ask(what: Analysed, question: string): Promise<Answered> {
  const { data, engine } = await call<Reply>('POST', what.path, { body: { ...what.body, query: question } })
  const analysis = data.transcript_analysis
  const found = analysis.query_answer
  const answered: Answered = {
    question,
    answer: found?.answer ?? 'The transcript does not answer this.',
    atS: found === undefined || found.best_segment_index < 0 ? undefined : (analysis.timestamp ?? undefined),
    quoted: analysis.relevant_text ?? '',
  }
  const before = knownOf(what)
  learn(what, { summary: analysis, engine, answers: [...before.answers, answered] })
  return answered
}
