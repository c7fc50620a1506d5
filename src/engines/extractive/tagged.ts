// Parts of speech for sentences, by compromise: words with their offsets, their case and what the tagger thinks of them.

import nlp from 'compromise'
import { parseOrThrow, parser, t } from '../../lib/schema.ts'

export interface TaggedWord {
  readonly text: string
  readonly lower: string
  readonly start: number
  readonly end: number
  readonly tags: ReadonlySet<string>
  /** Punctuation between it and the word before. */
  readonly before: string
  /** Punctuation between it and the next word, or the end. */
  readonly after: string
  readonly capitalised: boolean
  /** Begins the sentence or follows a full stop inside it. */
  readonly opens: boolean
  /** Ends in 's. */
  readonly possessive: boolean
}

const MODEL = parser(t.Object({ one: t.Object({ lexicon: t.Record(t.String(), t.Unknown()) }) }))
const { lexicon } = parseOrThrow(MODEL, nlp.model(), 'the dictionary of the tagger').one

const ABBREVIATION = /^(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Gen|Sen|Rep|Gov|Lt|Col|Capt|Sgt|\p{Lu})$/u
const NO_TAGS: ReadonlySet<string> = new Set()

/** The words of one sentence; what compromise splits off without text (`didn't` → `did`, `not`) counts once. */
export function tagSentence(sentence: string): TaggedWord[] {
  const terms = nlp(sentence).docs.flat()
  const words: TaggedWord[] = []
  let cursor = 0
  for (const term of terms) {
    const text = term.text.trim()
    const found = text === '' ? -1 : sentence.indexOf(text, cursor)
    if (found < 0) continue
    const possessive = /['’]s?$/.test(text)
    const bare = possessive ? text.replace(/['’]s?$/, '') : text
    const before = sentence.slice(cursor, found).trim()
    const last = words.at(-1)
    if (last) words[words.length - 1] = { ...last, after: before }
    words.push({
      text: bare,
      lower: bare.toLowerCase(),
      start: found,
      end: found + bare.length,
      tags: term.tags ?? NO_TAGS,
      before,
      after: '',
      capitalised: /^\p{Lu}/u.test(bare),
      opens: last === undefined || (/[.!?"“:]/.test(before) && !ABBREVIATION.test(last.text)),
      possessive,
    })
    cursor = found + text.length
  }
  const last = words.at(-1)
  if (last) words[words.length - 1] = { ...last, after: sentence.slice(cursor).trim() }
  return words
}

export function hasTag(word: TaggedWord | undefined, ...tags: readonly string[]): boolean {
  return word !== undefined && tags.some((tag) => word.tags.has(tag))
}

/** What the tagger's dictionary says of a word or a fixed phrase in lower case, whatever stands around it; [] if unknown. */
export function dictionaryTags(lower: string): readonly unknown[] {
  return Object.hasOwn(lexicon, lower) ? [lexicon[lower]].flat() : []
}
