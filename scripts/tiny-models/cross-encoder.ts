// Makes a tiny reranker in the format of the MS MARCO cross-encoders (BERT: word pieces, [CLS] query [SEP] passage
// [SEP], segment ids, a graph to one logit), to test that path: `bun scripts/tiny-models/cross-encoder.ts FOLDER`.
// It scores by the words that query and passage share.

import { ELEMENT, OnnxGraph } from '../onnx/writer.ts'
import { seededNumbers, writeModel } from './folder.ts'

export const TINY_RERANKER = { id: 'tiny-reranker', dimensions: 1, maxTokens: 64 } as const
const SPECIAL = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]']
const WORDS =
  'the a of in boat harbour ship sailed tax money school bread oven storm train station doctor garden winter'
const WIDTH = 64

function vocabulary(): string[] {
  const letters = Array.from('abcdefghijklmnopqrstuvwxyz0123456789.,?!')
  return [...SPECIAL, ...WORDS.split(' '), ...letters, ...letters.map((letter) => `##${letter}`)]
}

function graph(): Uint8Array {
  const words = vocabulary()
  const table = seededNumbers(11, words.length * WIDTH).map((value) => value / Math.sqrt(WIDTH / 3))
  // Neither markers nor single letters say anything; articles little.
  for (const [row, word] of words.entries()) {
    const weight = SPECIAL.includes(word) || word.replace('##', '').length < 2 ? 0 : word.length > 3 ? 1 : 0.2
    for (let at = row * WIDTH; at < (row + 1) * WIDTH; at++) table[at] = (table[at] ?? 0) * weight
  }
  const model = new OnnxGraph('tiny-reranker')
  const ids = model.input('input_ids', ELEMENT.int64, ['batch', 'tokens'])
  model.input('attention_mask', ELEMENT.int64, ['batch', 'tokens'])
  const types = model.input('token_type_ids', ELEMENT.int64, ['batch', 'tokens'])
  const rows = model.op('Gather', [model.floats('embeddings', [words.length, WIDTH], table), ids])
  const inPassage = model.op('Unsqueeze', [
    model.op('Cast', [types], { to: ELEMENT.float32 }),
    model.ints('last', [2]),
  ])
  const axis = model.ints('tokens_axis', [1])
  const over = (value: string): string => model.op('ReduceSum', [value, axis], { keepdims: 0 })
  const query = over(model.op('Mul', [rows, model.op('Sub', [model.scalar('one', 1), inPassage])]))
  const passage = over(model.op('Mul', [rows, inPassage]))
  const shared = model.op('ReduceSum', [model.op('Mul', [query, passage]), axis], { keepdims: 1 })
  const scaled = model.op('Mul', [shared, model.scalar('scale', 4)])
  model.op('Sub', [scaled, model.scalar('threshold', 2)], {}, 'logits')
  model.output('logits', ELEMENT.float32, ['batch', 1])
  return model.serialize(17, {})
}

function tokenizer(): string {
  const words = vocabulary()
  const special = (content: string, typeId: number): object => ({
    SpecialToken: { id: content, type_id: typeId },
  })
  const added = SPECIAL.map((content, id) => {
    return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  })
  const single = [special('[CLS]', 0), { Sequence: { id: 'A', type_id: 0 } }, special('[SEP]', 0)]
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: true,
      strip_accents: null,
      lowercase: true,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: {
      type: 'TemplateProcessing',
      single,
      pair: [...single, { Sequence: { id: 'B', type_id: 1 } }, special('[SEP]', 1)],
      special_tokens: {
        '[CLS]': { id: '[CLS]', ids: [2], tokens: ['[CLS]'] },
        '[SEP]': { id: '[SEP]', ids: [3], tokens: ['[SEP]'] },
      },
    },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: '[UNK]',
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(words.map((word, id) => [word, id])),
    },
  })
}

export function makeTinyReranker(folder: string): void {
  writeModel(folder, {
    ...TINY_RERANKER,
    task: 'rerank',
    queryPrefix: '',
    passagePrefix: '',
    files: {
      'onnx/model_quantized.onnx': graph(),
      'tokenizer.json': tokenizer(),
      'tokenizer_config.json': JSON.stringify({ tokenizer_class: 'BertTokenizer', do_lower_case: true }),
    },
  })
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2)
  if (folder === undefined) throw new Error('usage: cross-encoder.ts FOLDER')
  makeTinyReranker(folder)
}
