// Every native or external program the product uses, made once and passed as one record.

import { join } from 'node:path'
import type { Config } from '../config.ts'
import { createGate, type Gate } from '../lib/gate.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { type BrowserEngine, createBrowser } from './browser.ts'
import { chosenEmbedder, type Embedder, findEmbedder } from './embedder.ts'
import { createExtractive, type Extractive } from './extractive/extractive.ts'
import { createFfmpeg, type Ffmpeg } from './ffmpeg.ts'
import { createJsRuntimes, type JsRuntimes } from './js-runtime.ts'
import { createLlm, type Llm } from './llm/llm.ts'
import type { InstalledModel } from './model-store.ts'
import { createModels, type Models } from './models.ts'
import { createMoonshine, MOONSHINE_MODEL_ID } from './moonshine.ts'
import { createNative, type Native } from './native.ts'
import { createOnnx, type Onnx } from './onnx.ts'
import { findReranker, type Reranker } from './reranker.ts'
import { createSpeech, type Speech } from './speech.ts'
import type { SpeechEngine } from './speech-engine.ts'
import { createSites, type Sites } from './sites.ts'
import { createTextEngine } from './text-engine.ts'
import { createWhisper } from './whisper.ts'
import { createYtdlp, type Ytdlp } from './ytdlp.ts'

export interface Engines {
  readonly native: Native
  readonly ffmpeg: Ffmpeg
  readonly ytdlp: Ytdlp
  /** What yt-dlp runs the scripts of sites with. */
  readonly jsRuntimes: JsRuntimes
  /** For pages that only their own scripts can read. */
  readonly browser: BrowserEngine
  readonly models: Models
  /** Voice activity and Moonshine. */
  readonly onnx: Onnx
  /** Media file → timed text. */
  readonly speech: Speech
  /** Whoever asks a platform takes its turn here; yt-dlp does already. */
  readonly sites: Sites
  /** Whatever keeps the cores busy passes through here: one at a time, with all of `config.threads`. */
  readonly compute: Gate
  /**
   * The engine of the speech model that is chosen now. Engines stay warm; when another model was chosen, the former
   * engine is unloaded. With the id of an installed model: that model's engine, which unloads itself when it is idle.
   * Throws Problem `not_found` when it is not installed.
   */
  speechEngine(modelId?: string): Promise<SpeechEngine>
  /** The sentence encoder that is chosen now; there is always one. */
  embedder(): Promise<Embedder>
  /** The sentence encoder of that id; undefined when it is not installed any more. */
  findEmbedder(modelId: string): Promise<Embedder | undefined>
  /** Undefined when none is installed. */
  findReranker(): Promise<Reranker | undefined>
  /** The language model that is chosen now, if there is one. */
  readonly llm: Llm
  /** Analysis without a language model; there always. */
  readonly extractive: Extractive
  /** Starts the extractive engine ahead of its work, unless a language model does that. */
  prepareAnalysis(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

const EMBEDDED_ENCODER_ID = 'use-lite-en'

export interface EnginesOptions {
  readonly config: Config
  readonly log: Log
  /** The egress proxy, the only way out for the programs that reach out. */
  readonly proxyUrl: string
  /** Told when the process of an engine has ended. */
  readonly onChildEnd?: (name: string, crashed: boolean) => void
}

export function createEngines({ config, log, proxyUrl, onChildEnd }: EnginesOptions): Engines {
  const cacheDir = join(config.dataDir, 'cache')
  const idleMs = config.engineIdleS * SECOND
  const native = createNative({ cacheDir })
  const onnx = createOnnx({ cacheDir, threads: config.threads, idleMs, log, onEnd: onChildEnd })
  const models = createModels({ config, log })
  const ffmpeg = createFfmpeg(config)
  const jsRuntimes = createJsRuntimes(config)
  const compute = createGate(1)
  const sites = createSites({ pauseS: config.sitePauseS })
  const text = createTextEngine({ cacheDir, idleMs, log, onEnd: onChildEnd })
  const llm = createLlm({ config, models, gate: compute, log, onChildEnd })
  // Whatever is chosen for search: the thresholds of the extractive engine belong to the embedded encoder.
  const encoder = (): Promise<Embedder | undefined> =>
    findEmbedder(models, text, compute, EMBEDDED_ENCODER_ID)
  const extractive = createExtractive({
    embed: async (texts, kind, signal) => (await encoder())?.embed(texts, kind, signal) ?? [],
    prepareEmbed: async (signal) => (await encoder())?.countTokens([''], signal),
    idleMs,
    log,
    onEnd: onChildEnd,
  })
  let current: SpeechEngine | undefined
  /** Asked for by id; at most one for each installed model. */
  const others = new Map<string, SpeechEngine>()

  async function named(modelId: string): Promise<SpeechEngine> {
    if (current?.modelId === modelId) return current
    const model = (await models.installed('speech')).find(({ id }) => id === modelId)
    if (!model) throw new Problem('not_found', `The speech model ${modelId} is not installed.`)
    const engine = others.get(modelId) ?? create(model)
    others.set(modelId, engine)
    return engine
  }

  function create(model: InstalledModel): SpeechEngine {
    if (model.id === MOONSHINE_MODEL_ID) return createMoonshine(onnx)
    if (model.path === undefined) throw noEngine(model)
    return createWhisper({
      modelId: model.id,
      modelPath: model.path,
      canTranslate: model.translates ?? true,
      native,
      threads: config.threads,
      idleMs,
      log,
      onEnd: onChildEnd,
    })
  }

  return {
    native,
    ffmpeg,
    sites,
    ytdlp: createYtdlp(config, proxyUrl, sites, jsRuntimes),
    jsRuntimes,
    browser: createBrowser(config, proxyUrl),
    models,
    onnx,
    speech: createSpeech({ ffmpeg, onnx, gate: compute }),
    compute,
    async speechEngine(modelId) {
      if (modelId !== undefined) return named(modelId)
      const model = await models.choose('speech')
      if (current?.modelId === model.id) return current
      const former = current
      current = others.get(model.id) ?? create(model)
      others.delete(model.id)
      await former?.close()
      return current
    },
    embedder: () => chosenEmbedder(models, text, compute),
    findEmbedder: (modelId) => findEmbedder(models, text, compute, modelId),
    findReranker: () => findReranker(models, text),
    llm,
    extractive,
    async prepareAnalysis(signal) {
      if (!(await llm.find())) await extractive.prepare(signal)
    },
    async close() {
      const speech = [current, ...others.values()].map((engine) => engine?.close())
      await Promise.all([...speech, onnx.close(), text.close(), llm.close(), extractive.close()])
    },
  }
}

function noEngine(model: InstalledModel): Problem {
  return new Problem(
    'transcription_failed',
    `No engine can run the speech model ${model.id} (format ${model.format}). Choose another with "earshot models use".`,
  )
}
