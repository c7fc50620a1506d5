// The second way to a post: yt-dlp, which speaks for itself with X and knows how when X changes. It tells text, author and
// videos, but no quoted post, no pictures, and no line ends.

import { asError, Problem, type ProblemCode } from '../lib/problem.ts'
import type { Ytdlp } from '../engines/ytdlp.ts'
import { MAX_CAROUSEL_ITEMS } from '../media/source.ts'
import { seconds } from '../media/video-info.ts'
import { decodeEntities } from '../transcripts/entities.ts'
import type { Asked, Outcome } from './outcome.ts'
import type { Medium } from './post.ts'
import { postUrl } from './post-id.ts'
import { at, listAt, textAt } from './untrusted.ts'
import { clean } from './x-status.ts'

const NOTE =
  'Read through yt-dlp: links are in their short form, a long post may be cut, pictures are not known, and what a quoted post shows counts as shown by the post.'

/** What its refusals say of the post itself. */
const ABSENT: ReadonlySet<ProblemCode> = new Set([
  'content_restricted',
  'geo_restricted',
  'video_not_found',
  'video_unavailable',
])

/** Rejects with the signal's reason only. */
export async function askYtdlp(ytdlp: Ytdlp, { id, signal }: Asked): Promise<Outcome> {
  try {
    const { info } = await ytdlp.metadata(postUrl(id), { signal, maxItems: MAX_CAROUSEL_ITEMS + 1 })
    return outcomeOf(id, info)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof Problem && ABSENT.has(error.code)) return { absent: reasonOf(error) }
    return { failed: error instanceof Problem ? error : unreadable(asError(error)) }
  }
}

function reasonOf({ code }: Problem): string {
  return code === 'content_restricted' || code === 'geo_restricted'
    ? 'it is protected, or not shown to visitors without a log-in'
    : 'it does not exist, or no longer does'
}

function outcomeOf(id: string, info: unknown): Outcome {
  // Of a post without video it reads the page that the post links to: another text of another author.
  const isPost = textAt(info, 'extractor_key') === 'Twitter'
  if (!isPost || ![textAt(info, 'id'), textAt(info, 'display_id')].includes(id))
    return { failed: unreadable('another page was read instead') }
  const text = clean(decodeEntities(textAt(info, 'description')))
  const username = textAt(info, 'uploader_id')
  if (text === '' && username === '') return { absent: 'it does not exist, or no longer does' }
  const timestamp = at(info, 'timestamp')
  return {
    post: {
      id,
      text,
      author: clean(textAt(info, 'uploader')) || null,
      username: clean(username) || null,
      publishedAt: isTime(timestamp) ? new Date(timestamp * 1_000).toISOString() : null,
      media: videosIn(info),
      card: null,
      poll: [],
      quoted: null,
      via: 'yt-dlp',
      note: NOTE,
    },
    isCut: false,
  }
}

/** One for each item of what `resolveSource` makes of the same answer. */
function videosIn(info: unknown): Medium[] {
  const entries = textAt(info, '_type') === 'playlist' ? listAt(info, 'entries') : [info]
  return entries
    .slice(0, MAX_CAROUSEL_ITEMS)
    .filter((entry) => listAt(entry, 'formats').length > 0 || textAt(entry, '_type').startsWith('url'))
    .map((entry) => ({
      kind: 'video',
      description: null,
      durationS: seconds(at(entry, 'duration')),
      url: null,
    }))
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && Math.abs(value) < 253_402_300_800

function unreadable(cause: unknown): Problem {
  return new Problem('upstream_failed', 'yt-dlp did not give the post', { cause, temporary: true })
}
