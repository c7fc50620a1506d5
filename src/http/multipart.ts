// Reading multipart/form-data (RFC 7578) as it arrives: files are handed on in chunks and never gathered in memory, and
// reading waits for whoever takes them. Bounded in bytes, parts and patience.

import { Busboy, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy'
import { asError, Problem } from '../lib/problem.ts'
import { type BodyLimits, limitedBody } from '../net/limited-body.ts'

const FIELDS_MAX = 50
const FIELD_BYTES_MAX = 65_536
const HEADER_BYTES_MAX = 16_384
/** Of the body, beside the content of files: boundaries, headers and fields. */
export const OVERHEAD_BYTES_MAX = 1_048_576
/** What lies between the network and the disk. */
const CHUNK_BYTES = 65_536

export interface FilePart {
  /** Name of the form's field. */
  readonly field: string
  /** As it was sent, without folders; '' when there was none. */
  readonly name: string
  /** Read it to its end, or throw. */
  readonly content: AsyncIterable<Uint8Array>
}

export interface MultipartOptions extends BodyLimits {
  readonly signal: AbortSignal
  /** Fields that may be given several times; their values come joined by line feeds. */
  readonly lists?: readonly string[]
  /** Called for each file in turn; what it throws ends the reading and is thrown on. */
  readonly onFile: (file: FilePart) => Promise<void>
}

/**
 * The form's other fields, by name, once everything was read. Problems: `request_body_required`, `invalid_parameter` (no
 * multipart, malformed, broken off, too slow, a field twice), `input_too_large`.
 */
export async function readMultipart(
  request: Request,
  options: MultipartOptions,
): Promise<ReadonlyMap<string, string>> {
  if (request.body === null) {
    throw new Problem('request_body_required', 'The request has no body. Send multipart/form-data.')
  }
  const fields = new Map<string, string>()
  const failed = Promise.withResolvers<never>()
  failed.promise.catch(() => undefined)
  const files: Promise<void>[] = []
  const parser = createParser(request)
  parser.on('error', (error) => failed.reject(malformed(error)))
  for (const [event, what] of TOO_MANY) parser.on(event, () => failed.reject(tooMany(what)))
  parser.on('field', (name, value, _nameTruncated, valueTruncated) => {
    if (valueTruncated) failed.reject(tooMany(`bytes in the field ${safe(name)}`))
    const former = fields.get(name)
    if (former !== undefined && options.lists?.includes(name) !== true) failed.reject(twice(name))
    fields.set(name, former === undefined ? value : `${former}\n${value}`)
  })
  parser.on('file', (field, content, name: string | undefined) => {
    // A body that ends inside a file is told to the parser, too.
    content.on('error', () => undefined)
    failed.promise.catch((error: unknown) => content.destroy(asError(error)))
    const taken = options.onFile({ field, name: name ?? '', content })
    files.push(taken)
    taken.catch((error: unknown) => failed.reject(error))
  })
  try {
    await feed(parser, limitedBody(request.body, options, options.signal), failed)
    await Promise.race([Promise.all(files), failed.promise])
    return fields
  } finally {
    // Whoever cleans up after a failure must not be overtaken by a file that is still being taken.
    await Promise.allSettled(files)
  }
}

const TOO_MANY = [
  ['partsLimit', 'parts'],
  ['fieldsLimit', 'fields'],
  ['filesLimit', 'files'],
] as const

function createParser(request: Request): BusboyInstance {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) {
    throw new Problem('invalid_parameter', 'Send the request as multipart/form-data.')
  }
  const headers: BusboyHeaders = { 'content-type': type }
  const limits = {
    fields: FIELDS_MAX,
    files: FIELDS_MAX,
    parts: 2 * FIELDS_MAX,
    fieldSize: FIELD_BYTES_MAX,
    headerPairs: 20,
    headerSize: HEADER_BYTES_MAX,
  }
  try {
    return new Busboy({ headers, limits, fileHwm: CHUNK_BYTES, highWaterMark: CHUNK_BYTES })
  } catch (error) {
    throw malformed(error)
  }
}

/** Each chunk waits until the one before it was taken. */
async function feed(
  parser: BusboyInstance,
  body: AsyncIterable<Uint8Array>,
  failed: PromiseWithResolvers<never>,
): Promise<void> {
  const finished = new Promise<void>((resolve) => parser.once('finish', resolve))
  try {
    for await (const chunk of body) {
      const taken = new Promise<void>((resolve) => parser.write(chunk, () => resolve()))
      await Promise.race([taken, failed.promise])
    }
    parser.end()
    await Promise.race([finished, failed.promise])
  } catch (error) {
    // Those who read a file must not wait for the rest of it.
    failed.reject(error)
    throw ofUpload(error)
  }
}

/** The body's own faults are worded for media that we fetch; here the client sent it. */
function ofUpload(error: unknown): unknown {
  if (!(error instanceof Problem)) return error
  if (error.code === 'input_too_large') {
    return new Problem('input_too_large', 'The file is larger than this server accepts.', { cause: error })
  }
  if (error.code !== 'metadata_fetch_failed') return error
  return new Problem('invalid_parameter', 'The body broke off or came too slowly. Send it again.', {
    cause: error,
  })
}

function malformed(error: unknown): Problem {
  return new Problem('invalid_parameter', 'The body is not complete multipart/form-data. Send it again.', {
    cause: asError(error),
  })
}

function tooMany(what: string): Problem {
  return new Problem('invalid_parameter', `The form has too many ${what}.`)
}

function twice(name: string): Problem {
  return new Problem('invalid_parameter', `The field "${safe(name)}" is given more than once.`)
}

function safe(name: string): string {
  return name.replaceAll(/[^\w.-]/g, '?').slice(0, 100)
}
