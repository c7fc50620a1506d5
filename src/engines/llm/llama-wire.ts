// What llama.ts and its child process say to each other. Data only, so that the server never loads the native library.

import { type Infer, t } from '../../lib/schema.ts'

/** Environment variables by which the child gets its settings. `libraries` is set by the child itself. */
export const LLAMA_ENV = {
  cacheDir: 'ENGINE_CACHE_DIR',
  threads: 'ENGINE_THREADS',
  model: 'ENGINE_MODEL',
  contextTokens: 'ENGINE_CONTEXT_TOKENS',
  libraries: 'ENGINE_LLAMA_LIBRARIES',
} as const

/** Operation `write`. The texts are data for the tokenizer, never parsed for special tokens. */
export const WriteRequest = t.Object({
  system: t.String(),
  prefix: t.String(),
  task: t.String(),
  grammar: t.String(),
  maxTokens: t.Integer({ minimum: 1 }),
  temperature: t.Number(),
})

export const WriteResult = t.Object({
  text: t.String(),
  finished: t.Boolean(),
  promptTokens: t.Integer(),
  completionTokens: t.Integer(),
})
export type WriteResult = Infer<typeof WriteResult>

/** Operation `count`: `texts` in, `counts` out. */
export const CountResult = t.Object({ counts: t.Array(t.Integer()) })

/** Event `progress`: prompt tokens done and in all, tokens written. */
export const Progress = t.Object({ done: t.Integer(), total: t.Integer(), written: t.Integer() })
