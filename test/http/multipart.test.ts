// Multipart forms however they are cut into pieces, and those that never end.

import { describe, expect, test } from 'bun:test'
import { readMultipart } from '../../src/http/multipart.ts'
import { BOUNDARY, formBytes } from '../support/files.ts'

const TYPE = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }

interface Read {
  readonly fields: Readonly<Record<string, string>>
  readonly files: readonly { field: string; name: string; content: string }[]
}

async function read(
  body: ReadableStream<Uint8Array>,
  limits: { stallMs?: number; maxBytes?: number } = {},
): Promise<Read> {
  const files: Read['files'][number][] = []
  const request = new Request('http://localhost/', { method: 'POST', headers: TYPE, body })
  const fields = await readMultipart(request, {
    maxBytes: 1_000_000,
    signal: new AbortController().signal,
    ...limits,
    async onFile({ field, name, content }) {
      const decoder = new TextDecoder()
      let text = ''
      for await (const chunk of content) text += decoder.decode(chunk, { stream: true })
      files.push({ field, name, content: text })
    },
  })
  return { fields: Object.fromEntries(fields), files }
}

function pieces(bytes: Uint8Array, size: number, ends = true): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      const isOver = at >= bytes.byteLength
      if (!isOver) controller.enqueue(bytes.slice(at, (at += size)))
      else if (ends) controller.close()
      return isOver && !ends ? new Promise<void>(() => undefined) : undefined
    },
  })
}

const PARTS = [
  { name: 'first', content: 'ü\r\n--ear--boundar' },
  {
    name: 'file',
    filename: 'filename="a.wav"',
    content: `\r\n--${BOUNDARY.slice(0, -1)}\r\n${'x'.repeat(2_000)}\r\n--`,
  },
  { name: 'last', content: '' },
]

describe('a form', () => {
  test('says the same however it is cut', async () => {
    const form = formBytes(PARTS)
    for (const size of [1, 2, 3, 7, 64, 1_000, 100_000]) {
      expect(await read(pieces(form, size))).toEqual({
        fields: { first: PARTS[0]?.content ?? '', last: '' },
        files: [{ field: 'file', name: 'a.wav', content: PARTS[1]?.content ?? '' }],
      })
    }
  })

  test('that ends anywhere before its end is refused, wherever it is cut off', async () => {
    const form = formBytes(PARTS)
    for (let length = 1; length < form.byteLength - 4; length += 13) {
      const outcome = await read(pieces(form.slice(0, length), 50)).catch(
        (error: { code: string }) => error.code,
      )
      expect([length, outcome]).toEqual([length, 'invalid_parameter'])
    }
  })

  test('that stops coming is given up, inside a file and outside', async () => {
    const form = formBytes(PARTS)
    for (const length of [10, 150, form.byteLength - 10]) {
      const stopped = pieces(form.slice(0, length), 50, false)
      const outcome = await read(stopped, { stallMs: 30 }).catch((error: { code: string }) => error.code)
      expect([length, outcome]).toEqual([length, 'invalid_parameter'])
    }
  })

  test('that is larger than allowed is refused', async () => {
    const outcome = await read(pieces(formBytes(PARTS), 100), { maxBytes: 1_000 }).catch(
      (error: { code: string }) => error.code,
    )
    expect(outcome).toBe('input_too_large')
  })
})
