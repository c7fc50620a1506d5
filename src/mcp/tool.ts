// What a tool is: a name and schemas that a model reads, and the requests to the API that it makes in the caller's name.

import type { Infer, Schema } from '../lib/schema.ts'
import { bodyChecker } from '../http/validation.ts'

type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface ToolContext {
  /** Sends a request to the API with the caller's key; `data` of its answer. Throws what the API refuses with. */
  readonly get: (path: string, query?: Query) => Promise<unknown>
  readonly post: (path: string, body: object) => Promise<unknown>
  /** 0..1; told to clients that asked for it. */
  readonly progress: (share: number, message: string) => void
  /** Ends a task that this call submitted: nobody waits for it any more. */
  readonly discard: (taskId: string) => void
  /** Aborts when the client cancels or leaves. */
  readonly signal: AbortSignal
}

export interface ToolSpec<Input extends Schema> {
  readonly name: string
  readonly title: string
  readonly description: string
  /** An object schema. */
  readonly input: Input
  /** Of the structured result: an object schema. */
  readonly output: Schema
  /** Changes nothing and reaches no other site. */
  readonly readOnly: boolean
  run(input: Infer<Input>, context: ToolContext): Promise<unknown>
}

/** A tool whose types have been checked and forgotten. */
export interface Tool extends Omit<ToolSpec<Schema>, 'run'> {
  /** Throws Problems for input that does not fit, and what the API refuses with. */
  run(input: unknown, context: ToolContext): Promise<unknown>
}

export function tool<const Input extends Schema>(spec: ToolSpec<Input>): Tool {
  const check = bodyChecker(spec.input)
  return { ...spec, run: async (input, context) => spec.run(check(input), context) }
}
