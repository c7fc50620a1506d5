// The lightest way to a post: what X gives to web pages that embed it. One request, no log-in. It knows the quoted post and
// all media, but cuts long posts.

import type { Sites } from '../engines/sites.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import type { Fetcher } from '../net/fetch.ts'
import { limitedBody } from '../net/limited-body.ts'
import type { Asked, Outcome } from './outcome.ts'
import type { PlainPost } from './post.ts'
import { at, listAt, textAt } from './untrusted.ts'
import { plainPost } from './x-status.ts'

/** What a site that says "too many requests" is left alone for, at the least. */
const QUIET_S = 5
const ANSWER_LIMITS = { maxBytes: 2 * 1_024 ** 2, stallMs: 10 * SECOND, stallBytes: 1 }

/** Rejects with the signal's reason only. */
export async function askSyndication(
  { fetcher, sites }: { readonly fetcher: Fetcher; readonly sites: Sites },
  { id, signal }: Asked,
): Promise<Outcome> {
  const url = `https://cdn.syndication.twimg.com/tweet-result?id=${id}&lang=en&token=${tokenOf(id)}`
  try {
    return await sites.run(url, () => askOnce(fetcher, url, { id, signal }), signal)
  } catch (error) {
    signal.throwIfAborted()
    return failed(error)
  }
}

/** Throws a Problem with `retryAfterS` when there were too many requests. */
async function askOnce(fetcher: Fetcher, url: string, { id, signal }: Asked): Promise<Outcome> {
  const { status, body } = await fetcher.fetch(url, { signal, maxRedirects: 0 })
  if (status !== 200 || !body) await body?.cancel()
  if (status === 404) return { absent: 'it does not exist, or is not public' }
  if (status === 429) {
    throw new Problem('upstream_failed', 'X wants fewer requests', { temporary: true, retryAfterS: QUIET_S })
  }
  if (status !== 200 || !body) return failed(`HTTP ${status}`)
  const chunks: Uint8Array[] = []
  for await (const chunk of limitedBody(body, ANSWER_LIMITS, signal)) chunks.push(chunk)
  return outcomeOf(id, JSON.parse(Buffer.concat(chunks).toString('utf8')))
}

/** As X's own script for embedding makes it of the id. */
function tokenOf(id: string): string {
  const token = ((Number(id) / 1e15) * Math.PI).toString(36).replaceAll(/0+|\./g, '')
  return token === '' ? 'a' : token
}

function outcomeOf(id: string, answer: unknown): Outcome {
  const kind = textAt(answer, '__typename')
  if (kind === 'TweetTombstone') return { absent: 'it is not shown to visitors without a log-in' }
  if (kind !== 'Tweet' && typeof at(answer, 'text') !== 'string') return failed('no post in the answer')
  const quoted = at(answer, 'quoted_tweet')
  return {
    post: {
      ...statusOf(answer, id),
      quoted: typeof at(quoted, 'text') === 'string' ? statusOf(quoted, textAt(quoted, 'id_str')) : null,
      via: 'syndication',
      note: null,
    },
    isCut: at(answer, 'note_tweet') !== undefined,
  }
}

function statusOf(status: unknown, id: string): PlainPost {
  return plainPost({
    id,
    text: textAt(status, 'text'),
    shownFrom: listAt(status, 'display_text_range')[0],
    entities: at(status, 'entities'),
    media: listAt(status, 'mediaDetails'),
    user: at(status, 'user'),
    createdAt: textAt(status, 'created_at'),
    card: cardOf(at(status, 'card', 'binding_values')),
    quotedId: textAt(status, 'quoted_tweet', 'id_str'),
  })
}

function cardOf(values: unknown): ReadonlyMap<string, string> {
  const names = typeof values === 'object' && values !== null ? Object.keys(values) : []
  return new Map(names.map((name) => [name, textAt(values, name, 'string_value')]))
}

function failed(cause: unknown): Outcome {
  const message = 'The service for embedded posts did not give the post'
  return { failed: new Problem('upstream_failed', message, { cause, temporary: true }) }
}
