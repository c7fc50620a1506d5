// Whatever happens – kill -9 at any moment, fifty clients at once – disk, database and quota say the same afterwards.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { Database } from 'bun:sqlite'
import { readFileSync } from 'node:fs'
import { databasePath } from '../../src/db/database.ts'
import {
  BOUNDARY,
  type FilesServer,
  formBytes,
  type OpenRequest,
  openRequest,
  startFilesServer,
} from '../support/files.ts'
import { ffmpeg, makeTone, temporaryFolder } from '../support/make-media.ts'
import { readSamples, wordsOf } from '../support/samples.ts'
import { tusRequest } from '../support/tus.ts'

const media = temporaryFolder()
let tone: Buffer

beforeAll(() => {
  tone = readFileSync(makeTone(media.file('tone.wav'), 1))
})
afterAll(() => media.remove())

/** A recording that no other number gives. */
function recording(number: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(tone)
  bytes.set(new TextEncoder().encode(String(number).padStart(8, '0')), bytes.byteLength - 100)
  return bytes
}

/** What the database and the disk say, in words that can be compared. */
function books(files: FilesServer): {
  blobs: Record<string, number>
  disk: Record<string, number>
  uses: number
  files: number
  reservedBytes: number
} {
  const db = new Database(databasePath(files.server.dataDir), { readonly: true })
  try {
    const rows = db
      .query<{ path: string; size: number }, []>(
        `select 'blobs/' || account_id || '/' || sha256 as path, size_bytes as size from blobs order by path`,
      )
      .all()
    const number = (sql: string): number => db.query<{ n: number }, []>(sql).get()?.n ?? -1
    return {
      blobs: Object.fromEntries(rows.map(({ path, size }) => [path, size])),
      disk: files.stored(),
      uses: number('select coalesce(sum(uses), 0) as n from blobs'),
      files: number('select count(*) as n from files where sha256 is not null'),
      reservedBytes: number('select coalesce(sum(size_bytes), 0) as n from storage_reservations'),
    }
  } finally {
    db.close()
  }
}

/** Every byte on disk is in the books, and every byte in the books on disk. */
async function balanced(files: FilesServer, reservedBytes = 0): Promise<void> {
  await files.until(
    'the trash is empty',
    () => !Object.keys(files.stored()).some((path) => path.startsWith('trash/')),
  )
  const now = books(files)
  expect(
    Object.fromEntries(Object.entries(now.disk).filter(([path]) => !path.startsWith('incoming/'))),
  ).toEqual(now.blobs)
  expect(now.uses).toBe(now.files)
  expect(now.reservedBytes).toBe(reservedBytes)
}

test('fifty uploads and deletions at once leave disk and quota exactly right', async () => {
  const files = await startFilesServer()
  try {
    const kept: string[] = []
    await Promise.all(
      Array.from({ length: 50 }, async (_, index) => {
        // Every content comes from several clients at once.
        const { status, body } = await files.upload(recording(index % 12), `${index}.wav`)
        expect(status).toBe(201)
        if (index % 3 === 0) kept.push(body.file_id)
        else expect((await files.request('DELETE', `/v1/file/${body.file_id}/delete`)).status).toBe(200)
      }),
    )
    await balanced(files)
    const { data } = (await files.request('GET', '/v1/files?limit=100')).body
    expect(data.files.map((file: { id: string }) => file.id).toSorted()).toEqual(kept.toSorted())
    const usage = async (): Promise<number> =>
      (await files.request('GET', '/v1/usage')).body.data.storage.used_bytes
    const contents = new Set(data.files.map((file: { name: string }) => Number.parseInt(file.name, 10) % 12))
    expect(await usage()).toBe(contents.size * tone.byteLength)
    await Promise.all(kept.map((id) => files.request('DELETE', `/v1/file/${id}/delete`)))
    await balanced(files)
    expect(files.stored()).toEqual({})
    expect(await usage()).toBe(0)
  } finally {
    await files.close()
  }
}, 60_000)

