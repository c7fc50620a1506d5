// What every language model is to the rest of the product: a prompt and a schema in, a value of that schema out.

import type { Infer, Schema } from '../../lib/schema.ts'
import type { Prompt } from './prompt.ts'

export interface EngineName {
  /** `llama` or `openai`; the engine without a model calls itself `builtin`. */
  readonly name: string
  readonly model: string
}

export interface GenerateLimits {
  /** Of the answer; 1,500 unless given. The schema's own bounds limit it further. */
  readonly maxTokens?: number
  /** Of each attempt, without the wait for the cores; ten minutes unless given. */
  readonly timeoutMs?: number
}

export interface GenerateProgress {
  readonly promptTokens: { readonly done: number; readonly total: number }
  readonly completionTokens: number
}

export interface GenerateRequest<S extends Schema> {
  /** What several requests share, for example a transcript: read once while they follow each other. */
  readonly prefix: Prompt
  readonly prompt: Prompt
  /** Of the answer. Every property is written, in the schema's order; descriptions are shown to the model. */
  readonly schema: S
  readonly limits?: GenerateLimits
  readonly signal: AbortSignal
  readonly onProgress?: (progress: GenerateProgress) => void
}

export interface Usage {
  /** Of the whole prompt, whether or not a part of it was still known. */
  readonly promptTokens: number
  readonly completionTokens: number
}

export interface Generated<T> {
  readonly value: T
  /** Of the attempt that gave the value. */
  readonly usage: Usage
  readonly engine: EngineName
}

export interface LanguageModel {
  readonly engine: EngineName
  /** What prompt and answer together may have. */
  readonly contextTokens: number
  /**
   * A value that fits the schema. Takes the compute gate itself where the model runs here: callers must not hold it.
   * Rejects with Problem('invalid_schema') for what cannot be bounded, Problem('extraction_failed') – temporary when
   * another attempt may succeed – or the signal's reason.
   */
  generate<S extends Schema>(request: GenerateRequest<S>): Promise<Generated<Infer<S>>>
  /** Tokens of each text, by the model's own tokenizer where it can be asked, else estimated from above. */
  countTokens(texts: readonly string[], signal: AbortSignal): Promise<number[]>
  /** Frees what it holds; the next request takes it again. */
  close(): Promise<void>
}
