// Transcripts of a post's videos → what a claim analysis reads of them: the words themselves where they are few, else a
// summary, which is kept with the transcript like that of any analysis.

import { type AnalysisEngine, NO_TOKENS, type Outcome, type Summary, type Work } from '../analysis/engine.ts'
import { findSummary, saveSummary } from '../analysis/store.ts'
import type { App } from '../app.ts'
import type { Tokens } from '../billing/meters.ts'
import { type Infer, t } from '../lib/schema.ts'
import { findTranscript, listSegments } from '../transcripts/transcripts.ts'
import { type Heard, spoken } from './media-words.ts'

/** What is said in some 40 seconds. */
const WORDS_MAX = 600

/** As the transcription stage hands them on. */
export const VideoOutcome = t.Object({
  index: t.Integer(),
  transcriptId: t.Optional(t.String()),
  error: t.Optional(t.Object({ error: t.Union([t.String(), t.Null()]), message: t.String() })),
})
export type VideoOutcome = Infer<typeof VideoOutcome>

export interface HeardVideo {
  readonly heard: Heard
  readonly tokens: Tokens
  /** Keeps a summary that was made; in the commit. */
  readonly save: () => void
}

const keepNothing = (): void => undefined

/** Rejects as the engine does. */
export async function hear(
  app: App,
  engine: AnalysisEngine,
  outcome: VideoOutcome | undefined,
  work: Work,
): Promise<HeardVideo> {
  const transcriptId = outcome?.transcriptId ?? ''
  if (!outcome || !findTranscript(app, transcriptId)) {
    return { heard: { missing: reasonOf(outcome?.error) }, tokens: NO_TOKENS, save: keepNothing }
  }
  const segments = listSegments(app, transcriptId)
  const text = spoken(segments)
  if (text === '') return { heard: { missing: 'has no speech' }, tokens: NO_TOKENS, save: keepNothing }
  if (text.length <= WORDS_MAX) {
    return { heard: { text, isSummary: false }, tokens: NO_TOKENS, save: keepNothing }
  }
  const known = findSummary(app, transcriptId, engine.engine)
  const made: Outcome<Summary> = known ?? (await engine.summarise(segments, stepsOf(work, transcriptId)))
  const summary = made.value.summary.trim()
  return {
    heard: summary === '' ? { text: cut(text), isSummary: false } : { text: summary, isSummary: true },
    tokens: known ? NO_TOKENS : made.tokens,
    save() {
      if (!known && findTranscript(app, transcriptId)) saveSummary(app, transcriptId, engine.engine, made)
    },
  }
}

/** The parts of two transcripts in one job must not be taken for each other. */
function stepsOf(work: Work, name: string): Work {
  return { ...work, step: (step, run) => work.step(`${name} ${step}`, run) }
}

function cut(text: string): string {
  return `${text.slice(0, WORDS_MAX - 1).replace(/\s+\S*$/, '')}…`.toWellFormed()
}

function reasonOf(error: VideoOutcome['error']): string {
  if (error?.error === 'audio_extraction_failed') return 'has no sound'
  return error
    ? `could not be heard (${error.error ?? 'its site did not give it'})`
    : 'is not available any more'
}
