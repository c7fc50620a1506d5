// Writes ONNX models: just the protobuf messages that a small inference graph needs (onnx.proto, IR version 8).
// The same calls give the same bytes: names of intermediate values are counted, nothing depends on time or place.

const IR_VERSION = 8
const ATTRIBUTE_FLOAT = 1
const ATTRIBUTE_INT = 2
const ATTRIBUTE_INTS = 7

/** Element types of tensors, as onnx.proto numbers them. */
export const ELEMENT = { float32: 1, int8: 3, int64: 7 } as const
type Element = (typeof ELEMENT)[keyof typeof ELEMENT]

/** A number is an integer attribute, `{ float }` a floating-point one, an array a list of integers. */
type Attribute = number | { readonly float: number } | readonly number[]

/** A symbol such as `batch` stands for a size that each run may choose. */
type Dimension = number | string

/** One protobuf message under construction. */
class Message {
  private readonly parts: Uint8Array[] = []

  int(field: number, value: number): this {
    this.varint(BigInt(field) << 3n)
    this.varint(BigInt.asUintN(64, BigInt(value)))
    return this
  }

  float(field: number, value: number): this {
    this.varint((BigInt(field) << 3n) | 5n)
    this.parts.push(new Uint8Array(Float32Array.of(value).buffer))
    return this
  }

  bytes(field: number, value: Uint8Array): this {
    this.varint((BigInt(field) << 3n) | 2n)
    this.varint(BigInt(value.byteLength))
    this.parts.push(value)
    return this
  }

  text(field: number, value: string): this {
    return this.bytes(field, new TextEncoder().encode(value))
  }

  message(field: number, value: Message): this {
    return this.bytes(field, value.finish())
  }

  finish(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.parts))
  }

  private varint(value: bigint): void {
    const bytes: number[] = []
    let rest = value
    while (rest > 0x7fn) {
      bytes.push(Number(rest & 0x7fn) | 0x80)
      rest >>= 7n
    }
    bytes.push(Number(rest))
    this.parts.push(Uint8Array.from(bytes))
  }
}

/** A graph that is built node by node. Values are known by name; every method returns the name of what it made. */
export class OnnxGraph {
  private readonly name: string
  private readonly nodes: Message[] = []
  private readonly constants: Message[] = []
  private readonly inputs: Message[] = []
  private readonly outputs: Message[] = []
  private readonly known = new Set<string>()
  private count = 0

  constructor(name: string) {
    this.name = name
  }

  /** A constant under its name; a second one of the same name is the first. */
  floats(name: string, shape: readonly number[], data: Float32Array): string {
    return this.constant(name, ELEMENT.float32, shape, bytesOf(data))
  }

  int8s(name: string, shape: readonly number[], data: Int8Array): string {
    return this.constant(name, ELEMENT.int8, shape, bytesOf(data))
  }

  ints(name: string, data: readonly number[]): string {
    return this.constant(name, ELEMENT.int64, [data.length], bytesOf(BigInt64Array.from(data, BigInt)))
  }

  scalar(name: string, value: number): string {
    return this.floats(name, [], Float32Array.of(value))
  }

  /** A node with one output, whose name is made up unless given. */
  op(
    type: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
    output = `${type}_${++this.count}`,
  ): string {
    this.node(type, inputs, attributes, [output])
    return output
  }

  /** Splits along an axis into parts of the given sizes. */
  split(input: string, axis: number, sizes: readonly number[]): string[] {
    const outputs = sizes.map((_, index) => `Split_${++this.count}_${index}`)
    this.node('Split', [input, this.ints(`sizes_${sizes.join('_')}`, sizes)], { axis }, outputs)
    return outputs
  }

  /** One layer, forwards. `weights` are W, R and B in ONNX's order of gates: input, output, forget, cell. */
  lstm(
    input: string,
    hiddenSize: number,
    { weights, hidden, cell }: { weights: readonly string[]; hidden: string; cell: string },
  ): { readonly sequence: string; readonly hidden: string; readonly cell: string } {
    const [sequence, lastHidden, lastCell] = ['Y', 'Y_h', 'Y_c'].map((part) => `LSTM_${this.count}_${part}`)
    if (!sequence || !lastHidden || !lastCell) throw new Error('three names make three values')
    const outputs = [sequence, lastHidden, lastCell]
    // The empty name: all sequences are as long as the input.
    this.node('LSTM', [input, ...weights, '', hidden, cell], { hidden_size: hiddenSize }, outputs)
    this.count++
    return { sequence, hidden: lastHidden, cell: lastCell }
  }

  input(name: string, element: Element, shape: readonly Dimension[]): string {
    this.inputs.push(valueInfo(name, element, shape))
    return name
  }

  output(name: string, element: Element, shape: readonly Dimension[]): void {
    this.outputs.push(valueInfo(name, element, shape))
  }

  serialize(opset: number, metadata: Readonly<Record<string, string>>): Uint8Array {
    const graph = new Message()
    for (const node of this.nodes) graph.message(1, node)
    graph.text(2, this.name)
    for (const constant of this.constants) graph.message(5, constant)
    for (const input of this.inputs) graph.message(11, input)
    for (const output of this.outputs) graph.message(12, output)
    const model = new Message().int(1, IR_VERSION).text(2, 'earshot').message(7, graph)
    model.message(8, new Message().text(1, '').int(2, opset))
    for (const [key, value] of Object.entries(metadata)) {
      model.message(14, new Message().text(1, key).text(2, value))
    }
    return model.finish()
  }

  private constant(name: string, element: Element, shape: readonly number[], raw: Uint8Array): string {
    if (this.known.has(name)) return name
    this.known.add(name)
    const tensor = new Message()
    for (const size of shape) tensor.int(1, size)
    this.constants.push(tensor.int(2, element).text(8, name).bytes(9, raw))
    return name
  }

  private node(
    type: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>>,
    outputs: readonly string[],
  ): void {
    const node = new Message()
    for (const input of inputs) node.text(1, input)
    for (const output of outputs) node.text(2, output)
    node.text(3, `node_${this.nodes.length}`).text(4, type)
    for (const [name, value] of Object.entries(attributes)) node.message(5, attributeOf(name, value))
    this.nodes.push(node)
  }
}

function attributeOf(name: string, value: Attribute): Message {
  const attribute = new Message().text(1, name)
  if (typeof value === 'number') return attribute.int(3, value).int(20, ATTRIBUTE_INT)
  if ('float' in value) return attribute.float(2, value.float).int(20, ATTRIBUTE_FLOAT)
  for (const item of value) attribute.int(8, item)
  return attribute.int(20, ATTRIBUTE_INTS)
}

function valueInfo(name: string, element: Element, shape: readonly Dimension[]): Message {
  const dimensions = new Message()
  for (const size of shape) {
    dimensions.message(1, typeof size === 'number' ? new Message().int(1, size) : new Message().text(2, size))
  }
  const tensor = new Message().int(1, element).message(2, dimensions)
  return new Message().text(1, name).message(2, new Message().message(1, tensor))
}

function bytesOf(data: Float32Array | Int8Array | BigInt64Array): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
}
