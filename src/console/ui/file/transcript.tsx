// The transcript: follows the sound, a sentence jumps there, words can be found.

import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Segment } from '../api-types.ts'
import { Button } from '../components/button.tsx'
import { FindBar } from './find-bar.tsx'
import { segmentAt, segmentsWith } from './find.ts'
import type { Playback } from './playback.ts'
import { SegmentList } from './segment-list.tsx'

export interface TranscriptProps {
  readonly segments: readonly Segment[]
  /** Absent where there is nothing to play. */
  readonly playback?: Playback | undefined
  /** Beside the find field. */
  readonly actions?: JSX.Element | undefined
}

export function Transcript({ segments, playback, actions }: TranscriptProps): JSX.Element {
  const [find, setFind] = useState('')
  const [hit, setHit] = useState(0)
  const [isFollowing, setFollowing] = useState(true)
  const active = useActive(segments, playback)
  const hits = useMemo(() => segmentsWith(segments, find), [segments, find])
  const play = (index: number): void => {
    setFollowing(true)
    playback?.seek(segments[index]?.start ?? 0, { play: true })
  }
  return (
    <section class="transcript" aria-label="Transcript">
      <div class="transcript-bar">
        <FindBar
          find={find}
          onFind={(text) => {
            setFind(text)
            setHit(0)
          }}
          position={hits.length === 0 ? 0 : hit + 1}
          count={hits.length}
          onStep={(step) => {
            setFollowing(false)
            setHit((hit + step + hits.length) % Math.max(1, hits.length))
          }}
        />
        <div class="row">
          {playback && (
            <Button icon="follow" pressed={isFollowing} onPress={() => setFollowing(!isFollowing)}>
              Follow
            </Button>
          )}
          {actions}
        </div>
      </div>
      <SegmentList
        segments={segments}
        active={active}
        followed={isFollowing ? active : -1}
        find={find}
        hits={hits}
        current={hits[hit] ?? -1}
        onChoose={playback && play}
        onScroll={() => setFollowing(false)}
      />
    </section>
  )
}

/** Index of what is spoken now; -1 before anything has been played. */
function useActive(segments: readonly Segment[], playback: Playback | undefined): number {
  const [active, setActive] = useState(-1)
  useSignalEffect(() => {
    const seconds = playback?.timeS.value ?? 0
    setActive(seconds === 0 && playback?.isPlaying.value !== true ? -1 : segmentAt(segments, seconds))
  })
  return active
}
