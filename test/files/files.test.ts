// Files in the API: their life, who sees them, and their bytes under signed links.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { ffmpeg, makeTone, temporaryFolder } from '../support/make-media.ts'
import { type FilesServer, openRequest, startFilesServer } from '../support/files.ts'
import { processesOf } from '../support/processes.ts'
import { readSamples, wordErrors, wordsOf } from '../support/samples.ts'

const media = temporaryFolder()
let files: FilesServer
let tone: Uint8Array<ArrayBuffer>
let longSpeech: Uint8Array<ArrayBuffer>

const bytesOf = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(path))

beforeAll(async () => {
  files = await startFilesServer()
  tone = bytesOf(makeTone(media.file('tone.wav'), 1))
  const [sample] = readSamples('sample-')
  // Long enough to be still at work while a test looks.
  ffmpeg('-stream_loop', '20', '-i', sample?.wavPath ?? '', '-c', 'copy', media.file('long.wav'))
  longSpeech = bytesOf(media.file('long.wav'))
})

afterAll(async () => {
  await files.close()
  media.remove()
})

const blobsOnly = (): boolean => Object.keys(files.stored()).every((path) => path.startsWith('blobs/'))

async function uploaded(content = tone, name = 'tone.wav'): Promise<string> {
  const { status, body } = await files.upload(content, name)
  expect(status).toBe(201)
  return String(body.file_id)
}

describe('a file', () => {
  test('is read with its transcript once it is completed, as segments or as text', async () => {
    const sample = readSamples('vocabulary-').find(({ name }) => name === 'vocabulary-sentence-1')
    if (!sample) throw new Error('no such sample')
    const id = await uploaded(bytesOf(sample.wavPath), 'speech.wav')
    expect(await files.ended(id)).toMatchObject({
      status: 'completed',
      speech_model: 'moonshine-tiny-en',
      selected_language: 'en',
    })
    const { body } = await files.request('GET', `/v1/file/${id}`)
    const text = body.data.transcript.map((segment: { text: string }) => segment.text).join(' ')
    expect(wordErrors(wordsOf(sample.text), wordsOf(text))).toBeLessThanOrEqual(1)
    expect(Object.keys(body.data.transcript[0])).toEqual(['text', 'start', 'end'])
    const plain = await files.request('GET', `/v1/file/${id}?transcript_text=true`)
    expect(plain.body.data.transcript).toBe(text)
  }, 60_000)

  test('without sound fails, says why, and can be tried again', async () => {
    ffmpeg(
      '-f',
      'lavfi',
      '-i',
      'testsrc=duration=1:size=64x64:rate=5',
      '-c:v',
      'mpeg4',
      media.file('mute.mp4'),
    )
    const waited = await files.upload(bytesOf(media.file('mute.mp4')), 'mute.mp4', {
      wait_for_completion: '1',
    })
    expect({ status: waited.status, error: waited.body.error }).toEqual({
      status: 500,
      error: 'audio_extraction_failed',
    })
    const id = await uploaded(bytesOf(media.file('mute.mp4')), 'mute.mp4')
    expect(await files.ended(id)).toMatchObject({
      status: 'failed',
      has_transcript: false,
      error_message: expect.stringContaining('no audio'),
    })
    const retried = await files.request('POST', `/v1/file/${id}/retry`)
    expect({ status: retried.status, data: retried.body.data }).toMatchObject({
      status: 200,
      data: { file_id: id, file_name: 'mute.mp4', file_status: 'processing' },
    })
    expect(await files.ended(id)).toMatchObject({ status: 'failed' })
  })

  test('that is being processed is cancelled within two seconds, and goes on when it is retried', async () => {
    const id = await uploaded(longSpeech, 'long.wav')
    const ffmpegRuns = (): boolean =>
      processesOf(files.server.dataDir).some(({ commandLine }) => /ffmpeg.*s16le/.test(commandLine))
    await files.until('decoding has begun', ffmpegRuns)
    const startedAt = performance.now()
    const cancelled = await files.request('POST', `/v1/file/${id}/cancel`)
    expect({ status: cancelled.status, data: cancelled.body.data }).toMatchObject({
      status: 200,
      data: { file_id: id, file_name: 'long.wav', message: expect.any(String) },
    })
    await files.until('nothing decodes', () => !ffmpegRuns())
    expect(performance.now() - startedAt).toBeLessThan(2_000)
    expect(await files.ended(id)).toMatchObject({ status: 'cancelled', has_transcript: false })
    expect((await files.request('POST', `/v1/file/${id}/retry`)).body.data.file_status).toBe('processing')
    // The lane is free again: others are processed although this one is deleted while at work.
    await files.until('decoding has begun', ffmpegRuns)
    expect((await files.request('DELETE', `/v1/file/${id}/delete`)).status).toBe(200)
    expect(await files.ended(await uploaded())).toMatchObject({ status: 'completed' })
  }, 60_000)

  test('that has ended cannot be cancelled, and one that has not failed cannot be retried', async () => {
    const id = await uploaded()
    await files.ended(id)
    for (const verb of ['cancel', 'retry']) {
      const { status, body } = await files.request('POST', `/v1/file/${id}/${verb}`)
      expect({ verb, status, error: body.error }).toEqual({ verb, status: 400, error: 'invalid_parameter' })
    }
  })

  test('is deleted with its bytes, which stay as long as another file has the same', async () => {
    const content = bytesOf(makeTone(media.file('twice.mp3'), 2))
    await files.until('the trash is empty', () => blobsOnly())
    const before = files.stored()
    const ids = [await uploaded(content, 'one.mp3'), await uploaded(content, 'two.mp3')]
    await files.until('the trash is empty', () => blobsOnly())
    expect(Object.keys(files.stored()).length).toBe(Object.keys(before).length + 1)
    for (const id of ids) await files.ended(id)
    const first = await files.request('DELETE', `/v1/file/${ids[0]}/delete`)
    expect({ status: first.status, data: first.body.data }).toMatchObject({
      status: 200,
      data: { file_id: ids[0], file_name: 'one.mp3', message: expect.any(String) },
    })
    expect(Object.keys(files.stored()).length).toBe(Object.keys(before).length + 1)
    await files.request('DELETE', `/v1/file/${ids[1]}/delete`)
    await files.until(
      'its bytes are gone',
      () => Object.keys(files.stored()).length === Object.keys(before).length,
    )
    expect(files.stored()).toEqual(before)
    for (const id of ids)
      expect((await files.request('GET', `/v1/file/${id}`)).body.error).toBe('file_not_found')
  })

  test('of another account reads like an unknown one', async () => {
    const id = await uploaded()
    await files.server.command('accounts', 'create', 'stranger')
    const key = (await files.server.command('keys', 'create', '--account', 'stranger')).trim()
    const asked = [
      ['GET', `/v1/file/${id}`],
      ['GET', `/v1/file/${id}/url`],
      ['POST', `/v1/file/${id}/retry`],
      ['POST', `/v1/file/${id}/cancel`],
      ['DELETE', `/v1/file/${id}/delete`],
    ] as const
    for (const [method, path] of asked) {
      const stranger = await files.server.request(method, path, { key })
      const unknown = await files.request(method, path.replace(id, crypto.randomUUID()))
      expect([path, stranger.status, stranger.body.error]).toEqual([path, 404, 'file_not_found'])
      expect([path, unknown.status, unknown.body.error]).toEqual([path, 404, 'file_not_found'])
    }
    const put = await files.server.request('PUT', `/v1/file/${id}/namespaces`, {
      key,
      body: { namespace_ids: [] },
    })
    expect(put.status).toBe(404)
    expect((await files.server.request('GET', '/v1/files', { key })).body.data.total_count).toBe(0)
  })
})

