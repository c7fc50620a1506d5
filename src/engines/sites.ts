// Manners towards the sites that are asked: only a few requests to one site at a time, a little apart, and none for a while
// after it has said that there were too many.

import { createGate, type Gate } from '../lib/gate.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND, sleep } from '../lib/time.ts'

export interface Sites {
  /**
   * Runs `work`, which asks the site of `url`, when its turn has come. A Problem with `retryAfterS` is the site's wish for
   * a pause: `work` is run once more after it, and others wait for it too. Rejects as `work` does, or with the signal's
   * reason.
   */
  run<T>(url: string, work: () => Promise<T>, signal: AbortSignal): Promise<T>
}

export interface SitesOptions {
  /** 0: no pauses at all. */
  readonly pauseS: number
  readonly width?: number
  /** Epoch ms. */
  readonly now?: () => number
}

interface Site {
  readonly gate: Gate
  nextAt: number
  quietUntil: number
  /** Refusals in a row. */
  refusals: number
}

const WIDTH = 4
/** Sites remembered; the one asked least recently is forgotten first. */
const SITES_MAX = 1_000
/** In pauses: a first refusal is worth five, each further one twice as many. */
const QUIET_PAUSES = 5
const QUIET_MAX_MS = 60 * SECOND

export function createSites({ pauseS, width = WIDTH, now = Date.now }: SitesOptions): Sites {
  const sites = new Map<string, Site>()
  // With all places taken, requests come a pause apart.
  const gapMs = (pauseS * SECOND) / width

  function siteOf(url: string): Site {
    const name = siteName(url)
    const site = sites.get(name) ?? { gate: createGate(width), nextAt: 0, quietUntil: 0, refusals: 0 }
    sites.delete(name)
    sites.set(name, site)
    const [oldest] = sites.keys()
    if (sites.size > SITES_MAX && oldest !== undefined) sites.delete(oldest)
    return site
  }

  async function turn(site: Site, signal: AbortSignal): Promise<void> {
    const at = Math.max(now(), site.nextAt, site.quietUntil)
    site.nextAt = at + gapMs
    if (at > now()) await sleep(at - now(), signal)
  }

  async function attempt<T>(site: Site, work: () => Promise<T>): Promise<T> {
    try {
      const result = await work()
      site.refusals = 0
      return result
    } catch (error) {
      if (isRefusal(error)) {
        const quietMs = pauseS * SECOND * QUIET_PAUSES * 2 ** site.refusals
        site.quietUntil = now() + Math.min(QUIET_MAX_MS, quietMs)
        site.refusals++
      }
      throw error
    }
  }

  return {
    run(url, work, signal) {
      const site = siteOf(url)
      return site.gate.run(async () => {
        await turn(site, signal)
        try {
          return await attempt(site, work)
        } catch (error) {
          if (!isRefusal(error) || signal.aborted) throw error
          await turn(site, signal)
          return attempt(site, work)
        }
      }, signal)
    },
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Problem && error.retryAfterS !== undefined

/** Second labels under which countries register names. */
const SHARED = new Set(['ac', 'co', 'com', 'edu', 'go', 'gov', 'ne', 'net', 'or', 'org'])

/** Close enough to whoever answers: `www.youtube.com` and `m.youtube.com` are one, `a.co.uk` and `b.co.uk` are not. */
function siteName(url: string): string {
  const labels = (URL.parse(url)?.hostname ?? '').split('.')
  const shared = labels.at(-1)?.length === 2 && SHARED.has(labels.at(-2) ?? '')
  return labels.slice(shared ? -3 : -2).join('.')
}
