// A hundred segments of a transcript: drawn again only when something in them changes, and laid out by the browser only
// when they come near the screen (styles/file.css), so that ten thousand segments scroll like ten.

import { Component, type JSX } from 'preact'
import type { Segment } from '../api-types.ts'
import { Marked } from '../components/marked.tsx'
import { clock } from '../format.ts'

export const CHUNK = 100

export interface ChunkProps {
  readonly segments: readonly Segment[]
  /** Index of its first segment in the transcript. */
  readonly first: number
  /** Index of what is spoken now, if it is in here; else -1. */
  readonly active: number
  /** Index of the segment that the tab key reaches, if it is in here; else -1. */
  readonly reachable: number
  /** What to mark; '' when nothing in here has it. */
  readonly find: string
  /** Index of the find that is shown now, if it is in here; else -1. */
  readonly current: number
}

export class Chunk extends Component<ChunkProps> {
  override shouldComponentUpdate(next: ChunkProps): boolean {
    const { segments, first, active, reachable, find, current } = this.props
    return (
      next.segments.length !== segments.length ||
      next.segments[0] !== segments[0] ||
      next.first !== first ||
      next.active !== active ||
      next.reachable !== reachable ||
      next.find !== find ||
      next.current !== current
    )
  }

  override render({ segments, first, active, reachable, find, current }: ChunkProps): JSX.Element {
    return (
      <div class="chunk" role="presentation">
        {segments.map((segment, offset) => {
          const index = first + offset
          const state = `${index === active ? 'is-active' : ''} ${index === current ? 'is-current' : ''}`
          return (
            <div key={index} role="listitem" class={`segment ${state}`}>
              <button
                type="button"
                data-index={index}
                tabIndex={index === reachable ? 0 : -1}
                aria-current={index === active ? 'true' : undefined}
              >
                <span class="segment-time">{clock(segment.start)}</span>
                <span class="segment-text">
                  {find === '' ? segment.text : <Marked text={segment.text} wanted={[find]} />}
                </span>
              </button>
            </div>
          )
        })}
      </div>
    )
  }
}
