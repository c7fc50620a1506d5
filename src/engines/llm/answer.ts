// From what a model wrote to a value of the schema: parse, clip, validate, ask once more, give up. Always ends.

import { Problem } from '../../lib/problem.ts'
import { type Infer, parser, type Schema } from '../../lib/schema.ts'
import { clip } from './clip.ts'
import type { EngineName, GenerateProgress, Generated, GenerateRequest, Usage } from './language-model.ts'
import { type Messages, messagesOf } from './prompt.ts'
import { longestBytes, type Shape, shapeOf, tightened } from './shape.ts'

const MAX_TOKENS = 1_500
/** Greedy first: the likeliest answer, and the same one each time. The second attempt must differ to be of use. */
const TEMPERATURES = [0, 0.7]

export interface Ask {
  readonly messages: Messages
  readonly shape: Shape
  readonly maxTokens: number
  readonly temperature: number
  readonly timeoutMs: number | undefined
  readonly signal: AbortSignal
  readonly onProgress: ((progress: GenerateProgress) => void) | undefined
}

export interface Written {
  readonly text: string
  /** False when it was cut off by `maxTokens`. */
  readonly finished: boolean
  readonly usage: Usage
}

/** One attempt of an engine. Its rejections pass through unchanged. */
export type Write = (ask: Ask) => Promise<Written>

/** Rejects with Problem('invalid_schema') before anything is asked, Problem('extraction_failed') after two attempts. */
export async function answer<S extends Schema>(
  request: GenerateRequest<S>,
  engine: EngineName,
  write: Write,
): Promise<Generated<Infer<S>>> {
  const { schema, limits = {}, signal, onProgress } = request
  const wanted = shapeOf(schema)
  const check = parser(schema)
  let shape = wanted
  let reason = ''
  for (const temperature of TEMPERATURES) {
    signal.throwIfAborted()
    const written = await write({
      messages: messagesOf({ prefix: request.prefix, prompt: request.prompt, shape }),
      shape,
      maxTokens: Math.min(limits.maxTokens ?? MAX_TOKENS, longestBytes(shape)),
      temperature,
      timeoutMs: limits.timeoutMs,
      signal,
      onProgress,
    })
    const parsed = parseJson(written.text)
    if (parsed.ok) {
      const result = check.parse(clip(parsed.value, wanted))
      if (result.ok) return { value: result.value, usage: written.usage, engine }
      reason = `"${result.fault.path}" ${result.fault.message}`
    } else {
      reason = written.finished ? 'it is not JSON' : 'it did not end in time'
    }
    if (!written.finished) shape = tightened(shape)
  }
  throw new Problem(
    'extraction_failed',
    `The language model ${engine.model} gave no answer in the required form, twice (${reason}). Try a larger model.`,
  )
}

/** Servers without a grammar wrap JSON in fences or phrases: what counts is from the first brace to the last. */
function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  const inner = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  for (const candidate of [text, inner]) {
    try {
      return { ok: true, value: JSON.parse(candidate) }
    } catch {
      // The next candidate may do.
    }
  }
  return { ok: false }
}
