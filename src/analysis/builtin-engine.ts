// Analysis without a language model, by the built-in engine: everything is selected from the transcript, nothing is
// written anew.

import type { App } from '../app.ts'
import type { TaskResult } from '../engines/extractive/tasks.ts'
import type { AnalysisEngine, Outcome, Work } from './engine.ts'

const NOTE =
  'Without a language model everything is selected from what was said; names, subjects and answers are found in ' +
  'English only.'
const NOT_ENGLISH =
  'This is not English: the built-in engine sums it up by words and finds no names, subjects or answers in it. Install ' +
  'a language model for other languages.'

export function createBuiltinEngine({ engines }: Pick<App, 'engines'>): AnalysisEngine {
  const { extractive } = engines

  /** Fast enough to need no steps: an interrupted one is done again. */
  async function run<T>(work: Work, task: () => Promise<TaskResult<T>>): Promise<Outcome<T>> {
    const { value, usage, english } = await task()
    work.report(1)
    const tokens = { prompt: usage.promptTokens, completion: usage.completionTokens }
    return { value, tokens, ...(english ? {} : { note: NOT_ENGLISH }) }
  }

  return {
    engine: { ...extractive.engine, note: NOTE },
    summarise: (segments, work) => run(work, () => extractive.overview({ segments }, work.signal)),
    answer: (segments, question, work) =>
      run(work, () => extractive.answer({ segments }, question, work.signal)),
    extract: (segments, { schema, instruction }, work) =>
      run(work, () => extractive.extract({ segments }, { schema, whatToExtract: instruction }, work.signal)),
    statement: ({ text, mediaText, quotedText }, work) =>
      run(work, () => extractive.statement({ text, shown: mediaText, quoted: quotedText }, work.signal)),
  }
}
