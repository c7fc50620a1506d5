// Units of time and their text forms. Inside, instants are epoch milliseconds; the API speaks ISO 8601 UTC.

export const SECOND = 1_000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** Epoch milliseconds → `2026-01-31T12:00:00.000Z`. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString()
}

export function isoTimeOrNull(atMs: number | null): string | null {
  return atMs === null ? null : isoTime(atMs)
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: SECOND, m: MINUTE, h: HOUR, d: DAY }

/** `30s`, `15m`, `24h`, `7d` → milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(text.trim())
  const unit = match?.[2] === undefined ? undefined : UNITS[match[2]]
  return match && unit !== undefined ? Number(match[1]) * unit : undefined
}

/** Waits, but no longer than the signal lives: rejects with the signal's reason when it aborts. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}