test('of uploads at the same time exactly as many are accepted as fit', async () => {
  const files = await startFilesServer()
  try {
    await files.server.command('accounts', 'create', 'small', '--plan', 'trial')
    const key = (await files.server.command('keys', 'create', '--account', 'small')).trim()
    const room = 7 * tone.byteLength + 1_000
    await files.server.command('accounts', 'limits', 'small', '--storage-bytes', String(room))
    const upload = async (number: number): Promise<number> => {
      const form = new FormData()
      form.set('file', new Blob([recording(number)]), 'a.wav')
      const response = await fetch(`${files.server.url}/v1/upload/file`, {
        method: 'POST',
        headers: { 'x-api-key': key },
        body: form,
      })
      return response.status
    }
    // While others hold reservations an upload may be refused that would have fitted a moment later: so come again.
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => upload(index)))
    expect(statuses.every((status) => status === 201 || status === 413)).toBe(true)
    let accepted = statuses.filter((status) => status === 201).length
    expect(accepted).toBeLessThanOrEqual(7)
    for (let number = 100; accepted < 7; number++) {
      expect(await upload(number)).toBe(201)
      accepted++
    }
    expect(await upload(999)).toBe(413)
    await balanced(files)
    const usage = await files.server.request('GET', '/v1/usage', { key })
    expect(usage.body.data.storage.used_bytes).toBe(7 * tone.byteLength)
  } finally {
    await files.close()
  }
}, 60_000)

/** A request that has sent a part of its form and goes no further. */
async function halfUpload(files: FilesServer, form: Uint8Array): Promise<OpenRequest> {
  const open = await openRequest(files.server, {
    method: 'POST',
    path: '/v1/upload/file',
    headers: {
      'x-api-key': files.key,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': String(form.byteLength),
    },
  })
  await open.write(form.slice(0, 30_000))
  return open
}

test('kill -9 during uploads and processing leaves no orphan bytes and no stuck file', async () => {
  const files = await startFilesServer()
  const [sample] = readSamples('sample-')
  ffmpeg('-stream_loop', '3', '-i', sample?.wavPath ?? '', '-c', 'copy', media.file('speech.wav'))
  const speech = new Uint8Array(readFileSync(media.file('speech.wav')))
  try {
    const processed: string[] = []
    const pending: string[] = []
    for (let kill = 0; kill < 4; kill++) {
      processed.push((await files.upload(kill === 0 ? speech : recording(kill), 'speech.wav')).body.file_id)
      const form = formBytes([{ name: 'file', filename: 'filename="a.wav"', content: recording(50 + kill) }])
      const uploads = await Promise.all([1, 2, 3].map(() => halfUpload(files, form)))
      const begun = await tusRequest(files, 'POST', { headers: { 'upload-length': String(tone.byteLength) } })
      const path = begun.headers.get('location') ?? ''
      pending.push(path.split('/').at(-1) ?? '')
      const patch = await openRequest(files.server, {
        method: 'PATCH',
        path,
        headers: {
          'x-api-key': files.key,
          'tus-resumable': '1.0.0',
          'upload-offset': '0',
          'content-type': 'application/offset+octet-stream',
          'content-length': String(tone.byteLength),
        },
      })
      await patch.write(tone.subarray(0, 20_000))
      await files.until(
        'bytes arrive',
        () => Object.values(files.stored()).filter((size) => size > 0).length >= 5,
      )
      // Some whole uploads race with the end of the process.
      const racing = [1, 2, 3].map((n) =>
        files.upload(recording(100 + 10 * kill + n), 'race.wav').catch(() => undefined),
      )
      await Bun.sleep(kill * 60)
      await files.server.kill('SIGKILL')
      await Promise.all(racing)
      for (const open of [...uploads, patch]) open.cut()
      files.server = await files.server.restart()
    }
    await balanced(files)
    const arriving = Object.keys(files.stored()).filter((path) => path.startsWith('incoming/'))
    expect(arriving.toSorted()).toEqual(pending.map((id) => `incoming/${id}`).toSorted())
    const { data } = (await files.request('GET', '/v1/files?limit=100')).body
    for (const { id } of data.files as { id: string }[]) {
      if (!pending.includes(id)) expect(await files.ended(id)).toMatchObject({ status: 'completed' })
    }
    const first = await files.request('GET', `/v1/file/${processed[0]}`)
    const heard = wordsOf(
      first.body.data.transcript.map((segment: { text: string }) => segment.text).join(' '),
    )
    const expected = wordsOf(sample?.text ?? '').length * 4
    // Nothing lost and nothing doubled by the restarts.
    expect(heard.length / expected).toBeWithin(0.9, 1.1)
    for (const id of pending) await files.request('DELETE', `/v1/file/${id}/delete`)
    await balanced(files)
  } finally {
    await files.close()
  }
}, 120_000)
