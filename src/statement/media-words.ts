// What a post shows, in words: what its videos say, what its pictures are described as, where its link leads. Pictures
// themselves are not looked at, and the text says so.

import type { Segment } from '../transcripts/transcripts.ts'
import type { Medium, PlainPost } from './post.ts'

/** What became of a video: the words of its transcript (all, or their summary), or why there are none. */
export type Heard =
  | { readonly text: string; readonly isSummary: boolean }
  /** A sentence's end, such as `has no sound`. */
  | { readonly missing: string }

export interface MediaWords {
  /** For people; null when the post shows nothing. */
  readonly summary: string | null
  /** What is said and described, without words of ours. */
  readonly words: string
}

/** `heard`: of the videos of this post, in order. */
export function mediaWords(post: PlainPost, heard: readonly Heard[]): MediaWords {
  const videos = post.media.filter(({ kind }) => kind === 'video')
  const lines = [
    ...videos.map((video, index) => videoLine(video, heard[index], videos.length > 1 ? ` ${index + 1}` : '')),
    ...stillLines(post.media, 'animation', ['Animation', 'animations']),
    ...stillLines(post.media, 'image', ['Image', 'images']),
    ...(post.card ? [cardLine(post.card)] : []),
    ...(post.poll.length > 0 ? [`Poll: ${post.poll.map((choice) => `“${choice}”`).join(', ')}.`] : []),
  ]
  const words = [
    ...heard.map((one) => ('text' in one ? one.text : '')),
    ...post.media.map(({ description }) => description ?? ''),
    ...(post.card ? [post.card.title, post.card.description] : []),
    ...post.poll,
  ]
  return {
    summary: lines.length === 0 ? null : lines.join('\n'),
    words: words.filter((text) => text !== '').join('\n'),
  }
}

function videoLine({ durationS, description }: Medium, heard: Heard | undefined, number: string): string {
  const about = [
    ...(durationS === null ? [] : [clock(durationS)]),
    ...(description === null ? [] : [`described as “${description}”`]),
  ]
  const video = `Video${number}${about.length === 0 ? '' : ` (${about.join(', ')})`}`
  if (!heard) return `${video} was not heard.`
  if ('missing' in heard) return `${video} ${heard.missing}.`
  return heard.isSummary ? `${video}: ${heard.text}` : `${video} says: “${heard.text}”`
}

function stillLines(media: readonly Medium[], kind: Medium['kind'], [one, many]: [string, string]): string[] {
  const own = media.filter((medium) => medium.kind === kind)
  const plain = own.filter(({ description }) => description === null).length
  return [
    ...own.flatMap(({ description }) =>
      description === null ? [] : `${one} described as “${description}”.`,
    ),
    ...(plain === 0
      ? []
      : [
          `${plain === 1 ? `1 ${one.toLowerCase()}` : `${plain} ${many}`} without a description (not looked at).`,
        ]),
  ]
}

function cardLine({ title, description }: NonNullable<PlainPost['card']>): string {
  const parts = [title === '' ? '' : `“${title}”`, description].filter((part) => part !== '')
  return `Link to ${parts.join(': ')}`
}

function clock(seconds: number): string {
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** What is said, in one line. */
export function spoken(segments: readonly Segment[]): string {
  return segments
    .map(({ text }) => text.trim())
    .filter((text) => text !== '')
    .join(' ')
}
