// A backup has the bytes of files; unfinished uploads begin anew on the restored server.

import { expect, test } from 'bun:test'
import { mkdirSync, readFileSync } from 'node:fs'

import { earshot } from '../support/earshot.ts'
import { startFilesServer } from '../support/files.ts'
import { makeTone, temporaryFolder } from '../support/make-media.ts'
import { startServer } from '../support/server.ts'
import { tusRequest, tusUpload } from '../support/tus.ts'

test('what was uploaded before a backup can be had from the restored server', async () => {
  const folder = temporaryFolder()
  const files = await startFilesServer()
  const dataDir = folder.file('restored')
  mkdirSync(dataDir)
  try {
    const tone = new Uint8Array(readFileSync(makeTone(folder.file('tone.wav'), 1)))
    const { file_id: id } = (await files.upload(tone, 'tone.wav', { wait_for_completion: '1' })).body
    const begun = await tusRequest(files, 'POST', { headers: { 'upload-length': String(tone.byteLength) } })
    const path = begun.headers.get('location') ?? ''
    const headers = { 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' }
    const url = files.server.url + path
    await tusRequest(files, 'PATCH', { url, headers, body: tone.slice(0, 1_000) })
    await files.server.command('backup', folder.file('backup.tar'))
    await files.request('DELETE', `/v1/file/${id}/delete`)
    const restored = await earshot(['restore', folder.file('backup.tar')], {
      cwd: folder.path,
      env: { ...files.server.env, EARSHOT_DATA: dataDir },
    })
    expect(restored).toMatchObject({ exitCode: 0 })
    const server = await startServer({ dataDir })
    try {
      const link = await server.request('GET', `/v1/file/${id}/url`, { key: files.key })
      const bytes = new Uint8Array(await (await fetch(link.body.data.file_url)).arrayBuffer())
      expect(bytes).toEqual(tone)
      const resumed = await tusUpload({ server, key: files.key }, tone, { uploadUrl: server.url + path })
      expect(resumed.error).toBeUndefined()
    } finally {
      await server.kill('SIGKILL')
    }
  } finally {
    await files.close()
    folder.remove()
  }
}, 60_000)
