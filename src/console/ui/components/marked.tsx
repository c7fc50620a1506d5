// A text in which what was looked for is marked.

import type { JSX } from 'preact'
import { piecesOf } from '../file/find.ts'

export function Marked({
  text,
  wanted,
}: {
  readonly text: string
  readonly wanted: readonly string[]
}): JSX.Element {
  return (
    <>
      {piecesOf(text, wanted).map((piece, index) =>
        // oxlint-disable-next-line react/no-array-index-key
        piece.isFound ? <mark key={index}>{piece.text}</mark> : piece.text,
      )}
    </>
  )
}
