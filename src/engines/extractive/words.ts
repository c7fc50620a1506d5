// Words, stems and counts, the ground that everything lexical stands on. English, and harmless elsewhere.

import { stemmer } from 'stemmer'

const WORD = /[\p{L}\p{N}]{1,60}(?:['’.,-][\p{L}\p{N}]{1,60}){0,6}/gu
const TOKEN = /[\p{L}\p{N}]{1,8}|[^\s\p{L}\p{N}]/gu

/** Words that only hold sentences together. */
const FUNCTION_WORDS = new Set(
  (
    'a about after again all almost also although always am an and any are around as at away be because been before ' +
    'being between both but by can cannot could did do does doing done during each either else even ever every for from ' +
    'had has have having he her here hers herself him himself his how however i if in into is it its itself just let me ' +
    'might mine more most much must my myself no nor not of off oh ok okay on once onto or other others our ours out ' +
    'over own perhaps quite rather re really shall she should since so some still such than that the their them ' +
    'themselves then there these they this those though through to too under until up upon us very was we well were what ' +
    'whatever when where whether which while who whom whose why will with within without would yeah yes yet you your ' +
    'yours yourself ve ll m s t d don didn doesn isn wasn won couldn wouldn'
  ).split(' '),
)

/** Words that say little about what a text is about, though a question may hang on them. */
const LIGHT_WORDS = new Set(
  (
    'another anybody anyone anything anyway back became become best better came come down enough everybody everyone ' +
    'everything far few first gave get gets getting give given go goes going gone good got great keep kind know last ' +
    'least less like little long look lot lots made make makes many may maybe mean need never new next nobody none ' +
    'nothing now often old one ones only part people please put right said same say saying says see seen somebody ' +
    'someone something sort sure take taken tell thank thanks thing things think time today together told took two use ' +
    'used want wanted wants way went whole year years hello hi hey guys actually basically literally obviously alright'
  ).split(' '),
)

/** The words of a text in lower case, apostrophes straight. */
export function wordsOf(text: string): string[] {
  return (text.match(WORD) ?? []).map((word) => word.toLowerCase().replaceAll('’', "'"))
}

/** Whether a word holds sentences together, and no more. */
export function isFunctionWord(word: string): boolean {
  return (
    FUNCTION_WORDS.has(word) ||
    /^(?:i|you|he|she|it|we|they|that|what|there|who|let)'/.test(word) ||
    word.endsWith("n't")
  )
}

/** Whether a word is of no use as a subject. */
export function isStopWord(word: string): boolean {
  return LIGHT_WORDS.has(word) || isFunctionWord(word)
}

/** The stem by which forms of a word are the same; a possessive ending does not count. */
export function stemOf(word: string): string {
  return stemmer(word.replace(/'s?$/, ''))
}

/** Stems of the words that carry meaning, in order, repeated as often as they are said. */
export function contentStems(text: string): string[] {
  return wordsOf(text)
    .filter((word) => !isFunctionWord(word))
    .map(stemOf)
}

/**
 * Tokens by which the built-in engine's work is counted: every started eight letters or digits of a word, and every other
 * mark that is not white space.
 */
export function countTokens(text: string): number {
  return text.match(TOKEN)?.length ?? 0
}
