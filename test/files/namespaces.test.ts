// Namespaces over HTTP, with the bodies that clients of this interface know.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { makeTone, temporaryFolder } from '../support/make-media.ts'
import { type FilesServer, startFilesServer } from '../support/files.ts'

let files: FilesServer
beforeAll(async () => {
  files = await startFilesServer()
})
afterAll(() => files.close())

const list = async (): Promise<{ id: string; name: string }[]> =>
  (await files.request('GET', '/v1/namespaces')).body.data

describe('namespaces', () => {
  test('there is always one called default', async () => {
    const [first, ...others] = await list()
    expect(others).toEqual([])
    const { id = '' } = first ?? {}
    expect(first).toEqual({
      id,
      _id: id,
      user_id: expect.any(String),
      name: 'default',
      created_at: expect.any(String),
      updated_at: expect.any(String),
    } as never)
    expect(await list()).toEqual([first as never])
  })

  test('are made, renamed and deleted', async () => {
    const made = await files.request('POST', '/v1/namespaces', { name: ' Interviews ' })
    expect([made.status, made.body.data.name]).toEqual([201, 'Interviews'])
    const path = `/v1/namespaces/${made.body.data.id}`
    const renamed = await files.request('PUT', path, { name: 'Gespräche' })
    expect(renamed.body).toEqual({ status: 'success', message: expect.any(String) })
    expect((await files.request('PUT', path, { name: 'Gespräche' })).status).toBe(200)
    expect((await list()).map(({ name }) => name)).toEqual(['default', 'Gespräche'])
    const deleted = await files.request('DELETE', path)
    expect([deleted.status, deleted.body]).toEqual([200, { status: 'success', message: expect.any(String) }])
    expect((await list()).map(({ name }) => name)).toEqual(['default'])
  })

  test('names that are empty, too long, taken or reserved are refused', async () => {
    await files.request('POST', '/v1/namespaces', { name: 'taken' })
    const refusals: [unknown, string][] = [
      ['', 'missing_parameter'],
      [' ', 'missing_parameter'],
      ['x'.repeat(101), 'invalid_parameter'],
      ['taken', 'invalid_parameter'],
      ['Default', 'invalid_parameter'],
      ['a\u0000b', 'invalid_parameter'],
      [7, 'invalid_parameter'],
    ]
    const free = await files.request('POST', '/v1/namespaces', { name: 'free' })
    for (const [name, error] of refusals) {
      const made = await files.request('POST', '/v1/namespaces', { name })
      expect([name, made.status, made.body.error]).toEqual([name, 400, error])
      const renamed = await files.request('PUT', `/v1/namespaces/${free.body.data.id}`, { name })
      expect([name, renamed.status, renamed.body.error]).toEqual([name, 400, error])
    }
  })

  test('default cannot be renamed or deleted; an unknown one is a 404 with a message alone', async () => {
    const [first] = await list()
    const path = `/v1/namespaces/${first?.id}`
    for (const reply of [
      await files.request('PUT', path, { name: 'other' }),
      await files.request('DELETE', path),
    ]) {
      expect([reply.status, reply.body.error, typeof reply.body.message]).toEqual([
        400,
        'invalid_parameter',
        'string',
      ])
    }
    for (const id of [crypto.randomUUID(), 'x']) {
      const { status, body } = await files.request('DELETE', `/v1/namespaces/${id}`)
      expect([status, body]).toEqual([404, { status: 'error', message: expect.any(String) }])
    }
  })

  test('a plan has room for five beside default', async () => {
    await files.server.command('accounts', 'create', 'small', '--plan', 'trial')
    const key = (await files.server.command('keys', 'create', '--account', 'small')).trim()
    const make = async (name: string): Promise<number> =>
      (await files.server.request('POST', '/v1/namespaces', { key, body: { name } })).status
    for (const name of ['1', '2', '3', '4', '5']) expect(await make(name)).toBe(201)
    expect(await make('6')).toBe(400)
    const others = await files.server.request('GET', '/v1/namespaces', { key })
    const stranger = await files.request('DELETE', `/v1/namespaces/${others.body.data[1].id}`)
    expect(stranger.status).toBe(404)
  })

  test('a file is in exactly those it is put into, and in default; a deleted one lets it go', async () => {
    const folder = temporaryFolder()
    try {
      const tone = new Uint8Array(readFileSync(makeTone(folder.file('tone.wav'), 1)))
      const { file_id: id } = (await files.upload(tone, 'tone.wav')).body
      const ids: string[] = []
      for (const name of ['a', 'b'])
        ids.push((await files.request('POST', '/v1/namespaces', { name })).body.data.id)
      const put = async (namespaceIds: unknown) =>
        files.request('PUT', `/v1/file/${id}/namespaces`, { namespace_ids: namespaceIds })
      const names = ({ body }: { body: { data: { namespaces: { name: string }[] } } }): string[] =>
        body.data.namespaces.map(({ name }) => name)
      const both = await put(ids)
      expect(Object.keys(both.body).toSorted()).toEqual(['data', 'message', 'status'])
      expect(names(both)).toEqual(['default', 'a', 'b'])
      expect(both.body.data.namespace_ids.slice(1)).toEqual(ids)
      expect(names(await put([ids[1]]))).toEqual(['default', 'b'])
      for (const wrong of [[crypto.randomUUID()], 'text', [1], undefined])
        expect((await put(wrong)).status).toBe(400)
      await files.request('DELETE', `/v1/namespaces/${ids[1]}`)
      const read = await files.request('GET', `/v1/file/${id}`)
      expect(read.body.data.file_info.namespaces.map((entry: { name: string }) => entry.name)).toEqual([
        'default',
      ])
      expect(names(await put([]))).toEqual(['default'])
    } finally {
      folder.remove()
    }
  })
})
