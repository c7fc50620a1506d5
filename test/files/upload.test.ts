// POST /upload/file over a real connection: every accepted format, everything that is refused, and what stays on disk.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { FORMATS, ffmpeg, makeTone, temporaryFolder } from '../support/make-media.ts'
import { type FilesServer, formBytes, openRequest, startFilesServer } from '../support/files.ts'

const media = temporaryFolder()
let files: FilesServer
let tone: Uint8Array<ArrayBuffer>

const bytesOf = (path: string): Uint8Array<ArrayBuffer> => new Uint8Array(readFileSync(path))

beforeAll(async () => {
  files = await startFilesServer({ EARSHOT_MAX_UPLOAD_BYTES: String(4 * 1_048_576) })
  tone = bytesOf(makeTone(media.file('tone.wav'), 1))
})

afterAll(async () => {
  await files.close()
  media.remove()
})

const file = (content: Uint8Array | string = tone, filename = 'filename="a.wav"') => ({
  name: 'file',
  content,
  filename,
})

/** Expects exactly this refusal. */
function refused(reply: { status: number; body: { error?: string } }, error: string, status = 400) {
  expect({ status: reply.status, error: reply.body.error }).toEqual({ status, error })
}

async function nothingKept(work: () => Promise<void>): Promise<void> {
  const before = {
    stored: files.stored(),
    count: (await files.request('GET', '/v1/files')).body.data.total_count,
  }
  await work()
  await files.until(
    'the trash is empty',
    () => Object.keys(files.stored()).length <= Object.keys(before.stored).length,
  )
  const count = (await files.request('GET', '/v1/files')).body.data.total_count
  expect({ stored: files.stored(), count }).toEqual(before)
}

const TYPES: Readonly<Record<string, string>> = {
  wav: 'audio/wav',
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  mp4: 'video/mp4',
  webm: 'video/webm',
  mkv: 'video/x-matroska',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  flv: 'video/x-flv',
  wmv: 'video/x-ms-wmv',
}

describe('what is accepted', () => {
  test('every format of the contract, by content and not by name', async () => {
    const formats: [string, string, string][] = Object.keys(FORMATS).map((format) => [
      format,
      makeTone(media.file(`tone.${format}`), 1),
      TYPES[format] ?? '',
    ])
    ffmpeg('-i', media.file('tone.wav'), '-c:a', 'mp2', media.file('layer2.mp2'))
    ffmpeg(
      '-i',
      media.file('tone.mp4'),
      '-c:v',
      'mpeg1video',
      '-r',
      '25',
      '-c:a',
      'mp2',
      media.file('program.mpeg'),
    )
    formats.push(
      ['mpga', media.file('layer2.mp2'), 'audio/mpeg'],
      ['mpeg', media.file('program.mpeg'), 'video/mpeg'],
    )
    for (const [format, path, type] of formats) {
      const content = bytesOf(path)
      const reply = await files.upload(content, `named-otherwise-${format}.txt`)
      expect({ format, status: reply.status, ...reply.body.data?.file_info }).toMatchObject({
        format,
        status: 'processing',
        type,
        size: content.byteLength,
        has_transcript: false,
      })
      expect(reply.body).toMatchObject({ status: 'success', file_status: 'processing' })
      const ended = await files.ended(reply.body.file_id)
      expect({ format, ...ended }).toMatchObject({ format, status: 'completed', has_transcript: true })
      expect(ended.duration).toBeWithin(0.9, 1.3)
    }
  }, 60_000)

  test('the 201 is exactly the contract’s', async () => {
    const { status, body } = await files.upload(tone, 'tone.wav')
    expect(status).toBe(201)
    expect(Object.keys(body).toSorted()).toEqual(
      ['data', 'file_id', 'file_name', 'file_status', 'message', 'status'].toSorted(),
    )
    expect(body.data.file_info.id).toBe(body.file_id)
    expect(body.data.file_info.namespaces).toEqual([{ id: expect.any(String), name: 'default' }])
    expect(body.file_name).toBe('tone.wav')
  })

  test('all spellings of wait_for_completion; waiting brings the transcript', async () => {
    for (const spelling of ['true', '1', 'YES', 'y']) {
      const { status, body } = await files.upload(tone, 'tone.wav', { wait_for_completion: spelling })
      expect({ spelling, status, file_status: body.file_status }).toEqual({
        spelling,
        status: 201,
        file_status: 'completed',
      })
      expect(body.data).toMatchObject({
        transcript: [],
        file_info: { has_transcript: true, speech_model: 'moonshine-tiny-en' },
      })
    }
    for (const spelling of ['false', '0', 'No', 'n', '']) {
      const { body } = await files.upload(tone, 'tone.wav', { wait_for_completion: spelling })
      expect({ spelling, file_status: body.file_status }).toEqual({ spelling, file_status: 'processing' })
    }
    refused(await files.upload(tone, 'tone.wav', { wait_for_completion: 'maybe' }), 'invalid_parameter')
  }, 30_000)

  test('namespaces as list and as JSON; unknown ones are refused', async () => {
    const made = await files.request('POST', '/v1/namespaces', { name: 'talks' })
    const id = made.body.data.id as string
    for (const text of [id, ` ${id} , ${id}`, JSON.stringify([id])]) {
      const { body } = await files.upload(tone, 'tone.wav', { namespace_ids: text })
      expect(body.data.file_info.namespaces.map((entry: { name: string }) => entry.name)).toEqual([
        'default',
        'talks',
      ])
    }
    for (const text of ['[1]', '["x"]', '[', crypto.randomUUID()]) {
      refused(await files.upload(tone, 'tone.wav', { namespace_ids: text }), 'invalid_parameter')
    }
  })

  test('the file before or after the other fields; unknown fields do not matter', async () => {
    const wait = { name: 'wait_for_completion', content: 'true' }
    const other = { name: 'whatever', content: '[object Object]' }
    for (const parts of [
      [wait, other, file()],
      [file(), other, wait],
    ]) {
      const reply = await files.sendParts(parts)
      expect({ status: reply.status, file_status: reply.body.file_status }).toEqual({
        status: 201,
        file_status: 'completed',
      })
    }
  })

  test('the recording date that the media names', async () => {
    const path = makeTone(media.file('dated.mp4'), 1, ['-metadata', 'creation_time=2021-03-04T05:06:07Z'])
    const { body } = await files.upload(bytesOf(path), 'dated.mp4')
    expect(body.data.file_info.original_file_date).toBe('2021-03-04T05:06:07.000Z')
    const day = makeTone(media.file('day.mp3'), 1, ['-metadata', 'date=2020-02-29'])
    const sound = await files.upload(bytesOf(day), 'day.mp3')
    expect(sound.body.data.file_info.original_file_date).toBe('2020-02-29T00:00:00.000Z')
    const year = makeTone(media.file('year.mp3'), 1, ['-metadata', 'date=1999'])
    const other = await files.upload(bytesOf(year), 'year.mp3')
    expect(other.body.data.file_info.original_file_date).toBeUndefined()
  })
})

