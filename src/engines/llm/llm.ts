// Which language model answers: the server that the operator named, else a model on this machine, else none – then the
// built-in engine serves.

import { join } from 'node:path'
import type { Config } from '../../config.ts'
import type { Gate } from '../../lib/gate.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { SECOND } from '../../lib/time.ts'
import type { ChosenModel } from '../model-choice.ts'
import type { Models } from '../models.ts'
import type { LanguageModel } from './language-model.ts'
import { createLlama } from './llama.ts'
import { createOpenAi } from './openai.ts'

export interface Llm {
  /**
   * The model that answers now; undefined when there is none. Looks at the disk each time, so that a newly installed model
   * is noticed; what is loaded stays warm while the choice stays the same. Throws Problem when what is configured cannot
   * be had.
   */
  find(): Promise<LanguageModel | undefined>
  close(): Promise<void>
}

export interface LlmOptions {
  readonly config: Pick<
    Config,
    | 'dataDir'
    | 'threads'
    | 'engineIdleS'
    | 'llmUrl'
    | 'llmKey'
    | 'llmModel'
    | 'llmContextTokens'
    | 'hostOverrides'
    | 'extraCa'
  >
  readonly models: Pick<Models, 'findChoice'>
  /** The compute gate. */
  readonly gate: Gate
  readonly log: Log
  /** Told when the process of a model has ended. */
  readonly onChildEnd?: ((name: string, crashed: boolean) => void) | undefined
}

export function createLlm(options: LlmOptions): Llm {
  const { config, models, log } = options
  const server = serverOf(options)
  let current: LanguageModel | undefined

  function create(model: ChosenModel): LanguageModel {
    if (model.format !== 'gguf' || model.path === undefined) {
      throw new Problem(
        'extraction_failed',
        `No engine can run the language model ${model.id} (format ${model.format}). Choose another with "earshot models use".`,
      )
    }
    return createLlama({
      model,
      cacheDir: join(config.dataDir, 'cache'),
      threads: config.threads,
      idleMs: config.engineIdleS * SECOND,
      gate: options.gate,
      log,
      onEnd: options.onChildEnd,
    })
  }

  return {
    async find() {
      if (server) return server
      if (config.llmUrl !== undefined) throw unnamedModel()
      const model = await models.findChoice('llm')
      if (model && current?.engine.model === model.id) return current
      const former = current
      current = model && create(model)
      await former?.close()
      return current
    },
    async close() {
      await Promise.all([server?.close(), current?.close()])
    },
  }
}

function serverOf({ config, log }: LlmOptions): LanguageModel | undefined {
  const { llmUrl, llmKey, llmModel, llmContextTokens, hostOverrides, extraCa } = config
  if (llmUrl === undefined || llmModel === 'auto') return undefined
  return createOpenAi({
    url: llmUrl,
    key: llmKey,
    model: llmModel,
    contextTokens: llmContextTokens,
    config: { hostOverrides, extraCa },
    log,
  })
}

function unnamedModel(): Problem {
  return new Problem(
    'extraction_failed',
    'EARSHOT_LLM_URL names a server, but EARSHOT_LLM_MODEL does not say which of its models to use.',
  )
}
