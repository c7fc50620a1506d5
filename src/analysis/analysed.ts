// The synchronous form of every analysis: submitted, waited for, and answered with who answered and what it cost.

import type { App } from '../app.ts'
import { UsageBlock, usageBlock } from '../billing/usage-block.ts'
import type { Trail } from '../http/route.ts'
import { completedTask } from '../jobs/tasks.ts'
import { t } from '../lib/schema.ts'
import { type EngineInfo, EngineSchema } from './engine.ts'
import { type AnalysisSubmission, submitAnalysis } from './request.ts'
import { findRun } from './store.ts'

/** Fields beside `data`. */
export const AnalysedBeside = { engine: t.Optional(EngineSchema), usage: t.Optional(UsageBlock) }

export interface Analysed {
  readonly result: unknown
  readonly videoInfo: Readonly<Record<string, unknown>>
  readonly beside: { readonly engine?: EngineInfo; readonly usage?: UsageBlock }
}

interface Call {
  readonly signal: AbortSignal
  readonly trail: Trail
  readonly body: { readonly include_usage?: boolean }
}

/** Throws what `submitAnalysis` refuses and what the task failed with. */
export async function analysed(
  app: App,
  submission: Omit<AnalysisSubmission, 'isSync' | 'webhook'>,
  { signal, trail, body }: Call,
): Promise<Analysed> {
  const task = submitAnalysis(app, { ...submission, isSync: true })
  trail.taskId = task.id
  const { result } = await completedTask(app, task.id, signal)
  const run = findRun(app, task.id)
  const beside = {
    ...(run ? { engine: run.engine } : {}),
    ...(body.include_usage === true ? { usage: usageBlock(app, task.id) } : {}),
  }
  return { result, videoInfo: run?.videoInfo ?? {}, beside }
}
