// An online video that was found: what is said at its best moment, the way there, and its transcript.

import type { JSX } from 'preact'
import type { FoundVideo } from '../api-types.ts'
import { Button } from '../components/button.tsx'
import { Marked } from '../components/marked.tsx'
import { WebLink } from '../components/web-link.tsx'
import { clock } from '../format.ts'
import { wordsOf } from '../file/find.ts'
import { openTranscript } from '../library/open-transcript.ts'

export interface VideoHitProps {
  readonly video: FoundVideo
  readonly query: string
}

export function VideoHit({ video, query }: VideoHitProps): JSX.Element {
  const { url, title, channel, duration, timestamp, relevant_text, query_relevance } = video
  return (
    <li class="card hit">
      <div class="row spread">
        <h2>
          <WebLink href={momentOf(url, timestamp)}>{title ?? url}</WebLink>
        </h2>
        <span class="soft small number" title="How likely this is what you are looking for">
          {Math.round(video.relevance_score * 100)} %
        </span>
      </div>
      <p class="soft small number">
        {[channel, duration === null ? null : clock(duration), video.published_date]
          .filter(Boolean)
          .join(' · ')}
      </p>
      <p class="quote">
        {timestamp !== null && <span class="soft number">{clock(timestamp)} </span>}
        <Marked text={relevant_text ?? query_relevance} wanted={wordsOf(query)} />
      </p>
      <div class="row">
        <Button icon="file" onPress={() => openTranscript(url)}>
          Transcript
        </Button>
      </div>
    </li>
  )
}

/** Platforms begin at a moment by their own parameter. */
function momentOf(address: string, seconds: number | null): string {
  if (seconds === null || !URL.canParse(address)) return address
  const url = new URL(address)
  if (!/(?:^|\.)(?:youtube\.com|youtu\.be)$/.test(url.hostname)) return address
  url.searchParams.set('t', `${Math.floor(seconds)}s`)
  return url.href
}
