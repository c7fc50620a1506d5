// Our side of the built-in analysis engine, which works with no model but the embedded sentence encoder. It selects from
// what was said and never writes anew. English first: in other languages it sums up by words and finds no names.

import type { Log } from '../../lib/log.ts'
import { parseOrThrow, parser, t } from '../../lib/schema.ts'
import { MINUTE } from '../../lib/time.ts'
import { createChild } from '../child.ts'
import { ownCommand } from '../own-command.ts'
import { claimSource, type Post } from './statement.ts'
import type { Results, Task, TaskResult } from './tasks.ts'
import type { ExtractionSchema, Transcript, Vectors } from './types.ts'
import { encodeTask } from './wire.ts'

/** How it names itself. The version changes when its results do. */
export const EXTRACTIVE_ENGINE = { name: 'builtin', model: 'extractive-2' } as const

/** Unit vectors, one per text. The thresholds were set with the embedded encoder (USE Lite): pass that one. */
export type Embed = (
  texts: readonly string[],
  kind: 'query' | 'passage',
  signal: AbortSignal,
) => Promise<readonly Float32Array[]>

/** Rejections are Problem('extraction_failed'), temporary when the process crashed, or the signal's reason. */
export interface Extractive {
  readonly engine: typeof EXTRACTIVE_ENGINE
  /** Summary, people, places and key subjects in one go. */
  overview(transcript: Transcript, signal: AbortSignal): Promise<TaskResult<Results['overview']>>
  answer(
    transcript: Transcript,
    question: string,
    signal: AbortSignal,
  ): Promise<TaskResult<Results['answer']>>
  /** `whatToExtract` is counted and otherwise ignored: the fields' descriptions say what is wanted. */
  extract(
    transcript: Transcript,
    request: { readonly schema: ExtractionSchema; readonly whatToExtract?: string },
    signal: AbortSignal,
  ): Promise<TaskResult<Results['extract']>>
  statement(post: Post, signal: AbortSignal): Promise<TaskResult<Results['statement']>>
  /** Starts what the first request would wait for: its own process and the encoder's. */
  prepare(signal: AbortSignal): Promise<void>
  /** Process id while the child runs. */
  readonly pid: number | undefined
  close(): Promise<void>
}

export interface ExtractiveOptions {
  /** Without one it works by words alone, and less well. */
  readonly embed?: Embed
  /** Loads what `embed` will need, if it is not there yet. */
  readonly prepareEmbed?: (signal: AbortSignal) => Promise<unknown>
  readonly idleMs: number
  readonly log: Log
  /** See ChildOptions. */
  readonly onEnd?: ((name: string, crashed: boolean) => void) | undefined
}

/** Vectors of a long transcript's sentences; several questions about it follow one another. */
const VECTORS_KEPT_MAX = 4_000
/** Any sentence with names: reading it loads the dictionaries. */
const PREPARING = 'In spring Anna Berg moved to Lisbon, and her brother stayed behind with the others.'
const NAME = 'Built-in analysis engine'
const TEXTS = parser(t.Object({ passages: t.Array(t.String()), queries: t.Array(t.String()) }))

export function createExtractive({ embed, prepareEmbed, idleMs, log, onEnd }: ExtractiveOptions): Extractive {
  const child = createChild({
    name: NAME,
    command: () => ownCommand(['engine', 'extractive']),
    code: 'extraction_failed',
    idleMs,
    startTimeoutMs: MINUTE,
    log,
    onEnd,
  })
  const kept = new Map<string, Float32Array>()

  /** Vectors of the texts, from memory where they are known. */
  async function vectorsOf(
    texts: readonly string[],
    kind: 'query' | 'passage',
    signal: AbortSignal,
  ): Promise<Vectors> {
    const keyOf = (text: string): string => `${kind} ${text}`
    const missing = texts.filter((text) => !kept.has(keyOf(text)))
    const embedded = embed && missing.length > 0 ? await embed(missing, kind, signal) : []
    const fresh = new Map(missing.map((text, index) => [text, embedded[index]]))
    const vectors = new Map<string, Float32Array>()
    for (const text of texts) {
      const vector = kept.get(keyOf(text)) ?? fresh.get(text)
      if (!vector) continue
      vectors.set(text, vector)
      kept.delete(keyOf(text))
      kept.set(keyOf(text), vector)
    }
    for (const key of kept.keys()) {
      if (kept.size <= VECTORS_KEPT_MAX) break
      kept.delete(key)
    }
    return vectors
  }

  /** Beside our own process. A failure is told by the work that needs it. */
  function startEncoder(signal: AbortSignal): void {
    prepareEmbed?.(signal).catch(() => undefined)
  }

  async function run<K extends Task['kind']>(
    task: Task & { readonly kind: K },
    signal: AbortSignal,
  ): Promise<TaskResult<Results[K]>> {
    if (child.pid === undefined) startEncoder(signal)
    const asked = await child.request({ op: 'texts' }, encodeTask(task), { signal })
    const { passages, queries } = parseOrThrow(TEXTS, jsonOf(asked.payload), `The answer of the ${NAME}`)
    const vectors = new Map([
      ...(await vectorsOf(passages, 'passage', signal)),
      ...(await vectorsOf(queries, 'query', signal)),
    ])
    const payload = encodeTask(task, [...vectors.keys()], vectors)
    const answered = await child.request({ op: 'run' }, payload, { signal })
    // Our own process wrote it by the same type.
    return jsonOf(answered.payload) as TaskResult<Results[K]>
  }

  return {
    engine: EXTRACTIVE_ENGINE,
    overview: (transcript, signal) => run({ kind: 'overview', transcript }, signal),
    answer: (transcript, question, signal) => run({ kind: 'answer', transcript, question }, signal),
    extract: (transcript, { schema, whatToExtract = '' }, signal) =>
      run({ kind: 'extract', transcript, schema, whatToExtract }, signal),
    statement: (post, signal) => {
      const transcript = { segments: [{ text: post[claimSource(post)], start: 0, end: 0 }] }
      return run({ kind: 'statement', transcript, post }, signal)
    },
    async prepare(signal) {
      if (child.pid !== undefined) return
      startEncoder(signal)
      const transcript = { segments: [{ text: PREPARING, start: 0, end: 0 }] }
      await child.request({ op: 'texts' }, encodeTask({ kind: 'overview', transcript }), { signal })
    },
    get pid() {
      return child.pid
    },
    close: () => child.close(),
  }
}

function jsonOf(payload: Uint8Array): unknown {
  return JSON.parse(Buffer.from(payload).toString('utf8'))
}
