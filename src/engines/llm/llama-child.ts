// The child process that runs a GGUF model with llama.cpp. One model, one sequence; what consecutive prompts have in
// common at their start is computed once. llama.ts is its only client.

import type * as Library from 'node-llama-cpp'
import type {
  ChatWrapper,
  Llama,
  LlamaContextSequence,
  LlamaGrammar,
  LlamaModel,
  Token,
  TokenBias,
} from 'node-llama-cpp'
import { type Infer, parseOrThrow, parser, t } from '../../lib/schema.ts'
import { type HandlerContext, serveChild } from '../child-program.ts'
import { createNative } from '../native.ts'
import { isCompiled } from '../own-command.ts'
import { LLAMA_ENV, WriteRequest, type WriteResult } from './llama-wire.ts'

/** Tokens of a prompt that are computed in one step: about so long that a cancel is noticed in time. */
const STEP_MS = 300
const STEP_TOKENS = { first: 64, min: 16, max: 512 }
const BATCH_TOKENS = 512
const SEED = 1

const WRITE_REQUEST = parser(WriteRequest)
const COUNT_REQUEST = parser(t.Object({ texts: t.Array(t.String()) }))

interface Loaded {
  readonly library: typeof Library
  readonly llama: Llama
  readonly model: LlamaModel
  readonly sequence: LlamaContextSequence
  readonly wrapper: ChatWrapper
  readonly bias: TokenBias
}

/** Serves until stdin ends. The model is loaded by the first request. */
export async function serveLlama(): Promise<void> {
  let loading: Promise<Loaded> | undefined
  const loaded = (): Promise<Loaded> =>
    (loading ??= load().catch((error: unknown) => {
      // What stood in the way may be gone with the next request.
      loading = undefined
      throw error
    }))
  await serveChild({
    async write({ header }, context) {
      const request = parseOrThrow(WRITE_REQUEST, header, 'A request to the language model')
      return { header: { ...(await write(await loaded(), request, context)) } }
    },
    async count({ header }) {
      const { texts } = parseOrThrow(COUNT_REQUEST, header, 'A request to the language model')
      const { model } = await loaded()
      return { header: { counts: texts.map((text) => model.tokenize(text, false).length) } }
    },
  })
}

async function load(): Promise<Loaded> {
  const { env } = process
  const threads = Math.max(1, Number(env[LLAMA_ENV.threads] ?? 1))
  // In the binary the platform package of node-llama-cpp is a stub that looks here (scripts/build.ts).
  if (isCompiled()) {
    const native = createNative({ cacheDir: env[LLAMA_ENV.cacheDir] ?? './data/cache' })
    env[LLAMA_ENV.libraries] = native.folder('llama')
  }
  const library = await import('node-llama-cpp')
  const llama = await library.getLlama({
    // The prebuilt library for macOS has no form without Metal.
    gpu: process.platform === 'darwin' ? 'auto' : false,
    build: 'never',
    skipDownload: true,
    progressLogs: false,
    maxThreads: threads,
    logLevel: library.LlamaLogLevel.error,
    // Frames go to stdout, so nothing else may.
    logger: (_level, message) => process.stderr.write(message),
  })
  const model = await llama.loadModel({
    modelPath: env[LLAMA_ENV.model] ?? '',
    // Whether there is room was decided before this process was started.
    ignoreMemorySafetyChecks: true,
  })
  const context = await model.createContext({
    contextSize: Number(env[LLAMA_ENV.contextTokens]),
    batchSize: BATCH_TOKENS,
    threads,
    sequences: 1,
    ignoreMemorySafetyChecks: true,
    failedCreationRemedy: false,
  })
  const wrapper = library.resolveChatWrapper(model, {
    warningLogs: false,
    // The grammar leaves no room for thoughts; the model should know that it has had them.
    customWrapperSettings: { qwen: { thoughts: 'discourage' } },
  })
  return {
    library,
    llama,
    model,
    sequence: context.getSequence(),
    wrapper,
    bias: withoutSpecialTokens(library, model),
  }
}

/** A grammar takes a special token for the text of its name, which then is missing from what is read. */
function withoutSpecialTokens({ TokenBias: Bias }: typeof Library, model: LlamaModel): TokenBias {
  const bias = new Bias(model.tokenizer)
  for (const token of model.iterateAllTokens()) {
    if (isSpecial(model, token) && !model.isEogToken(token)) bias.set(token, 'never')
  }
  return bias
}

/** By its kind: what it looks like as text says nothing, since a part of a character looks like nothing too. */
function isSpecial(model: LlamaModel, token: Token): boolean {
  return model.getTokenAttributes(token).control || model.isEogToken(token)
}

