// Rate limits: a sliding window of 60 s per client and endpoint, and a ban of the client that exceeds one.
// Exact: nothing waits between counting and deciding, so parallel requests are counted one after another.

import type { Exchange } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'

const WINDOW_MS = MINUTE

/** A refused request counts, one during a ban does not: whoever waits as long as told gets through. */
export interface Decision {
  readonly allowed: boolean
  /** Refused because of a ban that an earlier request brought about. */
  readonly banned: boolean
  /** Requests left in the window. */
  readonly remaining: number
  /** Allowed: until the next one leaves the window. Refused: until this request would be served. */
  readonly waitMs: number
}

export interface Limiter {
  /** Counts one request. `client`: a key's id or an address. `bans`: whether exceeding bans the client everywhere. */
  count(client: string, endpoint: string, rate: number, options: { readonly bans: boolean }): Decision
  /** For tests and metrics: windows and bans remembered. */
  readonly size: number
}

export interface LimiterOptions {
  readonly now: () => number
  readonly banMs: number
  /** Windows remembered; the one longest unused is forgotten first. Idle ones go anyway. */
  readonly windowsMax?: number
}

/** Times of the last counted requests, ascending, from `head` on: never more than the rate. */
interface Window {
  times: number[]
  head: number
}

export function createLimiter({ now, banMs, windowsMax = 100_000 }: LimiterOptions): Limiter {
  // Both in the order of their last use, so what has had its time is at the front.
  const windows = new Map<string, Window>()
  const bans = new Map<string, number>()

  function forget(atMs: number): void {
    for (const [name, { times }] of windows) {
      const idle = (times.at(-1) ?? 0) <= atMs - WINDOW_MS
      if (!idle && windows.size <= windowsMax) break
      windows.delete(name)
    }
    for (const [client, untilMs] of bans) {
      if (untilMs > atMs) break
      bans.delete(client)
    }
  }

  function windowOf(name: string, atMs: number): Window {
    const found = windows.get(name) ?? { times: [], head: 0 }
    windows.delete(name)
    windows.set(name, found)
    // A clock that was set back would hold requests of the future against the client.
    if ((found.times.at(-1) ?? 0) > atMs) found.times = []
    trim(found, atMs - WINDOW_MS)
    return found
  }

  return {
    count(client, endpoint, rate, options) {
      const atMs = now()
      forget(atMs)
      const bannedMs = options.bans ? Math.min((bans.get(client) ?? 0) - atMs, banMs) : 0
      const window = windowOf(`${client} ${endpoint}`, atMs)
      const { times } = window
      if (bannedMs > 0) {
        const waitMs = Math.max(bannedMs, freeIn(window, rate, atMs))
        return { allowed: false, banned: true, remaining: 0, waitMs }
      }
      const used = times.length - window.head
      times.push(atMs)
      if (used < rate) {
        const first = times[window.head] ?? atMs
        const waitMs = first + WINDOW_MS - atMs
        return { allowed: true, banned: false, remaining: rate - used - 1, waitMs }
      }
      // Only the last `rate` decide when the next may come.
      window.head = times.length - rate
      if (options.bans && banMs > 0) {
        bans.delete(client)
        bans.set(client, atMs + banMs)
      }
      const waitMs = Math.max(options.bans ? banMs : 0, freeIn(window, rate, atMs))
      return { allowed: false, banned: false, remaining: 0, waitMs }
    },
    get size() {
      return windows.size + bans.size
    },
  }
}

/** Forgets what is older than `since`; moves the rest only when half of the array is gone, so each costs O(1). */
function trim(window: Window, since: number): void {
  while (window.head < window.times.length && (window.times[window.head] ?? 0) <= since) window.head++
  if (window.head * 2 >= window.times.length) {
    window.times = window.times.slice(window.head)
    window.head = 0
  }
}

/** How long until one more request fits. */
function freeIn({ times, head }: Window, rate: number, atMs: number): number {
  if (times.length - head < rate) return 0
  return (times[times.length - rate] ?? atMs) + WINDOW_MS - atMs
}

export interface Counted {
  readonly limiter: Limiter
  readonly client: string
  /** Requests per minute; undefined: unlimited. */
  readonly rate: number | undefined
  readonly bans: boolean
}

/**
 * Counts the request and tells how it stands in the headers of the answer; throws Problem `rate_limit_exceeded`.
 * `RateLimit` and `RateLimit-Policy` as in draft-ietf-httpapi-ratelimit-headers-10: `"name";r=left;t=seconds` and
 * `"name";q=quota;w=seconds`, structured fields whose name is the endpoint.
 */
export function admitRate(exchange: Exchange, { limiter, client, rate, bans }: Counted): void {
  if (rate === undefined) return
  const { endpoint, headers } = exchange
  const { allowed, banned, remaining, waitMs } = limiter.count(client, endpoint, rate, { bans })
  const waitS = Math.max(1, Math.ceil(waitMs / SECOND))
  headers.set('ratelimit-policy', `"${endpoint}";q=${rate};w=${WINDOW_MS / SECOND}`)
  headers.set('ratelimit', `"${endpoint}";r=${remaining};t=${waitS}`)
  if (allowed) return
  const what = banned
    ? 'This API key exceeded a rate limit and is refused for a while.'
    : `Too many requests: ${endpoint} takes ${rate} a minute.`
  throw new Problem('rate_limit_exceeded', `${what} Try again in ${waitS} seconds.`, { retryAfterS: waitS })
}
