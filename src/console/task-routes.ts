// The tasks of the account that is shown, all kinds in one list, and stopping one.

import type { SessionGuards } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { jobTypesFor } from '../events/followed.ts'
import { answer, success } from '../http/envelope.ts'
import { PROBLEM_DOCS } from '../http/problem-docs.ts'
import { type Route, route } from '../http/route.ts'
import { progressOf } from '../jobs/queue.ts'
import { findTask, listTasks, stopTask, type TaskSummary } from '../jobs/tasks.ts'
import { Problem, PROBLEMS, type ProblemCode } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import { PageQuery, pageOf } from './page.ts'
import { CONSOLE, instant, nullable, wrapped } from './spec.ts'

const text = t.String()

const TaskItem = t.Object({
  task_id: text,
  job_type: text,
  task_status: t.Union([t.Literal('processing'), t.Literal('completed'), t.Literal('failed')]),
  progress: t.Number({ minimum: 0, maximum: 1 }),
  request: t.Record(text, t.Unknown(), { description: 'As it was sent, but for secrets' }),
  error: nullable(
    t.Object({
      error: nullable(text),
      message: text,
      advice: nullable(t.String({ description: 'What the code means and what to do' })),
    }),
  ),
  created_at: instant,
  started_at: nullable(instant),
  completed_at: nullable(instant),
  expires_at: nullable(t.String({ format: 'date-time', description: 'Null while it is in work' })),
})

export type TaskData = Infer<typeof TaskItem>

export function taskRoutes(app: App, { signedIn }: SessionGuards): readonly Route[] {
  const spec = { ...CONSOLE, auth: signedIn }
  return [
    route(
      {
        ...spec,
        method: 'GET',
        path: '/tasks',
        summary: 'The tasks that the session may poll, newest first',
        query: PageQuery,
        responses: { 200: wrapped(t.Object({ items: t.Array(TaskItem), next_cursor: nullable(text) })) },
      },
      ({ caller, query }) => {
        const jobTypes = jobTypesFor(caller.permissions)
        const page = pageOf(
          query,
          (range) => listTasks(app, caller.account.id, { jobTypes, ...range }),
          (task) => taskItem(app, task),
        )
        return answer(200, success(page))
      },
    ),
    route(
      {
        ...spec,
        method: 'DELETE',
        path: '/tasks/{task_id}',
        summary: 'Stop a task: it fails, costs nothing, and is told like every other end',
        responses: { 200: wrapped(t.Object({ task_id: text })) },
      },
      ({ caller, params }) => {
        const task = findTask(app, params.task_id)
        const isOwn = task?.accountId === caller.account.id && !task.isSync
        if (!isOwn || !jobTypesFor(caller.permissions).includes(task.jobType)) {
          throw new Problem('task_not_found', 'This account has no such task.')
        }
        if (!stopTask(app, task.id)) {
          throw new Problem('invalid_parameter', 'The task has ended already: there is nothing to stop.')
        }
        return answer(200, success({ task_id: task.id }))
      },
    ),
  ]
}

function taskItem(app: App, task: TaskSummary): TaskData {
  return {
    task_id: task.id,
    job_type: task.jobType,
    task_status: task.status,
    progress: task.status === 'processing' ? progressOf(app, task.id) : 1,
    request: { ...task.request },
    error: task.error && {
      error: task.error.error,
      message: task.error.message,
      advice: adviceOn(task.error.error),
    },
    created_at: isoTime(task.createdAt),
    started_at: isoTimeOrNull(task.startedAt),
    completed_at: isoTimeOrNull(task.completedAt),
    expires_at: isoTimeOrNull(task.expiresAt),
  }
}

function adviceOn(code: string | null): string | null {
  const known = Object.keys(PROBLEMS).find((name): name is ProblemCode => name === code)
  return known === undefined ? null : PROBLEM_DOCS[known]
}
