// A first-come-first-served semaphore. One gate shared by all engines keeps the cores from being oversubscribed.

export interface Gate {
  /** Runs `work` when one of `width` places is free. Waiting ends with the signal's reason when it aborts. */
  run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>
  readonly active: number
  readonly waiting: number
}

export function createGate(width: number): Gate {
  let active = 0
  const queue: (() => void)[] = []

  async function enter(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    if (active < width) {
      active++
      return
    }
    await new Promise<void>((resolve, reject) => {
      const admit = (): void => {
        signal?.removeEventListener('abort', giveUp)
        resolve()
      }
      const giveUp = (): void => {
        queue.splice(queue.indexOf(admit), 1)
        reject(signal?.reason as Error)
      }
      queue.push(admit)
      signal?.addEventListener('abort', giveUp, { once: true })
    })
  }

  function leave(): void {
    const next = queue.shift()
    // The place passes to the next in line without becoming free in between.
    if (next) next()
    else active--
  }

  return {
    async run(work, signal) {
      await enter(signal)
      try {
        return await work()
      } finally {
        leave()
      }
    },
    get active() {
      return active
    },
    get waiting() {
      return queue.length
    },
  }
}
