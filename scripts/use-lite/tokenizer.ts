// The vocabulary of the Universal Sentence Encoder Lite as a Hugging Face tokenizer.json that cuts texts exactly as
// the original does: NFKC, a mark for each space and one before the text, the likeliest division into pieces.

import { parseOrThrow, parser, t } from '../../src/lib/schema.ts'

const VOCABULARY = parser(t.Array(t.Tuple([t.String(), t.Union([t.Number(), t.Null()])])))
const SPACE_MARK = '\u2581'
/** Id 0 is the unknown piece. The original never matches the ids up to this one. */
const LAST_RESERVED = 5

export function buildTokenizer(vocabulary: unknown): object {
  const pieces = parseOrThrow(VOCABULARY, vocabulary, 'vocab.json')
  const vocab = pieces.map(([piece, score], id) => [
    // Spaces have become marks before pieces are matched, so a name with a space in it never is.
    id > 0 && id <= LAST_RESERVED ? `<reserved ${id}>` : piece,
    // The original takes a missing score for 0.
    score ?? 0,
  ])
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [],
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'NFKC' },
        { type: 'Prepend', prepend: SPACE_MARK },
        { type: 'Replace', pattern: { String: ' ' }, content: SPACE_MARK },
      ],
    },
    // Four pieces that begin with "▁:" have no score, and the original's search takes a running total of exactly 0 for
    // "not reached": at the very start of a text it never uses them.
    pre_tokenizer: {
      type: 'Split',
      pattern: { Regex: `^${SPACE_MARK}(?=:)` },
      behavior: 'Isolated',
      invert: false,
    },
    post_processor: null,
    decoder: { type: 'Metaspace', replacement: SPACE_MARK, prepend_scheme: 'always', split: false },
    model: { type: 'Unigram', unk_id: 0, vocab, byte_fallback: false },
  }
}
