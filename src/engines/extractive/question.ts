// What a question asks for: the words that must come up, and the kind of thing an answer has to contain.

import { contentStems, wordsOf } from './words.ts'

export type Wanted =
  | 'person'
  | 'place'
  | 'time'
  | 'duration'
  | 'money'
  | 'number'
  | 'reason'
  | 'speech'
  | 'means'
  | 'anything'

export interface Question {
  readonly text: string
  readonly wanted: Wanted
  /** Stems of its words that carry meaning, each once, without the words that only say what is asked for. */
  readonly stems: readonly string[]
}

/** The first pattern that fits says what is asked for. */
const PATTERNS: readonly (readonly [RegExp, Wanted])[] = [
  [/\bhow (?:long|many (?:minutes|hours|days|weeks|months|years))\b|\bfor how long\b/, 'duration'],
  [
    /\bhow much (?:money|does .* cost|did .* cost|do .* cost|will .* cost|would .* cost|is|was|did .* (?:pay|spend|charge))\b|\bwhat (?:price|does .* cost)\b|\bhow expensive\b/,
    'money',
  ],
  [
    /\bhow (?:many|much|far|high|tall|wide|deep|heavy|old|fast|big|large|cold|hot|warm|often|late|early|close)\b|\bwhat (?:number|percentage|share|temperature|speed|size|age|rate)\b/,
    'number',
  ],
  [/\b(?:what|which) (?:year|month|day|date|time|century|season)\b|\bwhen\b/, 'time'],
  [
    /\bwho\b|\bwhose\b|\bwhom\b|\b(?:what is|what's|what was) (?:his|her|their|the) name\b|\bname of the (?:man|woman|person|author|host|guest)\b/,
    'person',
  ],
  [/\bwhere\b|\b(?:what|which) (?:place|city|town|country|village|street|state|region|river)\b/, 'place'],
  [/\bwhy\b|\bwhat (?:caused|causes|is the reason|was the reason)\b|\bhow come\b/, 'reason'],
  [
    /\bwhat (?:did|does|do) .*\b(?:say|think|argue|tell|suggest|recommend|advise|explain|claim|believe|promise)\b|\baccording to\b/,
    'speech',
  ],
  [/\bhow (?:is|are|was|were|do|does|did|can|could|should|to)\b/, 'means'],
]

/** Words that name the kind of answer rather than what the question is about. */
const ASKING =
  /^(?:much|many|long|far|often|name|kind|sort|type|happen|cost|call|person|year|date|number|reason|mean|tell|explain|describe|mention)$/

export function understand(text: string): Question {
  const lower = text.toLowerCase()
  const wanted = PATTERNS.find(([pattern]) => pattern.test(lower))?.[1] ?? 'anything'
  const stems = [...new Set(contentStems(text))]
  const telling = stems.filter((stem) => !ASKING.test(stem))
  return { text, wanted, stems: telling.length > 0 ? telling : stems }
}

/** Whether an answer must contain a certain kind of thing, which can be recognised. */
export function asksForKind(wanted: Wanted): boolean {
  return !['reason', 'speech', 'means', 'anything'].includes(wanted)
}

/** Whether a sentence asks: by its mark or, where there are none, by how it begins. */
export function isQuestion(text: string): boolean {
  if (text.trim().endsWith('?')) return true
  const [first, second] = wordsOf(text)
  if (/[.!]$/.test(text)) return false
  return (
    /^(?:what|why|how|where|when|who|which|whose)$/.test(first ?? '') &&
    /^(?:is|are|was|were|do|does|did|can|could|would|should|will|has|have|many|much|long)$/.test(second ?? '')
  )
}
