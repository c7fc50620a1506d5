// The command line as a whole: help, settings, exit codes, pipes.

import { afterAll, describe, expect, test } from 'bun:test'
import { join, resolve } from 'node:path'
import { SETTINGS } from '../../src/config.ts'
import { VERSION } from '../../src/lib/version.ts'
import { earshot } from '../support/earshot.ts'
import { temporaryFolder } from '../support/temp.ts'

const folder = temporaryFolder()
const cwd = folder.path
afterAll(() => folder[Symbol.dispose]())

describe('the command line', () => {
  test('prints its version and help', async () => {
    expect(await earshot(['--version'], { cwd })).toEqual({ exitCode: 0, stdout: `${VERSION}\n`, stderr: '' })
    const help = await earshot(['--help'], { cwd })
    expect(help.exitCode).toBe(0)
    for (const { env } of Object.values(SETTINGS)) expect(help.stdout.replaceAll(/\s+/g, ' ')).toContain(env)
  })

  test('answers wrong use with exit code 2 and nothing on stdout', async () => {
    const wrong = [
      [],
      ['fly'],
      ['keys', 'revoke'],
      ['keys', 'list', '--what'],
      ['accounts', 'create', 'a', '--plan', 'x'],
    ]
    for (const args of wrong) {
      const { exitCode, stdout, stderr } = await earshot(args, { cwd })
      expect(exitCode).toBe(2)
      expect(stdout).toBe('')
      expect(stderr).not.toBe('')
    }
  })

  test('lists everything that is wrong with the settings in one message', async () => {
    const { exitCode, stderr } = await earshot(['keys', 'list', '--max-active-jobs', 'many'], {
      cwd,
      env: { EARSHOT_PORT: '99999', EARSHOT_TYPO: '1' },
    })
    expect(exitCode).toBe(2)
    expect(stderr).toContain('--max-active-jobs')
    expect(stderr).toContain('EARSHOT_PORT')
    expect(stderr).toContain('EARSHOT_TYPO')
  })

  test('takes a setting as a flag before or after the command, and the flag wins', async () => {
    const env = { EARSHOT_DATA: join(cwd, 'from-env') }
    const after = await earshot(['accounts', 'create', 'after', '--data', join(cwd, 'flag')], { cwd, env })
    const before = await earshot(['--data', join(cwd, 'flag'), 'accounts', 'list', '--json'], { cwd, env })
    expect(after.exitCode).toBe(0)
    expect(JSON.parse(before.stdout)).toMatchObject([{ name: 'default' }, { name: 'after' }])
  })

  test('says which data folder cannot be used', async () => {
    const file = folder.write('no-folder', '')
    const { exitCode, stderr } = await earshot(['keys', 'list', '--data', join(file, 'data')], { cwd })
    expect(exitCode).toBe(1)
    expect(stderr).toStartWith('earshot: Cannot open the database in')
    expect(stderr).not.toContain('    at ')
  })

  test('ends when the server cannot have its port', async () => {
    const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
    const port = String(other.port)
    const { exitCode, stdout, stderr } = await earshot(['serve', '--port', port], { cwd })
    await other.stop(true)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain(`Cannot listen on 127.0.0.1:${port}`)
  })

  test('an unknown engine is a failure', async () => {
    expect((await earshot(['engine', 'nonsense'], { cwd })).exitCode).not.toBe(0)
  })

  test('survives a reader that leaves early', async () => {
    const main = resolve(import.meta.dir, '../../src/main.ts')
    const script = `set -o pipefail; '${process.execPath}' '${main}' --help | true`
    const shell = Bun.spawn(['bash', '-c', script], { cwd, stdout: 'pipe', stderr: 'pipe' })
    expect(await new Response(shell.stderr).text()).toBe('')
    expect(await shell.exited).toBe(0)
  })
})