describe('the list', () => {
  test('pages newest first, filters by status and namespace, and refuses what is out of range', async () => {
    const own = await startFilesServer()
    try {
      const made = await own.request('POST', '/v1/namespaces', { name: 'odd' })
      const odd = made.body.data.id as string
      const ids: string[] = []
      for (let index = 0; index < 5; index++) {
        const { body } = await own.upload(tone, `${index}.wav`, index % 2 === 1 ? { namespace_ids: odd } : {})
        ids.unshift(body.file_id)
        await own.ended(body.file_id)
      }
      const page = async (query: string): Promise<{ ids: string[]; total: number; more: boolean }> => {
        const { data } = (await own.request('GET', `/v1/files${query}`)).body
        return {
          ids: data.files.map((file: { id: string }) => file.id),
          total: data.total_count,
          more: data.has_more,
        }
      }
      expect(await page('')).toEqual({ ids, total: 5, more: false })
      expect(await page('?limit=2&offset=1')).toEqual({ ids: ids.slice(1, 3), total: 5, more: true })
      expect(await page('?limit=2&offset=3')).toEqual({ ids: ids.slice(3), total: 5, more: false })
      expect(await page('?offset=50')).toEqual({ ids: [], total: 5, more: false })
      expect(await page(`?namespace_id=${odd}`)).toEqual({
        ids: [ids[1] ?? '', ids[3] ?? ''],
        total: 2,
        more: false,
      })
      expect(await page('?status=failed')).toEqual({ ids: [], total: 0, more: false })
      expect(await page('?status=completed&limit=1')).toEqual({ ids: ids.slice(0, 1), total: 5, more: true })
      for (const query of [
        'limit=0',
        'limit=101',
        'limit=x',
        'limit=1.5',
        'offset=-1',
        'status=done',
        'limit=1&limit=2',
      ]) {
        const { status, body } = await own.request('GET', `/v1/files?${query}`)
        expect([query, status, body.error]).toEqual([query, 400, 'invalid_parameter'])
      }
      const defaults = (await own.request('GET', '/v1/files')).body.data
      expect([defaults.limit, defaults.offset]).toEqual([50, 0])
    } finally {
      await own.close()
    }
  }, 30_000)
})

