// From one page of a list that goes by cursors to the next, and back to its beginning.

import type { JSX } from 'preact'
import { Button } from './button.tsx'

export interface PagerProps {
  /** Of the page that is shown; undefined: the first. */
  readonly cursor: string | undefined
  readonly next: string | null
  readonly onTurn: (cursor: string | undefined) => void
}

export function Pager({ cursor, next, onTurn }: PagerProps): JSX.Element | null {
  if (cursor === undefined && next === null) return null
  return (
    <div class="row">
      {cursor !== undefined && <Button onPress={() => onTurn(undefined)}>Newest</Button>}
      {next !== null && <Button onPress={() => onTurn(next)}>Older</Button>}
    </div>
  )
}
