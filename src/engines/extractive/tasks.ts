// Everything the built-in engine does, as pure functions of a task, its vectors and nothing else. Runs in a process of its
// own (child.ts of this folder); the texts that need vectors are told first, because the encoder lives elsewhere.

import { answerFrom } from './answer.ts'
import { createDocument, type Document, type ReadText, type SplitText } from './document.ts'
import { plainEntities } from './entities.ts'
import { extract, schemaTexts } from './extract.ts'
import { understand } from './question.ts'
import { rankSentences } from './relevance.ts'
import { analyseStatement, axisTexts, claimSource, type Post, type Statement } from './statement.ts'
import { keySubjects } from './subjects.ts'
import { summarise } from './summary.ts'
import type { Answer, Entities, ExtractionSchema, KeySubject, Transcript, Value, Vectors } from './types.ts'
import { countTokens } from './words.ts'

/** Vectors of more sentences than this cost seconds and help little. */
const EMBEDDED_SENTENCES_MAX = 2_000

export type Task =
  | { readonly kind: 'overview'; readonly transcript: Transcript }
  | { readonly kind: 'answer'; readonly transcript: Transcript; readonly question: string }
  | {
      readonly kind: 'extract'
      readonly transcript: Transcript
      readonly schema: ExtractionSchema
      readonly whatToExtract: string
    }
  | {
      readonly kind: 'statement'
      /** The text that `claimSource` names. */
      readonly transcript: Transcript
      readonly post: Post
    }

export interface Overview extends Entities {
  readonly summary: string
  readonly keySubjects: readonly KeySubject[]
  /** Of the sentence that matters most; -1 for an empty transcript. */
  readonly bestSegmentIndex: number
}

/** What each kind of task gives. */
export interface Results {
  readonly overview: Overview
  readonly answer: Answer
  readonly extract: Readonly<Record<string, Value>>
  readonly statement: Statement
}

export interface TaskResult<T> {
  readonly value: T
  /** Tokens of its own count (`countTokens`) over what was read and written. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number }
  /** False: names, subjects and answers are found in English only, and this is not mostly English. */
  readonly english: boolean
}

/** Texts whose vectors `runTask` wants; none for text that is not English. */
export function textsOf(task: Task, text: SplitText): { passages: string[]; queries: string[] } {
  if (!text.english) return { passages: [], queries: [] }
  const passages = text.sentences.slice(0, EMBEDDED_SENTENCES_MAX).map((sentence) => sentence.text)
  return { passages: [...new Set(passages)], queries: [...new Set(queriesOf(task))] }
}

function queriesOf(task: Task): string[] {
  if (task.kind === 'answer') return [task.question]
  if (task.kind === 'extract') return schemaTexts(task.schema)
  if (task.kind !== 'statement' || claimSource(task.post) !== 'text') return []
  return [task.post.text, ...axisTexts()]
}

export function runTask(task: Task, text: ReadText, vectors: Vectors): TaskResult<Results[Task['kind']]> {
  const document = createDocument(text, vectors)
  const value = valueOf(task, document, vectors)
  return {
    value,
    usage: {
      promptTokens: document.tokens + countTokens(askedBy(task)),
      completionTokens: countTokens(JSON.stringify(value)),
    },
    english: document.english,
  }
}

function valueOf(task: Task, document: Document, vectors: Vectors): Results[Task['kind']] {
  switch (task.kind) {
    case 'overview':
      return overviewOf(document)
    case 'answer': {
      const question = understand(task.question)
      const vector = vectors.get(task.question)
      const ranked = rankSentences(document.index, question, vector, document.entities)
      return answerFrom(document.index, { question, vector, ranked })
    }
    case 'extract':
      return extract(document, task.schema, vectors)
    case 'statement':
      return analyseStatement(document, task.post, vectors)
  }
}

function overviewOf(document: Document): Overview {
  const { index, ranks, phrases, entities } = document
  const best = ranks.indexOf(Math.max(...ranks))
  return {
    summary: summarise(index, ranks),
    ...plainEntities(entities),
    keySubjects: keySubjects(index, phrases, ranks),
    bestSegmentIndex: index.sentences[best]?.firstSegment ?? -1,
  }
}

function askedBy(task: Task): string {
  if (task.kind === 'answer') return task.question
  return task.kind === 'extract' ? task.whatToExtract + JSON.stringify(task.schema) : ''
}
