// Hooks that bring data into components: loading with a signal that ends with the component, and staying up to date.

import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { onServerEvent } from './live.ts'

export interface Loaded<T> {
  readonly data: T | undefined
  readonly error: Error | undefined
  /** True while there is nothing to show yet. */
  readonly isLoading: boolean
  /** Asks again; what is shown stays until the answer is there. */
  readonly reload: () => void
}

/** Loads when mounted and whenever `key` changes (then what was shown goes). */
export function useData<T>(key: string, load: (signal: AbortSignal) => Promise<T>): Loaded<T> {
  const [state, setState] = useState<{ key: string; data?: T; error?: Error }>({ key })
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    latest.current(signal).then(
      (data) => signal.aborted || setState({ key, data }),
      (error: unknown) => {
        if (signal.aborted) return
        const failure = error instanceof Error ? error : new Error(String(error))
        setState((known) => (known.key === key ? { ...known, error: failure } : { key, error: failure }))
      },
    )
    return () => controller.abort()
  }, [key, round])
  const reload = useCallback(() => setRound((count) => count + 1), [])
  const shown = state.key === key ? state : undefined
  const isLoading = shown?.data === undefined && shown?.error === undefined
  return { data: shown?.data, error: shown?.error, isLoading, reload }
}

const POLL_MS = 3_000
const CALM_MS = 400

/**
 * Calls `refresh` soon after the server tells of something, and every few seconds while `isBusy` in case it cannot tell.
 * Nothing is asked while the page is hidden, nor of what `isFinal` and cannot change.
 */
export function useLive(refresh: () => void, isBusy: boolean, isFinal = false): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    if (isFinal) return undefined
    let timer: ReturnType<typeof setTimeout> | undefined
    const soon = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined
        if (!document.hidden) latest.current()
      }, CALM_MS)
    }
    const stop = onServerEvent(soon)
    document.addEventListener('visibilitychange', soon)
    return () => {
      clearTimeout(timer)
      stop()
      document.removeEventListener('visibilitychange', soon)
    }
  }, [isFinal])
  useEffect(() => {
    if (!isBusy) return undefined
    const timer = setInterval(() => document.hidden || latest.current(), POLL_MS)
    return () => clearInterval(timer)
  }, [isBusy])
}
