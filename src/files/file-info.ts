// A file in answers: the record `file_info` of the contract.

import type { App } from '../app.ts'
import { type Infer, t } from '../lib/schema.ts'
import { isoTime } from '../lib/time.ts'
import { findTranscript } from '../transcripts/transcripts.ts'
import { FILE_STATUSES, namespacesOfFiles, type StoredFile } from './files.ts'
import { listNamespaces } from './namespaces.ts'

const instant = t.String({ format: 'date-time' })

export const FileStatusSchema = t.Union(FILE_STATUSES.map((status) => t.Literal(status)))

export const NamespaceRef = t.Object({ id: t.String({ format: 'uuid' }), name: t.String() })

export const FileInfo = t.Object({
  id: t.String({ format: 'uuid' }),
  name: t.String(),
  size: t.Integer({ description: 'Bytes' }),
  type: t.String({ description: 'Media type; empty until the upload is complete', examples: ['video/mp4'] }),
  duration: t.Optional(t.Number({ description: 'Seconds; may be absent before processing ends' })),
  status: FileStatusSchema,
  created_at: instant,
  updated_at: instant,
  original_file_date: t.Optional(t.String({ format: 'date-time', description: 'When it was recorded' })),
  has_transcript: t.Boolean(),
  error_message: t.Optional(t.String()),
  speech_model: t.Optional(t.String({ description: 'The model that made the transcript' })),
  selected_language: t.Optional(t.String({ description: 'ISO 639-1 code of what is spoken' })),
  namespace_ids: t.Array(t.String({ format: 'uuid' })),
  namespaces: t.Array(NamespaceRef),
})
export type FileInfo = Infer<typeof FileInfo>

type Context = Pick<App, 'db' | 'now'>

export function fileInfo(app: Context, file: StoredFile): FileInfo {
  return fileInfos(app, file.accountId, [file])[0] as FileInfo
}

/** Of files of one account, in the same order. */
export function fileInfos(app: Context, accountId: string, files: readonly StoredFile[]): FileInfo[] {
  const known = listNamespaces(app, accountId)
  const idsOf = namespacesOfFiles(
    app,
    files.map(({ id }) => id),
  )
  return files.map((file) => {
    const ids = new Set(idsOf.get(file.id))
    const namespaces = known.filter(({ id }) => ids.has(id)).map(({ id, name }) => ({ id, name }))
    return {
      id: file.id,
      name: file.name,
      size: file.sizeBytes,
      type: file.mediaType ?? '',
      ...(file.durationS === null ? {} : { duration: Math.round(file.durationS * 1_000) / 1_000 }),
      status: file.status,
      created_at: isoTime(file.createdAt),
      updated_at: isoTime(file.updatedAt),
      ...(file.originalAt === null ? {} : { original_file_date: isoTime(file.originalAt) }),
      has_transcript: file.status === 'completed',
      ...(file.errorMessage === null ? {} : { error_message: file.errorMessage }),
      ...transcriptFacts(app, file),
      namespace_ids: namespaces.map(({ id }) => id),
      namespaces,
    }
  })
}

function transcriptFacts(
  app: Context,
  file: StoredFile,
): Pick<FileInfo, 'speech_model' | 'selected_language'> {
  if (file.status !== 'completed' || file.transcriptId === null) return {}
  const transcript = findTranscript(app, file.transcriptId)
  if (!transcript) return {}
  return {
    speech_model: transcript.speechModel,
    ...(transcript.language === null ? {} : { selected_language: transcript.language }),
  }
}
