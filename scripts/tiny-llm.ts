// A language model of true architecture (Qwen 3) with random weights, about 200 KB: `bun scripts/tiny-llm.ts FILE`.
// It knows nothing, which is the point: what it writes under a grammar tests the grammar and the whole decoding path.

import { writeFileSync } from 'node:fs'
import { type GgufTensor, type GgufValue, ggufBytes } from './gguf-writer.ts'

const LAYERS = 2
const WIDTH = 64
const FEED_FORWARD = 128
const HEADS = 4
const KV_HEADS = 2
const HEAD_WIDTH = 16
const CONTEXT = 4_096

/** Words with tokens of their own, so that the tokenizer has merges to do. */
const WORDS = [' the', ' and', ' of', ' to', ' in', 'ing', 'er', ' a', ' that']
const SPECIAL = ['<|endoftext|>', '<|im_start|>', '<|im_end|>']

const CHAT_TEMPLATE =
  '{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}' +
  '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}'

export interface TinyLlmOptions {
  /** Models of different seeds write different nonsense. */
  readonly seed?: number
  /** Words that are added to the vocabulary, as published models have 150,000 of them. */
  readonly words?: number
}

/** The bytes of a GGUF file. The same for the same seed. */
export function tinyLlm({ seed = 42, words = 0 }: TinyLlmOptions = {}): Uint8Array {
  const { tokens, merges, types } = vocabulary(words)
  const end = tokens.indexOf('<|im_end|>')
  const metadata: Record<string, GgufValue> = {
    'general.architecture': { type: 'string', value: 'qwen3' },
    'general.name': { type: 'string', value: 'random-tiny' },
    'general.file_type': { type: 'u32', value: 1 },
    'qwen3.block_count': { type: 'u32', value: LAYERS },
    'qwen3.context_length': { type: 'u32', value: CONTEXT },
    'qwen3.embedding_length': { type: 'u32', value: WIDTH },
    'qwen3.feed_forward_length': { type: 'u32', value: FEED_FORWARD },
    'qwen3.attention.head_count': { type: 'u32', value: HEADS },
    'qwen3.attention.head_count_kv': { type: 'u32', value: KV_HEADS },
    'qwen3.attention.key_length': { type: 'u32', value: HEAD_WIDTH },
    'qwen3.attention.value_length': { type: 'u32', value: HEAD_WIDTH },
    'qwen3.attention.layer_norm_rms_epsilon': { type: 'f32', value: 1e-6 },
    'qwen3.rope.freq_base': { type: 'f32', value: 1e6 },
    'tokenizer.ggml.model': { type: 'string', value: 'gpt2' },
    'tokenizer.ggml.pre': { type: 'string', value: 'qwen2' },
    'tokenizer.ggml.tokens': { type: 'strings', value: tokens },
    'tokenizer.ggml.token_type': { type: 'i32s', value: types },
    'tokenizer.ggml.merges': { type: 'strings', value: merges },
    'tokenizer.ggml.eos_token_id': { type: 'u32', value: end },
    'tokenizer.ggml.padding_token_id': { type: 'u32', value: tokens.indexOf('<|endoftext|>') },
    'tokenizer.ggml.add_bos_token': { type: 'bool', value: false },
    'tokenizer.chat_template': { type: 'string', value: CHAT_TEMPLATE },
  }
  return ggufBytes(metadata, weights(tokens.length, seed))
}

/** Bytes, the words and everything on the way to them, special tokens: byte-level byte pair encoding as in GPT-2. */
function vocabulary(words: number): { tokens: string[]; merges: string[]; types: number[] } {
  const letters = byteLetters()
  const tokens = [...letters]
  const merges: string[] = []
  for (const word of WORDS) {
    const [first = '', ...rest] = [...Buffer.from(word)].map((byte) => letters[byte] ?? '')
    let joined = first
    for (const letter of rest) {
      const merge = `${joined} ${letter}`
      joined += letter
      if (merges.includes(merge)) continue
      merges.push(merge)
      tokens.push(joined)
    }
  }
  for (let index = 0; index < words; index++) tokens.push(`Ġword${index}`)
  const NORMAL = 1
  const CONTROL = 3
  const types = [...tokens.map(() => NORMAL), ...SPECIAL.map(() => CONTROL)]
  return { tokens: [...tokens, ...SPECIAL], merges, types }
}

/** GPT-2's printable stand-in for each byte: printable Latin-1 stands for itself, the others follow from U+0100 on. */
function byteLetters(): string[] {
  const isPrintable = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
  let next = 256
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPrintable(byte) ? byte : next++))
}

function weights(vocabularySize: number, seed: number): GgufTensor[] {
  const random = normalNumbers(seed)
  const matrix = (name: string, rows: number, columns: number, deviation = columns ** -0.5): GgufTensor => ({
    name: `${name}.weight`,
    dimensions: [columns, rows],
    data: Float16Array.from({ length: rows * columns }, () => random() * deviation),
  })
  const ones = (name: string, length: number): GgufTensor => ({
    name: `${name}.weight`,
    dimensions: [length],
    data: new Float32Array(length).fill(1),
  })
  const layers = Array.from({ length: LAYERS }, (_, index) => {
    const name = (part: string): string => `blk.${index}.${part}`
    return [
      ones(name('attn_norm'), WIDTH),
      ones(name('ffn_norm'), WIDTH),
      ones(name('attn_q_norm'), HEAD_WIDTH),
      ones(name('attn_k_norm'), HEAD_WIDTH),
      matrix(name('attn_q'), HEADS * HEAD_WIDTH, WIDTH),
      matrix(name('attn_k'), KV_HEADS * HEAD_WIDTH, WIDTH),
      matrix(name('attn_v'), KV_HEADS * HEAD_WIDTH, WIDTH),
      matrix(name('attn_output'), WIDTH, HEADS * HEAD_WIDTH),
      matrix(name('ffn_gate'), FEED_FORWARD, WIDTH),
      matrix(name('ffn_up'), FEED_FORWARD, WIDTH),
      matrix(name('ffn_down'), WIDTH, FEED_FORWARD),
    ]
  })
  return [matrix('token_embd', vocabularySize, WIDTH, 0.3), ones('output_norm', WIDTH), ...layers.flat()]
}

/** Normally distributed numbers (Box–Muller over mulberry32), the same ones for the same seed. */
function normalNumbers(seed: number): () => number {
  let state = seed >>> 0
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
}

if (import.meta.main) {
  const [path] = process.argv.slice(2)
  if (path === undefined) throw new Error('usage: bun scripts/tiny-llm.ts FILE')
  const bytes = tinyLlm()
  writeFileSync(path, bytes)
  console.log(`${path}: ${bytes.byteLength} bytes`)
}
