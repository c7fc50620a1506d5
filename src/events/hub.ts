// All streams of this server: how many there may be, and who is woken by what. One listener per signal serves them all.

import type { App } from '../app.ts'
import { Problem } from '../lib/problem.ts'
import { createFeed, type Feed, type FeedOptions } from './feed.ts'
import { findSubject } from './followed.ts'

/** Of all accounts together: each holds a connection. */
const STREAMS_MAX = 1_000

export interface Hub {
  /** The stream's bytes. Throws Problem `rate_limit_exceeded` or `system_overload` when there are too many. */
  open(options: FeedOptions, signal: AbortSignal): ReadableStream<Uint8Array>
  /** Streams that are open. */
  readonly size: number
}

interface Follower {
  readonly options: FeedOptions
  readonly feed: Feed
}

export function createHub(app: Pick<App, 'db' | 'config' | 'signals'>): Hub {
  const followers = new Map<string, Set<Follower>>()
  let size = 0

  const followersOf = (accountId: string, subjectId: string): Follower[] =>
    [...(followers.get(accountId) ?? [])].filter(
      ({ options }) => options.subjectId === undefined || options.subjectId === subjectId,
    )

  app.signals.eventLogged.listen(({ accountId, subjectId }) => {
    for (const { feed } of followersOf(accountId, subjectId)) feed.wake()
  })
  app.signals.progressed.listen(({ owner, progress }) => {
    const subject = size === 0 ? undefined : findSubject(app, owner)
    if (!subject) return
    for (const { feed, options } of followersOf(subject.accountId, owner)) {
      if (options.jobTypes.includes(subject.jobType)) feed.progressed(subject, progress)
    }
  })
  app.signals.stopping.listen(() => {
    for (const own of followers.values()) for (const { feed } of own) feed.close()
  })

  function add(follower: Follower): void {
    const { accountId } = follower.options
    const own = followers.get(accountId) ?? new Set()
    const { maxEventStreams } = app.config
    if (own.size >= maxEventStreams) {
      throw new Problem(
        'rate_limit_exceeded',
        `This account has ${own.size} event streams open, which is its limit. Close one, or follow all tasks in one.`,
      )
    }
    if (size >= STREAMS_MAX)
      throw new Problem('system_overload', 'Too many clients follow events. Try again later.')
    followers.set(accountId, own.add(follower))
    size++
  }

  function remove(follower: Follower): void {
    const { accountId } = follower.options
    const own = followers.get(accountId)
    if (!own?.delete(follower)) return
    size--
    if (own.size === 0) followers.delete(accountId)
  }

  return {
    get size() {
      return size
    },
    open(options, signal) {
      const follower = { options, feed: createFeed(app, options) }
      add(follower)
      const leave = (): void => {
        follower.feed.close()
        remove(follower)
      }
      signal.addEventListener('abort', leave, { once: true })
      if (signal.aborted) leave()
      return streamOf(follower.feed, leave)
    },
  }
}

/** Pulled by the connection: nothing is made before the client has taken what was made before. */
function streamOf(feed: Feed, leave: () => void): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const text = await feed.next()
        if (text !== undefined) return controller.enqueue(encoder.encode(text))
        leave()
        controller.close()
      } catch (error) {
        leave()
        throw error
      }
    },
    cancel: leave,
  })
}
