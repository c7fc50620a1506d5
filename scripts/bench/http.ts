// Requests per second and p99 of polls and submits, against a bare Bun.serve and an Elysia hello world on the same machine in
// the same run; and jobs from enqueued to done per second with synchronous=FULL. Ratios hold, absolute numbers do not.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { defineJob } from '../../src/jobs/job.ts'
import { enqueue } from '../../src/jobs/queue.ts'
import { createRunner } from '../../src/jobs/runner.ts'
import { silentLog } from '../../src/lib/log.ts'
import { parser, t } from '../../src/lib/schema.ts'
import { MINUTE } from '../../src/lib/time.ts'
import { startServer } from '../../test/support/server.ts'

const BINARY = join(import.meta.dir, '../../dist/earshot')
const CONNECTIONS = 16
const ROUND_MS = 2_000
const ROUNDS = 3

/** Plain servers in processes of their own, as the product is. */
const HELLO = {
  'Bun.serve': `Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ ok: true }) })`,
  Elysia: `new (await import('elysia')).Elysia().get('/', () => ({ ok: true })).listen({ port: 0, hostname: '127.0.0.1' }).server`,
}

interface Load {
  readonly name: string
  readonly request: () => Request
}

interface Figures {
  readonly perSecond: number
  readonly p99Ms: number
}

async function measure({ request }: Load): Promise<Figures> {
  const tookMs: number[] = []
  const until = performance.now() + ROUND_MS
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < until) {
        const startedAt = performance.now()
        const response = await fetch(request())
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`answered ${response.status}`)
        tookMs.push(performance.now() - startedAt)
      }
    }),
  )
  tookMs.sort((a, b) => a - b)
  return {
    perSecond: Math.round((tookMs.length / ROUND_MS) * 1_000),
    p99Ms: Number((tookMs[Math.floor(tookMs.length * 0.99)] ?? 0).toFixed(2)),
  }
}

async function startHello(source: string): Promise<{ url: string; stop(): void }> {
  const script = `const server = ${source}; console.log(server.port)`
  const child = Bun.spawn([process.execPath, '-e', script], { cwd: import.meta.dir, stdout: 'pipe' })
  const { value } = await child.stdout.getReader().read()
  return { url: `http://127.0.0.1:${new TextDecoder().decode(value).trim()}/`, stop: () => child.kill() }
}

async function benchHttp(): Promise<void> {
  const server = await startServer({
    binary: BINARY,
    // Submits alone are measured: what they ask for is refused by the guard as soon as a job looks at it.
    env: { EARSHOT_MAX_ACTIVE_JOBS: '100000', EARSHOT_MAX_QUEUED_JOBS: '1000000', EARSHOT_LOG: 'json' },
  })
  const hellos = await Promise.all(Object.values(HELLO).map((source) => startHello(source)))
  try {
    const key = await server.createKey()
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const body = JSON.stringify({ video_url: 'http://earshot-bench.example/a.mp3' })
    const first = await server.request('POST', '/v1/transcribe/async', { key, body })
    const loads: Load[] = [
      ...Object.keys(HELLO).map((name, index) => ({
        name,
        request: () => new Request(hellos[index]?.url ?? ''),
      })),
      {
        name: 'Earshot: poll',
        request: () => new Request(`${server.url}/v1/transcribe/${first.body.data.task_id}`, { headers }),
      },
      {
        name: 'Earshot: submit',
        request: () => new Request(`${server.url}/v1/transcribe/async`, { method: 'POST', headers, body }),
      },
    ]
    const best = new Map<string, Figures>()
    for (let round = 0; round < ROUNDS; round++) {
      for (const load of loads) {
        const figures = await measure(load)
        if (figures.perSecond > (best.get(load.name)?.perSecond ?? 0)) best.set(load.name, figures)
      }
    }
    const elysia = best.get('Elysia')?.perSecond ?? 1
    console.table(
      Object.fromEntries(
        [...best].map(([name, figures]) => [
          name,
          { ...figures, 'of Elysia': (figures.perSecond / elysia).toFixed(2) },
        ]),
      ),
    )
  } finally {
    for (const hello of hellos) hello.stop()
    await server.close()
  }
}

async function benchJobs(count: number): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'earshot-bench-'))
  const app = await createApp({ config: readConfig({ EARSHOT_DATA: dataDir }), log: silentLog() })
  app.db.run('create table done (n integer) strict')
  const insert = app.db.query('insert into done values ($n)')
  const job = defineJob<{ n: number }>({
    kind: 'bench',
    lane: 'net',
    attempts: 1,
    timeoutMs: MINUTE,
    args: parser(t.Object({ n: t.Integer() })),
    run:
      async ({ args }) =>
      () =>
        void insert.run({ n: args.n }),
  })
  const startedAt = performance.now()
  for (let n = 0; n < count; n++) enqueue(app, job, { n })
  const enqueuedAt = performance.now()
  await createRunner(app, { jobs: [job], lanes: { net: 4, compute: 1, webhooks: 4 } }).drain()
  const perSecond = (ms: number): number => Math.round((count / ms) * 1_000)
  console.table({
    'jobs enqueued': { perSecond: perSecond(enqueuedAt - startedAt) },
    'jobs run and committed': { perSecond: perSecond(performance.now() - enqueuedAt) },
    'jobs enqueued → done': { perSecond: perSecond(performance.now() - startedAt) },
  })
  await app.close()
  rmSync(dataDir, { recursive: true, force: true })
}

await benchHttp()
await benchJobs(5_000)
process.exit(0)
