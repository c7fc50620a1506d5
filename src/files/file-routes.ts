// Files in the API: list, read, retry, cancel, delete, link, and which namespaces they are in.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import { type Answer, answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { isoTime } from '../lib/time.ts'
import {
  fileFormatOf,
  FORMAT_TYPES,
  formatFlag,
  formattedAnswer,
  formattedTranscript,
} from '../transcripts/format-answer.ts'
import type { FileFormat } from '../transcripts/formats.ts'
import { TranscriptSchema } from '../transcripts/schemas.ts'
import { listSegments, transcriptBody } from '../transcripts/transcripts.ts'
import { fileLink } from './content.ts'
import { FileInfo, fileInfo, fileInfos, FileStatusSchema, NamespaceRef } from './file-info.ts'
import { getFile, listFiles, setNamespaces, type StoredFile } from './files.ts'
import { inlineDisposition } from './name.ts'
import { chooseNamespaces } from './namespaces.ts'
import { cancelFile, deleteFile, type Followers, retryFile } from './processing.ts'

const NAMESPACES_MAX = 1_000

const FileList = t.Object({
  files: t.Array(FileInfo),
  total_count: t.Integer(),
  limit: t.Integer(),
  offset: t.Integer(),
  has_more: t.Boolean(),
})

const About = { file_id: t.String({ format: 'uuid' }), file_name: t.String() }
const Confirmed = t.Object({ ...About, message: t.String() })
const Restarted = t.Object({ ...About, file_status: t.Literal('processing'), message: t.String() })
const Link = t.Object({
  file_id: t.String({ format: 'uuid' }),
  file_url: t.String({ format: 'uri' }),
  expires_at: t.String({ format: 'date-time' }),
})

export interface FileRoutesOptions {
  /** Base of links; asked per answer. */
  readonly publicUrl: () => string
  readonly followers: Followers
}

export function fileRoutes(app: App, auth: Guard, options: FileRoutesOptions): readonly Route[] {
  return [
    listRoute(app, auth),
    readRoute(app, auth),
    linkRoute(app, auth, options.publicUrl),
    retryRoute(app, auth, options.followers),
    cancelRoute(app, auth),
    deleteRoute(app, auth),
    namespacesRoute(app, auth),
  ]
}

function listRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'GET',
      path: '/files',
      tag: 'Files',
      summary: 'Files of the account, newest first',
      auth: auth('files:read'),
      query: t.Object({
        limit: t.Optional(t.Integer({ minimum: 1, maximum: 100, default: 50 })),
        offset: t.Optional(t.Integer({ minimum: 0, default: 0 })),
        status: t.Optional(FileStatusSchema),
        namespace_id: t.Optional(t.String({ description: 'Only files in this namespace' })),
      }),
      responses: { 200: t.Object({ status: t.Literal('success'), data: FileList }) },
    },
    ({ caller, query }) => {
      const accountId = caller.account.id
      const { limit = 50, offset = 0 } = query
      const filter = { accountId, status: query.status, namespaceId: query.namespace_id }
      const { files, totalCount } = listFiles(app, filter, { limit, offset })
      const data: Infer<typeof FileList> = {
        files: fileInfos(app, accountId, files),
        total_count: totalCount,
        limit,
        offset,
        has_more: offset + files.length < totalCount,
      }
      return answer(200, success(data))
    },
  )
}

function readRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'GET',
      path: '/file/{file_id}',
      tag: 'Files',
      summary: 'A file, and its transcript once there is one',
      auth: auth('files:read'),
      query: t.Object({
        transcript_text: t.Optional(
          t.Boolean({ description: 'true: the transcript as one plain-text string' }),
        ),
        format: formatFlag,
      }),
      texts: FORMAT_TYPES,
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          data: t.Object({ file_info: FileInfo, transcript: t.Optional(TranscriptSchema) }),
        }),
      },
      errors: ['file_not_found'],
    },
    ({ caller, params, query }) => {
      const file = getFile(app, caller.account.id, params.file_id)
      const format = fileFormatOf(query.format)
      const formatted = format && transcriptFile(app, file, format)
      if (formatted) return formatted
      const transcript = transcriptOf(app, file, query.transcript_text ?? false)
      return answer(200, success({ file_info: fileInfo(app, file), ...transcript }))
    },
  )
}

/** Named after the file; undefined while there is no transcript. */
function transcriptFile(app: App, file: StoredFile, format: FileFormat): Answer<never> | undefined {
  if (file.status !== 'completed' || file.transcriptId === null) return undefined
  const transcript = formattedTranscript(app, file.transcriptId)
  if (!transcript) return undefined
  const name = `${file.name.replace(/\.[^.]*$/, '')}.${format === 'text' ? 'txt' : format}`
  return {
    ...formattedAnswer(format, transcript),
    headers: { 'content-disposition': inlineDisposition(name) },
  }
}

