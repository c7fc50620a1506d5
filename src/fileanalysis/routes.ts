// POST /analyze/file and POST /extract/file: the analyses of online videos, for files of the account.

import type { Guard } from '../accounts/guard.ts'
import { analyzeJob } from '../analysis/analyze.job.ts'
import { readExtractionBody } from '../analysis/body.ts'
import { type EngineInfo, EngineSchema } from '../analysis/engine.ts'
import { extractJob } from '../analysis/extract.job.ts'
import { extractionFields, queryField, submitAnalysis, usageFlag } from '../analysis/request.ts'
import { parseExtractionSchema } from '../analysis/schema.ts'
import { ExtractedData, TranscriptAnalysis, type VideoAnalysis } from '../analysis/schemas.ts'
import { findRun } from '../analysis/store.ts'
import type { App } from '../app.ts'
import { UsageBlock, usageBlock } from '../billing/usage-block.ts'
import { FileInfo, fileInfo } from '../files/file-info.ts'
import { getFile, type StoredFile } from '../files/files.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { completedTask } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { TranscriptSchema } from '../transcripts/schemas.ts'

const fileId = t.String({ description: 'A file of this account that has been transcribed' })

export function fileAnalysisRoutes(app: App, auth: Guard): readonly Route[] {
  return [analyzeFile(app, auth), extractFile(app, auth)]
}

function analyzeFile(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/analyze/file',
      tag: 'Analysis',
      summary: 'Summary, people, places and subjects of a file, and the answer to a question',
      auth: auth('analyze'),
      body: t.Object({
        file_id: fileId,
        query: queryField,
        transcript_text: t.Optional(
          t.Boolean({ description: 'true: the transcript as one plain-text string' }),
        ),
        include_usage: usageFlag,
      }),
      charges: true,
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: t.Object({
            file_info: FileInfo,
            transcript: TranscriptSchema,
            transcript_analysis: TranscriptAnalysis,
          }),
          engine: t.Optional(EngineSchema),
          usage: t.Optional(UsageBlock),
        }),
      },
      errors: ['file_not_found', 'transcript_not_available', 'limit_exceeded', 'extraction_failed'],
      slow: true,
    },
    async ({ body, caller, signal, trail }) => {
      const file = getFile(app, caller.account.id, body.file_id)
      const query = body.query?.trim() ?? ''
      const task = submitAnalysis(app, {
        accountId: caller.account.id,
        jobType: 'analyze_file',
        isSync: true,
        request: {
          file_id: file.id,
          transcript_id: transcriptOf(file),
          transcript_text: body.transcript_text ?? false,
          ...(query === '' ? {} : { query }),
        },
        stages: [analyzeJob],
      })
      trail.taskId = task.id
      const { result } = await completedTask(app, task.id, signal)
      const { transcript, transcript_analysis } = result as VideoAnalysis
      const data = { file_info: fileInfo(app, file), transcript, transcript_analysis }
      return answer(200, success(data, beside(app, task.id, body.include_usage)))
    },
  )
}

function extractFile(app: App, auth: Guard): Route {
  const body = t.Object({ file_id: fileId, ...extractionFields, include_usage: usageFlag })
  return route(
    {
      method: 'POST',
      path: '/extract/file',
      tag: 'Extraction',
      summary: 'Extract data from a file in your own schema',
      description: 'The body may also be YAML (application/yaml) or multipart/form-data.',
      auth: auth('extract'),
      body,
      form: body,
      readBody: readExtractionBody,
      charges: true,
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: ExtractedData,
          file_info: FileInfo,
          engine: t.Optional(EngineSchema),
          usage: t.Optional(UsageBlock),
        }),
      },
      errors: [
        'invalid_schema',
        'file_not_found',
        'transcript_not_available',
        'limit_exceeded',
        'extraction_failed',
      ],
      slow: true,
    },
    async ({ body: sent, caller, signal, trail }) => {
      const schema = parseExtractionSchema(sent.schema)
      const file = getFile(app, caller.account.id, sent.file_id)
      const instruction = sent.what_to_extract?.trim() ?? ''
      const task = submitAnalysis(app, {
        accountId: caller.account.id,
        jobType: 'extract_file',
        isSync: true,
        request: {
          file_id: file.id,
          transcript_id: transcriptOf(file),
          schema,
          ...(instruction === '' ? {} : { what_to_extract: instruction }),
        },
        stages: [extractJob],
      })
      trail.taskId = task.id
      const { result } = await completedTask(app, task.id, signal)
      const usage = beside(app, task.id, sent.include_usage)
      return answer(
        200,
        success(result as Record<string, unknown>, { file_info: fileInfo(app, file), ...usage }),
      )
    },
  )
}

/** Throws `transcript_not_available` with what to do about it. */
function transcriptOf({ status, transcriptId }: StoredFile): string {
  if (status === 'completed' && transcriptId !== null) return transcriptId
  const advice =
    status === 'failed' || status === 'cancelled'
      ? 'Process it again with POST /file/{file_id}/retry.'
      : 'Wait until its status is completed.'
  throw new Problem('transcript_not_available', `The file has no transcript: it is ${status}. ${advice}`)
}

function beside(
  app: App,
  taskId: string,
  includeUsage: boolean | undefined,
): { engine?: EngineInfo; usage?: UsageBlock } {
  const engine = findRun(app, taskId)?.engine
  return {
    ...(engine ? { engine } : {}),
    ...(includeUsage === true ? { usage: usageBlock(app, taskId) } : {}),
  }
}
