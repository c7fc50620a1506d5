// What can be asked about a transcript, whoever answers: the built-in engine or a language model. Answers point at
// segments by index; times are looked up in code, never written by a model.

import type {
  Answer,
  Entity,
  ExtractionSchema,
  KeySubject,
  TimedText,
  Value,
} from '../engines/extractive/types.ts'
import type { Statement } from '../engines/extractive/statement.ts'
import type { EngineName } from '../engines/llm/language-model.ts'
import type { Tokens } from '../billing/meters.ts'
import { t, type Infer } from '../lib/schema.ts'

/** `engine` beside `data`: who answered. */
export const EngineSchema = t.Object(
  {
    name: t.String({ description: 'builtin, llama or openai', examples: ['builtin'] }),
    model: t.String(),
    note: t.Optional(t.String({ description: 'What the engine cannot do' })),
  },
  { description: 'What made the answer' },
)
export type EngineInfo = Infer<typeof EngineSchema>

export type Segments = readonly TimedText[]

export interface Summary {
  readonly summary: string
  readonly people: readonly Entity[]
  readonly places: readonly Entity[]
  readonly keySubjects: readonly KeySubject[]
  /** The segment that stands for the whole; -1 when there is none. */
  readonly bestSegmentIndex: number
}

/** Field → value. Null, or an empty list, where the transcript says nothing. */
export type Extracted = Readonly<Record<string, Value>>

export interface Outcome<T> {
  readonly value: T
  /** Of all that was read and written for it. */
  readonly tokens: Tokens
  /** What the engine could not do with this text. */
  readonly note?: string
}

/** A post of a social network: its axes are judged by its text alone; the rest helps to understand its claim. */
export interface PostTexts {
  readonly text: string
  /** What is said and described in its media, or ''. */
  readonly mediaText: string
  /** What it quotes, the words of the quoted media included, or ''. */
  readonly quotedText: string
}

/** How an engine works within a job: cancelled by `signal`, resumed by `step`. */
export interface Work {
  readonly signal: AbortSignal
  /** Runs `work` once over all attempts; later attempts get the saved result (plain JSON). */
  readonly step: <T>(name: string, work: () => Promise<T>) => Promise<T>
  /** 0..1 of what was asked. */
  readonly report: (share: number) => void
}

export interface ExtractRequest {
  readonly schema: ExtractionSchema
  /** The caller's free-text instruction; '' when there is none. */
  readonly instruction: string
}

/** Rejects with Problem `extraction_failed` (temporary when another attempt may succeed), or the signal's reason. */
export interface AnalysisEngine {
  readonly engine: EngineName & { readonly note?: string }
  summarise(segments: Segments, work: Work): Promise<Outcome<Summary>>
  answer(segments: Segments, question: string, work: Work): Promise<Outcome<Answer>>
  extract(segments: Segments, request: ExtractRequest, work: Work): Promise<Outcome<Extracted>>
  statement(post: PostTexts, work: Work): Promise<Outcome<Statement>>
}

/** Who answered, with what could not be done for these outcomes. */
export function engineInfo(
  { engine }: Pick<AnalysisEngine, 'engine'>,
  ...outcomes: readonly (Pick<Outcome<unknown>, 'note'> | undefined)[]
): EngineInfo {
  const note = outcomes.find((outcome) => outcome?.note !== undefined)?.note ?? engine.note
  return { name: engine.name, model: engine.model, ...(note === undefined ? {} : { note }) }
}

/** For work that no job resumes. */
export function plainWork(signal: AbortSignal): Work {
  return { signal, step: (_name, work) => work(), report: () => undefined }
}

export const NO_TOKENS: Tokens = { prompt: 0, completion: 0 }

export function sumTokens(...parts: readonly Tokens[]): Tokens {
  return {
    prompt: parts.reduce((sum, { prompt }) => sum + prompt, 0),
    completion: parts.reduce((sum, { completion }) => sum + completion, 0),
  }
}

export const NOT_FOUND: Answer = {
  found: false,
  answer: '',
  bestSegmentIndex: -1,
  relevantSegmentIndexes: [],
}

export const EMPTY_SUMMARY: Summary = {
  summary: '',
  people: [],
  places: [],
  keySubjects: [],
  bestSegmentIndex: -1,
}
