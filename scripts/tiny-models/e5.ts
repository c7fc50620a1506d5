// Makes a tiny model in the format of multilingual-e5 (XLM-RoBERTa: unigram pieces, <s> … </s>, a graph from ids and
// mask to `last_hidden_state`), to test that path without a download: `bun scripts/tiny-models/e5.ts FOLDER [ID]`.
// Its vectors mean little: texts that share words are close.

import { ELEMENT, OnnxGraph } from '../onnx/writer.ts'
import { seededNumbers, writeModel } from './folder.ts'

export const TINY_E5 = { id: 'tiny-e5', dimensions: 24, maxTokens: 48 } as const
const SPACE_MARK = '\u2581'
const SPECIAL = ['<s>', '<pad>', '</s>', '<unk>']
const WORDS =
  'query passage : the a boat harbour ship tax money school bread oven der hafen schiff steuer brot le port bateau ' +
  'impot pain порт корабль налог хлеб'
const ALPHABET = 'abcdefghijklmnopqrstuvwxyzäöüßéèçабвгдежзийклмнопрстуфхцчшщъыьэюя0123456789.,:?!-'

function pieces(): [string, number][] {
  const words = WORDS.split(' ').map((word): [string, number] => [SPACE_MARK + word, -2])
  const letters = Array.from(ALPHABET, (letter): [string, number] => [letter, -6])
  return [...SPECIAL.map((name): [string, number] => [name, 0]), [SPACE_MARK, -4], ...words, ...letters]
}

/** One row per piece; the markers' rows are zero, so that only words count. */
export function tinyE5Table(): Float32Array {
  const { dimensions } = TINY_E5
  const table = seededNumbers(7, pieces().length * dimensions)
  return table.fill(0, 0, SPECIAL.length * dimensions)
}

function graph(): Uint8Array {
  const { dimensions } = TINY_E5
  const model = new OnnxGraph('tiny-e5')
  const ids = model.input('input_ids', ELEMENT.int64, ['batch', 'tokens'])
  const mask = model.input('attention_mask', ELEMENT.int64, ['batch', 'tokens'])
  const table = model.floats('embeddings', [pieces().length, dimensions], tinyE5Table())
  const wide = model.op('Unsqueeze', [
    model.op('Cast', [mask], { to: ELEMENT.float32 }),
    model.ints('last', [2]),
  ])
  model.op('Mul', [model.op('Gather', [table, ids]), wide], {}, 'last_hidden_state')
  model.output('last_hidden_state', ELEMENT.float32, ['batch', 'tokens', dimensions])
  return model.serialize(17, {})
}

function tokenizer(): string {
  const added = SPECIAL.map((content, id) => {
    return { id, content, single_word: false, lstrip: false, rstrip: false, normalized: false, special: true }
  })
  return JSON.stringify({
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: added,
    normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Lowercase' }] },
    pre_tokenizer: {
      type: 'Sequence',
      pretokenizers: [
        { type: 'WhitespaceSplit' },
        { type: 'Metaspace', replacement: SPACE_MARK, prepend_scheme: 'always', split: true },
      ],
    },
    post_processor: {
      type: 'TemplateProcessing',
      single: [
        { SpecialToken: { id: '<s>', type_id: 0 } },
        { Sequence: { id: 'A', type_id: 0 } },
        { SpecialToken: { id: '</s>', type_id: 0 } },
      ],
      pair: [],
      special_tokens: {
        '<s>': { id: '<s>', ids: [0], tokens: ['<s>'] },
        '</s>': { id: '</s>', ids: [2], tokens: ['</s>'] },
      },
    },
    decoder: { type: 'Metaspace', replacement: SPACE_MARK, prepend_scheme: 'always', split: true },
    model: { type: 'Unigram', unk_id: 3, vocab: pieces(), byte_fallback: false },
  })
}

export function makeTinyE5(folder: string, id: string = TINY_E5.id): void {
  writeModel(folder, {
    ...TINY_E5,
    id,
    task: 'embedding',
    queryPrefix: 'query: ',
    passagePrefix: 'passage: ',
    files: {
      'onnx/model_quantized.onnx': graph(),
      'tokenizer.json': tokenizer(),
      'tokenizer_config.json': JSON.stringify({
        tokenizer_class: 'XLMRobertaTokenizer',
        unk_token: '<unk>',
        model_max_length: TINY_E5.maxTokens,
      }),
    },
  })
}

if (import.meta.main) {
  const [folder, id] = process.argv.slice(2)
  if (folder === undefined) throw new Error('usage: e5.ts FOLDER [ID]')
  makeTinyE5(folder, id)
}
