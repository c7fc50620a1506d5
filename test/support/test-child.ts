// A child process for the tests of the supervisor: well-behaved, slow, stubborn and crashing operations.

import { type Handler, serveChild } from '../../src/engines/child-program.ts'

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })

const handlers: Readonly<Record<string, Handler>> = {
  echo: async ({ header, payload }) => ({
    header: { text: header['text'], pid: process.pid, bytes: payload.byteLength },
    payload,
  }),
  environment: async () => ({ header: { names: Object.keys(process.env) } }),
  count: async ({ header }, { emit }) => {
    for (let index = 0; index < Number(header['to']); index++) emit({ event: 'progress', index })
    return {}
  },
  fail: async () => {
    throw new Error('the input is not usable')
  },
  wait: async (_frame, { signal, emit }) => {
    emit({ event: 'started' })
    return untilAborted(signal)
  },
  /** Does not yield, so it can't see a cancel: only SIGKILL ends it. */
  spin: async (_frame, { emit }) => {
    emit({ event: 'started', pid: process.pid })
    await Bun.sleep(20)
    for (;;) Bun.sleepSync(50)
  },
  crash: async () => {
    process.stderr.write('out of cheese\n')
    process.exit(70)
  },
  garbage: async () => {
    process.stdout.write('this is not a frame, and it is longer than eight bytes')
    await Bun.sleep(60_000)
    return {}
  },
}

if (process.argv[2] === 'never-ready') await Bun.sleep(60_000)
if (process.argv[2] === 'broken') throw new Error('the library is missing')
await serveChild(handlers)
