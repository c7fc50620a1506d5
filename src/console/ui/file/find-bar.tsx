// Find in the transcript: a field, where one is among the finds, and the way from one to the next.

import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'

export interface FindBarProps {
  readonly find: string
  readonly onFind: (text: string) => void
  /** From 1; 0 when there is none. */
  readonly position: number
  readonly count: number
  readonly onStep: (step: 1 | -1) => void
}

export function FindBar({ find, onFind, position, count, onStep }: FindBarProps): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  useFindKey(field)
  return (
    <div class="find-bar" role="search" aria-label="In this transcript">
      <Field
        label="Find in the transcript"
        isLabelHidden
        type="search"
        placeholder="Find in the transcript"
        value={find}
        inputRef={field}
        onInput={onFind}
        onKeyDown={(event) => {
          if (event.key === 'Enter') {
            event.preventDefault()
            if (count > 0) onStep(event.shiftKey ? -1 : 1)
          }
        }}
      />
      <span class="soft small number" role="status">
        {find.trim() === '' ? '' : count === 0 ? 'Not found' : `${position} of ${count}`}
      </span>
      {count > 1 && (
        <span class="find-steps">
          <Button kind="quiet" icon="up" label="The find before" onPress={() => onStep(-1)} />
          <Button kind="quiet" icon="down" label="The next find" onPress={() => onStep(1)} />
        </span>
      )}
    </div>
  )
}

/** The slash, where nothing is being written, as in many applications. */
function useFindKey(field: { readonly current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isWriting = event.target instanceof HTMLElement && event.target.matches('input, textarea, select')
      if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [field])
}
