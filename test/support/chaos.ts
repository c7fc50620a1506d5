// The real product under load, killed at random moments: what must hold afterwards, whatever was going on.

import { Database } from 'bun:sqlite'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { makeTone } from './make-media.ts'
import { type MediaSite, startMediaSite } from './media-site.ts'
import { createReceiver, type Received, type Receiver } from './receiver.ts'
import { finishedTask, type Reply, startServer, type TestServer } from './server.ts'

export interface ChaosOptions {
  readonly kills: number
  readonly seed: number
  readonly clients: number
  readonly binary: string | undefined
  readonly log: (line: string) => void
}

export interface ChaosReport {
  readonly kills: number
  readonly accepted: number
  readonly completed: number
  readonly failed: number
  /** Accepted tasks that are in no final state, or unknown. */
  readonly lost: number
  /** Tasks that a repeated Idempotency-Key made twice. */
  readonly doubled: number
  /** Tasks whose charges are not what their outcome costs, once. */
  readonly wronglyCharged: number
  /** The balance reported against the sum of what the tasks cost, in millionths of a credit. */
  readonly driftMicros: number
  readonly undelivered: number
  readonly deliveries: number
  /** Deliveries of one id whose bytes differ, or with a wrong signature. */
  readonly corrupt: number
  readonly integrity: string
}

const ACCOUNT = 'chaos'
const CREDITS = 80_000_000
/** What the clients ask for: short tones, one that is never there, one page without media. */
const PATHS = ['/tone.mp3', '/tone.wav', '/tone.mp4', '/missing.mp3', '/page-empty', '/longer.mp3']

/** Deterministic numbers in 0..1 (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

interface Submission {
  readonly idempotencyKey: string
  readonly taskId: string
}

interface World {
  readonly site: MediaSite
  readonly receiver: Receiver
  readonly random: () => number
  server: TestServer
  /** Resolves when a server answers again. */
  up: Promise<void>
  over: boolean
  readonly submissions: Submission[]
  next: number
}

/** Runs the load, kills the server `kills` times, lets everything finish, and looks. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const site = startMediaSite()
  makeTone(site.file('longer.mp3'), 40)
  const receiver = createReceiver()
  const env = {
    EARSHOT_TRUSTED_HOSTS: '127.0.0.1',
    EARSHOT_RATE_LIMITS: 'off',
    EARSHOT_MAX_ACTIVE_JOBS: '1000',
    EARSHOT_WEBHOOK_RETRY_S: '0.2,0.2,0.2,0.2',
  }
  const server = await startServer({ env, binary: options.binary })
  await server.command('accounts', 'create', ACCOUNT, '--plan', 'tier3')
  const key = await server.createKey('--account', ACCOUNT)
  const secret = await signingSecret(server)
  const world: World = {
    site,
    receiver,
    random: randomFrom(options.seed),
    server,
    up: Promise.resolve(),
    over: false,
    submissions: [],
    next: 0,
  }
  try {
    const clients = Array.from({ length: options.clients }, () => client(world, key))
    for (let kill = 1; kill <= options.kills; kill++) {
      await Bun.sleep(50 + 1_950 * world.random())
      await crash(world)
      if (kill % 20 === 0) options.log(`${kill} kills, ${world.submissions.length} tasks accepted`)
    }
    world.over = true
    await Promise.all(clients)
    options.log(`the load is over: ${world.submissions.length} tasks accepted`)
    return await inspect(world, { key, secret, kills: options.kills, log: options.log })
  } finally {
    world.over = true
    await world.server.close()
    await receiver.close()
    await site.stop()
  }
}

async function signingSecret(server: TestServer): Promise<string> {
  const shown = await server.command('webhooks', 'show', '--account', ACCOUNT, '--json')
  return (JSON.parse(shown) as { secret: string }).secret
}

async function crash(world: World): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  world.up = promise
  await world.server.kill('SIGKILL')
  world.server = await world.server.restart()
  resolve()
}

/** Submits as a careful client does: it repeats the same Idempotency-Key until it has an answer. */
async function client(world: World, key: string): Promise<void> {
  while (!world.over) {
    const idempotencyKey = `chaos-${world.next++}`
    const path = PATHS[Math.floor(world.random() * PATHS.length)] ?? ''
    // A parameter of its own now and then, so that not every transcript is known already.
    const url = world.site.url(path) + (world.random() < 0.5 ? `?n=${idempotencyKey}` : '')
    const reply = await untilAnswered(world, () =>
      world.server.request('POST', '/v1/transcribe/async', {
        key,
        body: { video_url: url, webhook_url: world.receiver.url },
        headers: { 'idempotency-key': idempotencyKey },
      }),
    )
    if (reply.status !== 202) throw new Error(`a submit was refused: ${JSON.stringify(reply.body)}`)
    world.submissions.push({ idempotencyKey, taskId: reply.body.data.task_id })
    await Bun.sleep(600 * world.random())
  }
}

