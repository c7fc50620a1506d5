// The endpoints of analysis in-process: an account with credits, a worker, and videos whose transcripts are known.

import type { Elysia } from 'elysia'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import type { App } from '../../src/app.ts'
import { balance } from '../../src/billing/balance.ts'
import { transaction } from '../../src/db/database.ts'
import { canonicalUrl } from '../../src/media/canonical-url.ts'
import { createServer } from '../../src/server.ts'
import {
  appendSegments,
  cacheKeyText,
  completeTranscript,
  createTranscript,
} from '../../src/transcripts/transcripts.ts'
import { createWorker, type Worker } from '../../src/worker.ts'
import { createTestApp, type TestApp } from './app.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any
}

export interface AnalysisBench {
  readonly support: TestApp
  readonly worker: Worker
  readonly http: Elysia
  readonly accountId: string
  readonly key: string
  /** Sends a request to an endpoint below /v1; objects as JSON. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>
  /** Makes the transcript of `url` known: one segment per text, five seconds each. Returns its id. */
  know(url: string, texts: readonly string[]): Promise<string>
  /** Waits for `work`, moving the clock to whenever a job is to be tried again. */
  skippingWaits<T>(work: Promise<T>): Promise<T>
  /** Millionths of a credit that the account has spent. */
  spentMicros(): number
  close(): Promise<void>
}

const TRIAL_MICROS = 5_000_000
const SEGMENT_MS = 5_000

/** See AnalysisBench.know. */
export async function knowTranscript(app: App, url: string, texts: readonly string[]): Promise<string> {
  const { modelId } = await app.engines.speechEngine()
  const key = { canonicalUrl: canonicalUrl(url), item: 0, speechModel: modelId, language: '' }
  return transaction(app.db, () => {
    const durationS = (texts.length * SEGMENT_MS) / 1_000
    const videoInfo = { title: 'A talk', url, duration: durationS }
    const id = createTranscript(app, { cacheKey: cacheKeyText(key), videoInfo, speechModel: modelId })
    appendSegments(app, id, texts.map(segmentAt))
    completeTranscript(app, id, { language: 'en', durationS, videoInfo })
    return id
  })
}

/** The worker is at work. The account has a trial's 5 credits. */
export async function startAnalysisBench(env: Readonly<Record<string, string>> = {}): Promise<AnalysisBench> {
  const support = await createTestApp({ EARSHOT_RATE_LIMITS: 'off', ...env })
  const { app } = support
  const accountId = createAccount(app, 'client', 'trial').id
  const key = createKey(app, accountId, { name: '', permissions: 'all', expiresAt: undefined }).text
  const http = createServer(app, () => 'http://earshot.test')
  const worker = createWorker(app)
  worker.start()
  return {
    support,
    worker,
    http,
    accountId,
    key,
    async call(method, path, body, headers = {}) {
      const isText = typeof body === 'string' || body instanceof FormData
      const type = body instanceof FormData ? {} : { 'content-type': 'application/json' }
      const request = new Request(`http://localhost/v1${path}`, {
        method,
        headers: { 'x-api-key': key, ...type, ...headers },
        ...(body === undefined ? {} : { body: isText ? body : JSON.stringify(body) }),
      })
      const response = await http.handle(request)
      return { status: response.status, headers: response.headers, body: await response.json() }
    },
    know: (url, texts) => knowTranscript(app, url, texts),
    async skippingWaits(work) {
      const next = app.db.query<{ at: number | null }, []>(
        `select min(run_at) as at from jobs where state = 'queued' and kind in ('fetch', 'transcribe', 'analyze', 'extract', 'fetch_post', 'statement')`,
      )
      const timer = setInterval(() => {
        // A test that failed may have closed it already.
        const at = app.db.filename === '' ? 0 : (next.get()?.at ?? 0)
        if (at > app.now()) support.advance(at - app.now())
      }, 20)
      try {
        return await work
      } finally {
        clearInterval(timer)
      }
    },
    spentMicros() {
      const { monthlyRemainingMicros, purchasedMicros } = balance(app, accountId)
      return TRIAL_MICROS - monthlyRemainingMicros - purchasedMicros
    },
    async close() {
      await worker.stop(1_000)
      await support.close()
    },
  }
}

function segmentAt(text: string, index: number): { text: string; startMs: number; endMs: number } {
  return { text, startMs: index * SEGMENT_MS, endMs: (index + 1) * SEGMENT_MS - 200 }
}

/** A labelled transcript's segments (test/analysis-eval). */
export async function evaluationSegments(name: string): Promise<readonly string[]> {
  const file = Bun.file(new URL(`../analysis-eval/${name}.json`, import.meta.url))
  const { segments } = (await file.json()) as { segments: readonly string[] }
  return segments
}
