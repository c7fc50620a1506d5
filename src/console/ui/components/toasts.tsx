// Short messages at the edge of the screen, read out by screen readers. Errors stay until they are put away.

import { signal } from '@preact/signals'
import type { JSX } from 'preact'
import { Icon } from './icon.tsx'

export type ToastKind = 'info' | 'error'

interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: ToastKind
}

const SHOWN_MS = 5_000
const TOASTS_MAX = 4

const toasts = signal<readonly Toast[]>([])
let nextId = 1

export function toast(text: string, kind: ToastKind = 'info'): void {
  const id = nextId++
  const others = toasts.value.filter((other) => other.text !== text)
  toasts.value = [...others, { id, text, kind }].slice(-TOASTS_MAX)
  if (kind === 'info') setTimeout(() => dismiss(id), SHOWN_MS)
}

function dismiss(id: number): void {
  toasts.value = toasts.value.filter((shown) => shown.id !== id)
}

/** Once per page. Both regions are always there: a region that appears together with its text is not read. */
export function Toasts(): JSX.Element {
  const shown = (kind: ToastKind): readonly Toast[] => toasts.value.filter((entry) => entry.kind === kind)
  return (
    <div class="toasts">
      <div role="status" aria-live="polite">
        {shown('info').map(line)}
      </div>
      <div role="alert" aria-live="assertive">
        {shown('error').map(line)}
      </div>
    </div>
  )
}

function line({ id, text, kind }: Toast): JSX.Element {
  return (
    <div key={id} class={`toast ${kind}`}>
      <span>{text}</span>
      <button type="button" class="button quiet bare" aria-label="Put away" onClick={() => dismiss(id)}>
        <Icon name="close" size={16} />
      </button>
    </div>
  )
}