describe('what is refused leaves nothing behind', () => {
  test('content of other kinds, whatever it is called', async () => {
    ffmpeg('-i', media.file('tone.wav'), media.file('a.ogg'))
    ffmpeg('-i', media.file('tone.wav'), media.file('a.flac'))
    ffmpeg('-f', 'lavfi', '-i', 'testsrc=duration=1:size=64x64:rate=1', '-frames:v', '1', media.file('a.png'))
    ffmpeg('-f', 'lavfi', '-i', 'testsrc=duration=1:size=64x64:rate=1', '-frames:v', '1', media.file('a.jpg'))
    ffmpeg('-f', 'lavfi', '-i', 'testsrc=duration=1:size=64x64:rate=5', media.file('a.gif'))
    const others: [string, Uint8Array<ArrayBuffer>][] = ['ogg', 'flac', 'png', 'jpg', 'gif'].map((format) => [
      format,
      bytesOf(media.file(`a.${format}`)),
    ])
    const text = (content: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(content)
    others.push(
      ['text', text('Just text.\n'.repeat(1_000))],
      ['html', text('<html><script>alert(1)</script></html>')],
      ['hls', text('#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n')],
      ['concat', text('ffconcat version 1.0\nfile /etc/passwd\n')],
      ['zip', new Uint8Array([0x50, 0x4b, 3, 4, ...Array.from({ length: 500 }, (_, i) => i % 251)])],
      ['pdf', text('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n')],
      ['elf', bytesOf(process.execPath).slice(0, 100_000)],
      ['zeros', new Uint8Array(10_000)],
      ['head of an mp4', bytesOf(media.file('tone.mp4')).slice(0, 40)],
    )
    await nothingKept(async () => {
      for (const [kind, content] of others) {
        const { status, body } = await files.upload(content, 'talk.mp4')
        expect({ kind, status, error: body.error }).toEqual({ kind, status: 400, error: 'invalid_parameter' })
      }
    })
  }, 30_000)

  test('forms without a file, with an empty one, with several, or with a field twice', async () => {
    await nothingKept(async () => {
      refused(await files.sendParts([{ name: 'language', content: 'en' }]), 'missing_parameter')
      refused(
        await files.sendParts([{ name: 'file', content: 'text in a plain field' }]),
        'missing_parameter',
      )
      refused(await files.upload(new Uint8Array(), 'empty.wav'), 'invalid_parameter')
      refused(await files.sendParts([file(), file()]), 'invalid_parameter')
      refused(await files.sendParts([{ ...file(), name: 'other' }]), 'invalid_parameter')
      const field = { name: 'language', content: 'en' }
      refused(await files.sendParts([file(), field, field]), 'invalid_parameter')
      refused(await files.sendParts([file(), { name: 'language', content: 'english' }]), 'invalid_parameter')
      refused(
        await files.sendParts([file(), { name: 'x', content: 'y'.repeat(100_000) }]),
        'invalid_parameter',
      )
      const many = Array.from({ length: 60 }, (_, index) => ({ name: `f${index}`, content: 'x' }))
      refused(await files.sendParts([file(), ...many]), 'invalid_parameter')
    })
  })

  test('bodies that are no form, or end too early', async () => {
    await nothingKept(async () => {
      const headers = (type: string) => ({ 'content-type': type })
      refused(await files.sendParts([file()], headers('application/json')), 'invalid_parameter')
      refused(await files.sendParts([file()], headers('multipart/form-data')), 'invalid_parameter')
      refused(
        await files.sendParts([file()], headers('multipart/form-data; boundary=other')),
        'invalid_parameter',
      )
      const url = `${files.server.url}/v1/upload/file`
      const type = 'multipart/form-data; boundary=ear--boundary'
      for (const body of [
        formBytes([file()], ''),
        formBytes([file()]).slice(0, 20),
        new Uint8Array([1, 2, 3]),
      ]) {
        const response = await fetch(url, {
          method: 'POST',
          headers: { 'x-api-key': files.key, 'content-type': type },
          body,
        })
        expect(response.status).toBe(400)
      }
      const none = await fetch(url, {
        method: 'POST',
        headers: { 'x-api-key': files.key, 'content-type': type },
      })
      expect(((await none.json()) as { error: string }).error).toBe('request_body_required')
    })
  })

  test('more bytes than the limit: by what is announced, and by what comes', async () => {
    await nothingKept(async () => {
      refused(await files.upload(new Uint8Array(4 * 1_048_576 + 1), 'a.wav'), 'input_too_large')
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          controller.enqueue(new Uint8Array(65_536))
        },
      })
      const boundary = Buffer.from(formBytes([file('')], ''))
        .toString('latin1')
        .slice(0, -2)
      const endless = new ReadableStream<Uint8Array>({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(boundary))
          for await (const chunk of body) {
            controller.enqueue(chunk)
            if ((sent += chunk.byteLength) > 8 * 1_048_576) break
          }
          controller.close()
        },
      })
      let sent = 0
      const response = await fetch(`${files.server.url}/v1/upload/file`, {
        method: 'POST',
        headers: { 'x-api-key': files.key, 'content-type': 'multipart/form-data; boundary=ear--boundary' },
        body: endless,
      })
      refused(
        { status: response.status, body: (await response.json()) as { error: string } },
        'input_too_large',
      )
    })
  })

  test('a client that leaves in the middle', async () => {
    await nothingKept(async () => {
      const form = formBytes([file()])
      const open = await openRequest(files.server, {
        method: 'POST',
        path: '/v1/upload/file',
        headers: {
          'x-api-key': files.key,
          'content-type': 'multipart/form-data; boundary=ear--boundary',
          'content-length': String(form.byteLength),
        },
      })
      const before = Object.keys(files.stored()).length
      await open.write(form.slice(0, 20_000))
      await files.until('bytes arrive', () => Object.keys(files.stored()).length === before + 1)
      open.cut()
    })
  })

  test('a key without the permission, and none', async () => {
    const reader = await files.server.createKey('--permissions', 'files:read,transcribe')
    for (const [key, status] of [
      [reader, 403],
      ['', 401],
    ] as const) {
      const response = await fetch(`${files.server.url}/v1/upload/file`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'multipart/form-data; boundary=ear--boundary' },
        body: formBytes([file()]),
      })
      expect(response.status).toBe(status)
    }
  })
})

