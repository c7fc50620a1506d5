// Resumable uploads with the official tus client: whole, cut, resumed after kill -9, given up, and refused.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sha256 } from '../../src/lib/id.ts'
import { type FilesServer, type OpenRequest, openRequest, startFilesServer } from '../support/files.ts'
import { ffmpeg, makeTone, temporaryFolder } from '../support/make-media.ts'
import { tusRequest, tusUpload } from '../support/tus.ts'

const MIB = 1_048_576
const media = temporaryFolder()
let files: FilesServer
/** About 3.7 MB. */
let content: Uint8Array<ArrayBuffer>

const bytesOf = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(path))
const info = async (id: string) => (await files.request('GET', `/v1/file/${id}`)).body.data?.file_info
const partsOnDisk = (): string[] => Object.keys(files.stored()).filter((path) => !path.startsWith('blobs/'))

beforeAll(async () => {
  files = await startFilesServer({ EARSHOT_MAX_UPLOAD_BYTES: String(20 * MIB) })
  content = bytesOf(makeTone(media.file('tone.wav'), 42))
})

afterAll(async () => {
  await files.close()
  media.remove()
})

/** Gives up behind the second piece. */
function stoppedUpload(filename: string): ReturnType<typeof tusUpload> {
  return tusUpload(files, content, {
    chunkBytes: MIB,
    metadata: { filename },
    onProgress: (sent, abort) => void (sent >= 2 * MIB && abort()),
  })
}

describe('the tus client', () => {
  test('uploads in pieces; the file is pending until the last one and then processed', async () => {
    const made = await files.request('POST', '/v1/namespaces', { name: 'phone' })
    const states: string[] = []
    let url = ''
    const outcome = await tusUpload(files, content, {
      chunkBytes: MIB,
      metadata: { filename: 'Wörter/…/talk.wav', namespace_ids: made.body.data.id, language: 'en' },
      onProgress: (sent) => void states.push(String(sent)),
    })
    expect(outcome.error).toBeUndefined()
    url = outcome.url
    expect(url).toStartWith(`${files.server.url}/v1/upload/resumable/`)
    expect(states.length).toBeGreaterThan(3)
    const ended = await files.ended(outcome.fileId)
    expect(ended).toMatchObject({
      name: 'talk.wav',
      status: 'completed',
      size: content.byteLength,
      type: 'audio/wav',
    })
    expect(ended.namespaces.map((entry: { name: string }) => entry.name)).toEqual(['default', 'phone'])
    const link = (await files.request('GET', `/v1/file/${outcome.fileId}/url`)).body.data.file_url
    expect(sha256(new Uint8Array(await (await fetch(link)).arrayBuffer()))).toBe(sha256(content))
    // A client that missed the last answer asks again, and is told that everything is there.
    const head = await tusRequest(files, 'HEAD', { url })
    expect([head.status, head.headers.get('upload-offset')]).toEqual([200, String(content.byteLength)])
    expect((await tusUpload(files, content, { uploadUrl: url })).error).toBeUndefined()
  }, 30_000)

  test('goes on where it stopped', async () => {
    const first = await stoppedUpload('stopped.wav')
    expect(first.wasAborted).toBe(true)
    expect(await info(first.fileId)).toMatchObject({
      status: 'pending',
      has_transcript: false,
      size: content.byteLength,
    })
    const head = await tusRequest(files, 'HEAD', { url: first.url })
    expect(Number(head.headers.get('upload-offset'))).toBeGreaterThanOrEqual(2 * MIB)
    const second = await tusUpload(files, content, { uploadUrl: first.url, chunkBytes: MIB })
    expect(second.error).toBeUndefined()
    expect(await files.ended(first.fileId)).toMatchObject({ status: 'completed' })
  }, 30_000)

  test('survives kill -9 of the server in the middle', async () => {
    const first = await stoppedUpload('killed.wav')
    await files.server.kill('SIGKILL')
    files.server = await files.server.restart()
    const uploadUrl = `${files.server.url}/v1/upload/resumable/${first.fileId}`
    const second = await tusUpload(files, content, { uploadUrl, chunkBytes: MIB })
    expect(second.error).toBeUndefined()
    expect(await files.ended(first.fileId)).toMatchObject({ status: 'completed', size: content.byteLength })
    expect(partsOnDisk()).toEqual([])
  }, 30_000)
})

