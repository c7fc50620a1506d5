// The command that containers ask: exit code 0 when the server answers, 1 in every other case.

import { afterAll, expect, test } from 'bun:test'
import { earshot } from '../support/earshot.ts'
import { temporaryFolder } from '../support/temp.ts'

const folder = temporaryFolder()
let answer = (): Response => Response.json({ status: 'success', message: 'Earshot is running.' })
const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => answer() })
const { port } = server
afterAll(async () => {
  await server.stop(true)
  folder[Symbol.dispose]()
})

const health = (env: Record<string, string>, ...args: string[]) =>
  earshot(['health', ...args], { cwd: folder.path, env: { EARSHOT_PORT: String(port), ...env } })

test('a server that answers is well, also behind a wildcard address and with a proxy in the environment', async () => {
  const env = { EARSHOT_HOST: '0.0.0.0', HTTP_PROXY: 'http://127.0.0.1:1', NO_PROXY: '' }
  expect(await health(env)).toEqual({ exitCode: 0, stdout: 'Earshot is running.\n', stderr: '' })
  expect(JSON.parse((await health(env, '--json')).stdout)).toMatchObject({ status: 'success' })
})

test('one that fails, or answers nonsense, is not', async () => {
  answer = () => new Response('no', { status: 503 })
  expect(await health({})).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('HTTP 503') })
  answer = () => new Response('<html>')
  expect(await health({})).toMatchObject({ exitCode: 1, stdout: '' })
})

test('nor is a port where nobody listens', async () => {
  const run = await health({ EARSHOT_PORT: '1' })
  expect(run).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('127.0.0.1:1 ') })
})