async function untilAnswered(world: World, send: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    await world.up
    try {
      const reply = await send()
      // The account's limit on jobs in work: a careful client waits.
      if (reply.status !== 429) return reply
      await Bun.sleep(500)
    } catch {
      // The server was killed before it could answer; the next one is asked the same.
      await Bun.sleep(10)
    }
  }
}

interface Access {
  readonly key: string
  readonly secret: string
  readonly kills: number
  readonly log: (line: string) => void
}

async function inspect(world: World, { key, secret, kills, log }: Access): Promise<ChaosReport> {
  const { server, submissions, receiver } = world
  const outcomes = new Map<string, Reply>()
  for (const { taskId } of submissions) {
    const path = `/v1/transcribe/${taskId}?include_usage=true`
    outcomes.set(taskId, await finishedTask(server, key, path, 600_000))
  }
  log('every task is final')
  const finals = [...outcomes.values()].map((reply) => reply.body?.data)
  await Promise.all(submissions.map(({ taskId }) => delivered(server, key, taskId)))
  log('every delivery has ended')
  const costs = [...outcomes.values()].map((reply) =>
    Math.round((reply.body?.usage?.total_credits ?? 0) * 1e6),
  )
  const usage = (await server.request('GET', '/v1/usage', { key })).body.data
  const left = Math.round((usage.credits.monthly_remaining + usage.credits.purchased) * 1e6)
  const told = new Set(receiver.received.map((request) => request.headers['x-service-task-id']))
  return {
    kills,
    accepted: submissions.length,
    completed: finals.filter((task) => task?.task_status === 'completed').length,
    failed: finals.filter((task) => task?.task_status === 'failed').length,
    lost: finals.filter((task) => !['completed', 'failed'].includes(task?.task_status)).length,
    doubled: countTasks(server) - submissions.length,
    wronglyCharged: [...outcomes.values()].filter((reply) => !isChargedRight(reply)).length,
    driftMicros: CREDITS - left - costs.reduce((sum, cost) => sum + cost, 0),
    undelivered: submissions.filter(({ taskId }) => !told.has(taskId)).length,
    deliveries: receiver.received.length,
    corrupt: countCorrupt(receiver.received, secret),
    integrity: integrityOf(server),
  }
}

async function delivered(server: TestServer, key: string, taskId: string): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await server.request('GET', `/v1/transcribe/${taskId}`, { key })
    if (body.data?.webhook?.status !== 'pending') return
    await Bun.sleep(100)
  }
}

/** A completed task has at most one entry a meter, and at least that of its length; any other has none. */
function isChargedRight({ body }: Reply): boolean {
  if (body?.data?.task_status !== 'completed') return body?.usage === undefined
  const names = (body.usage?.charges ?? []).map((charge: { service_type: string }) => charge.service_type)
  return names.includes('transcription_hour') && new Set(names).size === names.length
}

function countCorrupt(received: readonly Received[], secret: string): number {
  const bytesOf = new Map<string, string>()
  let corrupt = 0
  for (const { headers, body } of received) {
    const id = headers['x-service-delivery'] ?? ''
    const [, at, mac] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature'] ?? '') ?? []
    const expected = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    if (mac !== expected || (bytesOf.get(id) ?? body) !== body) corrupt++
    bytesOf.set(id, body)
  }
  return corrupt
}

/** The one value that `sql` gives. */
function lookUp(server: TestServer, sql: string): unknown {
  const db = new Database(join(server.dataDir, 'earshot.db'), { readonly: true })
  try {
    return db.query(sql).values()[0]?.[0]
  } finally {
    db.close()
  }
}

function countTasks(server: TestServer): number {
  return Number(lookUp(server, 'select count(*) from tasks'))
}

function integrityOf(server: TestServer): string {
  return String(lookUp(server, 'pragma integrity_check'))
}
