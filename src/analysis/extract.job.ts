// Transcript → values of the caller's schema; the end of an extraction task. Nothing of it is kept but the task's result.

import { defineTaskJob } from '../jobs/task-job.ts'
import { completeTask } from '../jobs/tasks.ts'
import { parseOrThrow, parser, t } from '../lib/schema.ts'
import { MINUTE } from '../lib/time.ts'
import { settleAnalysis } from './charges.ts'
import { chooseEngine } from './choose.ts'
import { engineInfo } from './engine.ts'
import { fullVideoInfo } from './result.ts'
import { parseExtractionSchema } from './schema.ts'
import { type AnalysisArgs, analysisArgs, getMaterial, jobWork } from './stage.ts'
import { saveRun } from './store.ts'

const TaskRequest = parser(t.Object({ schema: t.Unknown(), what_to_extract: t.Optional(t.String()) }))

export const extractJob = defineTaskJob<AnalysisArgs>({
  kind: 'extract',
  lane: 'analysis',
  // Models are asked again within an attempt, too.
  attempts: 2,
  timeoutMs: 60 * MINUTE,
  args: analysisArgs,
  async run(context, app, task) {
    const request = parseOrThrow(TaskRequest, task.request, 'the request of an extraction task')
    const { segments, transcript } = getMaterial(app, task, context.args)
    const schema = parseExtractionSchema(request.schema)
    const chosen = await chooseEngine(app)
    const instruction = request.what_to_extract ?? ''
    const outcome = await chosen.extract(segments, { schema, instruction }, jobWork(context))
    return () => {
      settleAnalysis(app, task, outcome.tokens)
      saveRun(app, task.id, {
        engine: engineInfo(chosen, outcome),
        videoInfo: fullVideoInfo(transcript.videoInfo),
      })
      completeTask(app, task.id, outcome.value)
    }
  },
})
