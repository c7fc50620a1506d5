// Which language a recording is in, decided once from its first windows: a single window may be wrong.

import { type Infer, t } from '../lib/schema.ts'

/** Milliseconds of speech for each language detected (ISO 639-1). */
export const LanguageVotesSchema = t.Record(t.String(), t.Number())
export type LanguageVotes = Infer<typeof LanguageVotesSchema>

/** With so much speech heard, the language is fixed. */
const ENOUGH_SPEECH_MS = 10_000

export function vote(votes: LanguageVotes, language: string, speechMs: number): LanguageVotes {
  return { ...votes, [language]: (votes[language] ?? 0) + speechMs }
}

/** The language most was spoken in; undefined (detect again) while less than `enoughMs` were heard. */
export function chooseLanguage(votes: LanguageVotes, enoughMs = ENOUGH_SPEECH_MS): string | undefined {
  let heardMs = 0
  let best: string | undefined
  for (const [language, speechMs] of Object.entries(votes)) {
    heardMs += speechMs
    if (best === undefined || speechMs > (votes[best] ?? 0)) best = language
  }
  return heardMs >= enoughMs ? best : undefined
}