/** Begins an upload by hand; returns its URL and file id. */
async function begin(length = content.byteLength): Promise<{ url: string; id: string }> {
  const reply = await tusRequest(files, 'POST', { headers: { 'upload-length': String(length) } })
  expect(reply.status).toBe(201)
  expect(Date.parse(reply.headers.get('upload-expires') ?? '')).toBeGreaterThan(Date.now())
  const location = reply.headers.get('location') ?? ''
  return { url: new URL(location, files.server.url).href, id: location.split('/').at(-1) ?? '' }
}

const OFFSET_TYPE = { 'content-type': 'application/offset+octet-stream' }

/** A PATCH with the whole content, whose bytes the test sends as it likes. */
function openPatch(url: string): Promise<OpenRequest> {
  return openRequest(files.server, {
    method: 'PATCH',
    path: new URL(url).pathname,
    headers: {
      'x-api-key': files.key,
      'tus-resumable': '1.0.0',
      'upload-offset': '0',
      'content-length': String(content.byteLength),
      ...OFFSET_TYPE,
    },
  })
}

describe('a connection', () => {
  test('that breaks within a piece loses nothing of what had arrived', async () => {
    const { url, id } = await begin()
    const open = await openPatch(url)
    await open.write(content.slice(0, 1_500_000))
    await files.until('bytes arrive', () => (files.stored()[`incoming/${id}`] ?? 0) > 1_000_000)
    open.cut()
    const resumed = await tusUpload(files, content, { uploadUrl: url })
    expect(resumed.error).toBeUndefined()
    expect(await files.ended(id)).toMatchObject({ status: 'completed', size: content.byteLength })
  }, 30_000)

  test('that hangs gives way to the client’s next one', async () => {
    const { url, id } = await begin()
    const hanging = await openPatch(url)
    await hanging.write(content.slice(0, 500_000))
    await files.until('bytes arrive', () => (files.stored()[`incoming/${id}`] ?? 0) > 0)
    const resumed = await tusUpload(files, content, { uploadUrl: url })
    expect(resumed.error).toBeUndefined()
    hanging.cut()
    const link = (await files.request('GET', `/v1/file/${id}/url`)).body.data.file_url
    expect(sha256(new Uint8Array(await (await fetch(link)).arrayBuffer()))).toBe(sha256(content))
  }, 30_000)
})

describe('an upload under way', () => {
  test('is cancelled: the bytes go, and no more are taken', async () => {
    const { url, id } = await begin()
    const open = await openPatch(url)
    await open.write(content.slice(0, 1_000_000))
    await files.until('bytes arrive', () => (files.stored()[`incoming/${id}`] ?? 0) > 0)
    const startedAt = performance.now()
    expect((await files.request('POST', `/v1/file/${id}/cancel`)).status).toBe(200)
    await files.until('it is answered', () => open.answered() !== '')
    await files.until('the bytes are gone', () => partsOnDisk().length === 0)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    open.cut()
    expect(await info(id)).toMatchObject({ status: 'cancelled' })
    expect((await tusRequest(files, 'HEAD', { url })).status).toBe(410)
    const retry = await files.request('POST', `/v1/file/${id}/retry`)
    expect([retry.status, retry.body.error]).toEqual([400, 'invalid_parameter'])
    expect((await files.request('DELETE', `/v1/file/${id}/delete`)).status).toBe(200)
  }, 30_000)

  test('is given up by the client: nothing of it stays', async () => {
    const { url, id } = await begin()
    const headers = { 'upload-offset': '0', ...OFFSET_TYPE }
    const patched = await tusRequest(files, 'PATCH', { url, headers, body: content.slice(0, 1_000) })
    expect([patched.status, patched.headers.get('upload-offset')]).toEqual([204, '1000'])
    expect((await tusRequest(files, 'DELETE', { url })).status).toBe(204)
    expect(await info(id)).toBeUndefined()
    await files.until('the bytes are gone', () => partsOnDisk().length === 0)
    expect((await tusRequest(files, 'HEAD', { url })).status).toBe(404)
  })

  test('belongs to its account', async () => {
    const { url } = await begin()
    await files.server.command('accounts', 'create', 'stranger')
    const key = (await files.server.command('keys', 'create', '--account', 'stranger')).trim()
    for (const method of ['HEAD', 'DELETE'])
      expect((await tusRequest(files, method, { url, key })).status).toBe(404)
    const headers = { 'upload-offset': '0', ...OFFSET_TYPE }
    expect((await tusRequest(files, 'PATCH', { url, key, headers, body: content.slice(0, 10) })).status).toBe(
      404,
    )
    expect((await tusRequest(files, 'HEAD', { url, key: '' })).status).toBe(401)
    expect((await tusRequest(files, 'DELETE', { url })).status).toBe(204)
  })
})

