// Submitting work whose end is told to a webhook: the field of the body, and the answer of every such endpoint.

import type { Caller } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { type Answer, answer, success } from '../http/envelope.ts'
import type { Trail } from '../http/route.ts'
import { submittedRecord, type SubmittedTask } from '../jobs/task-record.ts'
import type { Task } from '../jobs/tasks.ts'
import { type Infer, t } from '../lib/schema.ts'
import { type ChosenEndpoint, chooseEndpoint } from './choose.ts'

export const webhookUrl = t.Optional(
  t.String({
    description: 'Told when the task has ended, instead of the account’s default; empty: nobody is told',
    examples: ['https://example.com/hooks/earshot'],
  }),
)

interface Submit {
  readonly body: { readonly webhook_url?: string }
  readonly caller: Caller
  readonly trail: Trail
  readonly commit: <Reply>(work: () => Answer<Reply>) => Answer<Reply> | Response
}

/** `create` runs in the transaction that also keeps the answer; what it throws refuses the request. */
export function submitLater(
  app: App,
  { body, caller, trail, commit }: Submit,
  statusPath: string,
  create: (accountId: string, webhook: ChosenEndpoint | undefined) => Task,
): Answer<Infer<typeof SubmittedTask>> | Response {
  const accountId = caller.account.id
  const webhook = chooseEndpoint(app, accountId, body.webhook_url)
  return commit(() => {
    const task = create(accountId, webhook)
    trail.taskId = task.id
    return answer(202, success(submittedRecord(app, task, statusPath, webhook?.url ?? null)))
  })
}
