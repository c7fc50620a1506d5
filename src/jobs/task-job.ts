// A job that is one stage of a task: what all of them do before their own work, and when it fails.

import type { App } from '../app.ts'
import { type Commit, defineJob, type Job, type JobContext } from './job.ts'
import { failTask, findTask, markStarted, type Task } from './tasks.ts'

export interface TaskJob<Args> extends Omit<Job<Args>, 'run' | 'failed'> {
  run(context: JobContext<Args>, app: App, task: Task): Promise<Commit | undefined>
}

/** A stage of a task that was discarded, or has ended, does nothing; one that fails fails the task. */
export function defineTaskJob<Args extends { readonly taskId: string }>(job: TaskJob<Args>): Job<Args> {
  return defineJob<Args>({
    ...job,
    async run(context, app) {
      const task = findTask(app, context.args.taskId)
      if (task?.status !== 'processing') return undefined
      markStarted(app, task.id)
      return job.run(context, app, task)
    },
    failed: ({ taskId }, problem, app) => failTask(app, taskId, problem),
  })
}
