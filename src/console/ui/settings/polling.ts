// Asking again every second while something that only the server sees is under way.

import { useEffect, useRef } from 'preact/hooks'

const EVERY_MS = 1_000

/** Not while the page is hidden. */
export function usePolling(refresh: () => void, isActive: boolean): void {
  const latest = useRef(refresh)
  latest.current = refresh
  useEffect(() => {
    if (!isActive) return undefined
    const timer = setInterval(() => document.hidden || latest.current(), EVERY_MS)
    return () => clearInterval(timer)
  }, [isActive])
}
