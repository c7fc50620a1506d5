// The segments of a transcript, drawn in chunks. The arrow keys go from sentence to sentence; the tab key passes all of
// them as one.

import type { JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Segment } from '../api-types.ts'
import { Chunk, CHUNK } from './chunk.tsx'

/** Drawn at once, and then in each pause of the browser. */
const CHUNKS_FIRST = 3
const CHUNKS_MORE = 8

export interface SegmentListProps {
  readonly segments: readonly Segment[]
  /** Index of what is spoken now, or -1. */
  readonly active: number
  /** Index of what is to be kept in sight, or -1. */
  readonly followed: number
  readonly find: string
  /** Indexes of the segments in which it was found. */
  readonly hits: readonly number[]
  /** Index of the segment with the find that is looked at, or -1. */
  readonly current: number
  /** A sentence was pressed. Absent where that means nothing. */
  readonly onChoose?: ((index: number) => void) | undefined
  /** The reader has scrolled. */
  readonly onScroll: () => void
}

export function SegmentList(props: SegmentListProps): JSX.Element {
  const { segments, active, followed, find, hits, current, onChoose, onScroll } = props
  const list = useRef<HTMLDivElement>(null)
  const [focused, setFocused] = useState(0)
  const { isDrawn, draw } = useDrawn(segments.length)
  const chunks = useMemo(() => chunksOf(segments), [segments])
  const hitChunks = useMemo(() => new Set(hits.map((index) => Math.floor(index / CHUNK))), [hits])

  const reach = (index: number, act: (button: HTMLElement) => void): void => {
    draw(index)
    // After it has been drawn.
    requestAnimationFrame(() => {
      const button = list.current?.querySelector<HTMLElement>(`button[data-index="${index}"]`)
      if (button) act(button)
    })
  }
  const show = (index: number): void => {
    if (index >= 0) reach(index, (button) => button.parentElement?.scrollIntoView({ block: 'center' }))
  }
  useEffect(() => show(followed), [followed])
  useEffect(() => show(current), [current, find])

  const onKeyDown = (event: KeyboardEvent): void => {
    const next = NEXT[event.key]?.(focused, segments.length - 1)
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    onScroll()
    setFocused(next)
    reach(next, (button) => button.focus())
  }
  const onClick = ({ target }: MouseEvent): void => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button[data-index]') : null
    if (!button) return
    const index = Number(button.dataset['index'])
    setFocused(index)
    onChoose?.(index)
  }
  return (
    // The events are those of the buttons inside: one listener for ten thousand.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      ref={list}
      class={`segments ${onChoose ? '' : 'is-still'}`}
      role="list"
      onClick={onClick}
      onKeyDown={onKeyDown}
      onWheel={onScroll}
      onTouchMove={onScroll}
    >
      {chunks.map((chunk, index) => {
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
  )
}

const NEXT: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowDown: (index, last) => Math.min(index + 1, last),
  ArrowUp: (index) => Math.max(index - 1, 0),
  Home: () => 0,
  End: (_index, last) => last,
}

function chunksOf(segments: readonly Segment[]): readonly (readonly Segment[])[] {
  const count = Math.ceil(segments.length / CHUNK)
  return Array.from({ length: count }, (_, index) => segments.slice(index * CHUNK, (index + 1) * CHUNK))
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
