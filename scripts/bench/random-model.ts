// Writes a Whisper model of the true shape of `tiny.en` with random weights, for measuring speed where real weights
// can't be had: what a network computes does not change how long it takes.

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

const MEL_BINS = 80
const STATE = 384
const HEADS = 6
const LAYERS = 4
const AUDIO_CONTEXT = 1_500
const VOCABULARY = 51_864
/** End of text and everything after it: markers and timestamps. Their weights are 0, so they are never chosen. */
const FIRST_MARKER = 50_256
/** whisper.cpp decodes at most half of it, less 4: 100 tokens a window, for every program alike. */
const TEXT_CONTEXT = 208
const F32 = 0
const F16 = 1
const HYPERPARAMETERS = [
  VOCABULARY,
  AUDIO_CONTEXT,
  STATE,
  HEADS,
  LAYERS,
  TEXT_CONTEXT,
  STATE,
  HEADS,
  LAYERS,
  MEL_BINS,
  F16,
]

type Fill = 'random' | 'zeros' | 'ones'

/** `headPath`: any English Whisper model in ggml format; its mel filters and token table are taken over. */
export function writeRandomModel(headPath: string, path: string): void {
  const file = openSync(path, 'w')
  try {
    writeSync(file, headOf(readFileSync(headPath)))
    for (const [name, shape, type, fill] of tensors()) writeTensor(file, name, shape, type, fill)
  } finally {
    closeSync(file)
  }
}

/** Magic number, hyperparameters, mel filters, tokens: all that comes before the weights. */
function headOf(model: Buffer): Buffer {
  const hyperparametersEnd = 4 + HYPERPARAMETERS.length * 4
  const filters = model.readInt32LE(hyperparametersEnd) * model.readInt32LE(hyperparametersEnd + 4)
  let end = hyperparametersEnd + 8 + filters * 4
  const tokens = model.readInt32LE(end)
  end += 4
  for (let index = 0; index < tokens; index++) end += 4 + model.readUInt32LE(end)
  const head = Buffer.from(model.subarray(0, end))
  for (const [index, value] of HYPERPARAMETERS.entries()) head.writeInt32LE(value, 4 + index * 4)
  return head
}

type Tensor = readonly [name: string, shape: readonly number[], type: typeof F32 | typeof F16, fill: Fill]

/** In whisper.cpp's names and order of dimensions. */
function* tensors(): Generator<Tensor> {
  yield ['encoder.positional_embedding', [STATE, AUDIO_CONTEXT], F32, 'random']
  yield ['encoder.conv1.weight', [3, MEL_BINS, STATE], F16, 'random']
  yield ['encoder.conv1.bias', [1, STATE], F32, 'random']
  yield ['encoder.conv2.weight', [3, STATE, STATE], F16, 'random']
  yield ['encoder.conv2.bias', [1, STATE], F32, 'random']
  yield* norm('encoder.ln_post')
  for (let layer = 0; layer < LAYERS; layer++) yield* block(`encoder.blocks.${layer}`, false)
  yield ['decoder.positional_embedding', [STATE, TEXT_CONTEXT], F32, 'random']
  yield ['decoder.token_embedding.weight', [STATE, VOCABULARY], F16, 'random']
  yield* norm('decoder.ln')
  for (let layer = 0; layer < LAYERS; layer++) yield* block(`decoder.blocks.${layer}`, true)
}

function* block(prefix: string, crossAttention: boolean): Generator<Tensor> {
  yield* norm(`${prefix}.mlp_ln`)
  yield* linear(`${prefix}.mlp.0`, STATE, 4 * STATE)
  yield* linear(`${prefix}.mlp.2`, 4 * STATE, STATE)
  for (const attention of crossAttention ? ['attn', 'cross_attn'] : ['attn']) {
    yield* norm(`${prefix}.${attention}_ln`)
    yield* linear(`${prefix}.${attention}.query`, STATE, STATE)
    yield [`${prefix}.${attention}.key.weight`, [STATE, STATE], F16, 'random']
    yield* linear(`${prefix}.${attention}.value`, STATE, STATE)
    yield* linear(`${prefix}.${attention}.out`, STATE, STATE)
  }
}

function* norm(prefix: string): Generator<Tensor> {
  yield [`${prefix}.weight`, [STATE], F32, 'ones']
  yield [`${prefix}.bias`, [STATE], F32, 'zeros']
}

function* linear(prefix: string, from: number, to: number): Generator<Tensor> {
  yield [`${prefix}.weight`, [from, to], F16, 'random']
  yield [`${prefix}.bias`, [to], F32, 'zeros']
}

function writeTensor(
  file: number,
  name: string,
  shape: readonly number[],
  type: typeof F32 | typeof F16,
  fill: Fill,
): void {
  const head = Buffer.alloc(12 + shape.length * 4)
  const nameBytes = Buffer.from(name)
  for (const [index, value] of [shape.length, nameBytes.length, type, ...shape].entries()) {
    head.writeInt32LE(value, index * 4)
  }
  const count = shape.reduce((product, size) => product * size, 1)
  const data = type === F16 ? new Float16Array(count) : new Float32Array(count)
  if (fill === 'ones') data.fill(1)
  if (fill === 'random') fillRandom(data)
  if (name === 'decoder.token_embedding.weight') data.fill(0, FIRST_MARKER * STATE)
  writeSync(file, Buffer.concat([head, nameBytes]))
  const bytes = Buffer.from(data.buffer)
  for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
}

let seed = 12_345

/** Small and about Gaussian; a linear congruential generator, so that every run measures the same model. */
function fillRandom(data: Float16Array | Float32Array): void {
  for (let index = 0; index < data.length; index++) {
    let sum = 0
    for (let round = 0; round < 3; round++) {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
      sum += seed / 2_147_483_648
    }
    data[index] = sum * 0.03
  }
}
