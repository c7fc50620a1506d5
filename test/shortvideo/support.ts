// What tests of short-video scrapes share: an App with an account that has credits, its HTTP server, and its worker.

import { createAccount } from '../../src/accounts/accounts.ts'
import { createKey } from '../../src/accounts/keys.ts'
import type { App } from '../../src/app.ts'
import { balance } from '../../src/billing/balance.ts'
import { charge } from '../../src/billing/ledger.ts'
import { pruneTasks } from '../../src/jobs/tasks.ts'
import { newId } from '../../src/lib/id.ts'
import { createServer } from '../../src/server.ts'
import { createWorker, type Worker } from '../../src/worker.ts'
import { createTestApp } from '../support/app.ts'

export interface Reply {
  readonly status: number
  // oxlint-disable-next-line typescript/no-explicit-any -- answers of every shape
  readonly body: any
}

export interface Scraping {
  readonly app: App
  readonly worker: Worker
  /** A path below /v1, with the account's key. */
  call(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply>
  /** A whole URL, without a key. */
  fetch(url: string): Promise<Response>
  advance(ms: number): void
  /** Credits left, in millionths. */
  left(): number
  spendAllBut(micros: number): void
  /** Removes expired tasks. */
  prune(): void
  close(): Promise<void>
}

export async function openScraping(env: Readonly<Record<string, string>>): Promise<Scraping> {
  const support = await createTestApp({ EARSHOT_RATE_LIMITS: 'off', ...env })
  const { app } = support
  const accountId = createAccount(app, 'client', 'trial').id
  const key = createKey(app, accountId, { name: '', permissions: 'all', expiresAt: undefined }).text
  const http = createServer(app, () => 'http://earshot.test')
  const worker = createWorker(app)
  const left = (): number => balance(app, accountId).monthlyRemainingMicros
  return {
    app,
    worker,
    async call(method, path, body, headers = {}) {
      const request = new Request(`http://localhost/v1${path}`, {
        method,
        headers: { 'x-api-key': key, 'content-type': 'application/json', ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const response = await http.handle(request)
      return { status: response.status, body: await response.json() }
    },
    fetch: async (url) => http.handle(new Request(url)),
    advance: (ms) => support.advance(ms),
    left,
    spendAllBut(micros) {
      // A standard request costs a hundred millionths.
      charge(app, {
        accountId,
        reference: newId(),
        meter: 'standard_request',
        quantity: Math.ceil((left() - micros) / 100),
      })
    },
    prune: () => void pruneTasks(app, 500),
    async close() {
      await worker.stop(0)
      await support.close()
    },
  }
}
