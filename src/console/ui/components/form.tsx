// A form whose button waits, and which says in its place why it was refused.

import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import { messageOf } from '../api.ts'
import { Button } from './button.tsx'
import { Notice } from './states.tsx'

export interface FormProps {
  /** What the button does. */
  readonly action: string
  readonly isReady?: boolean
  /** What it throws is shown in the form. */
  readonly onSubmit: () => Promise<unknown>
  readonly children: ComponentChildren
  readonly class?: string
}

export function Form({ action, isReady = true, onSubmit, children, ...props }: FormProps): JSX.Element {
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const submit = async (): Promise<void> => {
    if (!isReady || isBusy) return
    setBusy(true)
    setFailure(undefined)
    try {
      await onSubmit()
    } catch (error) {
      setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <form
      class={props.class ?? 'stack'}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
      {failure !== undefined && <Notice kind="error">{failure}</Notice>}
      <Button type="submit" kind="primary" disabled={!isReady || isBusy}>
        {action}
      </Button>
    </form>
  )
}
