// The supervisor of child processes, against a real one that can also hang, crash and talk nonsense.

import { afterEach, describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { type Child, type ChildOptions, createChild } from '../../src/engines/child.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem } from '../../src/lib/problem.ts'
import { isAlive, isGone } from '../support/processes.ts'

const PROGRAM = resolve(import.meta.dir, '../support/test-child.ts')
const children: Child[] = []

function start(mode = 'normal', options: Partial<ChildOptions> = {}): Child {
  const child = createChild({
    name: 'Test engine',
    command: () => [process.execPath, PROGRAM, mode],
    code: 'transcription_failed',
    idleMs: 60_000,
    startTimeoutMs: 20_000,
    log: silentLog(),
    ...options,
  })
  children.push(child)
  return child
}

afterEach(async () => {
  await Promise.all(children.splice(0).map((child) => child.close()))
})

async function problemOf(promise: Promise<unknown>): Promise<Problem> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Problem)) throw new TypeError(`expected a Problem, got ${String(error)}`)
  return error
}

describe('a warm child process', () => {
  test('is started by the first request and answers later ones from the same process', async () => {
    const child = start()
    expect(child.pid).toBeUndefined()
    const payload = crypto.getRandomValues(new Uint8Array(300_000))
    const first = await child.request({ op: 'echo', text: 'grüße' }, payload)
    const second = await child.request({ op: 'echo', text: 'again' })
    expect(first.header['text']).toBe('grüße')
    expect(Buffer.from(first.payload).equals(payload)).toBe(true)
    expect(second.header['pid']).toBe(first.header['pid'])
    expect(second.payload.byteLength).toBe(0)
  })

  test('answers simultaneous requests each with its own result, in order', async () => {
    const child = start()
    const texts = ['a', 'b', 'c', 'd']
    const answers = await Promise.all(texts.map((text) => child.request({ op: 'echo', text })))
    expect(answers.map((answer) => answer.header['text'])).toEqual(texts)
  })

  test('delivers events in order before the result', async () => {
    const seen: unknown[] = []
    await start().request({ op: 'count', to: 5 }, undefined, {
      onEvent: (event) => seen.push(event.header['index']),
    })
    expect(seen).toEqual([0, 1, 2, 3, 4])
  })

  test('gets an environment without proxies or secrets', async () => {
    process.env['http_proxy'] = 'http://127.0.0.1:9'
    try {
      const { header } = await start('normal', { env: { EXTRA: '1' } }).request({ op: 'environment' })
      expect(header['names']).toContain('EXTRA')
      expect(header['names']).not.toContain('http_proxy')
    } finally {
      delete process.env['http_proxy']
    }
  })
})

describe('failures', () => {
  test('an answered error is a final Problem of the given code and leaves the process running', async () => {
    const child = start()
    const problem = await problemOf(child.request({ op: 'fail' }))
    expect(problem.code).toBe('transcription_failed')
    expect(problem.temporary).toBe(false)
    expect(problem.message).toBe('Test engine: the input is not usable')
    expect(child.pid).toBeDefined()
  })

  test('an unknown operation is refused by name', async () => {
    expect((await problemOf(start().request({ op: 'sing' }))).message).toContain('"sing"')
  })

  test('a crash rejects with a temporary Problem that keeps stderr, and the next request respawns', async () => {
    const ends: unknown[] = []
    const child = start('normal', { onEnd: (...end) => ends.push(end) })
    const problem = await problemOf(child.request({ op: 'crash' }))
    expect(problem.temporary).toBe(true)
    expect(ends).toEqual([['Test engine', true]])
    expect((problem.cause as Error).message).toContain('exit code 70: out of cheese')
    expect((await child.request({ op: 'echo', text: 'back' })).header['text']).toBe('back')
  })

  test('a process killed from outside rejects the running request, not the queued one', async () => {
    const child = start()
    const killed = child.request({ op: 'wait' }, undefined, {
      onEvent: () => process.kill(child.pid ?? 0, 'SIGKILL'),
    })
    const queued = child.request({ op: 'echo', text: 'queued' })
    expect((await problemOf(killed)).temporary).toBe(true)
    expect((await queued).header['text']).toBe('queued')
  })

  test('output that is no frame counts as a crash', async () => {
    expect((await problemOf(start().request({ op: 'garbage' }))).temporary).toBe(true)
  })

  test('a program that fails to start says what it wrote to stderr', async () => {
    const problem = await problemOf(start('broken').request({ op: 'echo' }))
    expect(problem.temporary).toBe(true)
    expect((problem.cause as Error).message).toContain('the library is missing')
  })

  test('a program that is never ready is killed at the start limit', async () => {
    const child = start('never-ready', { startTimeoutMs: 300 })
    expect((await problemOf(child.request({ op: 'echo' }))).message).toContain('could not be started')
    expect(child.pid).toBeUndefined()
  })

  test('a request over its time limit is killed and rejected', async () => {
    const child = start()
    const problem = await problemOf(child.request({ op: 'wait' }, undefined, { timeoutMs: 300 }))
    expect(problem.message).toContain('no answer within 0.3 s')
    expect(problem.temporary).toBe(true)
  })

  test('a callback that throws cancels the request with what it threw', async () => {
    const thrown = new Error('stop it')
    const request = start().request({ op: 'wait' }, undefined, {
      onEvent: () => {
        throw thrown
      },
    })
    await expect(request).rejects.toBe(thrown)
  })
})