describe('a signed link', () => {
  let id = ''
  let url = ''
  let content: Uint8Array<ArrayBuffer>

  beforeAll(async () => {
    content = bytesOf(makeTone(media.file('linked.mp4'), 3))
    const filename = "filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.mp4"
    const { body } = await files.sendParts([{ name: 'file', content, filename }])
    id = body.file_id
    const reply = await files.request('GET', `/v1/file/${id}/url`)
    expect(Object.keys(reply.body.data).toSorted()).toEqual(['expires_at', 'file_id', 'file_url'])
    expect(Date.parse(reply.body.data.expires_at) - Date.now()).toBeWithin(3_590_000, 3_600_001)
    url = reply.body.data.file_url
  })

  test('gives the bytes without a key, and nothing that could run', async () => {
    expect(url.startsWith(`${files.server.url}/files/${id}/`)).toBe(true)
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(content)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'video/mp4',
      'content-length': String(content.byteLength),
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': `inline; filename="Gr__e _1_.mp4"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.mp4`,
    })
  })

  test('answers ranges and HEAD as players ask for them', async () => {
    const size = content.byteLength
    const ranges: [string, number, number][] = [
      ['bytes=0-0', 0, 1],
      ['bytes=100-199', 100, 200],
      ['bytes=5000-', 5_000, size],
      ['bytes=-10', size - 10, size],
      [`bytes=10-${size * 2}`, 10, size],
      [`bytes=-${size * 2}`, 0, size],
    ]
    for (const [range, start, end] of ranges) {
      const response = await fetch(url, { headers: { range } })
      const bytes = new Uint8Array(await response.arrayBuffer())
      expect([range, response.status]).toEqual([range, 206])
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${size}`)
      expect(bytes).toEqual(content.slice(start, end))
    }
    for (const range of [`bytes=${size}-`, 'bytes=-0']) {
      const response = await fetch(url, { headers: { range } })
      expect([range, response.status, response.headers.get('content-range')]).toEqual([
        range,
        416,
        `bytes */${size}`,
      ])
    }
    for (const range of ['bytes=0-1,5-6', 'items=0-1', 'bytes=5-1', 'bytes=-', 'bytes=x']) {
      expect([range, (await fetch(url, { headers: { range } })).status]).toEqual([range, 200])
    }
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const conditional = async (value: string): Promise<number> =>
      (await fetch(url, { headers: { range: 'bytes=0-1', 'if-range': value } })).status
    expect([await conditional(etag), await conditional('"other"')]).toEqual([206, 200])
  })

  test('answers HEAD with the length and no body', async () => {
    const { pathname, search } = new URL(url)
    const open = await openRequest(files.server, {
      method: 'HEAD',
      path: pathname + search,
      headers: { connection: 'close' },
    })
    await files.until('it is answered', () => open.answered().includes('\r\n\r\n'))
    const [head = '', body = ''] = open.answered().split('\r\n\r\n')
    expect(head).toStartWith('HTTP/1.1 200')
    expect(head.toLowerCase()).toContain(`content-length: ${content.byteLength}`)
    expect(body).toBe('')
  })

  test('is refused when anything of it was changed', async () => {
    const changed = [
      url.replace(/expires=\d+/, 'expires=9999999999'),
      url.replace(id, crypto.randomUUID()),
      url.slice(0, -1),
      url.replace(/signature=.*/, 'signature='),
      url.split('?')[0] ?? '',
    ]
    for (const link of changed) {
      const response = await fetch(link)
      expect([link, response.status]).toEqual([link, 403])
    }
  })

  test('ends with the file', async () => {
    await files.request('DELETE', `/v1/file/${id}/delete`)
    expect((await fetch(url)).status).toBe(404)
  })
})

test('waiting ends with 202 when the time is over, and the processing goes on', async () => {
  const hasty = await startFilesServer({ EARSHOT_UPLOAD_WAIT_S: '0.2' })
  try {
    const { status, body } = await hasty.upload(longSpeech, 'long.wav', { wait_for_completion: 'true' })
    expect(status).toBe(202)
    expect(Object.keys(body).toSorted()).toEqual([
      'data',
      'file_id',
      'file_name',
      'file_status',
      'note',
      'status',
    ])
    expect(body).toMatchObject({
      status: 'accepted',
      file_status: 'processing',
      data: { file_info: { status: 'processing' } },
    })
    const read = await hasty.request('GET', `/v1/file/${body.file_id}`)
    expect(read.body.data).toEqual({ file_info: expect.objectContaining({ status: 'processing' }) })
  } finally {
    await hasty.close()
  }
})
