// The bodies of extraction requests: JSON, YAML or multipart/form-data, all to the same plain object. What it says is
// checked by the route, whatever its form was.

import { OVERHEAD_BYTES_MAX, readMultipart } from '../http/multipart.ts'
import { JSON_BODY_MAX_BYTES, readJsonBody, readTextBody, refuseLargeBody } from '../http/body.ts'
import { Problem } from '../lib/problem.ts'
import { parseYaml, YAML_BYTES_MAX } from './yaml.ts'

const YAML_TYPES = new Set(['application/yaml', 'application/x-yaml', 'text/yaml'])

/** Replaces the JSON reader of a route. Problems as `readJsonBody`, and `invalid_schema` for a schema that is no YAML. */
export async function readExtractionBody(request: Request): Promise<unknown> {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  if (type === 'multipart/form-data') return readForm(request)
  if (YAML_TYPES.has(type)) return parseYaml(await readTextBody(request, refuseCharset), 'The body')
  if (type === 'application/json' || type.endsWith('+json') || request.body === null)
    return readJsonBody(request)
  throw new Problem(
    'invalid_parameter',
    'Send the body as JSON (application/json), YAML (application/yaml) or multipart/form-data, in UTF-8.',
  )
}

function refuseCharset(header: string): void {
  const charset = /charset="?([^";\s]+)/i.exec(header)?.[1]
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8')
    throw new Problem('invalid_parameter', 'Send the body in UTF-8.')
}

const FLAGS = new Set(['transcribe', 'include_usage', 'transcript_text'])
const FLAG_VALUES = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
])

/** Text fields, of which `schema` is JSON or YAML, as text or as a file; flags are texts such as `true`. */
async function readForm(request: Request): Promise<Record<string, unknown>> {
  refuseLargeBody(request)
  let file: string | undefined
  const fields = await readMultipart(request, {
    maxBytes: JSON_BODY_MAX_BYTES + OVERHEAD_BYTES_MAX,
    signal: request.signal,
    async onFile({ field, content }) {
      if (field !== 'schema' || file !== undefined)
        throw new Problem('invalid_parameter', 'Only one file is accepted, in the field "schema".')
      file = await textOf(content)
    },
  })
  if (file !== undefined && fields.has('schema'))
    throw new Problem('invalid_parameter', '"schema" is given twice: as a field and as a file.')
  const body: [string, unknown][] = [...fields].map(([name, text]) => [name, valueOf(name, text)])
  if (file !== undefined) body.push(['schema', valueOf('schema', file)])
  return Object.fromEntries(body)
}

/** JSON is YAML. A text that fits no flag stays text, for the route's schema to refuse. */
function valueOf(name: string, text: string): unknown {
  if (name === 'schema') return text.trim() === '' ? undefined : schemaOf(text)
  if (!FLAGS.has(name)) return text
  return text.trim() === '' ? undefined : (FLAG_VALUES.get(text.trim().toLowerCase()) ?? text)
}

function schemaOf(text: string): unknown {
  try {
    return parseYaml(text, 'The text of "schema"')
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'invalid_parameter') throw error
    throw new Problem('invalid_schema', error.message, { cause: error })
  }
}

async function textOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  for await (const chunk of content) {
    sizeBytes += chunk.byteLength
    if (sizeBytes > YAML_BYTES_MAX) {
      throw new Problem(
        'input_too_large',
        `The file "schema" is larger than ${YAML_BYTES_MAX} bytes, its limit.`,
      )
    }
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new Problem('invalid_schema', 'The file "schema" is not valid UTF-8.', { cause })
  }
}
