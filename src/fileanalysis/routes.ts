// POST /analyze/file and POST /extract/file: the analyses of online videos, for files of the account.

import type { Guard } from '../accounts/guard.ts'
import { analysed, AnalysedBeside } from '../analysis/analysed.ts'
import { analyzeJob } from '../analysis/analyze.job.ts'
import { readExtractionBody } from '../analysis/body.ts'
import { extractJob } from '../analysis/extract.job.ts'
import {
  analysisFields,
  analysisRequest,
  extractionFields,
  extractionRequest,
  usageFlag,
} from '../analysis/request.ts'
import { parseExtractionSchema } from '../analysis/schema.ts'
import { ExtractedData, TranscriptAnalysis, type VideoAnalysis } from '../analysis/schemas.ts'
import type { App } from '../app.ts'
import { FileInfo, fileInfo } from '../files/file-info.ts'
import { getFile, type StoredFile } from '../files/files.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
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
        ...analysisFields,
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
          ...AnalysedBeside,
        }),
      },
      errors: ['file_not_found', 'transcript_not_available', 'limit_exceeded', 'extraction_failed'],
      slow: true,
    },
    async (call) => {
      const file = getFile(app, call.caller.account.id, call.body.file_id)
      const submission = {
        accountId: file.accountId,
        jobType: 'analyze_file',
        request: { file_id: file.id, transcript_id: transcriptOf(file), ...analysisRequest(call.body) },
        stages: [analyzeJob],
      } as const
      const { result, beside } = await analysed(app, submission, call)
      const { transcript, transcript_analysis } = result as VideoAnalysis
      return answer(200, success({ file_info: fileInfo(app, file), transcript, transcript_analysis }, beside))
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
          ...AnalysedBeside,
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
    async (call) => {
      const schema = parseExtractionSchema(call.body.schema)
      const file = getFile(app, call.caller.account.id, call.body.file_id)
      const submission = {
        accountId: file.accountId,
        jobType: 'extract_file',
        request: {
          file_id: file.id,
          transcript_id: transcriptOf(file),
          ...extractionRequest(schema, call.body),
        },
        stages: [extractJob],
      } as const
      const { result, beside } = await analysed(app, submission, call)
      return answer(
        200,
        success(result as Record<string, unknown>, { file_info: fileInfo(app, file), ...beside }),
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
