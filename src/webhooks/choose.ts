// Where a task's end will be told: the URL of the request, else the account's default, else nowhere.

import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import { createTask, type NewTask, type Task } from '../jobs/tasks.ts'
import { deliverJob } from './deliver.job.ts'
import { planDelivery } from './deliveries.ts'
import { checkWebhookUrl, findEndpoint } from './endpoints.ts'

export interface ChosenEndpoint {
  readonly url: string
  readonly source: 'default' | 'request'
}

/**
 * `requested` is the `webhook_url` of the submit: absent takes the account's default unless that is switched off, an
 * empty text opts out. Undefined: no webhook. Throws Problem `invalid_parameter` for a URL that can't be used.
 */
export function chooseEndpoint(
  app: Pick<App, 'db' | 'config'>,
  accountId: string,
  requested: string | null | undefined,
): ChosenEndpoint | undefined {
  if (requested === '') return undefined
  if (typeof requested === 'string') {
    return { url: checkWebhookUrl(requested, app.config), source: 'request' }
  }
  const endpoint = findEndpoint(app, accountId)
  if (!endpoint || endpoint.url === null || endpoint.disabledAt !== null) return undefined
  return { url: endpoint.url, source: 'default' }
}

/** `createTask`, with a delivery to `endpoint` at its end. Joins the caller's transaction. */
export function createTaskWithWebhook(
  app: App,
  task: Omit<NewTask, 'after'>,
  endpoint: ChosenEndpoint | undefined,
): Task {
  if (!endpoint) return createTask(app, task)
  return transaction(app.db, () => {
    const created = createTask(app, { ...task, after: [deliverJob] })
    planDelivery(app, { accountId: task.accountId, taskId: created.id, ...endpoint })
    return created
  })
}
