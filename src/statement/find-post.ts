// A post by the lightest way that works: the service for embedding, then yt-dlp, then a browser.

import type { App } from '../app.ts'
import { Problem } from '../lib/problem.ts'
import type { Asked, Outcome } from './outcome.ts'
import type { Post } from './post.ts'
import { askBrowser } from './x-browser.ts'
import { askSyndication } from './x-syndication.ts'
import { askYtdlp } from './x-ytdlp.ts'

const CUT = 'The post is longer than what X gives to others: its text is cut.'

/**
 * Throws Problem `upstream_failed`, temporary unless X itself says that visitors cannot have the post, or the signal's
 * reason.
 */
export async function getPost(app: Pick<App, 'engines' | 'fetcher'>, asked: Asked): Promise<Post> {
  const { engines, fetcher } = app
  const light = await askSyndication({ fetcher, sites: engines.sites }, asked)
  if ('post' in light && !light.isCut) return light.post
  // yt-dlp would cut the text at the same place.
  const second = 'post' in light ? light : await askYtdlp(engines.ytdlp, asked)
  if ('post' in second && !second.isCut) return second.post
  const outcomes: readonly Outcome[] = [light, second]
  if ('absent' in second) throw notToBeHad(asked.id, outcomes)
  const last = await askBrowser(engines.browser, asked)
  if (last && 'post' in last) return last.post
  if ('post' in second) return { ...second.post, note: CUT }
  throw notToBeHad(asked.id, last ? [...outcomes, last] : outcomes)
}

function notToBeHad(id: string, outcomes: readonly Outcome[]): Problem {
  const absent = outcomes.findLast((outcome) => 'absent' in outcome)
  if (absent) return new Problem('upstream_failed', `The post ${id} could not be had: ${absent.absent}.`)
  const failures = outcomes.flatMap((outcome) => ('failed' in outcome ? outcome.failed : []))
  return new Problem(
    'upstream_failed',
    `The post ${id} could not be had: X did not give it to this server. Try again later.`,
    {
      cause: failures.map(({ message, cause }) => `${message} (${String(cause)})`).join('; '),
      temporary: true,
    },
  )
}
