// A transcript read once: sentences, words, names, phrases and ranks. Every operation of the built-in engine starts here.

import { findEntities, type NamedEntities } from './entities.ts'
import { looksEnglish } from './english.ts'
import { type Phrase, phrasesOf } from './phrases.ts'
import { type Sentence, sentencesOf } from './sentences.ts'
import { textRank } from './summary.ts'
import { type TaggedWord, tagSentence } from './tagged.ts'
import { createTextIndex, type TextIndex } from './text-index.ts'
import type { Transcript, Vectors } from './types.ts'
import { countTokens } from './words.ts'

/** What is quickly said about a text. */
export interface SplitText {
  readonly transcript: Transcript
  readonly sentences: readonly Sentence[]
  readonly english: boolean
  readonly tokens: number
}

/** What does not depend on vectors; the tagging takes the time. */
export interface ReadText extends SplitText {
  readonly tagged: readonly (readonly TaggedWord[])[]
  readonly phrases: readonly Phrase[]
}

export interface Document extends ReadText {
  readonly index: TextIndex
  readonly ranks: readonly number[]
  readonly entities: NamedEntities
}

export function splitText(transcript: Transcript): SplitText {
  const sentences = sentencesOf(transcript.segments)
  const whole = sentences.map(({ text }) => text).join(' ')
  return { transcript, sentences, english: looksEnglish(whole), tokens: countTokens(whole) }
}

/** Names and phrases are found in English only; another language has sentences and nothing else. */
export function readText(split: SplitText): ReadText {
  const { sentences, english } = split
  const tagged = english ? sentences.map(({ text }) => tagSentence(text)) : []
  const phrases = tagged.flatMap((words, at) => phrasesOf(sentences[at]?.text ?? '', words, at))
  return { ...split, tagged, phrases }
}

/** Vectors count for English only: the encoder finds all other text alike. */
export function createDocument(text: ReadText, vectors: Vectors): Document {
  const index = createTextIndex(text.sentences, text.english ? vectors : new Map())
  const ranks = textRank(index)
  const sentences = text.sentences.map((sentence) => sentence.text)
  const entities = findEntities(sentences, text.tagged, ranks)
  const names = new Set(
    [...entities.people, ...entities.places].flatMap(({ name }) => name.toLowerCase().split(' ')),
  )
  const phrases = text.phrases.filter(
    (phrase) => !phrase.text.split(' ').some((word) => names.has(word.toLowerCase())),
  )
  return { ...text, phrases, index, ranks, entities }
}
