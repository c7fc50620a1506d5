// A post as the interface behind X's own pages answers it: the whole text of long posts, the quoted post, all media.

import { asError, Problem } from '../lib/problem.ts'
import type { Outcome } from './outcome.ts'
import type { PlainPost } from './post.ts'
import { at, listAt, textAt } from './untrusted.ts'
import { plainPost } from './x-status.ts'

/** `text`: the body of an answer to `TweetResultByRestId`, or to `TweetDetail`, which those who are logged in get. */
export function graphqlOutcome(id: string, text: string): Outcome {
  const answer = parsed(text)
  if (answer instanceof Error) return { failed: unreadable(answer) }
  const data = at(answer, 'data', 'tweetResult') ?? inConversation(answer, id)
  if (typeof data !== 'object' || data === null) return { failed: unreadable('no post in the answer') }
  const result = withoutWrapper(at(data, 'result'))
  if (result === undefined) return { absent: 'it does not exist, or no longer does' }
  if (textAt(result, '__typename') === 'TweetUnavailable' || at(result, 'tombstone') !== undefined)
    return { absent: 'it is protected, or not shown to visitors without a log-in' }
  // A repetition of another's post is that post.
  const repeated = withoutWrapper(at(result, 'legacy', 'retweeted_status_result', 'result'))
  const shown = repeated ?? result
  if (typeof at(shown, 'legacy', 'full_text') !== 'string')
    return { failed: unreadable('a post without text') }
  const quoted = withoutWrapper(at(shown, 'quoted_status_result', 'result'))
  const hasQuoted = typeof at(quoted, 'legacy', 'full_text') === 'string'
  return {
    post: {
      ...statusOf(shown, repeated ? textAt(repeated, 'rest_id') || id : id),
      quoted: hasQuoted ? statusOf(quoted, textAt(quoted, 'rest_id')) : null,
      via: 'browser',
      note: null,
    },
    isCut: false,
  }
}

/** A conversation is a list of instructions for the page; one of them adds the post. */
function inConversation(answer: unknown, id: string): unknown {
  const instructions = listAt(answer, 'data', 'threaded_conversation_with_injections_v2', 'instructions')
  const entries = instructions.flatMap((instruction) => listAt(instruction, 'entries'))
  const entry = entries.find((one) => textAt(one, 'entryId') === `tweet-${id}`)
  return at(entry, 'content', 'itemContent', 'tweet_results')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    return asError(error)
  }
}

/** Posts with a remark of the site, such as who may answer, are one level deeper. */
function withoutWrapper(result: unknown): unknown {
  return textAt(result, '__typename') === 'TweetWithVisibilityResults' ? at(result, 'tweet') : result
}

function statusOf(result: unknown, id: string): PlainPost {
  const legacy = at(result, 'legacy')
  const long = at(result, 'note_tweet', 'note_tweet_results', 'result')
  const isLong = textAt(long, 'text') !== ''
  const user = at(result, 'core', 'user_results', 'result')
  const values = listAt(result, 'card', 'legacy', 'binding_values')
  return plainPost({
    id,
    text: isLong ? textAt(long, 'text') : textAt(legacy, 'full_text'),
    shownFrom: isLong ? undefined : listAt(legacy, 'display_text_range')[0],
    entities: isLong ? at(long, 'entity_set') : at(legacy, 'entities'),
    media: listAt(legacy, 'extended_entities', 'media'),
    user: at(user, 'core', 'screen_name') === undefined ? at(user, 'legacy') : at(user, 'core'),
    createdAt: textAt(legacy, 'created_at'),
    card: new Map(values.map((value) => [textAt(value, 'key'), textAt(value, 'value', 'string_value')])),
    quotedId: textAt(legacy, 'quoted_status_id_str'),
  })
}

export function unreadable(cause: unknown): Problem {
  return new Problem('upstream_failed', 'The page of the post did not show it', { cause, temporary: true })
}
