// A language model in-process: answers by a function of what it is asked, counts words as tokens.

import type { GenerateRequest, LanguageModel } from '../../src/engines/llm/language-model.ts'
import type { Schema } from '../../src/lib/schema.ts'

export interface FakeModel extends LanguageModel {
  /** Prefix and prompt of each request. */
  readonly asked: readonly { readonly prefix: string; readonly prompt: string }[]
}

export function fakeModel(
  answer: (asked: { prefix: string; prompt: string; schema: Schema; number: number }) => unknown,
  contextTokens = 8_192,
): FakeModel {
  const asked: { prefix: string; prompt: string }[] = []
  return {
    engine: { name: 'fake', model: 'fake-1' },
    contextTokens,
    asked,
    async generate({ prefix, prompt, schema, signal }: GenerateRequest<Schema>) {
      signal.throwIfAborted()
      const texts = { prefix: prefix.text, prompt: prompt.text }
      asked.push(texts)
      const value = answer({ ...texts, schema, number: asked.length - 1 })
      return {
        value: value as never,
        usage: { promptTokens: 100, completionTokens: 10 },
        engine: { name: 'fake', model: 'fake-1' },
      }
    },
    countTokens: async (texts) => texts.map((text) => text.split(/\s+/).length),
    close: async () => undefined,
  }
}
