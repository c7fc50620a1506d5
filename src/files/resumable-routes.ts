// /upload/resumable: the tus 1.0 protocol, spoken by @tus/server, for accounts with a key and within their limits.

import { Server } from '@tus/server'
import type { Caller, Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { requireTranscriptionCredit } from '../billing/balance.ts'
import { transaction } from '../db/database.ts'
import { type Route, route } from '../http/route.ts'
import { refuseOverload } from '../jobs/overload.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { findFile, getFile, insertFile } from './files.ts'
import { finishUpload } from './finish.job.ts'
import { cleanName } from './name.ts'
import { deleteFile, type Followers } from './processing.ts'
import { expectBytes, tooLarge } from './receive.ts'
import { createUploadLocker, createUploadStore } from './resumable.ts'
import { readUploadFields } from './upload-fields.ts'

const PATH = '/upload/resumable'
const TUS_VERSION = '1.0.0'
/** Looking at the content is finished although the client has left, but not for ever. */
const FINISH_MS = HOUR

const DESCRIPTION =
  'The tus 1.0 protocol (https://tus.io) with creation, creation-with-upload, termination and expiration. Metadata: ' +
  '`filename`, `namespace_ids`, `language`. The last part of Location is the id of the file, which is `pending` until ' +
  'its last byte has arrived.'

/** The protocol answers in headers, without a body. */
const ANSWERS = {
  created: { responses: { 201: t.Void({ description: 'Location names the upload.' }) } },
  able: { responses: { 204: t.Void({ description: 'Tus-Version, Tus-Extension and Tus-Max-Size.' }) } },
  arrived: { responses: { 200: t.Void({ description: 'Upload-Offset and Upload-Length.' }) } },
  taken: { responses: { 204: t.Void({ description: 'Upload-Offset.' }) } },
  gone: { responses: { 204: t.Void({ description: 'It is gone.' }) } },
} as const

/** What a request is about, for the hooks of the protocol's implementation. */
interface Context {
  readonly caller: Caller
  /** What a hook threw that is ours to answer. */
  fault: unknown
}

export function resumableRoutes(app: App, auth: Guard, followers: Followers): readonly Route[] {
  const contexts = new WeakMap<Request, Context>()
  const server = createTusServer(app, followers, (request) => {
    const context = contexts.get(request)
    if (!context) throw new Error('a request that nobody admitted')
    return context
  })

  const common = {
    tag: 'Files',
    auth: auth('files:write'),
    takesStream: true,
    slow: true,
  } as const
  const handle = async (call: { request: Request; caller: Caller; headers: Headers }): Promise<Response> => {
    const context: Context = { caller: call.caller, fault: undefined }
    contexts.set(call.request, context)
    call.headers.set('tus-resumable', TUS_VERSION)
    const response = await server.handleWeb(call.request)
    if (context.fault !== undefined) throw context.fault
    return plain(response)
  }
  const create = { ...common, path: PATH, description: DESCRIPTION } as const
  const upload = { ...common, path: `${PATH}/{file_id}` } as const
  return [
    route(
      { ...create, ...ANSWERS.created, method: 'POST', summary: 'Begin a resumable upload (tus)' },
      handle,
    ),
    route({ ...create, ...ANSWERS.able, method: 'OPTIONS', summary: 'What the server can do (tus)' }, handle),
    route(
      { ...upload, ...ANSWERS.arrived, method: 'HEAD', summary: 'How many bytes have arrived (tus)' },
      handle,
    ),
    route({ ...upload, ...ANSWERS.taken, method: 'PATCH', summary: 'Send more bytes (tus)' }, handle),
    route(
      { ...upload, ...ANSWERS.gone, method: 'DELETE', summary: 'Give a resumable upload up (tus)' },
      handle,
    ),
  ]
}

function createTusServer(app: App, followers: Followers, contextOf: (request: Request) => Context): Server {
  return new Server({
    path: `/v1${PATH}`,
    relativeLocation: true,
    datastore: createUploadStore(app),
    locker: createUploadLocker(),
    maxSize: app.config.maxUploadBytes,
    disableTerminationForFinishedUploads: true,
    // The id of the upload is that of the file. Asked first: what is too large is refused in the contract's words.
    namingFunction(request) {
      if (Number(request.headers.get('upload-length')) > app.config.maxUploadBytes) throw tooLarge(app)
      return newId()
    },
    async onIncomingRequest(request, id) {
      if (request.method !== 'POST') getFile(app, contextOf(request).caller.account.id, id)
    },
    async onUploadCreate(request, { id, size = 0, metadata = {} }) {
      const { account } = contextOf(request).caller
      beginUpload(app, { id, account, sizeBytes: size, metadata })
      return {}
    },
    async onUploadFinish(_request, { id }) {
      try {
        await finishUpload(app, id, followers, AbortSignal.timeout(FINISH_MS))
      } catch (error) {
        const file = findFile(app, id)
        if (file && error instanceof Problem && error.code === 'invalid_parameter') deleteFile(app, file)
        throw error
      }
      return {}
    },
    onResponseError(request, error) {
      // The protocol's own refusals have a status; everything else is answered like anywhere in the API.
      if (!('status_code' in error)) contextOf(request).fault = error
      return undefined
    },
  })
}

interface Beginning {
  readonly id: string
  readonly account: Caller['account']
  readonly sizeBytes: number
  readonly metadata: Readonly<Record<string, string | null>>
}

/** Everything that can be refused is refused before the first byte. */
function beginUpload(app: App, { id, account, sizeBytes, metadata }: Beginning): void {
  requireTranscriptionCredit(app, account.id)
  refuseOverload(app)
  if (sizeBytes === 0) throw new Problem('invalid_parameter', 'The file is empty.')
  const fields = readUploadFields(app, account.id, (name) => metadata[name] ?? undefined)
  const name = cleanName(metadata['filename'] ?? metadata['name'] ?? '') ?? 'file'
  transaction(app.db, () => {
    expectBytes(app, {
      uploadId: id,
      account,
      announcedBytes: sizeBytes,
      overheadBytes: 0,
      signal: AbortSignal.timeout(FINISH_MS),
    })
    const { namespaceIds, language = null } = fields
    insertFile(app, { id, accountId: account.id, name, sizeBytes, language, namespaceIds })
  })
}

/** The protocol's refusals in our envelope, and without headers for other sites: keys do not belong into web pages. */
function plain(response: Response): Response {
  const headers = new Headers(response.headers)
  for (const name of response.headers.keys()) {
    if (name.startsWith('access-control-')) headers.delete(name)
  }
  if (response.status < 400 || response.body === null) {
    return new Response(response.body, { status: response.status, headers })
  }
  headers.delete('content-length')
  const message = PROTOCOL_REFUSALS[response.status] ?? 'The request does not follow the tus protocol.'
  return Response.json({ status: 'error', message }, { status: response.status, headers })
}

const PROTOCOL_REFUSALS: Readonly<Record<number, string>> = {
  404: 'There is no such upload.',
  409: 'Upload-Offset is not the number of bytes that have arrived. Ask with HEAD.',
  410: 'This upload was cancelled, refused or has expired. Begin a new one.',
  412: 'Send Tus-Resumable: 1.0.0.',
  413: 'More bytes came than Upload-Length says.',
  415: 'Send Content-Type: application/offset+octet-stream.',
}
