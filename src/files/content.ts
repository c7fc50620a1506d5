// A file's bytes under a signed link: works without a key for an hour, in players and browsers, whole or in ranges
// (RFC 9110, section 14). What it sends is what an uploader made, so nothing of it may run on this site.

import type { App } from '../app.ts'
import { type Route, route } from '../http/route.ts'
import { isId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { HOUR } from '../lib/time.ts'
import { checkSignedUrl, signUrl } from '../net/signed-url.ts'
import { findFile } from './files.ts'
import { inlineDisposition } from './name.ts'
import { blobPath } from './storage.ts'

const LINK_LIFE_MS = HOUR

export interface FileLink {
  readonly url: string
  readonly expiresAt: number
}

/** `base`: the server's public URL. The file must have its bytes. */
export function fileLink(app: Pick<App, 'db' | 'now'>, base: string, fileId: string): FileLink {
  const expiresAt = app.now() + LINK_LIFE_MS
  return { url: signUrl(app, { base, path: `/files/${fileId}/content`, expiresAt }), expiresAt }
}

export function contentRoutes(app: App): readonly Route[] {
  const common = {
    path: '/files/{file_id}/content',
    base: '',
    tag: 'Pages',
    summary: 'A file under a signed link',
    responses: {},
    slow: true,
  } as const
  const serve = ({ request, params }: { request: Request; params: { file_id: string } }): Response => {
    checkSignedUrl(app, new URL(request.url))
    return contentOf(app, params.file_id, request)
  }
  return [route({ ...common, method: 'GET' }, serve), route({ ...common, method: 'HEAD' }, serve)]
}

function contentOf(app: App, fileId: string, request: Request): Response {
  const file = isId(fileId) ? findFile(app, fileId) : undefined
  if (!file || file.sha256 === null) throw new Problem('file_not_found', 'The file has been deleted.')
  const { sizeBytes, sha256, accountId } = file
  const etag = `"${sha256}"`
  const headers = new Headers({
    'content-type': file.mediaType ?? 'application/octet-stream',
    'content-disposition': inlineDisposition(file.name),
    'accept-ranges': 'bytes',
    etag,
    'last-modified': new Date(file.createdAt).toUTCString(),
    'cache-control': 'private, no-store',
    'content-security-policy': "default-src 'none'; sandbox",
    // Players on other sites are what the link is for.
    'cross-origin-resource-policy': 'cross-origin',
  })
  const range = rangeOf(request, sizeBytes, etag)
  if (range === 'unsatisfiable') {
    headers.set('content-range', `bytes */${sizeBytes}`)
    return new Response(null, { status: 416, headers })
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes }
  headers.set('content-length', String(end - start))
  if (range) headers.set('content-range', `bytes ${start}-${end - 1}/${sizeBytes}`)
  // For HEAD too: the length is right only with the bytes at hand, which are then not sent.
  const body = Bun.file(blobPath(app, { accountId, sha256 })).slice(start, end)
  return new Response(body, { status: range ? 206 : 200, headers })
}

interface ByteRange {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/** Undefined: everything. Several ranges, other units and malformed ones are ignored, as the standard allows. */
function rangeOf(request: Request, sizeBytes: number, etag: string): ByteRange | 'unsatisfiable' | undefined {
  const condition = request.headers.get('if-range')
  if (condition !== null && condition !== etag) return undefined
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(request.headers.get('range')?.trim() ?? '')
  if (!match) return undefined
  const [, first = '', last = ''] = match
  if (first === '') {
    if (last === '') return undefined
    const start = Math.max(0, sizeBytes - Number(last))
    return Number(last) === 0 ? 'unsatisfiable' : { start, end: sizeBytes }
  }
  const start = Number(first)
  if (last !== '' && Number(last) < start) return undefined
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, end: last === '' ? sizeBytes : Math.min(sizeBytes, Number(last) + 1) }
}
