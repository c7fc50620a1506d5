// What was just learned about a page, for the next who asks within a minute: a transcript after a look at the metadata, or
// the same video wanted by two. Kept in memory, briefly, because the addresses in it expire.

import { MINUTE } from '../lib/time.ts'

export interface BriefCache<T> {
  find(key: string): T | undefined
  keep(key: string, value: T): void
}

const KEPT_MS = MINUTE
/** A description has some ten to some hundred kilobytes. */
const ENTRIES_MAX = 32

export function createBriefCache<T>(now: () => number = Date.now): BriefCache<T> {
  const entries = new Map<string, { readonly value: T; readonly until: number }>()
  return {
    find(key) {
      const entry = entries.get(key)
      if (entry && entry.until > now()) return entry.value
      entries.delete(key)
      return undefined
    },
    keep(key, value) {
      entries.delete(key)
      entries.set(key, { value, until: now() + KEPT_MS })
      const [oldest] = entries.keys()
      if (entries.size > ENTRIES_MAX && oldest !== undefined) entries.delete(oldest)
    },
  }
}
