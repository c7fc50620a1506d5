// GET /health: free, without a key. Answers 200 whenever the process can answer; `checks` say how well each part does.

import type { Log } from '../lib/log.ts'
import { type Infer, t } from '../lib/schema.ts'
import { sleep } from '../lib/time.ts'
import { answer } from './envelope.ts'
import { type Admission, type Route, route } from './route.ts'

export interface CheckResult {
  readonly status: 'ok' | 'degraded' | 'missing'
  readonly message: string
}

/** Cheap: it looks, it does not exercise. A check that throws or takes over two seconds counts as degraded. */
export type Check = () => CheckResult | Promise<CheckResult>

const CHECK_TIMEOUT_MS = 2_000

const Health = t.Object({
  status: t.Literal('success'),
  message: t.String(),
  version: t.String(),
  endpoints: t.Array(
    t.Object({
      path: t.String(),
      method: t.String(),
      description: t.String(),
      auth_required: t.Boolean(),
    }),
  ),
  checks: t.Record(
    t.String(),
    t.Object({
      status: t.Union([t.Literal('ok'), t.Literal('degraded'), t.Literal('missing')]),
      message: t.String(),
    }),
  ),
})

export interface HealthOptions {
  readonly version: string
  /** Part → its check: database, storage, speech, embedding, llm, downloader. */
  readonly checks: Readonly<Record<string, Check>>
  /** Every route of the server, asked per request. */
  readonly routes: () => readonly Route[]
  /** How often an address may ask. */
  readonly auth?: Admission<undefined>
}

export function healthRoute({ version, checks, routes, auth }: HealthOptions): Route {
  return route(
    {
      method: 'GET',
      path: '/health',
      tag: 'Service',
      summary: 'Health of the server and of its parts',
      description: 'Parts that are degraded or missing do not change the status 200.',
      responses: { 200: Health },
      ...(auth ? { auth, errors: ['rate_limit_exceeded'] } : {}),
    },
    async ({ log }) => {
      const results = await Promise.all(
        Object.entries(checks).map(async ([name, check]) => [name, await run(name, check, log)] as const),
      )
      return answer(200, {
        status: 'success' as const,
        message: summary(results),
        version,
        endpoints: routes().filter(isPublic).map(endpointOf),
        checks: Object.fromEntries(results),
      })
    },
  )
}

const isPublic = ({ base }: Route): boolean => base === '/v1'

function endpointOf({
  base,
  path,
  method,
  summary,
  permission,
}: Route): Infer<typeof Health>['endpoints'][0] {
  return { path: base + path, method, description: summary, auth_required: permission !== undefined }
}

async function run(name: string, check: Check, log: Log): Promise<CheckResult> {
  const done = new AbortController()
  const late = async (): Promise<CheckResult> => {
    await sleep(CHECK_TIMEOUT_MS, done.signal)
    return { status: 'degraded', message: 'The check did not end in time.' }
  }
  try {
    return await Promise.race([check(), late()])
  } catch (err) {
    // Anyone may read the answer: the detail stays in the log.
    log.warn({ err, check: name }, 'health check failed')
    return { status: 'degraded', message: 'The check failed; the log says why.' }
  } finally {
    done.abort()
  }
}

function summary(results: readonly (readonly [string, CheckResult])[]): string {
  const unwell = results.filter(([, { status }]) => status !== 'ok')
  if (unwell.length === 0) return 'Earshot is running.'
  return `Earshot is running. ${unwell.map(([name, { status }]) => `${name}: ${status}`).join(', ')}.`
}
