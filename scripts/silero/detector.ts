// Silero VAD v6 for 16 kHz (MIT) as a graph that takes any number of frames at once: the published one takes one, and
// calling it costs four times what it computes. The layers are those of the published graph: a short-time Fourier
// transform as a convolution, four convolutions, an LSTM over the frames, one output.

import type { Constants } from '../onnx/reader.ts'
import { ELEMENT, OnnxGraph } from '../onnx/writer.ts'

const OPSET = 17
/** 64 samples of the frame before, and 512 of its own. */
const FRAME = 576
const REFLECTED = 64
const WINDOW = 256
const HOP = 128
/** Frequencies of the transform, and widths of the convolutions with their strides. */
const BINS = WINDOW / 2 + 1
const CONVOLUTIONS = [
  { from: BINS, to: 128, stride: 1 },
  { from: 128, to: 64, stride: 2 },
  { from: 64, to: 64, stride: 2 },
  { from: 64, to: 128, stride: 1 },
] as const
const HIDDEN = 128

/** Inputs `frames` (n × 576) and `state` (2 × 1 × 128); outputs `probabilities` (n × 1) and `stateN`. */
export function buildDetector(constants: Constants): Uint8Array {
  const graph = new OnnxGraph('silero-vad-v6-16k')
  const frames = graph.input('frames', ELEMENT.float32, ['frames', FRAME])
  const state = graph.input('state', ELEMENT.float32, [2, 1, HIDDEN])
  const sound = encode(graph, constants, spectrum(graph, constants, frames))

  const [hidden, cell] = graph.split(state, 0, [1, 1])
  const step = graph.op('Unsqueeze', [sound, graph.ints('axis_1', [1])])
  const weights = lstmWeights(graph, constants)
  const memory = graph.lstm(step, HIDDEN, { weights, hidden: hidden ?? '', cell: cell ?? '' })
  graph.op('Concat', [memory.hidden, memory.cell], { axis: 0 }, 'stateN')
  graph.output('stateN', ELEMENT.float32, [2, 1, HIDDEN])

  const flat = graph.op('Reshape', [memory.sequence, graph.ints('flat', [-1, HIDDEN])])
  const weight = graph.floats('out.weight', [HIDDEN, 1], constants('decoder.decoder.2.weight', HIDDEN))
  const bias = graph.floats('out.bias', [1], constants('decoder.decoder.2.bias', 1))
  const logit = graph.op('Add', [graph.op('MatMul', [graph.op('Relu', [flat]), weight]), bias])
  graph.op('Sigmoid', [logit], {}, 'probabilities')
  graph.output('probabilities', ELEMENT.float32, ['frames', 1])
  return graph.serialize(OPSET, {
    source: 'Silero VAD v6, from the npm package @ricky0123/vad-web',
    license: 'MIT',
    changes: 'the branch for 16 kHz, made to take many frames at once',
  })
}

/** Magnitudes, frames × 129 × 4. The end of each frame is reflected. */
function spectrum(graph: OnnxGraph, constants: Constants, frames: string): string {
  const mirrored = Array.from({ length: REFLECTED }, (_, index) => FRAME - 2 - index)
  const order = [...Array.from({ length: FRAME }, (_, index) => index), ...mirrored]
  const padded = graph.op('Gather', [frames, graph.ints('reflection', order)], { axis: 1 })
  const channel = graph.op('Unsqueeze', [padded, graph.ints('axis_1', [1])])
  const basis = constants('stft.forward_basis_buffer', 2 * BINS * WINDOW)
  const transform = graph.floats('stft', [2 * BINS, 1, WINDOW], basis)
  const parts = graph.split(graph.op('Conv', [channel, transform], { strides: [HOP] }), 1, [BINS, BINS])
  const [real, imaginary] = parts.map((part) => graph.op('Mul', [part, part]))
  return graph.op('Sqrt', [graph.op('Add', [real ?? '', imaginary ?? ''])])
}

/** Frames × 128. */
function encode(graph: OnnxGraph, constants: Constants, magnitudes: string): string {
  let sound = magnitudes
  for (const [index, { from, to, stride }] of CONVOLUTIONS.entries()) {
    const name = `encoder.${index}.reparam_conv`
    const kernel = constants(`${name}.weight`, to * from * 3)
    const weight = graph.floats(`${name}.weight`, [to, from, 3], kernel)
    const bias = graph.floats(`${name}.bias`, [to], constants(`${name}.bias`, to))
    const attributes = { kernel_shape: [3], pads: [1, 1], strides: [stride] }
    sound = graph.op('Relu', [graph.op('Conv', [sound, weight, bias], attributes)])
  }
  return graph.op('Squeeze', [sound, graph.ints('axis_2', [2])])
}

/** W, R and B for ONNX: the published ones have PyTorch's order of gates, input, forget, cell, output. */
function lstmWeights(graph: OnnxGraph, constants: Constants): string[] {
  const size = 4 * HIDDEN * HIDDEN
  const fromInput = reordered(constants('decoder.rnn.weight_ih', size))
  const fromHidden = reordered(constants('decoder.rnn.weight_hh', size))
  const inputBias = reordered(constants('decoder.rnn.bias_ih', 4 * HIDDEN))
  const hiddenBias = reordered(constants('decoder.rnn.bias_hh', 4 * HIDDEN))
  return [
    graph.floats('lstm.W', [1, 4 * HIDDEN, HIDDEN], fromInput),
    graph.floats('lstm.R', [1, 4 * HIDDEN, HIDDEN], fromHidden),
    graph.floats('lstm.B', [1, 8 * HIDDEN], Float32Array.of(...inputBias, ...hiddenBias)),
  ]
}

function reordered(gates: Float32Array): Float32Array {
  const quarter = gates.length / 4
  const result = new Float32Array(gates.length)
  for (const [to, from] of [0, 3, 1, 2].entries()) {
    result.set(gates.subarray(from * quarter, (from + 1) * quarter), to * quarter)
  }
  return result
}
