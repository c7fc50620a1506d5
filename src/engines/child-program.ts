// The other end of child.ts: what a child process of our own binary runs. One request at a time, in order;
// the end of stdin ends the process, so that a child never outlives the server.

import { asError } from '../lib/problem.ts'
import { encodeFrame, type Frame, type FrameHeader, readFrames } from './frames.ts'

export interface HandlerContext {
  /** Aborts when the caller cancels. Work on the main thread must yield now and then to see it. */
  readonly signal: AbortSignal
  /** Sends an event before the result. */
  readonly emit: (header: FrameHeader & { readonly event: string }, payload?: Uint8Array) => void
}

export interface HandlerResult {
  readonly header?: FrameHeader
  readonly payload?: Uint8Array
}

export type Handler = (frame: Frame, context: HandlerContext) => Promise<HandlerResult>

/** Serves frames from stdin until it ends. Nothing else may write to stdout. */
export async function serveChild(handlers: Readonly<Record<string, Handler>>): Promise<void> {
  const out = Bun.stdout.writer()
  const send = (header: FrameHeader, payload?: Uint8Array): void => {
    void out.write(encodeFrame(header, payload))
    void out.flush()
  }
  let turn = Promise.resolve()
  const controllers = new Map<unknown, AbortController>()

  async function answer(frame: Frame, controller: AbortController): Promise<void> {
    const { id, op } = frame.header
    try {
      const handler = handlers[String(op)]
      if (!handler) throw new Error(`there is no operation "${String(op)}"`)
      controller.signal.throwIfAborted()
      const context: HandlerContext = {
        signal: controller.signal,
        emit: (header, payload) => send({ ...header, id }, payload),
      }
      const result = await handler(frame, context)
      send({ ...result.header, id, event: 'result' }, result.payload)
    } catch (error) {
      const { message } = asError(error)
      send({ id, event: 'error', message, ...(controller.signal.aborted ? { cancelled: true } : {}) })
    } finally {
      controllers.delete(id)
    }
  }

  send({ event: 'ready' })
  for await (const frame of readFrames(Bun.stdin.stream())) {
    const { id, op } = frame.header
    if (op === 'cancel') {
      controllers.get(id)?.abort(new Error('cancelled'))
      continue
    }
    const controller = new AbortController()
    controllers.set(id, controller)
    turn = turn.then(() => answer(frame, controller))
  }
  for (const controller of controllers.values()) controller.abort(new Error('the input ended'))
}
