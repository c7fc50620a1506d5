// Buttons. One that is at work says so and cannot be pressed twice.

import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { messageOf } from '../api.ts'
import { Icon, type IconName } from './icon.tsx'
import { toast } from './toasts.tsx'

export interface ButtonProps {
  readonly children?: ComponentChildren
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly icon?: IconName
  /** Needed where there is an icon alone. */
  readonly label?: string
  readonly type?: 'button' | 'submit'
  readonly disabled?: boolean
  readonly pressed?: boolean
  readonly expanded?: boolean
  readonly class?: string
  /** What it returns is waited for; what it throws is shown as a toast. */
  readonly onPress?: (() => unknown) | undefined
}

export function Button({ children, kind = 'plain', icon, label, ...props }: ButtonProps): JSX.Element {
  const [isBusy, setBusy] = useState(false)
  const press = async (): Promise<void> => {
    if (isBusy || !props.onPress) return
    setBusy(true)
    try {
      await props.onPress()
    } catch (error) {
      toast(messageOf(error), 'error')
    } finally {
      setBusy(false)
    }
  }
  return (
    <button
      type={props.type ?? 'button'}
      class={`button ${kind} ${children === undefined ? 'bare' : ''} ${props.class ?? ''}`}
      disabled={props.disabled ?? false}
      aria-busy={isBusy}
      aria-label={label}
      title={children === undefined ? label : undefined}
      aria-pressed={props.pressed}
      aria-expanded={props.expanded}
      onClick={props.onPress && (() => void press())}
    >
      {icon && <Icon name={icon} size={18} />}
      {children}
    </button>
  )
}

const SAID_MS = 2_000

/** Copies a text, and says so. */
export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string
  readonly label?: string
}): JSX.Element {
  const [isDone, setDone] = useState(false)
  useEffect(() => {
    if (!isDone) return undefined
    const timer = setTimeout(() => setDone(false), SAID_MS)
    return () => clearTimeout(timer)
  }, [isDone])
  const copy = async (): Promise<void> => {
    await copyText(text)
    setDone(true)
    toast('Copied.')
  }
  return (
    <Button icon={isDone ? 'check' : 'copy'} onPress={copy}>
      {label}
    </Button>
  )
}

/** The clipboard is there in secure contexts only; over plain HTTP in a local network the old way works. */
async function copyText(text: string): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied)
    throw new Error('The browser does not let this page copy. Select the text and copy it yourself.')
}
