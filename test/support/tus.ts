// The official tus client against our server, as a browser or app would use it; and single requests of the protocol.

import type { Readable } from 'node:stream'
import * as tus from 'tus-js-client'
import type { FilesServer } from './files.ts'

export interface TusOptions {
  readonly metadata?: Readonly<Record<string, string>>
  readonly chunkBytes?: number
  /** Needed for streams. */
  readonly sizeBytes?: number
  /** Goes on with this upload instead of beginning one. */
  readonly uploadUrl?: string
  /** Called with the bytes that were accepted; `abort` ends the client as if its tab was closed. */
  readonly onProgress?: (sentBytes: number, abort: () => void) => void
}

export interface TusOutcome {
  /** Of the upload; the last part is the file's id. */
  readonly url: string
  readonly fileId: string
  /** Undefined when it succeeded. */
  readonly error: tus.DetailedError | Error | undefined
  readonly wasAborted: boolean
}

export function tusUpload(
  { server, key }: Pick<FilesServer, 'server' | 'key'>,
  content: Uint8Array | Readable,
  options: TusOptions = {},
): Promise<TusOutcome> {
  return new Promise((resolve) => {
    const end = (error?: Error, wasAborted = false): void => {
      const url = upload.url ?? ''
      resolve({ url, fileId: url.split('/').at(-1) ?? '', error, wasAborted })
    }
    const upload = new tus.Upload(content instanceof Uint8Array ? Buffer.from(content) : content, {
      endpoint: `${server.url}/v1/upload/resumable`,
      headers: { 'x-api-key': key },
      metadata: { ...options.metadata },
      retryDelays: null,
      ...(options.chunkBytes === undefined ? {} : { chunkSize: options.chunkBytes }),
      ...(options.sizeBytes === undefined ? {} : { uploadSize: options.sizeBytes }),
      ...(options.uploadUrl === undefined ? {} : { uploadUrl: options.uploadUrl }),
      onSuccess: () => end(),
      onError: (error) => end(error),
      onChunkComplete: (_chunk, accepted) => {
        options.onProgress?.(accepted, () => void upload.abort().then(() => end(undefined, true)))
      },
    })
    upload.start()
  })
}

export interface TusReply {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** One request to an upload's URL, or without one to the endpoint. */
export async function tusRequest(
  { server, key }: Pick<FilesServer, 'server' | 'key'>,
  method: string,
  options: {
    readonly url?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly body?: Uint8Array<ArrayBuffer>
    readonly key?: string
  } = {},
): Promise<TusReply> {
  const response = await fetch(options.url ?? `${server.url}/v1/upload/resumable`, {
    method,
    headers: { 'x-api-key': options.key ?? key, 'tus-resumable': '1.0.0', ...options.headers },
    ...(options.body === undefined ? {} : { body: options.body }),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}
