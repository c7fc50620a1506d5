// Starting programs, and ending them with all they have started.

import { describe, expect, test } from 'bun:test'
import { runProgram, STDERR_TAIL_BYTES, startProgram } from '../../src/lib/process.ts'
import { isAlive, isGone } from '../support/processes.ts'

describe('programs', () => {
  test('give their output, the end of their stderr and their exit code', async () => {
    const result = await runProgram({ command: ['sh', '-c', 'echo out; echo err >&2; exit 3'] })
    expect(result).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
  })

  test('read what is written to their stdin', async () => {
    const program = startProgram({ command: ['cat'], stdin: 'pipe' })
    await program.stdin?.write('hello')
    await program.stdin?.end()
    expect(await new Response(program.stdout).text()).toBe('hello')
    expect(await program.exited).toBe(0)
  })

  test('stderr is kept to its last 4 KiB however much comes', async () => {
    const { stderr } = await runProgram({
      command: ['sh', '-c', 'head -c 300000 /dev/zero | tr "\\0" x >&2; printf end >&2'],
    })
    expect(stderr.length).toBe(STDERR_TAIL_BYTES)
    expect(stderr.endsWith('xend')).toBe(true)
  })

  test('too much output kills the program', async () => {
    const run = runProgram({ command: ['cat', '/dev/zero'], maxStdoutBytes: 100_000 })
    await expect(run).rejects.toThrow('cat printed more than 100000 bytes')
  })

  test('a program that does not exist or may not be run throws', () => {
    expect(() => startProgram({ command: ['no-such-program'] })).toThrow('no-such-program is not installed')
    expect(() => startProgram({ command: ['/no/such/program'] })).toThrow('ENOENT')
    expect(() => startProgram({ command: [import.meta.path] })).toThrow('EACCES')
  })

  test('the environment holds neither proxies nor secrets, but what was asked for', async () => {
    process.env['https_proxy'] = 'http://127.0.0.1:9'
    process.env['EARSHOT_TEST_SECRET'] = 'x'
    try {
      const { stdout } = await runProgram({ command: ['env'], env: { WANTED: 'yes' } })
      const names = stdout.split('\n').map((line) => line.split('=')[0])
      expect(names).toContain('WANTED')
      expect(names).toContain('PATH')
      expect(names).not.toContain('https_proxy')
      expect(names).not.toContain('EARSHOT_TEST_SECRET')
    } finally {
      delete process.env['https_proxy']
      delete process.env['EARSHOT_TEST_SECRET']
    }
  })
})

describe('ending programs', () => {
  test('kill ends the children of the program too, and may be called twice', async () => {
    const program = startProgram({ command: ['sh', '-c', 'sleep 60 & echo $!; wait'] })
    const reader = program.stdout.getReader()
    const { value } = await reader.read()
    const grandchild = Number(Buffer.from(value ?? []).toString())
    expect(isAlive(grandchild)).toBe(true)
    program.kill()
    program.kill()
    expect(await program.exited).toBeNull()
    expect(await isGone(grandchild)).toBe(true)
    program.kill()
  })

  test('what a program leaves behind in its group goes with it', async () => {
    const { stdout, exitCode } = await runProgram({ command: ['sh', '-c', 'sleep 60 >/dev/null & echo $!'] })
    expect(exitCode).toBe(0)
    expect(await isGone(Number(stdout))).toBe(true)
  })

  test('an abort kills a running program', async () => {
    const controller = new AbortController()
    const program = startProgram({ command: ['sleep', '60'], signal: controller.signal })
    controller.abort(new Error('enough'))
    expect(await program.exited).toBeNull()
    expect(isAlive(program.pid)).toBe(false)
  })

  test('runProgram rejects with the reason of the abort', async () => {
    const controller = new AbortController()
    const run = runProgram({ command: ['sleep', '60'], signal: controller.signal })
    controller.abort(new Error('enough'))
    await expect(run).rejects.toThrow('enough')
  })

  test('a signal that has already aborted starts nothing', () => {
    const signal = AbortSignal.abort(new Error('early'))
    expect(() => startProgram({ command: ['sleep', '60'], signal })).toThrow('early')
  })
})
