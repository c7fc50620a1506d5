// A multipart form with one file in the field "file" → the file's bytes on disk, and the other fields.

import type { Account } from '../accounts/accounts.ts'
import type { App } from '../app.ts'
import { OVERHEAD_BYTES_MAX, readMultipart } from '../http/multipart.ts'
import { Problem } from '../lib/problem.ts'
import { expectBytes, receive, type Written } from './receive.ts'

export interface FormOptions {
  /** Names the bytes on disk and the reservation of storage; whoever passes it calls `dismiss` in the end. */
  readonly uploadId: string
  readonly account: Pick<Account, 'id' | 'plan'>
  readonly signal: AbortSignal
  /** Fields that may be given several times; their values come joined by line feeds. */
  readonly lists?: readonly string[]
}

export interface ReceivedForm {
  readonly written: Written
  /** Of the file, as it was sent; '' when there was none. */
  readonly name: string
  readonly fields: ReadonlyMap<string, string>
}

/** Problems: those of `expectBytes`, `receive` and `readMultipart`, and `missing_parameter` without a file. */
export async function receiveForm(app: App, request: Request, options: FormOptions): Promise<ReceivedForm> {
  const { uploadId, account, signal, lists = [] } = options
  const length = Number(request.headers.get('content-length') ?? Number.NaN)
  const incoming = {
    uploadId,
    account,
    announcedBytes: Number.isNaN(length) ? undefined : length,
    overheadBytes: OVERHEAD_BYTES_MAX,
    signal,
  }
  const reserved = expectBytes(app, incoming)
  const found: { readonly name: string; readonly written: Written }[] = []
  let files = 0
  const fields = await readMultipart(request, {
    maxBytes: app.config.maxUploadBytes + OVERHEAD_BYTES_MAX,
    signal,
    lists,
    async onFile({ field, name, content }) {
      if (++files > 1) throw wrong('Send one file per request.')
      if (field !== 'file') throw wrong('Send the file in the field "file".')
      found.push({ name, written: await receive(app, incoming, content, reserved) })
    },
  })
  const [file] = found
  if (file) return { ...file, fields }
  throw new Problem('missing_parameter', '"file" is required: an audio or video file.', { field: 'file' })
}

function wrong(message: string): Problem {
  return new Problem('invalid_parameter', message, { field: 'file' })
}
