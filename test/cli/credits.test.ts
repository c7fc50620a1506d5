// Credits and plans from the command line, as real processes.

import { afterAll, expect, test } from 'bun:test'
import { earshot } from '../support/earshot.ts'
import { temporaryFolder } from '../support/temp.ts'

const folder = temporaryFolder()
afterAll(() => folder[Symbol.dispose]())

const run = (...args: string[]) => earshot(args, { cwd: folder.path })

async function credits(account: string) {
  return JSON.parse((await run('credits', 'show', account, '--json')).stdout) as Record<string, unknown>
}

test('granted credits are exact and add up; a negative amount corrects', async () => {
  await run('accounts', 'create', 'acme', '--plan', 'trial')
  expect((await run('credits', 'grant', 'acme', '0.1')).stderr).toContain('has 0.1 purchased credits')
  await run('credits', 'grant', 'acme', '0.2', '--note', 'invoice 7')
  expect(await credits('acme')).toMatchObject({
    plan: 'trial',
    credits: { monthly_total: 5, monthly_remaining: 5, purchased: 0.3 },
  })
  expect((await run('credits', 'grant', 'acme', '-0.300001')).exitCode).toBe(1)
  expect((await run('credits', 'grant', 'acme', '-0.3')).exitCode).toBe(0)
  expect(await credits('acme')).toMatchObject({ credits: { purchased: 0 } })
})

test('what is no amount or no account is refused', async () => {
  for (const amount of ['0', 'ten', '1e3', '0.0000001', '1.', '']) {
    expect((await run('credits', 'grant', 'default', amount)).exitCode).toBe(2)
  }
  expect((await run('credits', 'grant', 'nobody', '1')).exitCode).toBe(1)
  expect((await run('credits', 'show', 'nobody')).exitCode).toBe(1)
})

test('show reads well, and set-plan takes effect', async () => {
  await run('accounts', 'create', 'people', '--plan', 'trial')
  expect((await run('credits', 'show', 'people')).stdout).toContain('Monthly credits: 5 of 5 left')
  await run('accounts', 'set-plan', 'people', 'tier3')
  expect((await run('credits', 'show', 'people')).stdout).toContain('Monthly credits: 80 of 80 left')
  await run('accounts', 'set-plan', 'people', 'custom')
  expect((await run('credits', 'show', 'people')).stdout).toContain('Monthly credits: unlimited')
  await run('accounts', 'set-plan', 'people', 'none')
  expect(await credits('people')).toMatchObject({ plan: 'none', billing_period: null })
})
