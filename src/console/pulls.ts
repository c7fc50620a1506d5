// Downloads of models that the console started, one after another, in the background of the server. They are in memory
// only: after a restart the same request goes on where the file broke off.

import type { App } from '../app.ts'
import { openHub } from '../engines/model-hub.ts'
import { createGate } from '../lib/gate.ts'
import { asError, Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'

export interface Pull {
  readonly modelId: string
  readonly state: 'waiting' | 'running' | 'completed' | 'failed' | 'cancelled'
  readonly fileName: string | null
  readonly receivedBytes: number
  /** Of the file under way; null until the hub has said it. */
  readonly totalBytes: number | null
  /** Why it broke off and is tried again, or why it failed. */
  readonly message: string | null
}

export interface Pulls {
  /** The last one of the model since the server started. */
  find(modelId: string): Pull | undefined
  /** Does nothing when it is under way. Throws Problem `not_found` for an unknown model. */
  start(modelId: string): Promise<Pull>
  /** What has come stays for the next try. Throws Problem `not_found` when there is nothing to cancel. */
  cancel(modelId: string): Pull
}

type PullsApp = Pick<App, 'config' | 'log' | 'engines' | 'signals'>

export function createPulls(app: PullsApp): Pulls {
  const pulls = new Map<string, Pull>()
  const controllers = new Map<string, AbortController>()
  const gate = createGate(1)
  // A download must not keep a server from stopping.
  app.signals.stopping.listen(() => {
    for (const controller of controllers.values()) controller.abort()
  })

  const update = (modelId: string, change: Partial<Pull>): Pull => {
    const pull = { ...(pulls.get(modelId) ?? fresh(modelId)), ...change }
    pulls.set(modelId, pull)
    return pull
  }

  async function run(modelId: string, signal: AbortSignal): Promise<void> {
    const hub = await openHub(app.config, app.log)
    try {
      update(modelId, { state: 'running' })
      await app.engines.models.pull(modelId, {
        fetch: hub.fetch,
        signal,
        onProgress: ({ fileName, receivedBytes, totalBytes }) =>
          update(modelId, { fileName, receivedBytes, totalBytes: totalBytes ?? null, message: null }),
        onRetry: (reason, waitMs) =>
          update(modelId, {
            message: `The download broke off: ${reason}. Trying again in ${waitMs / SECOND} s.`,
          }),
      })
    } finally {
      await hub.close()
    }
  }

  async function runInTurn(modelId: string, controller: AbortController): Promise<void> {
    const { signal } = controller
    try {
      await gate.run(() => run(modelId, signal), signal)
      update(modelId, { state: 'completed', message: null })
      app.log.info({ model: modelId }, 'installed a model')
    } catch (error) {
      if (signal.aborted) {
        update(modelId, {
          state: 'cancelled',
          message: 'Stopped. What has come is kept: start again to go on.',
        })
        return
      }
      const message = error instanceof Problem ? error.message : 'It failed on our side; the log says why.'
      update(modelId, { state: 'failed', message })
      app.log.warn({ err: asError(error), model: modelId }, 'could not install a model')
    } finally {
      controllers.delete(modelId)
    }
  }

  return {
    find: (modelId) => pulls.get(modelId),
    async start(modelId) {
      await app.engines.models.get(modelId)
      const known = pulls.get(modelId)
      if (known && controllers.has(modelId)) return known
      const controller = new AbortController()
      controllers.set(modelId, controller)
      pulls.set(modelId, fresh(modelId))
      void runInTurn(modelId, controller)
      return update(modelId, {})
    },
    cancel(modelId) {
      const controller = controllers.get(modelId)
      if (!controller) throw new Problem('not_found', 'This model is not being downloaded.')
      controller.abort()
      return update(modelId, {})
    },
  }
}

function fresh(modelId: string): Pull {
  return { modelId, state: 'waiting', fileName: null, receivedBytes: 0, totalBytes: null, message: null }
}
