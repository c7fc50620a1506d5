// The OpenAPI 3.1 document, made from the same route values that serve the requests: it cannot drift from them.

import { Problem, type ProblemCode } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { type Answer, problemAnswer } from './envelope.ts'
import { PROBLEM_DOCS } from './problem-docs.ts'
import type { Route } from './route.ts'
import { TAGS } from './tags.ts'

type Json = Readonly<Record<string, unknown>>

export const ErrorEnvelope = t.Object(
  {
    status: t.Literal('error'),
    error: t.Optional(t.String({ description: 'Machine code; branch on this. Absent for 401 and 502.' })),
    message: t.String({ description: 'What was wrong with what, and what to do.' }),
    docs_url: t.Optional(t.String({ format: 'uri' })),
    error_code: t.Optional(t.String({ description: 'With 402: the same as `error`.' })),
    retry_after_seconds: t.Optional(t.Number({ description: 'With 503.' })),
  },
  { examples: [{ status: 'error', error: 'missing_parameter', message: '"video_url" is required.' }] },
)

const DESCRIPTION =
  'Transcripts and analysis of online videos and uploaded media. Successful answers carry `status: "success"` and ' +
  '`data`; failures carry the error envelope. Timestamps are ISO 8601 UTC, durations are seconds.'

export function openApiDocument(routes: readonly Route[], version: string): Json {
  const documented = routes.filter(({ base }) => base === '/v1')
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of documented) {
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Earshot',
      version,
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    // Relative: right behind any proxy and under any name.
    servers: [{ url: '/v1' }],
    tags: [...new Set(documented.map(({ tag }) => tag))].map((name) => ({
      name,
      description: TAGS[name] ?? name,
    })),
    paths,
    components: {
      schemas: { Error: ErrorEnvelope },
      securitySchemes: {
        ApiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description: 'Made with `earshot keys create`.',
        },
        Bearer: { type: 'http', scheme: 'bearer', description: 'The same key as a bearer token.' },
      },
    },
  }
}

function operation(route: Route): Json {
  const permission =
    route.permission === undefined || route.permission === 'any'
      ? []
      : [`Needs the permission \`${route.permission}\`.`]
  const description = [...(route.description === undefined ? [] : [route.description]), ...permission].join(
    '\n\n',
  )
  const parameters = [...pathParameters(route), ...queryParameters(route), ...headerParameters(route)]
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^a-z0-9]+/gi, '_')}`,
    summary: route.summary,
    ...(route.aliasOf === undefined ? {} : { deprecated: true }),
    tags: [route.tag],
    security: route.permission === undefined ? [] : [{ ApiKey: [] }, { Bearer: [] }],
    ...(description === '' ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...requestBody(route),
    responses: either(successes(route), failures(route)),
  }
}

function requestBody({ body, form }: Route): Json {
  const content = {
    ...(body === undefined ? {} : { 'application/json': { schema: body } }),
    ...(form === undefined ? {} : { 'multipart/form-data': { schema: form } }),
  }
  return Object.keys(content).length === 0 ? {} : { requestBody: { required: true, content } }
}

function pathParameters({ path }: Route): Json[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }))
}

function queryParameters({ query }: Route): Json[] {
  const properties = (query?.['properties'] ?? {}) as Readonly<Record<string, Json>>
  const required = (query?.['required'] ?? []) as readonly string[]
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: schema['description'] ?? '',
    schema,
  }))
}

function headerParameters({ charges }: Route): Json[] {
  if (!charges) return []
  const description =
    'Makes it safe to send the request again: for 24 hours the same key gets the first answer, marked ' +
    '`Idempotent-Replayed: true`, and nothing is done or charged twice.'
  const schema = { type: 'string', minLength: 1, maxLength: 255 }
  return [{ name: 'Idempotency-Key', in: 'header', required: false, description, schema }]
}

function successes({ responses, texts }: Route): Record<string, Json> {
  const asText = Object.fromEntries(texts.map((type) => [type, { schema: { type: 'string' } }]))
  const entries: [string, Json][] = Object.entries(responses).map(([status, schema]) => [
    status,
    {
      description: schema.description ?? 'Success',
      // Answers without a body are declared as void.
      ...(schema['type'] === 'void'
        ? {}
        : { content: { 'application/json': { schema }, ...(status === '200' ? asText : {}) } }),
    },
  ])
  if (texts.length > 0 && !('200' in responses))
    entries.push(['200', { description: 'Success', content: asText }])
  return Object.fromEntries(entries)
}

const EXAMPLE_URL = 'https://earshot.example.com'

/** A status that is both – a 402 that carries what was found so far – may have either body. */
function either(first: Record<string, Json>, second: Record<string, Json>): Record<string, Json> {
  const merged = { ...first, ...second }
  for (const [status, one] of Object.entries(first)) {
    const other = second[status]
    if (!other) continue
    const schema = { anyOf: [jsonOf(one)['schema'], jsonOf(other)['schema']] }
    const description = [one, other].map((response) => String(response['description'])).join('\n\n')
    merged[status] = { description, content: { 'application/json': { ...jsonOf(other), schema } } }
  }
  return merged
}

function jsonOf(response: Json): Json {
  const content = response['content'] as Readonly<Record<string, Json>> | undefined
  return content?.['application/json'] ?? {}
}

/** One response per status, with an example per code. */
function failures(route: Route): Record<string, Json> {
  const { failure } = route
  const answerTo = (code: ProblemCode): Answer =>
    (failure?.answer ?? problemAnswer)(new Problem(code, PROBLEM_DOCS[code]), EXAMPLE_URL)
  const byStatus = Map.groupBy(problemsOf(route), (code) => answerTo(code).httpStatus)
  const schema = failure?.schema ?? { $ref: '#/components/schemas/Error' }
  const entries = [...byStatus].map(([status, codes]) => [
    String(status),
    {
      description: codes.map((code) => `\`${code}\`: ${PROBLEM_DOCS[code]}`).join('\n\n'),
      content: {
        'application/json': {
          schema,
          examples: Object.fromEntries(codes.map((code) => [code, { value: answerTo(code).body }])),
        },
      },
    },
  ])
  return Object.fromEntries(entries) as Record<string, Json>
}

const KEYED: readonly ProblemCode[] = ['unauthorized', 'access_denied', 'rate_limit_exceeded']
const WITH_BODY: readonly ProblemCode[] = [
  'request_body_required',
  'missing_parameter',
  'invalid_parameter',
  'input_too_large',
]

function problemsOf({ permission, body, query, errors }: Route): readonly ProblemCode[] {
  const codes = new Set<ProblemCode>([
    ...(body === undefined ? [] : WITH_BODY),
    ...(query === undefined ? [] : (['invalid_parameter'] as const)),
    ...(permission === undefined ? [] : KEYED),
    ...errors,
    'internal_server_error',
  ])
  return [...codes]
}
