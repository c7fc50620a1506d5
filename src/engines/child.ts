// The one supervisor of warm child processes. A child answers one request at a time; callers queue in order.
// A crash, a hang or a cancel ends at most the child: the caller gets an error, the next request a new process.

import { createGate } from '../lib/gate.ts'
import type { Log } from '../lib/log.ts'
import { asError, Problem, type ProblemCode } from '../lib/problem.ts'
import { type Program, startProgram } from '../lib/process.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import { encodeFrame, type Frame, type FrameHeader, readFrames } from './frames.ts'

/** How long a child may take to give up after a cancel, or to end after its input was closed. */
const GRACE_MS = SECOND
const REQUEST_TIMEOUT_MS = 10 * MINUTE

export interface ChildOptions {
  /** For messages and logs, for example `Whisper`. */
  readonly name: string
  /** Program and arguments; asked again for every start. A rejection reaches the caller of the request as it is. */
  readonly command: () => readonly string[] | Promise<readonly string[]>
  readonly env?: Readonly<Record<string, string>>
  /** The code of the Problem that a failed request ends with. */
  readonly code: ProblemCode
  /** The child is ended after so long without a request. */
  readonly idleMs: number
  /** Time from its start to its `ready` event. */
  readonly startTimeoutMs: number
  readonly log: Log
  /** Told when a process has ended; `crashed`: otherwise than by itself with exit code 0. */
  readonly onEnd?: ((name: string, crashed: boolean) => void) | undefined
}

export interface RequestOptions {
  /** Cancels: the child gets the grace of a second to give up, then SIGKILL. Rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /** Events before the result, in order. What it throws cancels the request. */
  readonly onEvent?: (frame: Frame) => void
  /** Ten minutes unless given. A child that takes longer is killed. */
  readonly timeoutMs?: number
}

export interface Child {
  /**
   * Sends `{id, ...header}` and resolves with the result frame. Rejects with a Problem of the child's code: temporary
   * when the process crashed, hung or was closed, as the child says (`temporary`) when it answered with an error.
   */
  request(header: FrameHeader, payload?: Uint8Array, options?: RequestOptions): Promise<Frame>
  /** Process id while the child runs. */
  readonly pid: number | undefined
  /** Kills the process at once; the next request starts another. Resolves when it has ended. */
  stop(): Promise<void>
  /** Kills the process at once and refuses further requests. Resolves when it has ended. */
  close(): Promise<void>
}

interface Pending {
  readonly id: number
  readonly onEvent: (frame: Frame) => void
  readonly resolve: (frame: Frame) => void
  readonly reject: (error: unknown) => void
}

/** One running process. `ended` never rejects. */
interface Run {
  readonly program: Program
  readonly ready: Promise<void>
  ended: Promise<void>
  pending: Pending | undefined
  over: boolean
  /** It is ended on purpose: how it ends is no news. */
  stopped: boolean
}

