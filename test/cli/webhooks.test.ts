// The webhook commands as real processes, against a real receiver.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createReceiver, isSignedWith, type Receiver } from '../support/receiver.ts'
import { earshot } from '../support/earshot.ts'
import { temporaryFolder } from '../support/temp.ts'

const folder = temporaryFolder()
let receiver: Receiver
let code = 200
beforeAll(() => {
  receiver = createReceiver(() => new Response(null, { status: code }))
})
afterAll(async () => {
  await receiver.close()
  folder[Symbol.dispose]()
})

const run = (...args: string[]) =>
  earshot(['webhooks', ...args], { cwd: folder.path, env: { EARSHOT_TRUSTED_HOSTS: '127.0.0.1' } })

async function json(...args: string[]): Promise<Record<string, unknown>> {
  return JSON.parse((await run(...args, '--json')).stdout) as Record<string, unknown>
}

test('an endpoint is set, tested, listed, replayed and cleared', async () => {
  expect(await json('show')).toMatchObject({ account: 'default', url: null, state: 'none' })
  expect(await run('set-default', receiver.url)).toMatchObject({ exitCode: 0, stdout: '' })
  const shown = await json('show')
  expect(shown).toMatchObject({ url: receiver.url, state: 'enabled', failures_in_row: 0 })
  expect(await run('test')).toEqual({ exitCode: 0, stdout: 'delivered HTTP 200\n', stderr: '' })
  const [first] = receiver.received
  if (!first) throw new Error('nothing came')
  expect(isSignedWith(String(shown['secret']), first)).toBe(true)

  const id = first.headers['x-service-delivery'] ?? ''
  code = 500
  const failed = await run('replay', id)
  expect(failed).toMatchObject({ exitCode: 1, stdout: 'failed HTTP 500\n' })
  expect(failed.stderr).toContain('did not acknowledge')
  code = 200
  expect((await run('replay', id)).exitCode).toBe(0)
  expect(receiver.received.map(({ body }) => body)).toEqual([first.body, first.body, first.body])
  expect(receiver.received.map(({ headers }) => headers['x-service-delivery'])).toEqual([id, id, id])
  expect(await json('deliveries', '--limit', '2')).toMatchObject([
    { status: 'delivered', replay_of: id, response_status: 200 },
    { status: 'failed', replay_of: id, response_status: 500 },
  ])
  expect((await run('deliveries')).stdout).toContain('webhook.test')

  expect((await run('clear')).exitCode).toBe(0)
  expect(await json('show')).toMatchObject({ url: null, state: 'none', secret: shown['secret'] })
  expect(await run('enable')).toMatchObject({ exitCode: 1 })
})

test('rotating prints the new secret and nothing else; show prints it too', async () => {
  const { stdout } = await run('rotate-secret', '--overlap', '1h')
  expect(stdout).toMatch(/^whsec_[0-9A-Za-z]{40}\n$/)
  const shown = await json('show')
  expect(shown['secret']).toBe(stdout.trim())
  expect(Date.parse(String(shown['previous_secret_until']))).toBeGreaterThan(Date.now())
})

test('what cannot be used is refused', async () => {
  expect(await run('set-default', 'https://10.0.0.1/')).toMatchObject({ exitCode: 1 })
  expect(await run('set-default', 'http://example.com/')).toMatchObject({ exitCode: 1 })
  expect(await run('replay', 'nothing')).toMatchObject({ exitCode: 1 })
  expect(await run('show', '--account', 'nobody')).toMatchObject({ exitCode: 1 })
  expect(await run('deliveries', '--limit', '0')).toMatchObject({ exitCode: 2 })
  expect(await run('rotate-secret', '--overlap', 'soon')).toMatchObject({ exitCode: 2 })
})
