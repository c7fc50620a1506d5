// Reading a JSON request body: bounded in bytes and in time, refused as early as possible, never buffered beyond the limit.

import { asError, Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { parseJson } from './json.ts'

export const JSON_BODY_MAX_BYTES = 1_048_576
const BODY_TIMEOUT_MS = 30 * SECOND

/** Problems: `request_body_required`, `input_too_large`, `invalid_parameter`. */
export async function readJsonBody(request: Request): Promise<unknown> {
  return parseJson(await readTextBody(request, refuseOtherContent))
}

/** Not blank, valid UTF-8, at most 1 MiB. `checkType` sees the content type before anything is read. */
export async function readTextBody(request: Request, checkType: (header: string) => void): Promise<string> {
  refuseLargeBody(request)
  if (request.body === null || request.headers.get('content-length') === '0') throw bodyRequired()
  checkType(request.headers.get('content-type') ?? '')
  const bytes = await readBytes(request.body)
  if (bytes.byteLength === 0) throw bodyRequired()
  const text = decode(bytes)
  if (text.trim() === '') throw bodyRequired()
  return text
}

/** By the announced length alone: for every request whose body is not meant to be large. */
export function refuseLargeBody(request: Request): void {
  if (Number(request.headers.get('content-length') ?? 0) > JSON_BODY_MAX_BYTES) throw tooLarge()
}

function bodyRequired(): Problem {
  return new Problem('request_body_required', 'The request has no body. Send a JSON object.')
}

function tooLarge(): Problem {
  return new Problem('input_too_large', 'The body is larger than 1 MiB, the limit for JSON requests.')
}

function tooSlow(): Problem {
  const seconds = BODY_TIMEOUT_MS / SECOND
  return new Problem('invalid_parameter', `The body did not arrive within ${seconds} seconds. Send it again.`)
}

function refuseOtherContent(header: string): void {
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase())
  const charset = parameters.find((part) => part.startsWith('charset='))?.replaceAll('"', '')
  const isJson = type === 'application/json' || /^application\/[a-z0-9.-]+\+json$/.test(type)
  if (isJson && (charset === undefined || charset === 'charset=utf-8')) return
  throw new Problem(
    'invalid_parameter',
    'Send the body as JSON in UTF-8, with Content-Type: application/json.',
  )
}

async function readBytes(body: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const reader = body.getReader()
  let late = false
  const timer = setTimeout(() => {
    late = true
    // Ends the read under way.
    void reader.cancel().catch(() => undefined)
  }, BODY_TIMEOUT_MS)
  try {
    const bytes = await readAll(() => reader.read())
    if (late) throw tooSlow()
    return bytes
  } catch (error) {
    void reader.cancel().catch(() => undefined)
    if (error instanceof Problem) throw error
    throw new Problem('invalid_parameter', 'The body broke off before its end. Send it again.', {
      cause: asError(error),
    })
  } finally {
    clearTimeout(timer)
  }
}

type Chunk = { readonly done: boolean; readonly value?: Uint8Array | undefined }

async function readAll(read: () => Promise<Chunk>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for (;;) {
    const { done, value } = await read()
    if (done || value === undefined) return Buffer.concat(chunks)
    sizeBytes += value.byteLength
    if (sizeBytes > JSON_BODY_MAX_BYTES) throw tooLarge()
    chunks.push(value)
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (cause) {
    throw new Problem('invalid_parameter', 'The body is not valid UTF-8.', { cause })
  }
}
