// POST /upload/file: one multipart request brings a file, and may wait until it has been transcribed.

import type { Caller, Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { requireTranscriptionCredit } from '../billing/balance.ts'
import { type Answer, answer } from '../http/envelope.ts'
import { type Call, type Route, route } from '../http/route.ts'
import { refuseOverload } from '../jobs/overload.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { SECOND } from '../lib/time.ts'
import { SegmentSchema } from '../transcripts/schemas.ts'
import { listSegments } from '../transcripts/transcripts.ts'
import { FileInfo, FileStatusSchema, fileInfo } from './file-info.ts'
import type { NewFile, StoredFile } from './files.ts'
import { ACCEPTED_FORMATS, extensionOf } from './media-type.ts'
import { cleanName } from './name.ts'
import { addFile, type Followers, waitForFile } from './processing.ts'
import { dismiss, inspect, type Written } from './receive.ts'
import { receiveForm } from './receive-form.ts'
import { readUploadFields, type UploadFields } from './upload-fields.ts'

const UploadForm = t.Object({
  file: t.String({ format: 'binary', description: `Audio or video: ${ACCEPTED_FORMATS}` }),
  wait_for_completion: t.Optional(
    t.String({ description: 'true, false, 1, 0, yes, no, y or n: answer only when there is a transcript' }),
  ),
  namespace_ids: t.Optional(t.String({ description: 'Ids separated by commas, or a JSON array of them' })),
  language: t.Optional(
    t.String({ description: 'ISO 639-1 code of the spoken language; detected when absent' }),
  ),
})

const Uploaded = t.Object({
  status: t.Literal('success'),
  file_id: t.String({ format: 'uuid' }),
  file_name: t.String(),
  file_status: FileStatusSchema,
  message: t.String(),
  data: t.Object({ file_info: FileInfo, transcript: t.Optional(t.Array(SegmentSchema)) }),
})

const StillProcessing = t.Object({
  status: t.Literal('accepted'),
  file_id: t.String({ format: 'uuid' }),
  file_name: t.String(),
  file_status: t.Literal('processing'),
  note: t.String(),
  data: t.Object({ file_info: FileInfo }),
})

type Reply = Answer<Infer<typeof Uploaded> | Infer<typeof StillProcessing>>

export function uploadRoutes(app: App, auth: Guard, followers: Followers): readonly Route[] {
  return [
    route(
      {
        method: 'POST',
        path: '/upload/file',
        tag: 'Files',
        summary: 'Upload an audio or video file and have it transcribed',
        description:
          'What a file is goes by its content, not by its name. See /upload/resumable for large files.',
        auth: auth('files:write'),
        takesStream: true,
        form: UploadForm,
        charges: true,
        responses: { 201: Uploaded, 202: StillProcessing },
        errors: [
          'request_body_required',
          'missing_parameter',
          'invalid_parameter',
          'input_too_large',
          'limit_exceeded',
          'storage_quota_exceeded',
          'system_overload',
          'storage_not_configured',
        ],
        slow: true,
      },
      async (call) => {
        requireTranscriptionCredit(app, call.caller.account.id)
        refuseOverload(app)
        const { reply, waitFor } = await takeIn(app, call, followers)
        if (waitFor === undefined || reply instanceof Response) return reply
        return waited(app, waitFor, call.signal)
      },
    ),
  ]
}

type UploadCall = Call<'/upload/file', Caller, unknown, unknown>

interface TakenIn {
  readonly reply: Reply | Response
  /** Id of the file whose end the client wants to wait for. */
  readonly waitFor: string | undefined
}

async function takeIn(app: App, call: UploadCall, followers: Followers): Promise<TakenIn> {
  const { account } = call.caller
  const uploadId = newId()
  try {
    const form = await readForm(app, call, uploadId)
    const content = await inspect(app, form.written, call.signal)
    call.signal.throwIfAborted()
    const { namespaceIds, language, waits } = form.fields
    const file: NewFile = {
      id: uploadId,
      accountId: account.id,
      name: form.name ?? `file.${extensionOf(content.mediaType)}`,
      sizeBytes: content.sizeBytes,
      language: language ?? null,
      namespaceIds,
    }
    const asked = JSON.stringify([content.sha256, file.name, namespaceIds, language])
    const reply = call.commit(() => accepted(app, addFile(app, file, content, followers)), asked)
    return { reply, waitFor: waits ? uploadId : undefined }
  } finally {
    dismiss(app, uploadId)
  }
}

interface UploadedForm {
  readonly written: Written
  /** Undefined when the file came without a usable one. */
  readonly name: string | undefined
  readonly fields: UploadFields
}

async function readForm(app: App, call: UploadCall, uploadId: string): Promise<UploadedForm> {
  const { request, signal, caller } = call
  const { account } = caller
  const { written, name, fields } = await receiveForm(app, request, { uploadId, account, signal })
  return {
    written,
    name: cleanName(name),
    fields: readUploadFields(app, account.id, (field) => fields.get(field)),
  }
}

function accepted(app: App, file: StoredFile): Answer<Infer<typeof Uploaded>> {
  return answer(201, {
    status: 'success',
    file_id: file.id,
    file_name: file.name,
    file_status: file.status,
    message: `The file was uploaded and is being processed. Poll GET /v1/file/${file.id} for its status.`,
    data: { file_info: fileInfo(app, file) },
  })
}

/** The client may leave: the file is processed all the same. */
async function waited(app: App, fileId: string, signal: AbortSignal): Promise<Reply> {
  const file = await waitForFile(app, fileId, { signal, waitMs: app.config.uploadWaitS * SECOND })
  if (!file) throw new Problem('file_not_found', 'The file was deleted while it was processed.')
  if (file.status === 'failed') {
    throw new Problem(
      file.errorCode ?? 'transcription_failed',
      `The file was stored as ${file.id} but could not be transcribed: ${file.errorMessage ?? ''}`,
    )
  }
  const about = { file_id: file.id, file_name: file.name, data: { file_info: fileInfo(app, file) } }
  if (file.status === 'processing') {
    const note = `Processing takes longer than ${app.config.uploadWaitS} seconds and goes on. Poll GET /v1/file/${file.id}.`
    return answer(202, { status: 'accepted', file_status: 'processing', note, ...about })
  }
  const isDone = file.status === 'completed' && file.transcriptId !== null
  return answer(201, {
    status: 'success',
    ...about,
    file_status: file.status,
    message: isDone ? 'The file was uploaded and transcribed.' : 'Processing of the file was cancelled.',
    data: {
      ...about.data,
      ...(isDone ? { transcript: listSegments(app, file.transcriptId ?? '') } : {}),
    },
  })
}
