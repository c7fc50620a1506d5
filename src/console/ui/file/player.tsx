// The browser's own player on a signed link to the bytes. Links last an hour: one that has run out is asked for anew, and
// the sound goes on where it was.

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { MediaFile } from '../api-types.ts'
import { get, path } from '../api.ts'
import { Notice } from '../components/states.tsx'
import { useData } from '../data.ts'
import type { Playback } from './playback.ts'

/** A link that does not work twice in this time is not one that has run out. */
const FRESH_MS = 60_000

export interface PlayerProps {
  readonly file: Pick<MediaFile, 'id' | 'name' | 'type'>
  readonly playback: Playback
}

export function Player({ file, playback }: PlayerProps): JSX.Element | null {
  const link = useData(`link ${file.id}`, async (signal) => {
    const { file_url } = await get<{ file_url: string }>(path('/v1/file/', file.id, '/url'), signal)
    return { url: ownAddress(file_url), madeAt: Date.now() }
  })
  const [isUnplayable, setUnplayable] = useState(false)
  const failed = (): void => {
    if (!link.data || Date.now() - link.data.madeAt < FRESH_MS) setUnplayable(true)
    else {
      playback.seek(playback.timeS.peek(), { play: true })
      link.reload()
    }
  }
  if (link.error) return <Notice kind="error">{link.error.message}</Notice>
  if (!link.data) return <div class="player-space" />
  if (isUnplayable) {
    return (
      <Notice>
        <p>
          This browser cannot play the format of this file ({file.type || 'unknown'}). Its transcript is
          complete all the same.
        </p>
        <a href={link.data.url} download={file.name}>
          Download the file
        </a>
      </Notice>
    )
  }
  return <Media key={link.data.url} url={link.data.url} file={file} playback={playback} onError={failed} />
}

/** Links carry the server's public name; the page may have been reached by another, and loads from its own only. */
export function ownAddress(link: string): string {
  const { pathname, search } = new URL(link, location.href)
  return pathname + search
}

interface MediaProps extends PlayerProps {
  readonly url: string
  readonly onError: () => void
}

function Media({ url, file, playback, onError }: MediaProps): JSX.Element {
  const element = useRef<HTMLVideoElement & HTMLAudioElement>(null)
  useEffect(() => (element.current ? playback.attach(element.current) : undefined), [playback])
  const common = { src: url, controls: true, preload: 'metadata', onError, 'aria-label': file.name } as const
  // The transcript beside it is what captions would say.
  return file.type.startsWith('video/') ? (
    // oxlint-disable-next-line jsx-a11y/media-has-caption
    <video ref={element} class="video" playsInline {...common} />
  ) : (
    // oxlint-disable-next-line jsx-a11y/media-has-caption
    <audio ref={element} class="audio" {...common} />
  )
}