/** Starts nothing yet: the first request does. */
export function createChild(options: ChildOptions): Child {
  const { name, log } = options
  const turn = createGate(1)
  const endings = new Set<Promise<void>>()
  let current: Run | undefined
  let starting: Promise<Run> | undefined
  let idleTimer: ReturnType<typeof setTimeout> | undefined
  let nextId = 1
  let closed = false

  function failure(what: string, cause: unknown, temporary = true): Problem {
    return new Problem(options.code, `${name}: ${what}`, { cause, temporary })
  }

  /** A start whose request was given up is the start of the next request. */
  async function running(): Promise<Run> {
    if (current && !current.over) return current
    starting ??= begin().finally(() => {
      starting = undefined
    })
    return starting
  }

  async function begin(): Promise<Run> {
    const command = await options.command()
    if (closed) throw failure('it was closed while starting; try again', undefined)
    const run = startRun(options, command, failure)
    current = run
    endings.add(run.ended)
    void run.ended.then(() => endings.delete(run.ended))
    log.debug({ child: name, pid: run.program.pid }, 'child started')
    return run
  }

  async function perform(header: FrameHeader, payload: Uint8Array, given: RequestOptions): Promise<Frame> {
    if (closed) throw failure('it is closed', undefined)
    clearTimeout(idleTimer)
    try {
      const run = await abortable(running(), given.signal)
      await abortable(run.ready, given.signal)
      return await exchange(run, header, payload, given)
    } finally {
      idleTimer = setTimeout(unload, options.idleMs)
      idleTimer.unref()
    }
  }

  async function exchange(
    run: Run,
    header: FrameHeader,
    payload: Uint8Array,
    given: RequestOptions,
  ): Promise<Frame> {
    const id = nextId++
    const request = encodeFrame({ ...header, id }, payload)
    const { promise, resolve, reject } = Promise.withResolvers<Frame>()
    let graceTimer: ReturnType<typeof setTimeout> | undefined
    let stopReason: unknown
    const stop = (reason: unknown): void => {
      if (stopReason !== undefined) return
      stopReason = reason
      graceTimer = setTimeout(() => run.program.kill(), GRACE_MS)
      send(run, encodeFrame({ op: 'cancel', id }))
    }
    const onAbort = (): void => stop(asError(given.signal?.reason))
    const timeoutMs = given.timeoutMs ?? REQUEST_TIMEOUT_MS
    const timeout = setTimeout(
      () => stop(failure(`no answer within ${timeoutMs / SECOND} s; it was stopped`, undefined)),
      timeoutMs,
    )
    const onEvent = (event: Frame): void => {
      try {
        given.onEvent?.(event)
      } catch (error) {
        stop(asError(error))
      }
    }
    run.pending = { id, onEvent, resolve, reject }
    given.signal?.addEventListener('abort', onAbort, { once: true })
    send(run, request)
    if (given.signal?.aborted) onAbort()
    try {
      const result = await promise
      if (stopReason === undefined) return result
    } catch (error) {
      if (stopReason === undefined) throw error
    } finally {
      clearTimeout(timeout)
      clearTimeout(graceTimer)
      given.signal?.removeEventListener('abort', onAbort)
      run.pending = undefined
    }
    // A stopped request is over only now that the child has let go of it: nothing keeps computing.
    throw stopReason
  }

  function unload(): void {
    const run = current
    current = undefined
    if (!run || run.over) return
    log.debug({ child: name, pid: run.program.pid }, 'child unloaded after idling')
    Promise.resolve(run.program.stdin?.end()).catch(() => undefined)
    const timer = setTimeout(() => run.program.kill(), GRACE_MS)
    void run.ended.then(() => clearTimeout(timer))
  }

  async function stop(): Promise<void> {
    clearTimeout(idleTimer)
    if (current) {
      current.stopped = true
      current.program.kill()
    }
    current = undefined
    await Promise.all(endings)
  }

  return {
    async request(header, payload = new Uint8Array(), given = {}) {
      return turn.run(() => perform(header, payload, given), given.signal)
    },
    get pid() {
      return current && !current.over ? current.program.pid : undefined
    },
    stop,
    async close() {
      closed = true
      await stop()
    },
  }
}

type Failure = (what: string, cause: unknown, temporary?: boolean) => Problem

function startRun(options: ChildOptions, command: readonly string[], failure: Failure): Run {
  const program = startProgram({ command, stdin: 'pipe', ...(options.env ? { env: options.env } : {}) })
  const ready = Promise.withResolvers<void>()
  // The caller that is waiting sees the rejection; if it has given up, nobody needs to.
  ready.promise.catch(() => undefined)
  const startTimer = setTimeout(() => program.kill(), options.startTimeoutMs)

  async function serve(run: Run): Promise<void> {
    let fault: unknown
    try {
      for await (const frame of readFrames(program.stdout)) receive(run, frame)
    } catch (error) {
      fault = error
    }
    program.kill()
    const exitCode = await program.exited
    run.over = true
    clearTimeout(startTimer)
    const how = exitCode === null ? 'its process was killed' : `its process ended with exit code ${exitCode}`
    const cause = new Error(`${how}: ${program.stderrTail().trim() || 'nothing on stderr'}`, { cause: fault })
    ready.reject(failure('it could not be started; see the log', cause))
    run.pending?.reject(failure('its process ended in the middle of the work; try again', cause))
    const crashed = exitCode !== 0 && !run.stopped
    options.onEnd?.(options.name, crashed)
    if (crashed) options.log.warn({ child: options.name, err: cause }, 'child ended')
  }

  function receive(run: Run, frame: Frame): void {
    const { event, id } = frame.header
    if (event === 'ready') {
      clearTimeout(startTimer)
      ready.resolve()
      return
    }
    const { pending } = run
    // An answer to a request that has been given up on.
    if (!pending || pending.id !== id) return
    if (event === 'result') pending.resolve(frame)
    else if (event === 'error') pending.reject(answeredError(frame.header, failure))
    else pending.onEvent(frame)
  }

  const run: Run = {
    program,
    ready: ready.promise,
    ended: Promise.resolve(),
    pending: undefined,
    over: false,
    stopped: false,
  }
  run.ended = serve(run)
  return run
}

function answeredError(header: FrameHeader, failure: Failure): Problem {
  const message = typeof header['message'] === 'string' ? header['message'] : 'it failed without a message'
  return failure(message, undefined, header['temporary'] === true)
}

/** A child that has died does not take the write; its end then rejects the request. */
function send(run: Run, frame: Uint8Array): void {
  try {
    Promise.resolve(run.program.stdin?.write(frame)).catch(() => undefined)
    Promise.resolve(run.program.stdin?.flush()).catch(() => undefined)
  } catch {
    run.program.kill()
  }
}

/** The promise, or the signal's reason as soon as it aborts; the promise itself goes on. */
async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise
  // Once the signal has its say, nobody waits for it any more.
  promise.catch(() => undefined)
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const onAbort = (): void => aborted.reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
