// Writes Whisper models of any size with random weights, in whisper.cpp's ggml format: true shapes for measuring speed,
// the multilingual vocabulary for testing detection, and output that is every kind of nonsense.

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { resolve } from 'node:path'

/** Front matter (mel filters, vocabulary) is taken from here; it is the same in all models. */
const TEMPLATE = resolve(import.meta.dir, '../../models/demo-whisper/ggml-demo.en-q5_0.bin')
const HEAD_NUMBERS = 12
const GGML_MAGIC = 0x67_67_6d_6c
const F16 = 1
const AUDIO_CONTEXT = 1_500
const TEXT_CONTEXT = 448
const MELS = 80
const ENGLISH_VOCABULARY = 51_864

export interface RandomWhisper {
  readonly multilingual: boolean
  /** 384 in tiny, 512 in base. A multiple of 64. */
  readonly width: number
  /** Of the encoder, and of the decoder: 4 in tiny, 6 in base. */
  readonly layers: number
}

type Fill = 'weights' | 'noise' | 'ones'

/** The same options give the same file. */
export function writeRandomWhisper(path: string, { multilingual, width, layers }: RandomWhisper): void {
  const vocabulary = ENGLISH_VOCABULARY + (multilingual ? 1 : 0)
  const heads = width / 64
  const file = openSync(path, 'w')
  const random = createRandom()
  const tensor = (name: string, shape: readonly number[], fill: Fill): void => {
    for (const part of tensorParts(name, shape, fill, random)) writeAll(file, part)
  }
  const encoder = [AUDIO_CONTEXT, width, heads, layers]
  const decoder = [TEXT_CONTEXT, width, heads, layers]
  const head = new Uint32Array([GGML_MAGIC, vocabulary, ...encoder, ...decoder, MELS, F16])
  writeAll(file, new Uint8Array(head.buffer))
  writeAll(file, frontMatter())
  tensor('encoder.positional_embedding', [width, AUDIO_CONTEXT], 'noise')
  tensor('encoder.conv1.weight', [3, MELS, width], 'weights')
  tensor('encoder.conv1.bias', [1, width], 'noise')
  tensor('encoder.conv2.weight', [3, width, width], 'weights')
  tensor('encoder.conv2.bias', [1, width], 'noise')
  norm(tensor, 'encoder.ln_post', width)
  for (let i = 0; i < layers; i++) block(tensor, `encoder.blocks.${i}`, width, false)
  tensor('decoder.positional_embedding', [width, TEXT_CONTEXT], 'noise')
  tensor('decoder.token_embedding.weight', [width, vocabulary], 'weights')
  norm(tensor, 'decoder.ln', width)
  for (let i = 0; i < layers; i++) block(tensor, `decoder.blocks.${i}`, width, true)
  closeSync(file)
}

type Tensor = (name: string, shape: readonly number[], fill: Fill) => void

function norm(tensor: Tensor, name: string, width: number): void {
  tensor(`${name}.weight`, [width], 'ones')
  tensor(`${name}.bias`, [width], 'noise')
}

function attention(tensor: Tensor, name: string, width: number): void {
  for (const part of ['query', 'key', 'value', 'out']) {
    tensor(`${name}.${part}.weight`, [width, width], 'weights')
    // Whisper's keys have no bias.
    if (part !== 'key') tensor(`${name}.${part}.bias`, [width], 'noise')
  }
}

function block(tensor: Tensor, name: string, width: number, decoder: boolean): void {
  norm(tensor, `${name}.mlp_ln`, width)
  tensor(`${name}.mlp.0.weight`, [width, 4 * width], 'weights')
  tensor(`${name}.mlp.0.bias`, [4 * width], 'noise')
  tensor(`${name}.mlp.2.weight`, [4 * width, width], 'weights')
  tensor(`${name}.mlp.2.bias`, [width], 'noise')
  for (const kind of decoder ? ['attn', 'cross_attn'] : ['attn']) {
    norm(tensor, `${name}.${kind}_ln`, width)
    attention(tensor, `${name}.${kind}`, width)
  }
}

/** Dimensions, length of the name, type (0: f32, 1: f16), shape, name, data. */
function tensorParts(name: string, shape: readonly number[], fill: Fill, random: () => number): Uint8Array[] {
  const text = Buffer.from(name)
  const head = new Uint32Array([shape.length, text.length, fill === 'weights' ? F16 : 0, ...shape])
  const count = shape.reduce((product, size) => product * size, 1)
  const data = fill === 'weights' ? new Float16Array(count) : new Float32Array(count)
  for (let i = 0; i < count; i++) data[i] = fill === 'ones' ? 1 : (random() - 0.5) * 0.2
  return [new Uint8Array(head.buffer), text, new Uint8Array(data.buffer)]
}

/** Mel filters and vocabulary of the template, as they are in the file. */
function frontMatter(): Uint8Array {
  const template = readFileSync(TEMPLATE)
  const start = HEAD_NUMBERS * 4
  let at = start + 8 + template.readUInt32LE(start) * template.readUInt32LE(start + 4) * 4
  const words = template.readUInt32LE(at)
  at += 4
  for (let i = 0; i < words; i++) at += 4 + template.readUInt32LE(at)
  return template.subarray(start, at)
}

/** Linear congruential, 0..1: quick, and the same everywhere. Constants of Numerical Recipes. */
function createRandom(): () => number {
  let state = 12_345
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function writeAll(file: number, bytes: Uint8Array): void {
  let written = 0
  while (written < bytes.length) written += writeSync(file, bytes, written)
}
