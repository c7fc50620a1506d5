// A post as X's services write it → ours. Two services, one vocabulary: texts are escaped as in HTML, links are short
// forms with their long ones beside them, and the last link often leads to the post's own media.

import { decodeEntities } from '../transcripts/entities.ts'
import type { Medium, PlainPost } from './post.ts'
import { at, listAt, textAt } from './untrusted.ts'

const MEDIA_MAX = 20
const DESCRIPTION_MAX = 2_000

/** The parts of a status, from wherever a service puts them. */
export interface StatusParts {
  readonly id: string
  readonly text: string
  /** Where the text begins that is shown: behind the names that a reply is addressed to. */
  readonly shownFrom: unknown
  /** With `urls` and `media`. */
  readonly entities: unknown
  readonly media: readonly unknown[]
  readonly user: unknown
  readonly createdAt: string
  /** Name → value. */
  readonly card: ReadonlyMap<string, string>
  /** Links to it are no part of the text. */
  readonly quotedId: string
}

export function plainPost(parts: StatusParts): PlainPost {
  const { card } = parts
  const published = Date.parse(parts.createdAt)
  const title = clean(card.get('title') ?? '')
  const description = clean(card.get('description') ?? '')
  return {
    id: parts.id,
    text: postText(parts),
    author: clean(textAt(parts.user, 'name')) || null,
    username: clean(textAt(parts.user, 'screen_name')) || null,
    publishedAt: Number.isNaN(published) ? null : new Date(published).toISOString(),
    media: parts.media.flatMap(mediumOf).slice(0, MEDIA_MAX),
    card: title === '' && description === '' ? null : { title, description },
    poll: [1, 2, 3, 4]
      .map((n) => clean(card.get(`choice${n}_label`) ?? ''))
      .filter((choice) => choice !== ''),
  }
}

function postText({ text, shownFrom, entities, media, quotedId }: StatusParts): string {
  let shown = decodeEntities(withoutNames(text, shownFrom))
  for (const link of [...listAt(entities, 'media'), ...media])
    shown = replaced(shown, textAt(link, 'url'), '')
  for (const link of listAt(entities, 'urls')) {
    const target = textAt(link, 'expanded_url')
    const isQuote = quotedId !== '' && target.includes(`/status/${quotedId}`)
    shown = replaced(shown, textAt(link, 'url'), isQuote ? '' : target)
  }
  return clean(shown)
}

/** Only the names are ever cut off, whatever the number says. */
function withoutNames(text: string, shownFrom: unknown): string {
  if (typeof shownFrom !== 'number' || shownFrom <= 0) return text
  return /^(?:@\w+\s+)+$/.test(text.slice(0, shownFrom)) ? text.slice(shownFrom) : text
}

function replaced(text: string, short: string, long: string): string {
  return /^https?:\/\/\S+$/.test(short) ? text.replaceAll(short, () => long) : text
}

// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const CONTROL = /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200E\u200F\u202A-\u202E\u2066-\u2069]/g

/** Well-formed, without characters that nobody sees, and no more blank lines than one. */
export function clean(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(CONTROL, ' ')
    .replaceAll(/ +(?=\n|$)/g, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
}

const KINDS: ReadonlyMap<string, Medium['kind']> = new Map([
  ['photo', 'image'],
  ['video', 'video'],
  ['animated_gif', 'animation'],
])

function mediumOf(entry: unknown): Medium[] {
  const kind = KINDS.get(textAt(entry, 'type'))
  if (!kind) return []
  const millis = at(entry, 'video_info', 'duration_millis')
  const description = clean(decodeEntities(textAt(entry, 'ext_alt_text'))).slice(0, DESCRIPTION_MAX)
  return [
    {
      kind,
      description: description.toWellFormed() || null,
      durationS: typeof millis === 'number' && millis > 0 ? millis / 1_000 : null,
      url: kind === 'video' ? smallestFile(listAt(entry, 'video_info', 'variants')) : null,
    },
  ]
}

/** All of them carry the same sound. */
function smallestFile(variants: readonly unknown[]): string | null {
  const files = variants
    .map((variant) => ({ url: textAt(variant, 'url'), bitrate: at(variant, 'bitrate') }))
    .filter(({ url }) => /^https:\/\/[^?#]+\.mp4(?:[?#]|$)/.test(url))
  const rate = (value: unknown): number => (typeof value === 'number' ? value : Number.MAX_SAFE_INTEGER)
  return files.toSorted((a, b) => rate(a.bitrate) - rate(b.bitrate))[0]?.url ?? null
}
