// Language models on this machine: GGUF files through llama.cpp, in a warm process of their own, so that a crash or the
// kernel's out-of-memory killer ends one request and not the product. Weights are freed after idling.

import { freemem } from 'node:os'
import type { Gate } from '../../lib/gate.ts'
import type { Log } from '../../lib/log.ts'
import { Problem } from '../../lib/problem.ts'
import { parseOrThrow, parser } from '../../lib/schema.ts'
import { MINUTE } from '../../lib/time.ts'
import { createChild } from '../child.ts'
import type { InstalledModel } from '../model-store.ts'
import { ownCommand } from '../own-command.ts'
import { type Ask, answer, type Written } from './answer.ts'
import { type GgufHead, readGgufHead } from './gguf.ts'
import { grammarOf } from './grammar.ts'
import type { EngineName, LanguageModel } from './language-model.ts'
import { CountResult, LLAMA_ENV, Progress, WriteResult } from './llama-wire.ts'

export interface LlamaOptions {
  readonly model: InstalledModel
  /** Where the binary's native libraries are extracted to. */
  readonly cacheDir: string
  readonly threads: number
  /** The process is ended, and its memory freed, after so long without a request. */
  readonly idleMs: number
  /** The compute gate: each request passes through it. */
  readonly gate: Gate
  readonly log: Log
  readonly onEnd?: ((name: string, crashed: boolean) => void) | undefined
  /** For tests: bytes of memory that are free now. */
  readonly freeBytes?: () => number
}

export interface LlamaModel extends LanguageModel {
  /** Process id while it runs. */
  readonly pid: number | undefined
}

/** Room for a piece of a transcript, the instructions and the answer; more costs memory and time. */
const CONTEXT_TOKENS = 8_192
/** Buffers of llama.cpp besides weights and cache, and the process itself. */
const OVERHEAD_BYTES = 500_000_000
const START_TIMEOUT_MS = MINUTE
const ATTEMPT_TIMEOUT_MS = 10 * MINUTE
/** Texts per question to the tokenizer: a frame's header holds 4 MiB. */
const COUNT_CHARACTERS = 500_000

const WRITE_RESULT = parser(WriteResult)
const COUNT_RESULT = parser(CountResult)
const PROGRESS = parser(Progress)

/** Reads the file's head at once; throws Problem('extraction_failed') when it is no language model. */
export function createLlama(options: LlamaOptions): LlamaModel {
  const { model, gate } = options
  const path = model.path ?? ''
  const head = readGgufHead(path)
  const contextTokens = Math.min(CONTEXT_TOKENS, head.contextTokens)
  const engine: EngineName = { name: 'llama', model: model.id }
  const neededBytes = memoryNeeded(model, head, contextTokens)
  const child = createChild({
    name: `Language model ${model.id}`,
    command: () => {
      requireMemory(model.id, neededBytes, (options.freeBytes ?? freeBytes)())
      return ownCommand(['engine', 'llama'])
    },
    env: {
      [LLAMA_ENV.cacheDir]: options.cacheDir,
      [LLAMA_ENV.threads]: String(options.threads),
      [LLAMA_ENV.model]: path,
      [LLAMA_ENV.contextTokens]: String(contextTokens),
    },
    code: 'extraction_failed',
    idleMs: options.idleMs,
    startTimeoutMs: START_TIMEOUT_MS,
    log: options.log,
    onEnd: options.onEnd,
  })

  async function write(ask: Ask): Promise<Written> {
    const { messages, shape, maxTokens, temperature, signal, onProgress, timeoutMs } = ask
    const header = { op: 'write', ...messages, grammar: grammarOf(shape), maxTokens, temperature }
    const { header: result } = await child.request(header, undefined, {
      signal,
      timeoutMs: timeoutMs ?? ATTEMPT_TIMEOUT_MS,
      onEvent: (event) => {
        const { done, total, written } = parseOrThrow(
          PROGRESS,
          event.header,
          'progress of the language model',
        )
        onProgress?.({ promptTokens: { done, total }, completionTokens: written })
      },
    })
    const { text, finished, promptTokens, completionTokens } = parseOrThrow(
      WRITE_RESULT,
      result,
      'the answer of the language model',
    )
    return { text, finished, usage: { promptTokens, completionTokens } }
  }

  return {
    engine,
    contextTokens,
    // The gate is held for each attempt, not for the wait between two of them.
    generate: (request) => answer(request, engine, (ask) => gate.run(async () => write(ask), request.signal)),
    countTokens: (texts, signal) =>
      gate.run(async () => {
        const counts: number[] = []
        for (const batch of batches(texts)) {
          const { header } = await child.request({ op: 'count', texts: batch }, undefined, { signal })
          counts.push(...parseOrThrow(COUNT_RESULT, header, 'the count of tokens').counts)
        }
        return counts
      }, signal),
    get pid() {
      return child.pid
    },
    close: () => child.stop(),
  }
}

/** The catalogue's figure is measured; what a manifest says nothing about is computed from the file. */
function memoryNeeded(model: InstalledModel, head: GgufHead, contextTokens: number): number {
  if (model.manifestFolder === undefined) return model.memoryBytes
  return head.fileBytes + head.cacheBytesPerToken * contextTokens + OVERHEAD_BYTES
}

function freeBytes(): number {
  // The latter respects the limit of a container.
  return Math.min(freemem(), process.availableMemory())
}

function requireMemory(id: string, needed: number, free: number): void {
  if (free >= needed) return
  const inGb = (bytes: number): string => `${(bytes / 1e9).toFixed(1)} GB`
  throw new Problem(
    'extraction_failed',
    `The language model ${id} needs ${inGb(needed)} of memory, but only ${inGb(free)} are free. Free some, or choose a smaller model with "earshot models use".`,
    { temporary: true },
  )
}

function* batches(texts: readonly string[]): Generator<readonly string[]> {
  let batch: string[] = []
  let size = 0
  for (const text of texts) {
    if (size + text.length > COUNT_CHARACTERS && batch.length > 0) {
      yield batch
      batch = []
      size = 0
    }
    batch.push(text)
    size += text.length
  }
  if (batch.length > 0) yield batch
}
