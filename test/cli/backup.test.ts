// earshot backup and restore around a real server: its keys work on the restored folder.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { startServer } from '../support/server.ts'
import { earshot } from '../support/earshot.ts'
import { temporaryFolder } from '../support/temp.ts'

test('a running server is backed up, and its keys work where the backup is restored', async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, 'backup.tar')
  const server = await startServer()
  try {
    const key = await server.createKey()
    await server.command('backup', file)
    const run = (...args: string[]) =>
      earshot(args, { cwd: folder.path, env: { EARSHOT_DATA: server.dataDir } })
    expect(await run('backup', file)).toMatchObject({ exitCode: 1 })
    const inUse = await run('restore', '--force', file)
    expect(inUse.exitCode).toBe(1)
    expect(inUse.stderr).toContain(`in use by process ${server.pid}`)

    const dataDir = join(folder.path, 'restored')
    expect(await earshot(['restore', file, '--data', dataDir], { cwd: folder.path })).toMatchObject({
      exitCode: 0,
    })
    const restored = await startServer({ dataDir })
    try {
      const poll = '/v1/transcribe/0190b5d2-0000-7000-8000-000000000001'
      expect((await restored.request('GET', poll, { key })).status).toBe(404)
      expect((await restored.request('GET', poll, { key: `${key}x` })).status).toBe(401)
    } finally {
      await restored.close()
    }
  } finally {
    await server.close()
  }
})