describe('cancelling', () => {
  test('a child that obeys keeps its process', async () => {
    const child = start()
    const controller = new AbortController()
    const reason = new Error('the caller left')
    const { header } = await child.request({ op: 'echo' })
    const request = child.request({ op: 'wait' }, undefined, {
      signal: controller.signal,
      onEvent: () => controller.abort(reason),
    })
    await expect(request).rejects.toBe(reason)
    expect((await child.request({ op: 'echo' })).header['pid']).toBe(header['pid'])
  })

  test('a child that does not obey is killed within two seconds', async () => {
    const child = start()
    const controller = new AbortController()
    const reason = new Error('the caller left')
    let pid = 0
    let abortedAt = 0
    const request = child.request({ op: 'spin' }, undefined, {
      signal: controller.signal,
      onEvent: (event) => {
        pid = Number(event.header['pid'])
        abortedAt = performance.now()
        controller.abort(reason)
      },
    })
    await expect(request).rejects.toBe(reason)
    expect(performance.now() - abortedAt).toBeLessThan(2_000)
    expect(pid).toBeGreaterThan(0)
    expect(isAlive(pid)).toBe(false)
  })

  test('a request that is still queued leaves the queue', async () => {
    const child = start()
    const blocker = new AbortController()
    const controller = new AbortController()
    const blocking = child.request({ op: 'wait' }, undefined, { signal: blocker.signal })
    const queued = child.request({ op: 'crash' }, undefined, { signal: controller.signal })
    controller.abort(new Error('not needed'))
    await expect(queued).rejects.toThrow('not needed')
    blocker.abort(new Error('done'))
    await expect(blocking).rejects.toThrow('done')
  })

  test('a request given up while the program is being found leaves its start to the next one', async () => {
    const found = Promise.withResolvers<readonly string[]>()
    let asked = 0
    const child = start('normal', {
      command() {
        asked++
        return found.promise
      },
    })
    const leave = new AbortController()
    const given = child.request({ op: 'echo' }, undefined, { signal: leave.signal })
    leave.abort(new Error('left'))
    await expect(given).rejects.toThrow('left')
    const next = child.request({ op: 'echo', text: 'here' })
    found.resolve([process.execPath, PROGRAM, 'normal'])
    expect((await next).header['text']).toBe('here')
    expect(asked).toBe(1)
  })

  test('an aborted signal starts nothing', async () => {
    const child = start()
    await expect(
      child.request({ op: 'echo' }, undefined, { signal: AbortSignal.abort(new Error('early')) }),
    ).rejects.toThrow('early')
    expect(child.pid).toBeUndefined()
  })
})

describe('ending', () => {
  test('an idle child is unloaded and started again on demand', async () => {
    const child = start('normal', { idleMs: 50 })
    const pid = Number((await child.request({ op: 'echo' })).header['pid'])
    expect(await isGone(pid)).toBe(true)
    expect(Number((await child.request({ op: 'echo' })).header['pid'])).not.toBe(pid)
  })

  test('stop ends the process, and the next request starts another', async () => {
    const child = start()
    const pid = Number((await child.request({ op: 'echo' })).header['pid'])
    await child.stop()
    expect(isAlive(pid)).toBe(false)
    expect(Number((await child.request({ op: 'echo' })).header['pid'])).not.toBe(pid)
  })

  test('close kills the process, rejects what is running and refuses what follows; that is no crash', async () => {
    const crashes: boolean[] = []
    const child = start('normal', { onEnd: (_name, crashed) => crashes.push(crashed) })
    const pid = Number((await child.request({ op: 'echo' })).header['pid'])
    const started = Promise.withResolvers<void>()
    const problem = problemOf(child.request({ op: 'wait' }, undefined, { onEvent: () => started.resolve() }))
    await started.promise
    await child.close()
    expect(isAlive(pid)).toBe(false)
    expect(crashes).toEqual([false])
    expect((await problem).temporary).toBe(true)
    expect((await problemOf(child.request({ op: 'echo' }))).message).toContain('closed')
  })
})
