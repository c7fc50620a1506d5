// Transcript → summary and, where a question was asked, its answer; the end of an analysis task. Summaries are kept by
// transcript, engine and model; answers never are.

import type { App } from '../app.ts'
import type { Tokens } from '../billing/meters.ts'
import type { Answer } from '../engines/extractive/types.ts'
import { defineTaskJob } from '../jobs/task-job.ts'
import { completeTask, type Task } from '../jobs/tasks.ts'
import { parseOrThrow, parser, t } from '../lib/schema.ts'
import { MINUTE } from '../lib/time.ts'
import { findTranscript, transcriptBody } from '../transcripts/transcripts.ts'
import { settleAnalysis, waiveAnalysis } from './charges.ts'
import { chooseEngine } from './choose.ts'
import { type EngineInfo, engineInfo, NO_TOKENS, type Outcome, type Summary, sumTokens } from './engine.ts'
import { fullVideoInfo, transcriptAnalysis } from './result.ts'
import { type AnalysisArgs, analysisArgs, getMaterial, jobWork, type Material } from './stage.ts'
import { findSummary, saveRun, saveSummary } from './store.ts'

const TaskRequest = parser(
  t.Object({ query: t.Optional(t.String()), transcript_text: t.Optional(t.Boolean()) }),
)

export const analyzeJob = defineTaskJob<AnalysisArgs>({
  kind: 'analyze',
  lane: 'analysis',
  // Models are asked again within an attempt, too.
  attempts: 2,
  timeoutMs: 60 * MINUTE,
  args: analysisArgs,
  async run(context, app, task) {
    const { query = '', transcript_text = false } = parseOrThrow(
      TaskRequest,
      task.request,
      'an analysis task',
    )
    const material = getMaterial(app, task, context.args)
    const { segments, transcript } = material
    const chosen = await chooseEngine(app)
    const cached = findSummary(app, transcript.id, chosen.engine)
    const half = query === '' ? 1 : 0.5
    const summary = cached ?? (await chosen.summarise(segments, jobWork(context, [0, half])))
    const answer =
      query === '' ? undefined : await chosen.answer(segments, query, jobWork(context, [half, 1]))
    return () => {
      const engine = engineInfo(chosen, summary, answer)
      commit(app, task, { material, engine, summary, answer, cached: cached !== undefined })
      completeTask(app, task.id, {
        video_info: fullVideoInfo(transcript.videoInfo),
        transcript: transcriptBody(segments, transcript_text),
        transcript_analysis: transcriptAnalysis(segments, summary.value, answer?.value),
      })
    }
  },
})

interface Findings {
  readonly material: Material
  readonly engine: EngineInfo
  readonly summary: Outcome<Summary>
  readonly answer: Outcome<Answer> | undefined
  readonly cached: boolean
}

function commit(app: App, task: Task, { material, engine, summary, answer, cached }: Findings): void {
  const { transcript } = material
  if (!cached && findTranscript(app, transcript.id)) saveSummary(app, transcript.id, engine, summary)
  saveRun(app, task.id, { engine, videoInfo: transcript.videoInfo })
  const used: readonly Tokens[] = [cached ? NO_TOKENS : summary.tokens, answer?.tokens ?? NO_TOKENS]
  if (cached && !answer) waiveAnalysis(app, task, summary.tokens)
  else settleAnalysis(app, task, sumTokens(...used))
}
