// Counting failed sign-ins per client address over a sliding window, in memory and in bounded space.

export interface AttemptOptions {
  readonly max: number
  readonly windowMs: number
  /** Addresses remembered; the one longest without a failure is forgotten first. */
  readonly addressesMax: number
}

export interface Attempts {
  /** Counts one failure. Returns how long (ms) until the address is below the limit again; undefined while it is. */
  fail(address: string, atMs: number): number | undefined
  /** Takes back the last failure: for attempts that are counted before they are judged. */
  forgive(address: string): void
}

export function createAttempts({ max, windowMs, addressesMax }: AttemptOptions): Attempts {
  // Insertion order is the order of the last failure.
  const failures = new Map<string, number[]>()
  return {
    fail(address, atMs) {
      const recent = (failures.get(address) ?? []).filter((at) => at > atMs - windowMs)
      failures.delete(address)
      failures.set(address, recent)
      const oldest = failures.size > addressesMax ? failures.keys().next().value : undefined
      if (oldest !== undefined) failures.delete(oldest)
      const [first] = recent
      if (first !== undefined && recent.length >= max) return first + windowMs - atMs
      recent.push(atMs)
      return undefined
    },
    forgive(address) {
      failures.get(address)?.pop()
    },
  }
}