describe('what is refused', () => {
  test('content that is no media, with its last byte; nothing stays', async () => {
    const outcome = await tusUpload(files, new TextEncoder().encode('just text '.repeat(1_000)), {
      metadata: { filename: 'talk.mp4' },
    })
    expect(String(outcome.error)).toContain('invalid_parameter')
    expect(await info(outcome.fileId)).toBeUndefined()
    await files.until('the bytes are gone', () => partsOnDisk().length === 0)
  })

  test('too many bytes, none, unknown namespaces, and requests that are not tus', async () => {
    const post = async (headers: Readonly<Record<string, string>>): Promise<[number, string]> => {
      const { status, text } = await tusRequest(files, 'POST', { headers })
      return [status, String((JSON.parse(text) as { error?: string }).error)]
    }
    expect(await post({ 'upload-length': String(20 * MIB + 1) })).toEqual([400, 'input_too_large'])
    expect(await post({ 'upload-length': '0' })).toEqual([400, 'invalid_parameter'])
    const metadata = `namespace_ids ${btoa('nowhere')}`
    expect(await post({ 'upload-length': '5', 'upload-metadata': metadata })).toEqual([
      400,
      'invalid_parameter',
    ])
    expect((await post({}))[0]).toBe(400)
    expect((await post({ 'upload-length': '5', 'tus-resumable': '0.1' }))[0]).toBeGreaterThanOrEqual(400)
    const { url } = await begin(10)
    const wrongOffset = await tusRequest(files, 'PATCH', {
      url,
      headers: { 'upload-offset': '5', ...OFFSET_TYPE },
      body: new Uint8Array(5),
    })
    expect(wrongOffset.status).toBe(409)
    const tooMuch = await tusRequest(files, 'PATCH', {
      url,
      headers: { 'upload-offset': '0', ...OFFSET_TYPE },
      body: new Uint8Array(11),
    })
    expect(tooMuch.status).toBeGreaterThanOrEqual(400)
    await tusRequest(files, 'DELETE', { url })
    const options = await tusRequest(files, 'OPTIONS')
    expect(options.headers.get('tus-extension')).toContain('expiration')
    expect(options.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('a storage limit holds from the first request on, and is free again when the upload is given up', async () => {
  await files.server.command('accounts', 'create', 'small', '--plan', 'trial')
  await files.server.command('accounts', 'limits', 'small', '--storage-bytes', '5000000')
  const key = (await files.server.command('keys', 'create', '--account', 'small')).trim()
  const post = (length: number) =>
    tusRequest(files, 'POST', { key, headers: { 'upload-length': String(length) } })
  expect((await post(5_000_001)).status).toBe(413)
  const first = await post(3_000_000)
  expect(first.status).toBe(201)
  expect((await post(2_000_001)).status).toBe(413)
  const second = await post(2_000_000)
  expect(second.status).toBe(201)
  const url = new URL(first.headers.get('location') ?? '', files.server.url).href
  await tusRequest(files, 'DELETE', { key, url })
  expect((await post(3_000_001)).status).toBe(413)
  expect((await post(3_000_000)).status).toBe(201)
})

test('an upload whose last answer never came is finished by the server', async () => {
  const path = media.file('whole.mp3')
  ffmpeg('-i', media.file('tone.wav'), path)
  const whole = bytesOf(path)
  const { id } = await begin(whole.byteLength)
  await files.server.kill('SIGKILL')
  // As if the process had died between the last byte and the look at it.
  await Bun.write(`${files.server.dataDir}/files/incoming/${id}`, whole)
  files.server = await files.server.restart()
  expect(await files.ended(id)).toMatchObject({ status: 'completed', type: 'audio/mpeg' })
}, 30_000)
