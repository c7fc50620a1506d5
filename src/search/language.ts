// Whether a model understands a text: by the language the transcript says it is in, else by how the model's own tokenizer
// takes the text.

import type { Embedder } from '../engines/embedder.ts'
import { looksEnglish, UNKNOWN_SHARE_MAX } from './query.ts'

/** Enough to judge by. */
const SAMPLE_CHARACTERS = 2_000

type Reader = Pick<Embedder, 'languages' | 'countTokens'>

/** `language`: ISO 639-1 where it is known. */
export async function understands(
  model: Reader,
  text: string,
  language: string | null,
  signal: AbortSignal,
): Promise<boolean> {
  if (model.languages.includes('*')) return true
  if (language !== null) return model.languages.includes(language)
  const sample = text.slice(0, SAMPLE_CHARACTERS)
  const [count] = await model.countTokens([sample], signal)
  if (!count || count.tokens === 0) return false
  if (model.languages.includes('en')) return looksEnglish(sample, count)
  return count.unknown / count.tokens <= UNKNOWN_SHARE_MAX
}
