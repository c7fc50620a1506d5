// An application with an account whose tasks tell a receiver of their end.

import type { App } from '../../src/app.ts'
import { createAccount } from '../../src/accounts/accounts.ts'
import { transaction } from '../../src/db/database.ts'
import { createRunner } from '../../src/jobs/runner.ts'
import { completeTask, type JobType, type Task } from '../../src/jobs/tasks.ts'
import { chooseEndpoint, createTaskWithWebhook } from '../../src/webhooks/choose.ts'
import { deliverJob } from '../../src/webhooks/deliver.job.ts'
import { createTestApp, type TestApp } from '../support/app.ts'

export interface WebhookTest extends TestApp {
  readonly accountId: string
  /** A task in work whose end is told to the URL, or to the account's default. */
  submit(options?: { url?: string; jobType?: JobType }): Task
  /** The same, and the task completes at once. */
  complete(options?: { url?: string; jobType?: JobType; result?: unknown }): Task
  /** Runs the deliveries that are due. */
  deliver(app?: App): Promise<void>
}

export async function createWebhookTest(env: Readonly<Record<string, string>> = {}): Promise<WebhookTest> {
  const support = await createTestApp({ EARSHOT_TRUSTED_HOSTS: '127.0.0.1', ...env })
  const { app } = support
  const accountId = createAccount(app, 'acme', 'custom').id
  const submit: WebhookTest['submit'] = ({ url, jobType = 'transcribe' } = {}) =>
    createTaskWithWebhook(
      app,
      { accountId, jobType, isSync: false, request: {}, stages: [] },
      chooseEndpoint(app, accountId, url),
    )
  return {
    ...support,
    accountId,
    submit,
    complete({ result = { transcript: 'héllo' }, ...options } = {}) {
      const task = submit(options)
      transaction(app.db, () => completeTask(app, task.id, result))
      return task
    },
    async deliver(on = app) {
      await createRunner(on, { jobs: [deliverJob], lanes: { net: 1, compute: 1, webhooks: 4 } }).drain()
    },
  }
}
