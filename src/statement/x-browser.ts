// The last way to a post: a browser opens its page, whose own scripts fetch it. Some hundred megabytes and some seconds,
// and only where the machine has one.

import type { BrowserEngine } from '../engines/browser.ts'
import { asError, Problem } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import type { Asked, Outcome } from './outcome.ts'
import { postUrl } from './post-id.ts'
import { graphqlOutcome, unreadable } from './x-graphql.ts'

const ANSWER = /\/graphql\/[^/]+\/(?:TweetResultByRestId|TweetDetail)\b/
const ANSWER_MS = 30 * SECOND
const ANSWER_CHARACTERS_MAX = 4 * 1_024 ** 2

/** Undefined without a browser. Rejects with the signal's reason only. */
export async function askBrowser(
  browser: BrowserEngine,
  { id, signal }: Asked,
): Promise<Outcome | undefined> {
  if (browser.path === undefined) return undefined
  try {
    return await browser.session(
      async (session) => {
        const page = await session.newPage()
        const answered = page.waitForResponse((response) => ANSWER.test(response.url()), {
          timeout: ANSWER_MS,
        })
        const [response] = await Promise.all([
          answered,
          page.goto(postUrl(id), { waitUntil: 'commit', timeout: ANSWER_MS }),
        ])
        const text = await response.text()
        if (response.status() !== 200 || text.length > ANSWER_CHARACTERS_MAX)
          return { failed: unreadable(`HTTP ${response.status()}, ${text.length} characters`) }
        return graphqlOutcome(id, text)
      },
      { signal, timeoutMs: MINUTE },
    )
  } catch (error) {
    signal.throwIfAborted()
    return { failed: error instanceof Problem ? error : unreadable(asError(error)) }
  }
}
