// Reads the float32 constants of an ONNX model, those inside its branches too: just the protobuf messages in which
// they lie (onnx.proto).

interface Field {
  readonly number: number
  /** A number for the wire type 0, bytes for the type 2. */
  readonly value: number | Uint8Array
}

const FLOAT32 = 1

/** The numbers of a constant, by the name of the value it is in the graph. Throws unless it has that size. */
export type Constants = (name: string, size: number) => Float32Array

/** Of `Constant` nodes; values in different branches have different names. */
export function readConstants(model: Uint8Array): Constants {
  const found = new Map<string, Float32Array>()
  for (const graph of messages(model, 7)) readGraph(graph, found)
  return (name, size) => {
    const data = found.get(name)
    if (data?.length === size) return data
    throw new Error(`the model has no constant "${name}" of ${size} numbers`)
  }
}

function readGraph(graph: Uint8Array, found: Map<string, Float32Array>): void {
  for (const node of messages(graph, 1)) {
    const [output] = messages(node, 2)
    for (const attribute of messages(node, 5)) {
      for (const branch of messages(attribute, 6)) readGraph(branch, found)
      for (const tensor of messages(attribute, 5)) {
        const data = floatsOf(tensor)
        if (output && data) found.set(new TextDecoder().decode(output), data)
      }
    }
  }
}

function floatsOf(tensor: Uint8Array): Float32Array | undefined {
  const [raw] = messages(tensor, 9)
  const type = fields(tensor).find(({ number }) => number === 2)?.value
  return type === FLOAT32 && raw ? new Float32Array(Uint8Array.from(raw).buffer) : undefined
}

function messages(message: Uint8Array, number: number): Uint8Array[] {
  return fields(message).flatMap((field) =>
    field.number === number && field.value instanceof Uint8Array ? [field.value] : [],
  )
}

/** The fields of a message, in order. Wire types 1 and 5 are skipped: nothing that is read here has them. */
function fields(message: Uint8Array): Field[] {
  const result: Field[] = []
  let at = 0
  const varint = (): number => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = message[at++]
      if (byte === undefined) throw new Error('the model ends inside a number')
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return Number(value)
    }
  }
  while (at < message.length) {
    const key = varint()
    const number = key >>> 3
    const wireType = key & 7
    if (wireType === 0) result.push({ number, value: varint() })
    else if (wireType === 1) at += 8
    else if (wireType === 5) at += 4
    else if (wireType === 2) {
      const length = varint()
      result.push({ number, value: message.subarray(at, at + length) })
      at += length
    } else throw new Error(`the model has a field of wire type ${wireType}`)
  }
  return result
}