type Request = Infer<typeof WriteRequest>

async function write(loaded: Loaded, request: Request, context: HandlerContext): Promise<WriteResult> {
  const { model, sequence } = loaded
  const tokens = promptTokens(loaded, request)
  const room = sequence.contextSize - tokens.length - 1
  if (room < 1) throw new Error(`the text has ${tokens.length} tokens, more than the model can hold`)
  const maxTokens = Math.min(request.maxTokens, room)
  const last = tokens.at(-1)
  if (last === undefined) throw new Error('the prompt is empty')
  await readPrompt(loaded, request, tokens.slice(0, -1), context)

  const grammar = await grammarOf(loaded, request.grammar)
  const state = new loaded.library.LlamaGrammarEvaluationState({ model, grammar })
  const options = {
    temperature: request.temperature,
    seed: SEED,
    grammarEvaluationState: state,
    tokenBias: loaded.bias,
  }
  const written: Token[] = []
  let finished = true
  for await (const token of sequence.evaluate([last], options)) {
    context.signal.throwIfAborted()
    written.push(token)
    if (written.length >= maxTokens) {
      finished = false
      break
    }
    if (written.length % 16 === 0) report(context, tokens.length, tokens.length, written.length)
  }
  return {
    text: model.detokenize(written),
    finished,
    promptTokens: tokens.length,
    completionTokens: written.length,
  }
}

/** What the texts say is tokenised as text: only the model's own template contributes special tokens. */
function promptTokens(loaded: Loaded, { system, prefix, task }: Request): Token[] {
  const tokens = templated(loaded, system, prefix + task)
  const special = (list: readonly Token[]): number =>
    list.filter((token) => isSpecial(loaded.model, token)).length
  // Whatever a template engine does with the texts: no token of structure may come out of them.
  if (special(tokens) !== special(templated(loaded, '.', '.')))
    throw new Error('the text contains special tokens of the model')
  return tokens
}

function templated({ model, wrapper }: Loaded, system: string, user: string): Token[] {
  const { contextText } = wrapper.generateContextState({
    chatHistory: [
      { type: 'system', text: system },
      { type: 'user', text: user },
      { type: 'model', response: [] },
    ],
  })
  return contextText.tokenize(model.tokenizer)
}

/** Computes what the sequence does not hold yet, in steps between which a cancel is seen. */
async function readPrompt(
  loaded: Loaded,
  { system, prefix }: Request,
  tokens: readonly Token[],
  context: HandlerContext,
): Promise<void> {
  const { sequence } = loaded
  await sequence.adaptStateToTokens([...tokens], false)
  // Recurrent and hybrid models can only go back to a checkpoint: one is left where the prefix ends.
  const checkpointAt = sequence.needsCheckpoints
    ? commonLength(tokens, templated(loaded, system, prefix))
    : Number.POSITIVE_INFINITY
  let step = STEP_TOKENS.first
  for (let done = sequence.nextTokenIndex; done < tokens.length; done = sequence.nextTokenIndex) {
    context.signal.throwIfAborted()
    report(context, done, tokens.length, 0)
    const end = Math.min(tokens.length, done + step, checkpointAt > done ? checkpointAt : tokens.length)
    const startedAt = performance.now()
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(done, end))
    const rate = (end - done) / (performance.now() - startedAt)
    step = Math.round(Math.min(STEP_TOKENS.max, Math.max(STEP_TOKENS.min, rate * STEP_MS)))
    if (end === checkpointAt) await sequence.takeCheckpoint()
  }
  context.signal.throwIfAborted()
}

function commonLength(a: readonly Token[], b: readonly Token[]): number {
  const end = Math.min(a.length, b.length)
  let length = 0
  while (length < end && a[length] === b[length]) length++
  return length
}

const grammars = new Map<string, LlamaGrammar>()
const GRAMMARS_MAX = 16

/** Parsing a large grammar costs milliseconds; the same schema comes again for every piece of a transcript. */
async function grammarOf({ llama }: Loaded, text: string): Promise<LlamaGrammar> {
  const known = grammars.get(text)
  if (known) return known
  const grammar = await llama.createGrammar({ grammar: text })
  const [oldest] = grammars.keys()
  if (grammars.size >= GRAMMARS_MAX && oldest !== undefined) grammars.delete(oldest)
  grammars.set(text, grammar)
  return grammar
}

function report({ emit }: HandlerContext, done: number, total: number, written: number): void {
  emit({ event: 'progress', done, total, written })
}
