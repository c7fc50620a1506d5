// Our side of the process that runs models for text. It is a second process of the same program as the speech one: a
// query must not wait behind a window of speech, and a downloaded model that crashes takes no transcription with it.

import type { Log } from '../lib/log.ts'
import { parseOrThrow, parser, t } from '../lib/schema.ts'
import { MINUTE } from '../lib/time.ts'
import { createChild } from './child.ts'
import { ONNX_ENV } from './onnx.ts'
import { ownCommand } from './own-command.ts'
import type { TokenCount } from './text-encoder.ts'
import type { TextModel } from './text-model.ts'

/** Texts go over in one frame; a request is short, so that others get their turn in between. */
const TEXTS_PER_REQUEST = 16

export interface TextEngine {
  count(model: TextModel, texts: readonly string[], signal: AbortSignal): Promise<TokenCount[]>
  /** `between` runs before each request of up to 16 texts: the place to wait for a turn. */
  embed(
    model: TextModel,
    texts: readonly string[],
    options: { readonly kind: 'query' | 'passage'; readonly signal: AbortSignal; readonly turn?: Turn },
  ): Promise<Vector[]>
  score(model: TextModel, query: string, passages: readonly string[], signal: AbortSignal): Promise<number[]>
  readonly pid: number | undefined
  close(): Promise<void>
}

/** Runs the work when it is its turn. */
export type Turn = <T>(work: () => Promise<T>) => Promise<T>

/** Unit length. */
export type Vector = Float32Array<ArrayBuffer>

export interface TextEngineOptions {
  readonly cacheDir: string
  readonly idleMs: number
  readonly log: Log
  /** See ChildOptions. */
  readonly onEnd?: ((name: string, crashed: boolean) => void) | undefined
}

const COUNTS = parser(t.Array(t.Object({ tokens: t.Integer(), unknown: t.Integer() })))
const atOnce: Turn = (work) => work()

/** Rejections are Problem('internal_server_error'), temporary when the process crashed, or the signal's reason. */
export function createTextEngine(options: TextEngineOptions): TextEngine {
  const child = createChild({
    name: 'Text engine',
    command: () => ownCommand(['engine', 'text']),
    env: { [ONNX_ENV.cacheDir]: options.cacheDir },
    code: 'internal_server_error',
    idleMs: options.idleMs,
    startTimeoutMs: MINUTE,
    log: options.log,
    onEnd: options.onEnd,
  })

  return {
    async count(model, texts, signal) {
      const answer = await child.request({ op: 'count', model }, payloadOf(texts), { signal })
      return parseOrThrow(COUNTS, answer.header['counts'], 'The answer of the text engine')
    },
    async embed(model, texts, { kind, signal, turn = atOnce }) {
      const vectors: Vector[] = []
      for (let start = 0; start < texts.length; start += TEXTS_PER_REQUEST) {
        const slice = texts.slice(start, start + TEXTS_PER_REQUEST)
        const request = (): Promise<{ payload: Uint8Array<ArrayBuffer> }> =>
          child.request({ op: 'embed', model, kind }, payloadOf(slice), { signal })
        const { payload } = await turn(request)
        const numbers = new Float32Array(payload.buffer)
        const length = numbers.length / slice.length
        for (const [index] of slice.entries()) {
          vectors.push(numbers.slice(index * length, (index + 1) * length))
        }
      }
      return vectors
    },
    async score(model, query, passages, signal) {
      const { payload } = await child.request({ op: 'score', model }, payloadOf([query, ...passages]), {
        signal,
      })
      return [...new Float32Array(payload.buffer)]
    },
    get pid() {
      return child.pid
    },
    close: () => child.close(),
  }
}

function payloadOf(texts: readonly string[]): Uint8Array {
  return Buffer.from(JSON.stringify(texts), 'utf8')
}
