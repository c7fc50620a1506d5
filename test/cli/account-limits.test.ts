// earshot accounts limits, as a process.

import { expect, test } from 'bun:test'
import { earshot } from '../support/earshot.ts'
import { temporaryFolder } from '../support/temp.ts'

test('limits of an account are shown, set one by one and taken back', async () => {
  using folder = temporaryFolder()
  const run = (...args: string[]) => earshot(['accounts', 'limits', 'default', ...args], { cwd: folder.path })
  expect(await run()).toMatchObject({
    exitCode: 0,
    stdout: 'storage bytes default, active jobs default, rates default\n',
  })
  expect((await run('--active-jobs', '3', '--rate', 'POST /transcribe=100,GET /files=500')).exitCode).toBe(0)
  expect((await run('--storage-bytes', '1000')).exitCode).toBe(0)
  expect(JSON.parse((await run('--json')).stdout)).toEqual({
    storage_bytes: 1_000,
    active_jobs: 3,
    rates: { 'POST /transcribe': 100, 'GET /files': 500 },
  })
  expect((await run('--active-jobs', 'default', '--rate', 'off')).exitCode).toBe(0)
  expect((await run()).stdout).toBe('storage bytes 1000, active jobs default, rates off\n')
  expect(await run('--rate', 'transcribe=1')).toMatchObject({ exitCode: 2 })
  expect(await run('--active-jobs', '0')).toMatchObject({ exitCode: 2 })
  expect(await earshot(['accounts', 'limits', 'nobody'], { cwd: folder.path })).toMatchObject({ exitCode: 1 })
})
