// In-process notifications. They only ever say "look again": the truth is in the database.

export interface Signal<T> {
  /**
   * Tells all listeners in a microtask – thus after the synchronous transaction that emits has ended. When that
   * transaction is rolled back, listeners have merely looked once too often.
   */
  emit(value: T): void
  /** Returns the function that stops listening. */
  listen(listener: (value: T) => void): () => void
}

export function createSignal<T>(): Signal<T> {
  const listeners = new Set<(value: T) => void>()
  return {
    emit(value) {
      if (listeners.size === 0) return
      queueMicrotask(() => {
        for (const listener of listeners) listener(value)
      })
    },
    listen(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
