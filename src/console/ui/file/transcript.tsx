// The transcript: follows the sound, a sentence jumps there, words can be found. The arrow keys go from sentence to
// sentence; the tab key passes all of them as one.

import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Segment } from '../api-types.ts'
import { Button } from '../components/button.tsx'
import { Chunk, CHUNK } from './chunk.tsx'
import { FindBar } from './find-bar.tsx'
import { segmentAt, segmentsWith } from './find.ts'
import type { Playback } from './playback.ts'

/** Drawn at once, and then in each pause of the browser. */
const CHUNKS_FIRST = 3
const CHUNKS_MORE = 8

export interface TranscriptProps {
  readonly segments: readonly Segment[]
  /** Absent where there is nothing to play. */
  readonly playback?: Playback | undefined
  /** Beside the find field. */
  readonly actions?: JSX.Element | undefined
  /** It grows still: the end is what matters. */
  readonly isGrowing?: boolean
}

export function Transcript({ segments, playback, actions, isGrowing = false }: TranscriptProps): JSX.Element {
  const list = useRef<HTMLDivElement>(null)
  const [find, setFind] = useState('')
  const [hit, setHit] = useState(0)
  const [focused, setFocused] = useState(0)
  const [isFollowing, setFollowing] = useState(true)
  const active = useActive(segments, playback)
  const { isDrawn, draw } = useDrawn(segments.length)
  const hits = useMemo(() => segmentsWith(segments, find), [segments, find])
  const hitChunks = useMemo(() => new Set(hits.map((index) => Math.floor(index / CHUNK))), [hits])
  const current = hits[hit] ?? -1

  const show = (index: number, block: ScrollLogicalPosition): void => {
    draw(index)
    // After it has been drawn.
    requestAnimationFrame(() => buttonAt(list.current, index)?.scrollIntoView({ block, behavior: 'auto' }))
  }
  useEffect(() => {
    if (isFollowing && active >= 0) show(active, 'center')
  }, [active, isFollowing])
  useEffect(() => {
    if (current >= 0) show(current, 'center')
  }, [current, find])

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = NEXT[event.key]?.(focused, segments.length - 1)
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    setFocused(next)
    draw(next)
    requestAnimationFrame(() => buttonAt(list.current, next)?.focus())
  }
  const onClick = (event: MouseEvent): void => {
    const index = indexOf(event.target)
    if (index === undefined) return
    setFocused(index)
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
      <div
        ref={list}
        class={`segments ${playback ? '' : 'is-still'}`}
        role="list"
        aria-live={isGrowing ? 'off' : undefined}
        aria-busy={isGrowing}
        onClick={onClick}
        onKeyDown={onKeyDown}
        onWheel={() => setFollowing(false)}
        onTouchMove={() => setFollowing(false)}
      >
        {chunksOf(segments).map((chunk, index) => {
          if (!isDrawn(index)) return null
          const first = index * CHUNK
          const inHere = (at: number): number => (at >= first && at < first + CHUNK ? at : -1)
          return (
            <Chunk
              key={first}
              segments={chunk}
              first={first}
              active={inHere(active)}
              reachable={inHere(focused)}
              find={hitChunks.has(index) ? find : ''}
              current={inHere(current)}
            />
          )
        })}
      </div>
    </section>
  )
}

const NEXT: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_index, last) => last,
}

function indexOf(target: EventTarget | null): number | undefined {
  const button = target instanceof Element ? target.closest<HTMLElement>('button[data-index]') : null
  return button ? Number(button.dataset['index']) : undefined
}

function buttonAt(list: HTMLElement | null, index: number): HTMLElement | null {
  return list?.querySelector<HTMLElement>(`button[data-index="${index}"]`) ?? null
}

function chunksOf(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  const count = Math.ceil(segments.length / CHUNK)
  return Array.from({ length: count }, (_, index) => segments.slice(index * CHUNK, (index + 1) * CHUNK))
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

interface Drawn {
  readonly isDrawn: (chunk: number) => boolean
  /** Sees to it that a segment is drawn, with everything before it. */
  readonly draw: (segment: number) => void
}

/** The beginning at once, the rest little by little: the page answers from the first moment. */
function useDrawn(segmentCount: number): Drawn {
  const [count, setCount] = useState(CHUNKS_FIRST)
  const isComplete = count * CHUNK >= segmentCount
  useEffect(() => {
    if (isComplete) return undefined
    const timer = setTimeout(() => setCount(count + CHUNKS_MORE), 0)
    return () => clearTimeout(timer)
  }, [count, isComplete])
  const draw = (segment: number): void =>
    setCount((drawn) => Math.max(drawn, Math.floor(segment / CHUNK) + 1))
  return { isDrawn: (chunk) => chunk < count, draw }
}
