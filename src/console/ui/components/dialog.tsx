// Dialogs on the browser's own element: it keeps the focus inside, closes on Escape and gives the focus back.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { messageOf } from '../api.ts'
import { Button } from './button.tsx'
import { Notice } from './states.tsx'

export interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

/** Open as long as it is rendered. */
export function Dialog({ title, children, onClose }: DialogProps): JSX.Element {
  const element = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const dialog = element.current
    // Focus goes back to what had it.
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onClose={onClose}>
      <header>
        <h2 id={id}>{title}</h2>
        <Button kind="quiet" icon="close" label="Close" onPress={onClose} />
      </header>
      {children}
    </dialog>
  )
}

export interface ConfirmProps {
  readonly title: string
  readonly children: ComponentChildren
  /** What the button does, such as "Delete". */
  readonly action: string
  readonly isDangerous?: boolean
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
}

/** A question before something that cannot be undone. Stays open, with the reason, when it fails. */
export function Confirm(props: ConfirmProps): JSX.Element {
  const [failure, setFailure] = useState<string>()
  const confirm = async (): Promise<void> => {
    setFailure(undefined)
    try {
      await props.onConfirm()
      props.onClose()
    } catch (error) {
      setFailure(messageOf(error))
    }
  }
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div>{props.children}</div>
      {failure !== undefined && <Notice kind="error">{failure}</Notice>}
      <footer>
        <Button onPress={props.onClose}>Keep as it is</Button>
        <Button kind={props.isDangerous ? 'danger' : 'primary'} onPress={confirm}>
          {props.action}
        </Button>
      </footer>
    </Dialog>
  )
}
