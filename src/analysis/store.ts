// What analysis keeps: summaries as a cache, and for each task who answered. Owns the tables `summaries` and `analysis_runs`.

import type { App } from '../app.ts'
import type { Tokens } from '../billing/meters.ts'
import type { EngineName } from '../engines/llm/language-model.ts'
import type { EngineInfo, Outcome, Summary } from './engine.ts'

type Context = Pick<App, 'db' | 'now'>

interface SummaryRow {
  readonly content: string
  readonly prompt_tokens: number
  readonly completion_tokens: number
}

/** The summary that this engine and model made of the transcript before, and what that took. */
export function findSummary(
  app: Pick<App, 'db'>,
  transcriptId: string,
  engine: EngineName,
): Outcome<Summary> | undefined {
  const row = app.db
    .query<SummaryRow, [Record<string, string>]>(
      `select content, prompt_tokens, completion_tokens from summaries
       where transcript_id = $transcriptId and engine = $engine and model = $model`,
    )
    .get({ transcriptId, engine: engine.name, model: engine.model })
  if (!row) return undefined
  const tokens: Tokens = { prompt: row.prompt_tokens, completion: row.completion_tokens }
  // As `saveSummary` wrote it.
  const { note, ...value } = JSON.parse(row.content) as Summary & { readonly note?: string }
  return { value, tokens, ...(note === undefined ? {} : { note }) }
}

/** The transcript exists: checked in the same transaction. The first one made stays. */
export function saveSummary(
  app: Context,
  transcriptId: string,
  engine: EngineName,
  { value, tokens, note }: Outcome<Summary>,
): void {
  app.db
    .query(
      `insert into summaries (transcript_id, engine, model, content, prompt_tokens, completion_tokens, created_at)
       values ($transcriptId, $engine, $model, $content, $prompt, $completion, $now) on conflict do nothing`,
    )
    .run({
      transcriptId,
      engine: engine.name,
      model: engine.model,
      content: JSON.stringify({ ...value, note }),
      prompt: tokens.prompt,
      completion: tokens.completion,
      now: app.now(),
    })
}

export interface Run {
  readonly engine: EngineInfo
  readonly videoInfo: Readonly<Record<string, unknown>>
}

/** In the commit that completes the task. */
export function saveRun(app: Pick<App, 'db'>, taskId: string, { engine, videoInfo }: Run): void {
  app.db
    .query(
      `insert or replace into analysis_runs (task_id, engine, model, note, video_info)
       values ($taskId, $engine, $model, $note, $videoInfo)`,
    )
    .run({
      taskId,
      engine: engine.name,
      model: engine.model,
      note: engine.note ?? null,
      videoInfo: JSON.stringify(videoInfo),
    })
}

interface RunRow {
  readonly engine: string
  readonly model: string
  readonly note: string | null
  readonly video_info: string
}

/** Undefined until the task is complete. */
export function findRun(app: Pick<App, 'db'>, taskId: string): Run | undefined {
  const row = app.db
    .query<RunRow, [{ taskId: string }]>(
      `select engine, model, note, video_info from analysis_runs where task_id = $taskId`,
    )
    .get({ taskId })
  if (!row) return undefined
  const { engine: name, model, note, video_info } = row
  return {
    engine: { name, model, ...(note === null ? {} : { note }) },
    videoInfo: JSON.parse(video_info) as Record<string, unknown>,
  }
}
