// Moonshine tiny (MIT): English speech to text from the raw waveform. Runs inside the ONNX child.
// Greedy decoding over the key/value cache, after the model's published reference code.

import tokenizer from 'llama-tokenizer-js'
import type * as Ort from 'onnxruntime-node'
import { SAMPLE_RATE } from './speech-engine.ts'
import { floats, tensorOf } from './silero.ts'

const LAYERS = 6
const HEADS = 8
const HEAD_SIZE = 36
const START_TOKEN = 1
const END_TOKEN = 2
/** Ids from here on are markers without text. */
const FIRST_MARKER = 32_000
/** Nobody speaks more: what comes after is a loop. From the reference code. */
const TOKENS_PER_SECOND = 6.5
const SPARE_TOKENS = 8
const PEAK = 0.9
const MAX_GAIN = 30
/** The same up to 16 tokens, four times in a row and at least 12 tokens long, is a loop. */
const LOOP_MAX_PERIOD = 16
const LOOP_REPEATS = 4
const LOOP_MIN_TOKENS = 12

export interface MoonshineResult {
  readonly text: string
  readonly tokens: number
  /** Mean natural logarithm of the probability of each token, the end included: near 0 is sure. */
  readonly confidence: number
}

export interface MoonshineModel {
  /** Any length; 16 kHz. Gives up between tokens when the signal aborts. */
  transcribe(samples: Int16Array, signal: AbortSignal): Promise<MoonshineResult>
}

export interface MoonshineFiles {
  readonly encoderPath: string
  readonly decoderPath: string
  readonly threads: number
}

export async function loadMoonshine(ort: typeof Ort, files: MoonshineFiles): Promise<MoonshineModel> {
  const options = {
    intraOpNumThreads: files.threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3 as const,
    // Six weights are stored as int8 but used as float32: converted once, when loading, instead of for every token,
    // where that took 40 % of the time. The numbers are the same.
    extra: { session: { disable_quant_qdq: '1' } },
  }
  const encoder = await ort.InferenceSession.create(files.encoderPath, options)
  const decoder = await ort.InferenceSession.create(files.decoderPath, options)
  const firstBranch = new ort.Tensor('bool', [false], [1])
  const cacheBranch = new ort.Tensor('bool', [true], [1])
  // What the decoder knows of the sound is computed once, in the first step, and not copied out again.
  const laterOutputs = decoder.outputNames.filter((name) => !name.includes('encoder'))

  function emptyCache(): Record<string, Ort.Tensor> {
    const cache: Record<string, Ort.Tensor> = {}
    for (let layer = 0; layer < LAYERS; layer++) {
      for (const part of ['decoder.key', 'decoder.value', 'encoder.key', 'encoder.value']) {
        const empty = new ort.Tensor('float32', new Float32Array(), [0, HEADS, 1, HEAD_SIZE])
        cache[`past_key_values.${layer}.${part}`] = empty
      }
    }
    return cache
  }

  return {
    async transcribe(samples, signal) {
      const waveform = normalised(samples)
      const input = new ort.Tensor('float32', waveform, [1, waveform.length])
      const hidden = tensorOf(await encoder.run({ input_values: input }), 'last_hidden_state')
      const budget = Math.trunc((samples.length / SAMPLE_RATE) * TOKENS_PER_SECOND) + SPARE_TOKENS
      const cache = emptyCache()
      const tokens: number[] = []
      let logProbability = 0
      let steps = 0
      let token = START_TOKEN
      while (token !== END_TOKEN && steps < budget) {
        // Lets a cancel in: running a session does not return to the event loop.
        if (steps % 8 === 0) await Bun.sleep(0)
        signal.throwIfAborted()
        const inputs = {
          ...cache,
          input_ids: new ort.Tensor('int64', BigInt64Array.of(BigInt(token)), [1, 1]),
          encoder_hidden_states: hidden,
          use_cache_branch: steps === 0 ? firstBranch : cacheBranch,
        }
        const outputs = steps === 0 ? decoder.outputNames : laterOutputs
        const result = await decoder.run(inputs, outputs)
        const best = likeliest(floats(tensorOf(result, 'logits')))
        logProbability += best.logProbability
        token = best.token
        if (token !== END_TOKEN) tokens.push(token)
        for (const name of outputs) {
          if (name === 'logits') continue
          cache[name.replace('present', 'past_key_values')] = tensorOf(result, name)
        }
        steps++
        const loop = loopLength(tokens)
        if (loop > 0) {
          tokens.length -= loop
          break
        }
      }
      return {
        text: decode(tokens),
        tokens: steps,
        confidence: steps === 0 ? 0 : logProbability / steps,
      }
    },
  }
}

/** Samples as -1..1, loud as what the model was trained on: about one word error in eight less on quiet voices. */
function normalised(samples: Int16Array): Float32Array {
  let peak = 1
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  const gain = Math.min((PEAK * 32_768) / peak, MAX_GAIN) / 32_768
  return Float32Array.from(samples, (sample) => sample * gain)
}

/** Plain loops: `entries()` of 32,768 numbers takes 2 ms for every token. */
function likeliest(logits: Float32Array): { token: number; logProbability: number } {
  let token = 0
  let highest = Number.NEGATIVE_INFINITY
  for (let index = 0; index < logits.length; index++) {
    const logit = logits[index] ?? Number.NEGATIVE_INFINITY
    if (logit > highest) {
      highest = logit
      token = index
    }
  }
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - highest)
  return { token, logProbability: -Math.log(sum) }
}

/** How many tokens at the end only repeat what was there before; 0 while it does not look like a loop. */
export function loopLength(tokens: readonly number[]): number {
  for (let period = 1; period <= LOOP_MAX_PERIOD; period++) {
    const length = Math.max(period * LOOP_REPEATS, LOOP_MIN_TOKENS)
    if (tokens.length < length) continue
    let same = period
    while (same < length && tokens.at(-1 - same) === tokens.at(-1 - same + period)) same++
    if (same === length) return length - period
  }
  return 0
}

function decode(tokens: readonly number[]): string {
  const words = tokens.filter((token) => token > END_TOKEN && token < FIRST_MARKER)
  return tokenizer
    .decode([START_TOKEN, ...words])
    .replaceAll(/\s+/g, ' ')
    .trim()
}