describe('names of files', () => {
  test('are kept in any script, without folders and invisible characters', async () => {
    const names: [string, string][] = [
      ['filename="Vortrag – Müller (1).wav"', 'Vortrag – Müller (1).wav'],
      ['filename="講演.wav"', '講演.wav'],
      ["filename*=UTF-8''%E2%82%AC%20rates.wav", '€ rates.wav'],
      ['filename="../../../../etc/passwd"', 'passwd'],
      ['filename="C:\\\\Users\\\\me\\\\talk.wav"', 'talk.wav'],
      ['filename="evil\u202Egpj.wav"', 'evilgpj.wav'],
      ['filename="a\u0001b\u007F.wav"', 'ab.wav'],
      ['filename=""', 'file.wav'],
      ['filename=".."', 'file.wav'],
    ]
    for (const [filename, expected] of names) {
      const { body } = await files.sendParts([file(tone, filename)])
      expect({ filename, name: body.file_name }).toEqual({ filename, name: expected })
    }
  })
})

test('the same request under the same Idempotency-Key makes one file', async () => {
  const headers = { 'idempotency-key': 'once' }
  const first = await files.sendParts([file()], headers)
  const second = await files.sendParts([file()], headers)
  expect(second.body).toEqual(first.body)
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  const other = await files.sendParts([file(bytesOf(media.file('tone.mp3')))], headers)
  refused(other, 'invalid_parameter')
})
