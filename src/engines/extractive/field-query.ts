// What a field of a schema asks for, and the sentences that may say it.

import type { Document } from './document.ts'
import { isQuestion, type Question, type Wanted } from './question.ts'
import { rankSentences, type Relevance, supportOf } from './relevance.ts'
import type { Field, Vectors } from './types.ts'
import { contentStems } from './words.ts'

/** Closeness plus coverage below which a sentence does not support a value. Set on the tuning half of the evaluation. */
const SUPPORT_MIN = 0.4

/** Stems that say what form a value has, not what it is about. */
const FORM =
  /^(?:name|full|number|amount|whether|year|kind|sort|type|main|list|mention|valu|sum|total|person|peopl|place|citi|countri|town|locat|date|first|list|descript|all|ani|what|how|long|mani|much)$/

export interface FieldQuery {
  readonly name: string
  readonly field: Field
  readonly question: Question
  /** Stems of the whole description and the name, the ones about form included. */
  readonly allStems: ReadonlySet<string>
  readonly vector: Float32Array | undefined
}

export type StringKind = 'person' | 'place' | 'time' | 'topic' | 'sentence'

/** The text whose vector stands for a field. */
function queryText({ description }: Field): string {
  return description.replace(/^(?:whether|if)\s+/i, '').slice(0, 500)
}

export function enumText(value: string): string {
  return value.replaceAll(/[_-]+/g, ' ')
}

/** Texts of one field that need vectors: its description and its choices. */
export function queryTexts(field: Field): string[] {
  return [queryText(field), ...(field.enum ?? []).map(enumText)]
}

export function fieldQuery(name: string, field: Field, vectors: Vectors): FieldQuery {
  const text = queryText(field)
  const nameWords = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ')
  const all = contentStems(`${text} ${nameWords}`)
  const fromDescription = [...new Set(contentStems(text))]
  const telling = fromDescription.filter((stem) => !FORM.test(stem))
  const stems =
    telling.length > 0 ? telling : [...new Set(contentStems(nameWords))].filter((stem) => !FORM.test(stem))
  return {
    name,
    field,
    question: { text, wanted: wantedOf(field), stems },
    allStems: new Set(all),
    vector: vectors.get(text),
  }
}

function wantedOf(field: Field): Wanted {
  if (field.type === 'Number' || field.type === 'Integer') return 'number'
  if (field.type !== 'String') return 'anything'
  const kind = stringKind(field.description)
  return kind === 'topic' || kind === 'sentence' ? 'anything' : kind
}

const OPENING_WORDS = 3
const PERSON =
  /\b(?:who|whom|whose|person|people|author|speaker|host|guest|interviewer|interviewee|presenter|narrator|founder|owner|winner|mayor|minister|president|director|coach|player|athletes?|artist|musician|singer|pianist|actor|actress|writer|engineer|architect|scientist|researcher|biologist|doctor|judge|lawyer|teacher|professor|expert|inspector|ranger|baker|chef|cook|caller|friend|colleague|employee|manager|boss|keeper|captain|victim|suspect|witness|customer|attendees?|participants?|candidate|politician|economists?|historian|inventor|ceo|spokesperson|contact|cyclist|driver|pilot|composer|painter|poet|hero)\b/i
const PLACE =
  /\b(?:where|city|cities|country|countries|town|village|place|places|location|locations|venue|street|road|avenue|region|state|county|destination|address|continent|river|mountain|island)\b/i
const TIME = /\b(?:when|date|day|deadline|weekday|month|season)\b/i
const TOPIC =
  /\b(?:topic|theme|main subject|subject of|(?:is|are|was|about what) .*\babout|what .*\babout)\b/i

/** What a String field wants, by its description. */
export function stringKind(description: string): StringKind {
  // "Advice for those who want to start" asks for no person.
  const opening = description.split(' ').slice(0, OPENING_WORDS).join(' ')
  const asked = /\b(?:who|where|when|what|which|why|how)\b/i.exec(opening)?.[0].toLowerCase()
  if (TOPIC.test(description)) return 'topic'
  if (asked === 'who') return 'person'
  if (asked === 'where') return 'place'
  if (asked === 'when') return 'time'
  if (asked === 'why' || asked === 'how') return 'sentence'
  const head =
    description
      .replace(/^.*?\bnames? of (?:the |a |an )?/i, '')
      .split(/\b(?:of|in|that|who|which|where|for|from)\b|,/)[0] ?? ''
  if (asked === undefined || /\bname\b/i.test(description)) {
    if (PERSON.test(head)) return 'person'
    if (PLACE.test(head)) return 'place'
    if (TIME.test(head)) return 'time'
  }
  return 'sentence'
}

/** The sentences that support the field, best first; questions support nothing. */
export function findSentences(document: Document, query: FieldQuery, supportMin = SUPPORT_MIN): Relevance[] {
  const { index, entities } = document
  return rankSentences(index, query.question, query.vector, entities).filter(
    (relevance) => supportOf(relevance) >= supportMin && !isQuestion(relevance.sentence.text),
  )
}
