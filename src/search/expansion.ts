// A query in other words, for searches that should not hang on one wording: by the language model where there is one, else
// the query's own content words with some common synonyms.

import type { App } from '../app.ts'
import type { Tokens } from '../billing/meters.ts'
import { prompt } from '../engines/llm/prompt.ts'
import { asError } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { SECOND } from '../lib/time.ts'
import { contentWords, wordsOf } from './query.ts'

/** Each costs a request to the platform and a search of the library. */
const VARIANTS_MAX = 2
/** Models repeat the query now and then. */
const WRITTEN_MAX = 4
const VARIANT_CHARACTERS_MAX = 200
const MODEL_TIMEOUT_MS = 15 * SECOND

export interface Expansion {
  /** Other than the query; none where nothing better was found. */
  readonly variants: readonly string[]
  readonly tokens: Tokens
}

const Variants = t.Object({
  queries: t.Array(t.String({ maxLength: VARIANT_CHARACTERS_MAX }), {
    maxItems: WRITTEN_MAX,
    description: 'Short search queries that would find videos about the same thing in other words',
  }),
})

/** Rejects with the signal's reason only: a model that fails or is slow leaves it to the synonyms. */
export async function expandQuery(app: App, query: string, signal: AbortSignal): Promise<Expansion> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(MODEL_TIMEOUT_MS)])
  try {
    const model = await app.engines.llm.find()
    if (model) {
      const { value, usage } = await model.generate({
        prefix: prompt`This is what somebody looks for in videos: ${query}`,
        prompt: prompt`Write ${VARIANTS_MAX} other search queries for it, in the language of the query.`,
        schema: Variants,
        limits: { maxTokens: 200, timeoutMs: MODEL_TIMEOUT_MS },
        signal: inTime,
      })
      const tokens = { prompt: usage.promptTokens, completion: usage.completionTokens }
      return { variants: distinct(query, value.queries), tokens }
    }
  } catch (error) {
    signal.throwIfAborted()
    app.log.warn({ err: asError(error) }, 'the language model did not expand a query')
  }
  return { variants: distinct(query, builtinVariants(query)), tokens: { prompt: 0, completion: 0 } }
}

/** With the first word that has a synonym replaced by it; without any, the content words alone. */
export function builtinVariants(query: string): string[] {
  const words = contentWords(query)
  const at = words.findIndex((word) => synonymOf(word) !== undefined)
  return [words.map((word, index) => (index === at ? (synonymOf(word) ?? word) : word)).join(' ')]
}

/** Words for the same thing among which people who search and people who speak choose differently; English. */
const SYNONYMS: readonly (readonly string[])[] = [
  ['ship', 'boat', 'vessel'],
  ['ferry', 'boat'],
  ['car', 'automobile', 'vehicle'],
  ['bike', 'bicycle', 'cycling'],
  ['film', 'movie', 'cinema'],
  ['photo', 'picture', 'photography'],
  ['phone', 'smartphone', 'mobile'],
  ['laptop', 'notebook', 'computer'],
  ['tutorial', 'guide', 'lesson', 'course'],
  ['beginner', 'beginners', 'basics', 'introduction'],
  ['review', 'test', 'comparison'],
  ['fix', 'repair', 'mend'],
  ['build', 'make', 'construct'],
  ['buy', 'purchase', 'shop'],
  ['cheap', 'budget', 'affordable'],
  ['best', 'top', 'greatest'],
  ['quick', 'fast', 'rapid'],
  ['big', 'large', 'huge'],
  ['small', 'tiny', 'little'],
  ['house', 'home', 'building'],
  ['garden', 'yard', 'gardening'],
  ['dog', 'puppy', 'dogs'],
  ['cat', 'kitten', 'cats'],
  ['child', 'kid', 'children', 'kids'],
  ['doctor', 'physician', 'medicine'],
  ['illness', 'disease', 'sickness'],
  ['cook', 'recipe', 'cooking'],
  ['bread', 'loaf', 'baking'],
  ['exercise', 'workout', 'training'],
  ['trip', 'journey', 'travel'],
  ['money', 'cash', 'finance'],
  ['job', 'work', 'career'],
  ['company', 'business', 'firm'],
  ['law', 'legal', 'legislation'],
  ['war', 'conflict', 'battle'],
  ['election', 'vote', 'voting'],
  ['president', 'leader'],
  ['weather', 'forecast', 'climate'],
  ['storm', 'hurricane', 'tempest'],
  ['space', 'astronomy', 'cosmos'],
  ['planet', 'world'],
  ['music', 'song', 'songs'],
  ['football', 'soccer'],
  ['match', 'game'],
  ['interview', 'conversation', 'talk'],
  ['lecture', 'talk', 'presentation'],
  ['news', 'report', 'headlines'],
  ['story', 'tale', 'history'],
  ['funny', 'comedy', 'humour'],
  ['harbour', 'harbor', 'port'],
  ['colour', 'color'],
]

const SYNONYM_OF: ReadonlyMap<string, string> = new Map(
  SYNONYMS.toReversed().flatMap((group) =>
    group.map((word, index): [string, string] => [word, group[(index + 1) % group.length] ?? word]),
  ),
)

const synonymOf = (word: string): string | undefined =>
  SYNONYM_OF.get(word) ?? (word.endsWith('s') ? SYNONYM_OF.get(word.slice(0, -1)) : undefined)

/** Without those that are empty or the query again. */
function distinct(query: string, variants: readonly string[]): string[] {
  const key = (text: string): string => wordsOf(text).join(' ')
  const seen = new Set([key(query), ''])
  const kept: string[] = []
  for (const variant of variants) {
    const text = variant.replaceAll(/\s+/g, ' ').trim().slice(0, VARIANT_CHARACTERS_MAX)
    if (seen.has(key(text))) continue
    seen.add(key(text))
    kept.push(text)
  }
  return kept.slice(0, VARIANTS_MAX)
}