function transcriptOf(
  app: App,
  file: StoredFile,
  asText: boolean,
): { transcript?: Infer<typeof TranscriptSchema> } {
  if (file.status !== 'completed' || file.transcriptId === null) return {}
  const body = transcriptBody(listSegments(app, file.transcriptId), asText)
  return { transcript: typeof body === 'string' ? body : [...body] }
}

function linkRoute(app: App, auth: Guard, publicUrl: () => string): Route {
  return route(
    {
      method: 'GET',
      path: '/file/{file_id}/url',
      tag: 'Files',
      summary: 'A link to the bytes of a file that works for an hour without a key',
      auth: auth('files:read'),
      responses: { 200: t.Object({ status: t.Literal('success'), data: Link }) },
      errors: ['file_not_found', 'invalid_parameter'],
    },
    ({ caller, params }) => {
      const file = getFile(app, caller.account.id, params.file_id)
      if (file.sha256 === null) {
        throw new Problem(
          'invalid_parameter',
          'The upload of this file is not complete: there is nothing to link to.',
        )
      }
      const { url, expiresAt } = fileLink(app, publicUrl(), file.id)
      return answer(200, success({ file_id: file.id, file_url: url, expires_at: isoTime(expiresAt) }))
    },
  )
}

function retryRoute(app: App, auth: Guard, followers: Followers): Route {
  return route(
    {
      method: 'POST',
      path: '/file/{file_id}/retry',
      tag: 'Files',
      summary: 'Process a failed or cancelled file again',
      auth: auth('files:write'),
      charges: true,
      responses: { 200: t.Object({ status: t.Literal('success'), data: Restarted }) },
      errors: ['file_not_found', 'invalid_parameter', 'limit_exceeded', 'system_overload'],
    },
    ({ caller, params, commit }) => {
      const file = getFile(app, caller.account.id, params.file_id)
      return commit(() => {
        retryFile(app, file, followers)
        return answer(
          200,
          success({
            ...about(file),
            file_status: 'processing' as const,
            message: 'The file is processed again.',
          }),
        )
      })
    },
  )
}

function cancelRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/file/{file_id}/cancel',
      tag: 'Files',
      summary: 'Stop the upload or the processing of a file',
      auth: auth('files:write'),
      responses: { 200: t.Object({ status: t.Literal('success'), data: Confirmed }) },
      errors: ['file_not_found', 'invalid_parameter'],
    },
    ({ caller, params }) => {
      const file = getFile(app, caller.account.id, params.file_id)
      cancelFile(app, file)
      return answer(200, success({ ...about(file), message: 'The file was cancelled.' }))
    },
  )
}

function deleteRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'DELETE',
      path: '/file/{file_id}/delete',
      tag: 'Files',
      summary: 'Delete a file with everything that was made of it',
      auth: auth('files:write'),
      responses: { 200: t.Object({ status: t.Literal('success'), data: Confirmed }) },
      errors: ['file_not_found'],
    },
    ({ caller, params }) => {
      const file = getFile(app, caller.account.id, params.file_id)
      deleteFile(app, file)
      return answer(200, success({ ...about(file), message: 'The file was deleted.' }))
    },
  )
}

function namespacesRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'PUT',
      path: '/file/{file_id}/namespaces',
      tag: 'Namespaces',
      summary: 'Put a file into exactly these namespaces and the default one',
      auth: auth('files:write'),
      body: t.Object({ namespace_ids: t.Array(t.String(), { maxItems: NAMESPACES_MAX }) }),
      responses: {
        200: t.Object({
          status: t.Literal('success'),
          message: t.String(),
          data: t.Object({ namespace_ids: t.Array(t.String()), namespaces: t.Array(NamespaceRef) }),
        }),
      },
      errors: ['file_not_found'],
    },
    ({ caller, params, body }) => {
      const file = getFile(app, caller.account.id, params.file_id)
      transaction(app.db, () =>
        setNamespaces(app, file.id, chooseNamespaces(app, caller.account.id, body.namespace_ids)),
      )
      const { namespace_ids, namespaces } = fileInfo(app, file)
      const message = 'The namespaces of the file were updated.'
      return answer(200, success({ namespace_ids, namespaces }, { message }))
    },
  )
}

function about({ id, name }: StoredFile): { file_id: string; file_name: string } {
  return { file_id: id, file_name: name }
}
